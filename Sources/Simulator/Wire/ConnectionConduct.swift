/// How the service treats one connection by how it has behaved: the stream limit and the count of errors. Pure.
///
/// ```
///            first push accepted                    4xx (not 410)
/// probing ───────────────────────► trusted ◄─────────────────────────► restrained
/// limit 1                          limit 1000      push accepted        limit 1
///    │                                │                                    │
///    └───────────── error points over the limit, or shutdown ──────────────┘
///                                     ▼
///                                 draining
/// ```
///
/// Apple documents the limit of 1 before the first valid push; that a rejection restrains a connection and a success
/// frees it, and that errors end it "sooner" when they are BadDeviceToken, was observed or is told without numbers.
package struct ConnectionConduct {
  package enum State: Equatable, Sendable { case probing, trusted, restrained, draining }

  package enum Action: Equatable, Sendable {
    case none
    /// Too many errors: GOAWAY that names this reason.
    case goAway(Reason)
  }

  /// What is done about a stream that was just opened.
  package enum Admission: Equatable, Sendable {
    case admitted
    /// Over a limit that the client cannot know yet: REFUSED_STREAM, nothing lost.
    case refused
    /// Over a limit that the client has acknowledged: GOAWAY.
    case violation
  }

  /// The switches of the configuration.
  package struct Policy: Equatable, Sendable {
    package var streams = Limits.streams
    /// Whether a rejection drops the limit to 1.
    package var dropsLimit = true
    /// Points of error until GOAWAY; 0 for no limit.
    package var errorPoints = Limits.errorPoints

    package init() {}
  }

  package private(set) var state: State
  package private(set) var errorPoints = 0
  private let policy: Policy
  /// A fault's limit, over everything else while it lasts.
  private var collapsedLimit: Int?
  /// Limits sent and not yet acknowledged, oldest first.
  private var unacknowledged: [Int] = []
  /// What the client is bound to; nil before it acknowledged anything (RFC 9113, 6.5.2: no limit).
  private var acknowledgedLimit: Int?
  private var sentLimit: Int?

  /// - Parameter isProven: a client certificate proves the provider before the first push.
  package init(policy: Policy, isProven: Bool) {
    self.policy = policy
    state = isProven ? .trusted : .probing
  }

  /// The limit that should be in force now.
  package var limit: Int {
    if let collapsedLimit { return collapsedLimit }
    switch state {
    case .probing, .restrained: return Limits.streamsBeforeFirstPush
    case .trusted, .draining: return policy.streams
    }
  }

  package mutating func pushAccepted() {
    if state != .draining { state = .trusted }
  }

  package mutating func pushRejected(_ reason: Reason) -> Action {
    guard state != .draining, reason.isErrorCondition else { return .none }
    if state == .trusted, policy.dropsLimit { state = .restrained }
    errorPoints += reason == .badDeviceToken ? Limits.badDeviceTokenPoints : 1
    guard policy.errorPoints > 0, errorPoints >= policy.errorPoints else { return .none }
    state = .draining
    return .goAway(reason)
  }

  package mutating func beginDraining() {
    state = .draining
  }

  package mutating func collapse(to limit: Int?) {
    collapsedLimit = limit
  }

  // MARK: SETTINGS

  /// The limit to send now, if it differs from the last one sent; remembered as sent.
  package mutating func limitToSend() -> Int? {
    guard limit != sentLimit else { return nil }
    sentLimit = limit
    unacknowledged.append(limit)
    return limit
  }

  /// The client acknowledged the oldest SETTINGS that carried a limit.
  package mutating func settingsAcknowledged() {
    if !unacknowledged.isEmpty { acknowledgedLimit = unacknowledged.removeFirst() }
  }

  /// - Parameter openStreams: with the new one.
  package func admit(openStreams: Int) -> Admission {
    // Of the limits on their way any may be in force at the client by now: it breaks its word only above them all.
    if let acknowledgedLimit, openStreams > max(acknowledgedLimit, unacknowledged.max() ?? 0) { return .violation }
    return openStreams > (sentLimit ?? limit) ? .refused : .admitted
  }
}
