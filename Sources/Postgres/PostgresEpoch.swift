/// PostgreSQL counts microseconds from 2000-01-01 UTC; we count from 1970-01-01 UTC.
enum PostgresEpoch {
  /// 10,957 days.
  private static let unixMicroseconds: Int64 = 946_684_800_000_000

  /// A time that PostgreSQL cannot hold becomes a value that it refuses (22008), never one that means infinity.
  static func fromUnix(_ microseconds: Int64) -> Int64 {
    let (value, overflow) = microseconds.subtractingReportingOverflow(unixMicroseconds)
    return overflow ? .min + 1 : value
  }

  /// `infinity` and `-infinity` become the largest and the smallest number.
  static func toUnix(_ microseconds: Int64) -> Int64 {
    let (value, overflow) = microseconds.addingReportingOverflow(unixMicroseconds)
    if microseconds == .min { return .min }
    return overflow ? .max : value
  }
}
