internal import Domain
internal import Reactor

/// How long what a network did not process waits for its next try. A network that is away gives everything back at once;
/// asking it, and the database before it, ten times a second for thousands of devices would keep a processor busy for as
/// long as the outage lasts. So the wait grows with the time since the route began to give back, up to a bound.
struct Standstills {
  /// Since when routes give everything back.
  private var since: [PushRoute: Instant] = [:]

  /// The route has given an answer.
  mutating func answered(_ route: PushRoute) {
    if !since.isEmpty { since[route] = nil }
  }

  /// The wait for something that the route has given back.
  mutating func pause(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration {
    let begun = since[route] ?? now
    since[route] = begun
    let longest = lane == .urgent ? Limits.longestUrgentStandstillPause : Limits.longestStandstillPause
    return min(max(Limits.notProcessedPause, (now - begun) / 4), longest)
  }
}
