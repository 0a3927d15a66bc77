package import Domain
internal import Reactor

/// The condition of a route with its network: its requests in flight, its recent refusals, and whether it is at fault.
package final class RouteCondition {
  package let route: PushRoute
  /// Requests submitted that have not ended.
  var inFlight = 0
  /// Its refusals would have affected other routes: it has connections of its own until its credential changes.
  package internal(set) var isIsolated = false

  // Its fault: settings that an operator must repair.
  private var fault: String?
  private var faultEndsAt: Instant?

  // The last answers, one bit each, 1 for an error that the network holds against the connection.
  private var errors: UInt64 = 0
  private var answers = 0

  init(_ route: PushRoute) {
    self.route = route
  }

  /// Why nothing of it can be sent at present; nil if it can.
  func fault(at now: Instant) -> String? {
    guard let faultEndsAt, now < faultEndsAt else { return nil }
    return fault
  }

  func failed(_ reason: String, at now: Instant) {
    fault = reason
    faultEndsAt = now + .seconds(PushTransport.Limits.faultSeconds)
  }

  /// - Parameter isError: the network counts the answer against the connection.
  func answered(isError: Bool) {
    errors = errors << 1 | (isError ? 1 : 0)
    answers = min(answers + 1, UInt64.bitWidth)
  }

  /// True if at least half of the last 64 answers were errors: the network will throttle or close the connection.
  var isErroneous: Bool {
    answers == UInt64.bitWidth && errors.nonzeroBitCount >= UInt64.bitWidth / 2
  }

  /// Clears the fault so that the route is retried at once. Called when an operator resumes the app.
  func forgiveFault() {
    fault = nil
    faultEndsAt = nil
  }

  /// Clears everything held against the route. Called when its credential is replaced.
  func forgive() {
    forgiveFault()
    errors = 0
    answers = 0
    isIsolated = false
  }
}
