internal import Reactor
internal import JSON

/// State of the simulated FCM: accounts, registrations, quota, and all messages. Confined to the loop of thread
/// `sim-apns-0`, like that of the simulated APNs.
package final class FCMService {
  /// A request, independent of the HTTP version.
  struct Request {
    var method: String
    var path: String
    var authorization: String?
    var body: [UInt8]
  }

  /// A message that has passed all checks.
  struct Accepted {
    let message: FCMMessage
    let project: String
    /// Number of the registration; nil for topics and conditions.
    let registration: Int?

    var name: String {
      switch message.target {
      case .token(let name), .fid(let name), .topic(let name), .condition(let name): name
      }
    }
  }

  package var tokens = TokenEndpoint()
  package var registrations: FCMRegistrations
  package var log: DeliveryLog
  package var counters = FCMCounters()
  var quota: FCMQuota
  private let latestSeconds: () -> Int64
  /// Receives the messages to virtual devices; nil if there are none.
  private var audience: DeliveryAudience?

  init(configuration: SimulatorConfiguration, nowSeconds: @escaping () -> Int64) {
    registrations = FCMRegistrations(unregisteredTokens: configuration.unregisteredTokens)
    log = DeliveryLog(keepsPayloads: configuration.keepsPayloads, capacity: configuration.deliveriesKept)
    quota = FCMQuota(perMinute: configuration.fcmMessagesPerMinute)
    limitsDevices = configuration.fcmLimitsDevices
    keepsDeliveries = configuration.keepsDeliveries
    latestSeconds = nowSeconds
  }

  private let limitsDevices: Bool
  private let keepsDeliveries: Bool

  // MARK: Validation

  /// Validates a request in this order: path, access token, project, quota, message, registration, quota of the device.
  /// Beyond what Google documents, the real order is unknown.
  func judge(_ request: Request) -> Result<Accepted, FCMError> {
    counters.requests += 1
    let verdict = check(request)
    if case .failure(let error) = verdict { counters.rejected[error.word, default: 0] += 1 }
    return verdict
  }

  private func check(_ request: Request) -> Result<Accepted, FCMError> {
    do throws(FCMError) {
      let project = try project(of: request)
      try authenticate(request, project)
      let now = latestSeconds()
      if let wait = quota.take(project, now: now) {
        var error = FCMError.quotaExceeded
        error.retryAfter = String(wait)
        throw error
      }
      let message = try FCMMessage.judge(request.body).get()
      var registration: Int?
      switch message.target {
      case .token(let name), .fid(let name): registration = try registrations.find(name).get()
      case .topic, .condition: break
      }
      if limitsDevices, let registration, let wait = quota.take(device: registration, now: now) {
        var error = FCMError.deviceRate
        error.retryAfter = String(wait)
        throw error
      }
      return .success(Accepted(message: message, project: project, registration: registration))
    } catch {
      return .failure(error)
    }
  }

  private static let prefix = "/v1/projects/"
  private static let suffix = "/messages:send"

  static func serves(_ path: String) -> Bool { path.hasPrefix(prefix) }

  private func project(of request: Request) throws(FCMError) -> String {
    let path = request.path.prefix { $0 != "?" }
    guard request.method == "POST", path.hasPrefix(Self.prefix), path.hasSuffix(Self.suffix) else {
      throw .wrongProject
    }
    let project = path.dropFirst(Self.prefix.utf8.count).dropLast(Self.suffix.utf8.count)
    guard !project.isEmpty, !project.contains("/") else { throw .wrongProject }
    return String(project)
  }

  private func authenticate(_ request: Request, _ project: String) throws(FCMError) {
    guard let authorization = request.authorization, authorization.lowercased().hasPrefix("bearer ") else {
      throw .missingCredential
    }
    guard let grant = tokens.grant(of: String(authorization.dropFirst("bearer ".utf8.count))),
      grant.endsAt > latestSeconds()
    else { throw .invalidCredential }
    guard tokens.knows(project: project) else { throw .wrongProject }
    guard grant.account.projectID == project else { throw .denied(project) }
    guard grant.account.maySend else { throw .apiDisabled(project) }
  }

  // MARK: Delivery

  /// Records a message and delivers it to the device. Does nothing for `validate_only`.
  func deliver(_ accepted: Accepted, id: MessageID, atMicroseconds: Int64) {
    counters.accepted += 1
    guard !accepted.message.isValidateOnly else { return counters.validated += 1 }
    if accepted.message.isHighPriority { counters.highPriority += 1 }
    guard let registration = accepted.registration else { return counters.toTopics += 1 }
    counters.deliveries += 1
    let payload = accepted.message.devicePayload
    if keepsDeliveries {
      let seqno = PushPayload(payload).flatMap { UInt64($0.seqno) }
      // FCM messages carry no id from the sender, so duplicates are recognized by the SEQNO.
      let own = seqno.map { MessageID(high: $0, low: UInt64(registration)) }
      let badge = PayloadBadge.find(in: payload.span)
      let collapseKey = accepted.message.collapseKey.map { Array($0.utf8) }
      if let collapseKey {
        log.record(
          token: registration, id: own ?? id, isOwnID: own != nil, collapseID: collapseKey.span, badge: badge,
          payload: { payload }, atMicroseconds: atMicroseconds)
      } else {
        log.record(
          token: registration, id: own ?? id, isOwnID: own != nil, collapseID: nil, badge: badge,
          payload: { payload }, atMicroseconds: atMicroseconds)
      }
    }
    audience?.deliver(payload, to: registration)
  }

  /// Returns the body of the response to an accepted request.
  func answer(_ accepted: Accepted, _ id: MessageID) -> [UInt8] {
    let number = accepted.message.isValidateOnly ? "fake_message_id" : "0:\(id.high)%\(String(id.low, radix: 16))"
    return Array("{\n  \"name\": \"projects/\(accepted.project)/messages/\(number)\"\n}\n".utf8)
  }

  // MARK: Devices

  /// Registers the virtual devices, which receive their messages from now on. Returns false if there are some already.
  func admit(_ plan: DevicePlan, _ pushes: Inbox<DevicePush>) -> Bool {
    guard audience == nil else { return false }
    let audience = DeliveryAudience(inbox: pushes)
    for device in 0..<plan.count {
      audience.add(device, token: registrations.register(plan.name(of: device)))
    }
    self.audience = audience
    return true
  }

  var missed: Int { audience?.missed ?? 0 }

  func flush() {
    audience?.flush()
  }

  /// Clears what was recorded. Accounts, access tokens and registrations are kept.
  func reset() {
    counters = FCMCounters()
    log.removeAll()
    quota = FCMQuota(perMinute: quota.perMinute)
  }

  func snapshot() -> FCMCounters {
    var copy = counters
    copy.duplicates = log.duplicates
    copy.reachedRegistrations = log.reachedTokens
    copy.accessTokens = tokens.granted
    copy.assertionsRefused = tokens.refused
    return copy
  }
}

extension FCMMessage {
  /// The payload that the device's SDK receives: `data.message` on Android, the APNs payload on iOS.
  var devicePayload: [UInt8] {
    if let message = data["message"] { return Array(message.utf8) }
    if let apnsPayload { return apnsPayload }
    var writer = JSONWriter()
    writer.object { writer in
      for (name, value) in data.sorted(by: { $0.key < $1.key }) { writer.member(name, value) }
    }
    return writer.bytes
  }
}

/// Counters of the simulated FCM.
package struct FCMCounters: Codable, Equatable, Sendable {
  package var requests = 0
  package var accepted = 0
  /// Responses other than 200, by FCM's code or else the canonical one.
  package var rejected: [String: Int] = [:]
  package var deliveries = 0
  /// Messages accepted with `validate_only`.
  package var validated = 0
  package var toTopics = 0
  package var highPriority = 0
  package var duplicates = 0
  package var reachedRegistrations = 0
  /// Number of access tokens issued.
  package var accessTokens = 0
  /// Number of assertions refused by the token endpoint.
  package var assertionsRefused = 0

  package init() {}
}
