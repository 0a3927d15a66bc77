/// Converts between PostgreSQL's timestamps (microseconds since 2000-01-01 UTC) and ours (since 1970-01-01 UTC).
enum PostgresEpoch {
  /// Microseconds between the two epochs: 10,957 days.
  private static let unixMicroseconds: Int64 = 946_684_800_000_000

  /// Converts to PostgreSQL's epoch. A time out of range becomes a value that the server rejects (22008), and never one
  /// that means infinity.
  static func fromUnix(_ microseconds: Int64) -> Int64 {
    let (value, overflow) = microseconds.subtractingReportingOverflow(unixMicroseconds)
    return overflow ? .min + 1 : value
  }

  /// Converts from PostgreSQL's epoch. `infinity` and `-infinity` become the largest and smallest `Int64`.
  static func toUnix(_ microseconds: Int64) -> Int64 {
    let (value, overflow) = microseconds.addingReportingOverflow(unixMicroseconds)
    if microseconds == .min { return .min }
    return overflow ? .max : value
  }
}
