internal import Domain
internal import Reactor

/// How fast requests may leave for one project, so that its quota lasts for the whole minute. Pure: a bucket that fills
/// evenly, at a rate that climbs while all of it is used.
///
/// ```
///   rate:  a tenth ──used up for a minute──► all ──QUOTA_EXCEEDED──► rest, then half, and climbs again
///             ▲                               │
///             └──── five minutes without work ┘
///
///   rest:  nothing for a second ──► urgent ones only, a hundredth of all ──as long as Google asks──► over
///                                          └── refused too ──► nothing ──────as long as Google asks──► over
/// ```
///
/// "All" is this node's share: nodes that live on one database send for the same projects.
struct Pacer {
  /// Requests a second of all nodes together.
  private let whole: Double
  /// Requests a second at most.
  private var most: Double
  /// Requests a second at present.
  private(set) var rate: Double
  /// Requests that may leave now; negative after urgent ones went ahead.
  private var tokens: Double
  private var filledAt: Instant
  private var usedAt: Instant
  /// Nothing leaves before this.
  private var quietUntil: Instant
  /// Only urgent ones leave before this.
  private var restsUntil: Instant

  /// - Parameter nodes: how many send for the project, this one included.
  init(messagesPerMinute: Int, nodes: Int = 1, at now: Instant) {
    whole = Double(max(1, messagesPerMinute)) / 60 * FCM.Limits.quotaPart
    most = whole / Double(max(1, nodes))
    rate = most * FCM.Limits.firstPart
    tokens = 1
    filledAt = now
    usedAt = now
    quietUntil = now
    restsUntil = now
  }

  /// So many nodes send for the project now, this one included.
  mutating func share(among nodes: Int, at now: Instant) {
    fill(now)
    most = whole / Double(max(1, nodes))
    rate = min(rate, most)
    tokens = min(tokens, burst(rate))
  }

  /// Requests that may leave at once.
  private func burst(_ pace: Double) -> Double { max(1, pace * FCM.Limits.burstSeconds) }

  /// Requests a second that may leave now.
  private func pace(at now: Instant) -> Double { now < restsUntil ? most * FCM.Limits.restPart : rate }

  /// Requests of this lane that may leave now.
  mutating func allowance(_ lane: Lane, at now: Instant) -> Int {
    fill(now)
    guard now >= (lane == .urgent ? quietUntil : restsUntil) else { return 0 }
    // Urgent ones may run into debt, which the others wait for.
    return Int(max(0, lane == .urgent ? tokens + burst(pace(at: now)) : tokens))
  }

  /// Lanes of which nothing leaves now.
  func restingLanes(at now: Instant) -> Set<Lane> {
    now >= restsUntil ? [] : now >= quietUntil ? [.normal, .bulk] : Set(Lane.allCases)
  }

  mutating func submitted(_ count: Int, at now: Instant) {
    tokens -= Double(count)
    usedAt = now
  }

  /// FCM says that the quota is used up: by others too, perhaps. False when that is nothing new.
  ///
  /// "Reduce the overall rate", says Google, and retry what was refused after the wait; so a code for a log-in need not
  /// wait for a campaign's minute. But an urgent one that is refused although all others rest means that there is
  /// nothing left at all.
  mutating func exceeded(_ lane: Lane, at now: Instant, for wait: Duration) -> Bool {
    fill(now)
    if now < restsUntil {
      guard lane == .urgent, now >= quietUntil else { return false }
      restsUntil = max(restsUntil, now + wait)
      quietUntil = restsUntil
      return true
    }
    rate = max(most * FCM.Limits.firstPart / 2, rate / 2)
    tokens = min(tokens, 0)
    restsUntil = now + wait
    // Until what is under way has been answered: its refusals tell nothing about the rest.
    quietUntil = now + min(wait, .seconds(FCM.Limits.quietSeconds))
    return true
  }

  /// Targets that a lane may hold.
  var queuedTargets: Int { max(FCM.Limits.queuedTargets, Int(rate * FCM.Limits.queuedSeconds)) }

  private mutating func fill(_ now: Instant) {
    let seconds = Double((now - filledAt).nanoseconds) / 1e9
    guard seconds > 0 else { return }
    let isResting = filledAt < restsUntil
    filledAt = now
    if Double((now - usedAt).nanoseconds) / 1e9 > FCM.Limits.idleSeconds {
      rate = min(rate, most * FCM.Limits.firstPart)
    }
    // It climbs only while it is the pace that holds requests back.
    if tokens < 1, !isResting { rate = min(most, rate + most * min(seconds, 1) / FCM.Limits.rampSeconds) }
    let pace = isResting ? most * FCM.Limits.restPart : rate
    tokens = min(burst(pace), tokens + pace * seconds)
  }
}
