internal import Domain
internal import Reactor

/// Back-off for deliveries that a push network returns without processing them. During an outage everything is returned
/// at once, and retrying thousands of devices ten times a second would load the database and a CPU core for nothing.
/// The delay therefore grows with the duration of the route's outage, up to a bound. Deliveries that become stale
/// before submission have a similar back-off of their own.
struct RouteOutageBackoff {
  /// When each route began to return everything unprocessed; absent if the network has answered since.
  private var since: [PushRoute: Instant] = [:]
  /// For each route whose deliveries become stale before submission: when that began, and when it last happened.
  private var stale: [PushRoute: (since: Instant, last: Instant)] = [:]

  /// Ends both back-offs of the route, because the network has answered.
  mutating func answered(_ route: PushRoute) {
    if !since.isEmpty { since[route] = nil }
    if !stale.isEmpty { stale[route] = nil }
  }

  /// Returns the delay for a delivery that became stale before it was submitted: none at first, because the delivery
  /// may just have waited in a long queue. If the route produces nothing else, the retries themselves may be what keeps
  /// the database busy, so the delay grows to a quarter of the time since the first stale delivery, up to the lane's
  /// maximum.
  mutating func pauseStale(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration {
    // An episode that ended long ago does not count.
    let before = stale[route].flatMap { now - $0.last < Limits.circleComplaint ? $0.since : nil }
    let begun = before ?? now
    stale[route] = (begun, now)
    let longest = lane == .urgent ? Limits.longestUrgentStandstillPause : Limits.longestStandstillPause
    return min((now - begun) / 4, longest)
  }

  /// Returns true if a route's deliveries have kept becoming stale for at least `Limits.circleComplaint`, most recently
  /// within that time, without an answer in between.
  func areInCircle(at now: Instant) -> Bool {
    stale.values.contains { $0.last - $0.since >= Limits.circleComplaint && now - $0.last < Limits.circleComplaint }
  }

  /// Returns the delay for a delivery that the route returned unprocessed: a quarter of the time since the first such
  /// return after the network's last answer, at least `Limits.notProcessedPause`, and at most the lane's maximum.
  mutating func pause(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration {
    let begun = since[route] ?? now
    since[route] = begun
    let longest = lane == .urgent ? Limits.longestUrgentStandstillPause : Limits.longestStandstillPause
    return min(max(Limits.notProcessedPause, (now - begun) / 4), longest)
  }
}
