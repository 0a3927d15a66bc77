/// The stream limit and error count of a connection, which depend on the provider's behavior.
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
/// Apple documents the limit of 1 before the first valid push. That a refusal lowers the limit and a success restores
/// it was observed; that BadDeviceToken errors end a connection "sooner" is documented without numbers.
package struct StreamLimitPolicy {
  package enum State: Equatable, Sendable { case probing, trusted, restrained, draining }

  package enum Action: Equatable, Sendable {
    case none
    /// Too many errors: send GOAWAY with this reason.
    case goAway(Reason)
  }

  /// The decision about a newly opened stream.
  package enum Admission: Equatable, Sendable {
    case admitted
    /// Above a limit that the client has not acknowledged yet: answer REFUSED_STREAM.
    case refused
    /// Above a limit that the client has acknowledged: send GOAWAY.
    case violation
  }

  /// The configurable limits.
  package struct Policy: Equatable, Sendable {
    package var streams = Limits.streams
    /// True if a refusal lowers the stream limit to 1.
    package var dropsLimit = true
    /// Error points at which GOAWAY is sent; 0 for no limit.
    package var errorPoints = Limits.errorPoints

    package init() {}
  }

  package private(set) var state: State
  package private(set) var errorPoints = 0
  private let policy: Policy
  /// Stream limit of a fault, which takes precedence while it lasts.
  private var collapsedLimit: Int?
  /// Limits sent and not yet acknowledged, oldest first.
  private var unacknowledged: [Int] = []
  /// The limit that the client has acknowledged; nil before the first acknowledgement (RFC 9113, 6.5.2: no limit).
  private var acknowledgedLimit: Int?
  private var sentLimit: Int?

  /// Creates the state of a new connection.
  /// - Parameter isProven: true if a client certificate has authenticated the provider before the first push.
  package init(policy: Policy, isProven: Bool) {
    self.policy = policy
    state = isProven ? .trusted : .probing
  }

  /// The stream limit that should apply now.
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

  /// Returns the limit to send now and records it as sent; nil if it equals the last one sent.
  package mutating func limitToSend() -> Int? {
    guard limit != sentLimit else { return nil }
    sentLimit = limit
    unacknowledged.append(limit)
    return limit
  }

  /// Records that the client has acknowledged the oldest SETTINGS frame with a limit.
  package mutating func settingsAcknowledged() {
    if !unacknowledged.isEmpty { acknowledgedLimit = unacknowledged.removeFirst() }
  }

  /// Returns whether to admit a new stream.
  /// - Parameter openStreams: number of open streams, including the new one.
  package func admit(openStreams: Int) -> Admission {
    // Any of the limits in transit may apply at the client now, so only exceeding all of them is a violation.
    if let acknowledgedLimit, openStreams > max(acknowledgedLimit, unacknowledged.max() ?? 0) { return .violation }
    return openStreams > (sentLimit ?? limit) ? .refused : .admitted
  }
}
