/// Counters of what a server has accepted and refused since it started.
package struct ServerCounters: Sendable {
  /// Connections accepted, including those refused at the limit.
  package var accepted: UInt64 = 0
  /// Connections answered 503 because there were too many, and requests answered 503 because large bodies exceeded a
  /// budget.
  package var overloaded: UInt64 = 0
  /// Connections and requests answered 429 because of the limits per address.
  package var turnedAway: UInt64 = 0
  /// Number of malformed requests.
  package var malformed: UInt64 = 0
  /// Requests that took too long to arrive.
  package var timedOut: UInt64 = 0

  /// Counts a refusal by its cause.
  mutating func count(_ cause: Refusal.Cause) {
    switch cause {
    case .malformed: malformed &+= 1
    case .tooSlow: timedOut &+= 1
    case .overload: overloaded &+= 1
    case .address: turnedAway &+= 1
    }
  }
}
