internal import Domain
internal import Reactor

/// Delay before a retry of what a network did not process. A network that is away returns everything at once; asking
/// it, and first the database, ten times a second for thousands of devices would burn a processor for the whole outage.
/// So the delay grows with the time since the route began to return deliveries, up to a bound.
struct RouteOutageBackoff {
  /// Since when each route has returned everything unprocessed.
  private var since: [PushRoute: Instant] = [:]
  /// The same for routes whose deliveries come back because their bindings are stale on arrival.
  private var stale: [PushRoute: (since: Instant, last: Instant)] = [:]

  /// Resets the route: it has given an answer.
  mutating func answered(_ route: PushRoute) {
    if !since.isEmpty { since[route] = nil }
    if !stale.isEmpty { stale[route] = nil }
  }

  /// Delay for a delivery whose binding was too old to be submitted: none at first, since it may only have queued for
  /// long. If nothing else comes back, the retries themselves may be what keeps the database busy.
  mutating func pauseStale(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration {
    // An old episode does not count.
    let before = stale[route].flatMap { now - $0.last < Limits.circleComplaint ? $0.since : nil }
    let begun = before ?? now
    stale[route] = (begun, now)
    let longest = lane == .urgent ? Limits.longestUrgentStandstillPause : Limits.longestStandstillPause
    return min((now - begun) / 4, longest)
  }

  /// True while a route's deliveries have long been going stale without a single answer.
  func areInCircle(at now: Instant) -> Bool {
    stale.values.contains { $0.last - $0.since >= Limits.circleComplaint && now - $0.last < Limits.circleComplaint }
  }

  /// Delay for a delivery that the route returned unprocessed.
  mutating func pause(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration {
    let begun = since[route] ?? now
    since[route] = begun
    let longest = lane == .urgent ? Limits.longestUrgentStandstillPause : Limits.longestStandstillPause
    return min(max(Limits.notProcessedPause, (now - begun) / 4), longest)
  }
}
