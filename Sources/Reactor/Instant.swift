/// A point on the monotonic clock, in nanoseconds since boot. Unaffected by clock jumps; meaningless across machines.
package struct Instant: Comparable, Hashable, Sendable {
  package let nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  @inlinable package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  @inlinable package static func + (left: Instant, right: Duration) -> Instant {
    Instant(nanoseconds: left.nanoseconds &+ right.nanoseconds)
  }

  @inlinable package static func - (left: Instant, right: Instant) -> Duration {
    Duration(attoseconds: Int128(left.nanoseconds - right.nanoseconds) * 1_000_000_000)
  }
}

extension Duration {
  /// The duration in nanoseconds; the range suffices for 292 years. By one division, where `components` needs several
  /// multiplications of 128 bits: each request asks some ten times.
  @inlinable package var nanoseconds: Int64 { Int64(truncatingIfNeeded: attoseconds / 1_000_000_000) }
}
