internal import Domain
internal import Reactor

/// Rate limiter for one Firebase project, so that its quota lasts for the whole minute: a token bucket whose rate rises
/// while it is fully used. Times are passed in.
///
/// ```
///   rate:  a tenth ──used up for a minute──► all ──QUOTA_EXCEEDED──► rest, then half, and climbs again
///             ▲                               │
///             └──── five minutes without load ┘
///
///   rest:  nothing for a second ──► urgent only, a hundredth of all ──as long as Google asks──► over
///                                          └── refused too ──► nothing ──as long as Google asks──► over
/// ```
/// "All" is this node's share of the quota: nodes on one database send for the same projects.
///
/// Decision 082.
struct Pacer {
  /// The number of requests per second of all nodes together.
  private let whole: Double
  /// The maximum number of requests per second of this node.
  private var most: Double
  /// The current rate in requests per second.
  private(set) var rate: Double
  /// The number of requests that may be sent now; negative after urgent ones have overdrawn the bucket.
  private var tokens: Double
  private var filledAt: Instant
  private var usedAt: Instant
  /// The time before which no request is sent.
  private var quietUntil: Instant
  /// The time before which only urgent requests are sent.
  private var restsUntil: Instant

  /// Creates a limiter that starts at `firstPart` of this node's share.
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

  /// Returns the maximum number of requests that may be sent at once.
  private func burst(_ pace: Double) -> Double { max(1, pace * FCM.Limits.burstSeconds) }

  /// Returns the current rate in requests per second; reduced while the quota is exhausted.
  private func pace(at now: Instant) -> Double { now < restsUntil ? most * FCM.Limits.restPart : rate }

  /// Returns the number of requests of this lane that may be sent now.
  mutating func allowance(_ lane: Lane, at now: Instant) -> Int {
    fill(now)
    guard now >= (lane == .urgent ? quietUntil : restsUntil) else { return 0 }
    // Urgent requests may overdraw the bucket; the other lanes wait until it has refilled.
    return Int(max(0, lane == .urgent ? tokens + burst(pace(at: now)) : tokens))
  }

  /// Returns the lanes that may send nothing at present.
  func restingLanes(at now: Instant) -> Set<Lane> {
    now >= restsUntil ? [] : now >= quietUntil ? [.normal, .bulk] : Set(Lane.allCases)
  }

  mutating func submitted(_ count: Int, at now: Instant) {
    tokens -= Double(count)
    usedAt = now
  }

  /// Records that FCM reports the quota as exhausted, perhaps by other senders too. Returns false if that is known
  /// already.
  ///
  /// Google's advice is to "reduce the overall rate" and to retry refused requests after the wait, so an urgent message
  /// need not wait as long as a campaign. But if an urgent request is refused while all other lanes rest, nothing is
  /// left, and all lanes rest.
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
    // Wait for the answers to requests in flight: if these are refused, that says nothing about the remaining quota.
    quietUntil = now + min(wait, .seconds(FCM.Limits.quietSeconds))
    return true
  }

  /// The maximum number of targets that a lane may queue.
  var queuedTargets: Int { max(FCM.Limits.queuedTargets, Int(rate * FCM.Limits.queuedSeconds)) }

  private mutating func fill(_ now: Instant) {
    let seconds = Double((now - filledAt).nanoseconds) / 1e9
    guard seconds > 0 else { return }
    let isResting = filledAt < restsUntil
    filledAt = now
    if Double((now - usedAt).nanoseconds) / 1e9 > FCM.Limits.idleSeconds {
      rate = min(rate, most * FCM.Limits.firstPart)
    }
    // Raise the rate only if it is what limits sending.
    if tokens < 1, !isResting { rate = min(most, rate + most * min(seconds, 1) / FCM.Limits.rampSeconds) }
    let pace = isResting ? most * FCM.Limits.restPart : rate
    tokens = min(burst(pace), tokens + pace * seconds)
  }
}
