/// A point on the monotonic clock, in nanoseconds since boot (Linux does not count time spent suspended). Not affected
/// by wall-clock changes, and not comparable across machines.
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since boot.
  public let nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Returns whether the left time is earlier.
  @inlinable public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  @inlinable package static func + (left: Instant, right: Duration) -> Instant {
    Instant(nanoseconds: left.nanoseconds &+ right.nanoseconds)
  }

  @inlinable package static func - (left: Instant, right: Instant) -> Duration {
    Duration(attoseconds: Int128(left.nanoseconds - right.nanoseconds) * 1_000_000_000)
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded towards zero; meaningless beyond ±292 years. Computed with one division,
  /// because `components` needs several 128-bit multiplications, and each request reads it about ten times.
  @inlinable package var nanoseconds: Int64 { Int64(truncatingIfNeeded: attoseconds / 1_000_000_000) }
}
