package import Domain
internal import Reactor

/// How a route stands with its network: what it has under way, what it was refused lately, and whether it is at fault.
package final class RouteCondition {
  package let route: PushRoute
  /// Requests submitted and not over.
  var inFlight = 0
  /// It had trouble that would have been others' too: it has connections of its own until its credential changes.
  package internal(set) var isIsolated = false

  // Its fault: settings that an operator must mend.
  private var fault: String?
  private var faultEndsAt: Instant?

  // The last answers, one bit each, 1 for an error that the network holds against the connection.
  private var errors: UInt64 = 0
  private var answers = 0

  init(_ route: PushRoute) {
    self.route = route
  }

  /// Why nothing of it can be sent at present; nil when it can.
  func fault(at now: Instant) -> String? {
    guard let faultEndsAt, now < faultEndsAt else { return nil }
    return fault
  }

  func failed(_ reason: String, at now: Instant) {
    fault = reason
    faultEndsAt = now + .seconds(PushTransport.Limits.faultSeconds)
  }

  /// - Parameter isError: the network counts it against the connection.
  func answered(isError: Bool) {
    errors = errors << 1 | (isError ? 1 : 0)
    answers = min(answers + 1, UInt64.bitWidth)
  }

  /// Half of its last answers were errors: the network will slow down or close the connection it uses.
  var isErroneous: Bool {
    answers == UInt64.bitWidth && errors.nonzeroBitCount >= UInt64.bitWidth / 2
  }

  /// An operator has resumed the app: it is tried again at once.
  func forgiveFault() {
    fault = nil
    faultEndsAt = nil
  }

  /// A new credential: nothing is held against the route any more.
  func forgive() {
    forgiveFault()
    errors = 0
    answers = 0
    isIsolated = false
  }
}
