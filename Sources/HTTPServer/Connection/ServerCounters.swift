/// Counters of what a server has accepted and refused since it started.
package struct ServerCounters: Sendable {
  /// Connections accepted, including those that were then refused because of a limit.
  package var accepted: UInt64 = 0
  /// Connections answered 503 because there were too many, and requests answered 503 because they exceeded a budget for
  /// large requests or could not be written to disk.
  package var overloaded: UInt64 = 0
  /// Connections and requests answered 429 because of the limits per address.
  package var turnedAway: UInt64 = 0
  /// Requests refused because they were malformed, cut off or too large, or had an unknown expectation.
  package var malformed: UInt64 = 0
  /// Requests, PROXY headers and TLS handshakes that took too long to arrive, and connections that were reset because
  /// the client read nothing for `HTTPServer.Configuration.writeTimeout`.
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
