internal import Domain
internal import Reactor

/// How fast requests may leave for one project, so that its quota lasts for the whole minute. Pure: a bucket that fills
/// evenly, at a rate that climbs while all of it is used.
///
/// ```
///   rate:  a tenth ──used up for a minute──► all ──QUOTA_EXCEEDED──► half, and climbs again
///             ▲                               │
///             └──── five minutes without work ┘
/// ```
struct Pacer {
  /// Requests a second at most.
  private let most: Double
  /// Requests a second at present.
  private(set) var rate: Double
  /// Requests that may leave now; negative after urgent ones went ahead.
  private var tokens: Double
  private var filledAt: Instant
  private var usedAt: Instant

  init(messagesPerMinute: Int, at now: Instant) {
    most = max(1, Double(messagesPerMinute) / 60 * FCM.Limits.quotaPart)
    rate = most * FCM.Limits.firstPart
    tokens = 1
    filledAt = now
    usedAt = now
  }

  /// Requests that may leave at once.
  private var burst: Double { max(1, rate * FCM.Limits.burstSeconds) }

  /// Requests of this lane that may leave now.
  mutating func allowance(_ lane: Lane, at now: Instant) -> Int {
    fill(now)
    // Urgent ones may run into debt, which the others wait for.
    return Int(max(0, lane == .urgent ? tokens + burst : tokens))
  }

  mutating func submitted(_ count: Int, at now: Instant) {
    tokens -= Double(count)
    usedAt = now
  }

  /// FCM says that the quota is used up: by others too, perhaps.
  mutating func exceeded(at now: Instant) {
    fill(now)
    rate = max(most * FCM.Limits.firstPart / 2, rate / 2)
    tokens = min(tokens, 0)
  }

  /// Targets that a lane may hold.
  var queuedTargets: Int { max(FCM.Limits.queuedTargets, Int(rate * FCM.Limits.queuedSeconds)) }

  private mutating func fill(_ now: Instant) {
    let seconds = Double((now - filledAt).nanoseconds) / 1e9
    guard seconds > 0 else { return }
    filledAt = now
    if Double((now - usedAt).nanoseconds) / 1e9 > FCM.Limits.idleSeconds {
      rate = min(rate, most * FCM.Limits.firstPart)
    }
    // It climbs only while it is the pace that holds requests back.
    if tokens < 1 { rate = min(most, rate + most * min(seconds, 1) / FCM.Limits.rampSeconds) }
    tokens = min(burst, tokens + rate * seconds)
  }
}
