/// Answers "why do I get no push", from what the device and the server know.
public struct ClientStatus: Sendable, Equatable {
  /// Something that keeps pushes away, or that will.
  public enum Finding: Sendable, Equatable {
    /// The system does not let the app show notifications: the person said no, or was not asked yet.
    case notificationsOff
    /// The system has not handed over a token: no network, no entitlement, or a simulator.
    case noToken
    /// The device was never registered with this server, or left.
    case notRegistered
    /// The server does not know the device, or its key has ended: register again.
    case unknownToServer
    /// The server has another token than the system: register again.
    case tokenDiffers
    /// The token is of another of Apple's services than the registration says.
    case environmentDiffers
    /// The user was asked for and is not vouched for: the device gets what is sent to everyone, and nothing of the user's.
    case unproved(clientUID: String)
    /// `strict`: the server's silent push has not come back yet.
    case awaitsPush
    /// The person has withdrawn the consent to notifications.
    case consentWithdrawn
    /// The server could not be asked.
    case serverNotReached(String)
    /// The server was asked and refused.
    case refused(String)
    /// So many receipts and reads wait to be sent: pushes come, and the server does not know.
    case confirmationsWait(Int)
  }

  /// What keeps pushes away, the likeliest reason first; empty when all is well.
  public let findings: [Finding]
  /// The registration as this device knows it; nil when there is none.
  public let registration: DeviceRegistration?

  /// Nothing keeps pushes away.
  public var isWell: Bool { findings.isEmpty }
}

extension PushClient {
  /// Asks the server about this device and says what keeps pushes away.
  /// - Parameters:
  ///   - mayShow: what the system says of the app's notifications; nil when it was not asked.
  ///   - token: what the system handed over since the app started; nil when nothing came.
  public func status(mayShow: Bool?, token: String?) async -> ClientStatus {
    var findings: [ClientStatus.Finding] = []
    if mayShow == false { findings.append(.notificationsOff) }
    if token == nil { findings.append(.noToken) }
    var shown: DeviceRegistration?
    do throws(ClientError) {
      if let known = try registration() {
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

/// `GET /v1/devices/{device}`.
private struct ServedDevice: Decodable {
  var environment: String
  /// The first eight characters.
  var psid: String
  var user: KnownUser?
  var awaitsPush: Bool
  var consent: ClientConsents
}
