/// A fault as requested through the control API: its effect, and the conditions under which it applies. All of them
/// must be met.
package struct Fault: Codable, Equatable, Sendable {
  /// The kinds of faults; values of the member `kind`.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    case answer, slow, silence, reorder, reset, shape
    case goAway = "goaway"
    case collapse, violation
    case withholdWindow = "withhold-window"
    case cut
    case refuse
    case delayHandshake = "delay-handshake"
    case breakHandshake = "break-handshake"
    case wrongHost = "wrong-host"
    case expiredCertificate = "expired-certificate"
    case delaySettings = "delay-settings"
    case ignoreSettings = "ignore-settings"
    case unknownSettings = "unknown-settings"
  }

  /// The simulated networks; values of the member `network`.
  package enum Network: String, Codable, Sendable { case apns, fcm }

  package var kind: Kind
  /// Network to which the fault is limited; by default the one that defines `reason`, otherwise both.
  package var network: Network?

  /// Network to which the fault is limited, after applying the default of `network`; nil for both.
  var servedNetwork: Network? {
    if let network { return network }
    guard kind == .answer, let reason else { return nil }
    return Reason(rawValue: reason) != nil ? .apns : FCMError.named(reason) != nil ? .fcm : nil
  }

  // MARK: Effect

  /// For answer: Apple's reason, FCM's error code, or any other text together with `status`.
  package var reason: String?
  package var status: Int?
  /// For answer with status 410: time since the token became invalid, in seconds; 1 by default.
  package var ageSeconds: Double?
  /// For answer: value of the Retry-After header in seconds; nil to omit it.
  package var retryAfterSeconds: Int?
  /// For slow, collapse, withhold-window, delay-handshake and delay-settings: duration in milliseconds; 1,000 by
  /// default.
  package var milliseconds: Int?
  /// For reorder: number of answers, 2 by default. For collapse: stream limit, 1 by default.
  package var count: Int?
  /// For reset and goaway: error code; 7 (REFUSED_STREAM) or 0 by default.
  package var code: UInt32?
  /// For reset: true to send a second RST_STREAM (STREAM_CLOSED). For goaway: true to send two GOAWAY frames.
  package var twice: Bool?
  /// For goaway: `honest`, `before` or `none`; see `Effect.GoAway`.
  package var lastStream: String?
  /// For goaway: `drain`, `close` or `silent`; see `Effect.GoAway`.
  package var ending: String?
  /// For goaway: debug data.
  package var debugData: String?
  /// For shape: `split`, `interim`, `text`, `empty`, `without-id` or `extra-headers`. For cut: `reset`, `fin` or
  /// `half-open`.
  package var form: String?

  // MARK: Conditions

  /// Only for tokens with this prefix (hexadecimal for APNs).
  package var tokenPrefix: String?
  package var environment: Environment?
  /// Only for this connection, counted from 1 in the order accepted.
  package var connection: Int?
  /// Only for every N-th request (or connection) that meets the other conditions.
  package var every: Int?
  /// Only with this probability, 0…1, by the simulator's seed.
  package var probability: Double?
  /// Only after this many seconds since the fault was requested.
  package var afterSeconds: Double?
  /// Only for this many seconds after that.
  package var forSeconds: Double?
  /// Maximum number of times the fault occurs; nil for no limit.
  package var times: Int?

  package init(_ kind: Kind) {
    self.kind = kind
  }

  /// The reason why a fault is invalid.
  package struct Invalid: Error, CustomStringConvertible {
    package let description: String
  }

  /// Returns the effect, with defaults applied.
  package func effect() throws(Invalid) -> Effect {
    let time = Duration.milliseconds(milliseconds ?? 1000)
    guard milliseconds ?? 0 >= 0, count ?? 1 >= 1, every ?? 1 >= 1 else {
      throw Invalid(description: "milliseconds must not be negative; count and every are at least 1")
    }
    switch kind {
    case .answer: return .answer(try answer())
    case .slow: return .slow(time)
    case .silence: return .silence
    case .reorder: return .reorder(max(2, count ?? 2))
    case .reset: return .reset(code: code ?? 7, thenClosed: twice ?? false)
    case .shape: return .shape(try choice(form, "form"))
    case .goAway: return .goAway(try goAway())
    case .collapse: return .collapse(limit: count ?? 1, lasting: time)
    case .violation: return .violation
    case .withholdWindow: return .withholdWindow(time)
    case .cut: return .cut(try choice(form ?? Effect.Cut.reset.rawValue, "form"))
    case .refuse: return .refuse
    case .delayHandshake: return .delayHandshake(time)
    case .breakHandshake: return .breakHandshake
    case .wrongHost: return .wrongHost
    case .expiredCertificate: return .expiredCertificate
    case .delaySettings: return .delaySettings(time)
    case .ignoreSettings: return .ignoreSettings
    case .unknownSettings: return .unknownSettings
    }
  }

  private func answer() throws(Invalid) -> Effect.Answer {
    guard let reason else { throw Invalid(description: "an answer needs a reason") }
    guard let status = status ?? Reason(rawValue: reason)?.status ?? FCMError.named(reason)?.status else {
      throw Invalid(description: "\(reason) is neither one of Apple's reasons nor FCM's: give a status with it")
    }
    guard (200...599).contains(status) else { throw Invalid(description: "status must be 200…599") }
    let age = status == 410 ? Duration.milliseconds(Int64((ageSeconds ?? 1) * 1000)) : nil
    return Effect.Answer(status: status, reason: reason, age: age, retryAfterSeconds: retryAfterSeconds)
  }

  private func goAway() throws(Invalid) -> Effect.GoAway {
    var plan = Effect.GoAway()
    if let lastStream { plan.lastStream = try choice(lastStream, "lastStream") }
    if let ending { plan.ending = try choice(ending, "ending") }
    plan.code = code ?? 0
    plan.debugData = debugData ?? ""
    plan.isTwice = twice ?? false
    return plan
  }

  private func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String?, _ field: String
  ) throws(Invalid) -> Choice where Choice.RawValue == String {
    if let name, let known = Choice(rawValue: name) { return known }
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw Invalid(description: "\(field) must be one of \(names)")
  }
}
