/// A fault as it is asked for through the control API: what happens, and to whom. All conditions must hold.
package struct Fault: Codable, Equatable, Sendable {
  /// Names of `kind`.
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

  /// Names of `network`.
  package enum Network: String, Codable, Sendable { case apns, fcm }

  package var kind: Kind
  /// Only this service. Default: the one whose word `reason` is, else both.
  package var network: Network?

  /// The service it is for; nil for all.
  var servedNetwork: Network? {
    if let network { return network }
    guard kind == .answer, let reason else { return nil }
    return Reason(rawValue: reason) != nil ? .apns : FCMError.named(reason) != nil ? .fcm : nil
  }

  // MARK: What exactly

  /// answer: Apple's reason, FCM's error code, or any other word together with `status`.
  package var reason: String?
  package var status: Int?
  /// answer with 410: how long ago the token ended. Default 1.
  package var ageSeconds: Double?
  /// answer: seconds for a Retry-After header.
  package var retryAfterSeconds: Int?
  /// slow, collapse, withhold-window, delay-handshake, delay-settings: how long. Default 1000.
  package var milliseconds: Int?
  /// reorder: how many answers. collapse: the limit. Default 2 and 1.
  package var count: Int?
  /// reset, goaway: the error code. Default 7 (REFUSED_STREAM) and 0.
  package var code: UInt32?
  /// reset: a second RST_STREAM (STREAM_CLOSED) follows. goaway: two of them.
  package var twice: Bool?
  /// goaway: `honest`, `before`, `none`.
  package var lastStream: String?
  /// goaway: `drain`, `close`, `silent`.
  package var ending: String?
  /// goaway: debug data.
  package var debugData: String?
  /// shape: `split`, `interim`, `text`, `empty`, `without-id`, `extra-headers`. cut: `reset`, `fin`, `half-open`.
  package var form: String?

  // MARK: To whom and when

  /// Only tokens that begin so (for APNs hexadecimal).
  package var tokenPrefix: String?
  package var environment: Environment?
  /// Only this connection, counted from 1 in the order accepted.
  package var connection: Int?
  /// Only every N-th request (or connection) that the other conditions leave.
  package var every: Int?
  /// Only with this probability, 0…1, by the simulator's seed.
  package var probability: Double?
  /// Not before this much time has passed since the fault was asked for.
  package var afterSeconds: Double?
  /// Not after it has been possible for this long.
  package var forSeconds: Double?
  /// At most so often.
  package var times: Int?

  package init(_ kind: Kind) {
    self.kind = kind
  }

  /// Why a fault cannot be.
  package struct Invalid: Error, CustomStringConvertible {
    package let description: String
  }

  /// What it does, with defaults filled in.
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
