/// A diagnosis of why the device receives no pushes, from what the device and the server know.
public struct ClientStatus: Sendable, Equatable {
  /// A reason why the device receives no pushes, or soon will not.
  public enum Finding: Sendable, Equatable {
    /// The system does not let the app show notifications, for example because the user declined or was not asked yet.
    case notificationsOff
    /// The system has not issued a device token, for example because the app lacks the entitlement for pushes.
    case noToken
    /// The device stores no readable registration with this server and app: register the device.
    case notRegistered
    /// The server does not know the device, or the device's key is not valid any more: register again.
    case unknownToServer
    /// The token issued by the system, the one stored on this device and the one registered on the server (of which
    /// only the first eight characters are known) are not all the same: register again.
    case tokenDiffers
    /// The server has registered the token for a different APNs environment from the one in the client's settings.
    case environmentDiffers
    /// The server has not accepted this user, usually because a valid proof was missing: the device receives messages
    /// to everyone, but none to this user.
    case unproved(clientUID: String)
    /// In an app whose identity mode is `strict`: the device has not yet received the server's silent push and returned
    /// it to the server, so it does not belong to the user yet.
    case awaitsPush
    /// The user has withdrawn consent to notifications.
    case consentWithdrawn
    /// The server did not answer, was busy, or the answer did not come from a UPMC server; the text says which.
    case serverNotReached(String)
    /// The server refused the call, or the key store could not be read; the text says which.
    case refused(String)
    /// This number of receipts and reads wait to be sent: pushes arrive, but the server has not been told.
    case confirmationsWait(Int)
  }

  /// The reasons: those of the system first, then those of the registration and the server, then waiting confirmations.
  /// Empty if nothing is wrong.
  public let findings: [Finding]
  /// The registration with the current server and app that is stored on this device; nil if there is none, if the app
  /// has ended it, or if the key store cannot be read.
  public let registration: DeviceRegistration?

  /// True if there are no findings.
  public var isWell: Bool { findings.isEmpty }
}

extension PushClient {
  /// Asks the server about this device and returns what keeps it from receiving pushes. Never throws: a failed call is
  /// a finding. Does not call the server if the device is not registered.
  /// - Parameters:
  ///   - mayShow: true if the system lets the app show notifications; false if not, which is a finding; nil if unknown.
  ///   - token: the device token that the system has issued since the app started; nil if none, which is a finding.
  public func status(mayShow: Bool?, token: String?) async -> ClientStatus {
    var findings: [ClientStatus.Finding] = []
    if mayShow == false { findings.append(.notificationsOff) }
    if token == nil { findings.append(.noToken) }
    var shown: DeviceRegistration?
    do throws(ClientError) {
      if let known = try registration(), known.leaves != .service {
        shown = DeviceRegistration(known, badge: nil)
        findings += await differences(of: known, token)
      } else {
        findings.append(.notRegistered)
      }
    } catch {
      findings.append(.refused(error.description))
    }
    if let refusedUser, !findings.contains(.unproved(clientUID: refusedUser)) {
      findings.append(.unproved(clientUID: refusedUser))
    }
    let waiting = outbox.waiting().count
    if waiting > 0 { findings.append(.confirmationsWait(waiting)) }
    return ClientStatus(findings: findings, registration: shown)
  }

  private func differences(of known: StoredRegistration, _ token: String?) async -> [ClientStatus.Finding] {
    do throws(ClientError) {
      let answer = try await deviceCall("GET", "", of: known)
      if answer.status == 401 || answer.status == 404, ServerProblem(answer) != nil { return [.unknownToServer] }
      let server = try answer.decoded(ServedDevice.self)
      var findings: [ClientStatus.Finding] = []
      let current = settings.network == .apns ? token?.lowercased() : token
      if !(current ?? known.psid).hasPrefix(server.psid) || current ?? known.psid != known.psid {
        findings.append(.tokenDiffers)
      }
      if settings.network == .apns, server.environment != settings.environment.rawValue {
        findings.append(.environmentDiffers)
      }
      if server.awaitsPush {
        findings.append(.awaitsPush)
      } else if let asked = known.askedFor, server.user?.clientUid != asked {
        findings.append(.unproved(clientUID: asked))
      }
      if server.consent.notification?.given == false { findings.append(.consentWithdrawn) }
      return findings
    } catch {
      switch error {
      case .noAnswer, .busy, .notAnAnswer: return [.serverNotReached(error.description)]
      default: return [.refused(error.description)]
      }
    }
  }
}

/// The answer to `GET /v1/devices/{device}`.
private struct ServedDevice: Decodable {
  var environment: String
  /// The first eight characters of the registered token.
  var psid: String
  var user: KnownUser?
  var awaitsPush: Bool
  var consent: ClientConsents
}
