/// A point in time by the clock on the wall, in PostgreSQL's resolution: microseconds since 1970-01-01 UTC.
///
/// Times of the monotonic clock are `Instant`s (module `Reactor`); the two cannot be mixed up, and neither can a time
/// and a duration. Seconds and milliseconds are spelled out where a protocol wants them: JWTs, APNs, HTTP dates.
///
/// **No clock** is read here; times are arguments, or come from a `Clock`.
///
/// **Failure**: arithmetic saturates instead of overflowing, because times come from devices and other servers and may
/// be any number. A time that PostgreSQL cannot store is refused there (22008).
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01 UTC.
  package let microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// Creates a time from milliseconds since 1970-01-01 UTC.
  package init(milliseconds: Int64) { microseconds = milliseconds.saturating(times: 1_000) }

  /// Creates a time from seconds since 1970-01-01 UTC.
  package init(seconds: Int64) { microseconds = seconds.saturating(times: 1_000_000) }

  /// 1970-01-01T00:00:00Z.
  package static let zero = Timestamp(microseconds: 0)
  /// Earlier than any other.
  package static let min = Timestamp(microseconds: .min)
  /// Later than any other.
  package static let max = Timestamp(microseconds: .max)

  /// Milliseconds since 1970-01-01 UTC, rounded down.
  package var milliseconds: Int64 { microseconds.dividedRoundingDown(by: 1_000) }
  /// Seconds since 1970-01-01 UTC, rounded down.
  package var seconds: Int64 { microseconds.dividedRoundingDown(by: 1_000_000) }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

  package static func + (time: Timestamp, duration: Duration) -> Timestamp {
    Timestamp(microseconds: time.microseconds.saturating(plus: duration.microseconds))
  }

  package static func - (time: Timestamp, duration: Duration) -> Timestamp {
    Timestamp(microseconds: time.microseconds.saturating(minus: duration.microseconds))
  }

  /// The time from one to the other; negative if `later` is the earlier.
  package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
    .microseconds(later.microseconds.saturating(minus: earlier.microseconds))
  }

  package static func += (time: inout Timestamp, duration: Duration) { time = time + duration }
  package static func -= (time: inout Timestamp, duration: Duration) { time = time - duration }
}

extension Duration {
  /// Whole microseconds, rounded towards zero; the nearest representable number if there are too many.
  package var microseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }
}

extension Int64 {
  fileprivate func saturating(plus other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func saturating(minus other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  fileprivate func saturating(times factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? (self < 0 ? .min : .max) : product
  }

  /// The quotient, rounded down, so that times before 1970 are right.
  func dividedRoundingDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
