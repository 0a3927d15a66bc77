internal import Domain
internal import Reactor

/// Pace of the requests for one project, so that its quota lasts for the whole minute. Pure: a token bucket whose rate
/// climbs while all of it is used.
///
/// ```
///   rate:  a tenth ──used up for a minute──► all ──QUOTA_EXCEEDED──► rest, then half, and climbs again
///             ▲                               │
///             └──── five minutes without load ┘
///
///   rest:  nothing for a second ──► urgent only, a hundredth of all ──as long as Google asks──► over
///                                          └── refused too ──► nothing ──as long as Google asks──► over
/// ```
///
/// "All" is this node's share: nodes on one database send for the same projects.
///
/// Decision 082.
struct Pacer {
  /// Requests a second of all nodes together.
  private let whole: Double
  /// Maximum requests a second of this node.
  private var most: Double
  /// Requests a second at present.
  private(set) var rate: Double
  /// Requests that may leave now; negative after urgent ones overdrew it.
  private var tokens: Double
  private var filledAt: Instant
  private var usedAt: Instant
  /// No request leaves before this.
  private var quietUntil: Instant
  /// Only urgent requests leave before this.
  private var restsUntil: Instant

  /// - Parameter nodes: number of nodes that send for the project, including this one.
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

  /// Sets the number of nodes that send for the project, including this one.
  mutating func share(among nodes: Int, at now: Instant) {
    fill(now)
    most = whole / Double(max(1, nodes))
    rate = min(rate, most)
    tokens = min(tokens, burst(rate))
  }

  /// Number of requests that may leave at once.
  private func burst(_ pace: Double) -> Double { max(1, pace * FCM.Limits.burstSeconds) }

  /// Current rate in requests a second, also while the project rests.
  private func pace(at now: Instant) -> Double { now < restsUntil ? most * FCM.Limits.restPart : rate }

  /// Number of requests of this lane that may leave now.
  mutating func allowance(_ lane: Lane, at now: Instant) -> Int {
    fill(now)
    guard now >= (lane == .urgent ? quietUntil : restsUntil) else { return 0 }
    // Urgent requests may overdraw the bucket; the other lanes wait for it to refill.
    return Int(max(0, lane == .urgent ? tokens + burst(pace(at: now)) : tokens))
  }

  /// Lanes that may send nothing now.
  func restingLanes(at now: Instant) -> Set<Lane> {
    now >= restsUntil ? [] : now >= quietUntil ? [.normal, .bulk] : Set(Lane.allCases)
  }

  mutating func submitted(_ count: Int, at now: Instant) {
    tokens -= Double(count)
    usedAt = now
  }

  /// FCM reports that the quota is used up, perhaps by others too. Returns false if that is nothing new.
  ///
  /// Google says to "reduce the overall rate" and to retry what was refused after the wait; so a log-in code need not
  /// wait out a campaign's minute. But an urgent request that is refused although all other lanes rest means that
  /// nothing at all is left.
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
    // Until the requests in flight have been answered: their refusals say nothing about the rest.
    quietUntil = now + min(wait, .seconds(FCM.Limits.quietSeconds))
    return true
  }

  /// Maximum targets that a lane may hold.
  var queuedTargets: Int { max(FCM.Limits.queuedTargets, Int(rate * FCM.Limits.queuedSeconds)) }

  private mutating func fill(_ now: Instant) {
    let seconds = Double((now - filledAt).nanoseconds) / 1e9
    guard seconds > 0 else { return }
    let isResting = filledAt < restsUntil
    filledAt = now
    if Double((now - usedAt).nanoseconds) / 1e9 > FCM.Limits.idleSeconds {
      rate = min(rate, most * FCM.Limits.firstPart)
    }
    // The rate climbs only while it is what holds requests back.
    if tokens < 1, !isResting { rate = min(most, rate + most * min(seconds, 1) / FCM.Limits.rampSeconds) }
    let pace = isResting ? most * FCM.Limits.restPart : rate
    tokens = min(burst(pace), tokens + pace * seconds)
  }
}
