/// What a server has taken and turned away since its start.
package struct ServerCounters: Sendable {
  /// Connections accepted, those refused for lack of room included.
  package var accepted: UInt64 = 0
  /// Connections told 503 because there were too many, and requests because of large bodies.
  package var overloaded: UInt64 = 0
  /// Connections and requests told 429: too many of one address.
  package var turnedAway: UInt64 = 0
  /// Requests answered by the engine itself: malformed, too large, too slow.
  package var refused: UInt64 = 0
  package var timedOut: UInt64 = 0

  /// Somebody is turned away for this.
  mutating func count(_ cause: Refusal.Cause) {
    switch cause {
    case .malformed: break
    case .tooSlow: timedOut &+= 1
    case .overload: overloaded &+= 1
    case .address: turnedAway &+= 1
    }
  }
}
