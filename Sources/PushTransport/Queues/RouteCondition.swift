package import Domain
internal import Reactor

/// The health of a route at its push network: requests in flight, recent errors, and whether its settings are at fault.
package final class RouteCondition {
  package let route: PushRoute
  /// The number of requests submitted that have not ended.
  var inFlight = 0
  /// True if the route has a pool of its own, until its credential changes, because its refusals would affect other
  /// routes.
  package internal(set) var isIsolated = false

  // The last fault of the route's settings, and when it ends; both nil if there was none since the last forgiveness.
  private var fault: String?
  private var faultEndsAt: Instant?

  // Error history of the last 64 answers, one bit each: 1 for an error that the network holds against the connection.
  private var errors: UInt64 = 0
  private var answers = 0

  init(_ route: PushRoute) {
    self.route = route
  }

  /// Returns the reason why none of the route's pushes can be sent at present; nil if they can. A fault ends
  /// `PushTransport.Limits.faultSeconds` after it was recorded last.
  func fault(at now: Instant) -> String? {
    guard let faultEndsAt, now < faultEndsAt else { return nil }
    return fault
  }

  func failed(_ reason: String, at now: Instant) {
    fault = reason
    faultEndsAt = now + .seconds(PushTransport.Limits.faultSeconds)
  }

  /// Records an answer.
  /// - Parameter isError: true if the network holds the answer against the connection.
  func answered(isError: Bool) {
    errors = errors << 1 | (isError ? 1 : 0)
    answers = min(answers + 1, UInt64.bitWidth)
  }

  /// True if at least half of the last 64 answers were errors, at which rate the network throttles or closes a
  /// connection. False before 64 answers.
  var isErroneous: Bool {
    answers == UInt64.bitWidth && errors.nonzeroBitCount >= UInt64.bitWidth / 2
  }

  /// Clears the fault, so that the route is retried at once. Called when an operator resumes the app.
  func forgiveFault() {
    fault = nil
    faultEndsAt = nil
  }

  /// Clears the fault and the error history, and allows the route to share connections again. Called when the route's
  /// credential is replaced.
  func forgive() {
    forgiveFault()
    errors = 0
    answers = 0
    isIsolated = false
  }
}
