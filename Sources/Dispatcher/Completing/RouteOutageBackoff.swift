internal import Domain
internal import Reactor

/// How long what a network did not process waits for its next try. A network that is away gives everything back at once;
/// asking it, and the database before it, ten times a second for thousands of devices would keep a processor busy for as
/// long as the outage lasts. So the wait grows with the time since the route began to give back, up to a bound.
struct RouteOutageBackoff {
  /// Since when routes give everything back.
  private var since: [PushRoute: Instant] = [:]
  /// The same of routes whose deliveries come back because their bindings are too old when they arrive.
  private var stale: [PushRoute: (since: Instant, last: Instant)] = [:]

  /// The route has given an answer.
  mutating func answered(_ route: PushRoute) {
    if !since.isEmpty { since[route] = nil }
    if !stale.isEmpty { stale[route] = nil }
  }

  /// The wait for something that was too old to be submitted: none at first, for it was only in a long line. When nothing
  /// else comes back the circle itself may be what keeps the database busy.
  mutating func pauseStale(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration {
    // What came back long ago was another line.
    let before = stale[route].flatMap { now - $0.last < Limits.circleComplaint ? $0.since : nil }
    let begun = before ?? now
    stale[route] = (begun, now)
    let longest = lane == .urgent ? Limits.longestUrgentStandstillPause : Limits.longestStandstillPause
    return min((now - begun) / 4, longest)
  }

  /// True while deliveries of a route have gone in this circle for long without any answer.
  func areInCircle(at now: Instant) -> Bool {
    stale.values.contains { $0.last - $0.since >= Limits.circleComplaint && now - $0.last < Limits.circleComplaint }
  }

  /// The wait for something that the route has given back.
  mutating func pause(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration {
    let begun = since[route] ?? now
    since[route] = begun
    let longest = lane == .urgent ? Limits.longestUrgentStandstillPause : Limits.longestStandstillPause
    return min(max(Limits.notProcessedPause, (now - begun) / 4), longest)
  }
}
