internal import Domain
internal import Reactor

/// Back-off for deliveries that a push network returns without processing them. During an outage everything is returned
/// at once, and retrying thousands of devices ten times a second would load the database and a CPU core for nothing.
/// The delay therefore grows with the duration of the route's outage, up to a bound. Deliveries that become stale
/// before submission have a similar back-off of their own.
///
/// In a longer outage, deliveries leave the memory when half of the in-flight window is taken: otherwise those of one
/// network would fill it, and nothing would be sent through the other one. Decision 079.
struct RouteOutageBackoff {
  /// A time in which a route's deliveries have come back again and again, without an answer of the network.
  private struct Episode {
    let since: Instant
    let last: Instant

    /// Returns true if the last delivery came back so long ago that the next one begins another episode.
    func isOver(at now: Instant) -> Bool { now - last >= Limits.standstillGap }
  }

  /// For each route that returns everything unprocessed: the present episode, or the last one.
  private var unprocessed: [PushRoute: Episode] = [:]
  /// The same for each route whose deliveries become stale before submission.
  private var stale: [PushRoute: Episode] = [:]

  /// Ends both back-offs of the route, because the network has answered.
  mutating func answered(_ route: PushRoute) {
    if !unprocessed.isEmpty { unprocessed[route] = nil }
    if !stale.isEmpty { stale[route] = nil }
  }

  /// Returns the delay for a delivery that became stale before it was submitted: none at first, because the delivery
  /// may just have waited in a long queue. If the route produces nothing else, the retries themselves may be what keeps
  /// the database busy, so the delay grows to a quarter of the time since the first stale delivery, up to the lane's
  /// maximum.
  mutating func pauseStale(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration {
    min(Self.lengthOfEpisode(of: route, in: &stale, at: now) / 4, Self.longest(lane))
  }

  /// Returns true if a route's deliveries have kept becoming stale for at least `Limits.circleComplaint`, until now,
  /// without an answer in between.
  func areInCircle(at now: Instant) -> Bool {
    stale.values.contains { $0.last - $0.since >= Limits.circleComplaint && !$0.isOver(at: now) }
  }

  /// Returns the delay for a delivery that the route returned unprocessed: a quarter of the time since the first such
  /// return, at least `Limits.notProcessedPause`, and at most the lane's maximum.
  mutating func pause(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration {
    let quarter = Self.lengthOfEpisode(of: route, in: &unprocessed, at: now) / 4
    return min(max(Limits.notProcessedPause, quarter), Self.longest(lane))
  }

  /// Records that a delivery of the route has come back, and returns how long the episode has lasted.
  private static func lengthOfEpisode(
    of route: PushRoute, in episodes: inout [PushRoute: Episode], at now: Instant
  ) -> Duration {
    let before = episodes[route].flatMap { $0.isOver(at: now) ? nil : $0.since }
    let since = before ?? now
    episodes[route] = Episode(since: since, last: now)
    return now - since
  }

  /// Returns the delays of a delivery that its route returned unprocessed: `pause` before its retry from memory, or
  /// `deferral` if it is to wait in the database instead.
  /// - Parameter leaving: number of devices whose decisions are not written yet.
  mutating func delays(
    _ flight: Flight, _ target: PushTarget, _ shared: Shared, _ leaving: Int
  ) -> (pause: Duration, deferral: Duration?) {
    let (route, lane, now) = (flight.batch.route, flight.message.push.lane, shared.clock.now)
    // Only in memory is it known since when a refused token is being asked about, and which of a device's tokens have
    // got the push.
    let mustStay = flight.question != nil || target.further?.done.wasAccepted == true
    let mayLeave = !mustStay && !shared.isHalfEmpty(besides: leaving)
    return (pause(route, lane, at: now), mayLeave ? deferral(route, lane, at: now) : nil)
  }

  /// Returns for how long a delivery that the route returned unprocessed is deferred if it must leave the memory; nil
  /// while the outage is short. The time is as long as the outage has lasted, within the lane's maximum: then what
  /// comes due again is never more than what the outage has returned so far in the same time.
  func deferral(_ route: PushRoute, _ lane: Lane, at now: Instant) -> Duration? {
    guard let episode = unprocessed[route], now - episode.since >= Limits.outageDeferral else { return nil }
    let longest = lane == .urgent ? Limits.longestUrgentOutageDeferral : Limits.longestOutageDeferral
    return min(now - episode.since, longest)
  }

  private static func longest(_ lane: Lane) -> Duration {
    lane == .urgent ? Limits.longestUrgentStandstillPause : Limits.longestStandstillPause
  }
}
