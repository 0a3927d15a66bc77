/// A point on the monotonic clock, in nanoseconds since boot. Unaffected by clock jumps; meaningless across machines.
package struct Instant: Comparable, Hashable, Sendable {
  package let nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  @inlinable package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  package static func + (left: Instant, right: Duration) -> Instant {
    Instant(nanoseconds: left.nanoseconds &+ right.nanoseconds)
  }

  package static func - (left: Instant, right: Instant) -> Duration {
    .nanoseconds(left.nanoseconds - right.nanoseconds)
  }
}

extension Duration {
  /// The duration in nanoseconds; the range suffices for 292 years.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
