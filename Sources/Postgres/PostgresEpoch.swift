import Time

/// Converts between PostgreSQL's timestamps (microseconds since 2000-01-01 UTC) and ours.
enum PostgresEpoch {
  /// Microseconds between the two epochs: 10,957 days.
  private static let unixMicroseconds: Int64 = 946_684_800_000_000

  /// Converts to PostgreSQL's epoch. A time that is too early for it becomes a value that the server rejects (22008),
  /// and not `-infinity`.
  static func stored(_ time: Timestamp) -> Int64 {
    let (value, overflow) = time.microseconds.subtractingReportingOverflow(unixMicroseconds)
    return overflow ? .min + 1 : max(value, .min + 1)
  }

  /// Converts from PostgreSQL's epoch. `infinity` becomes `.max`, as do times too late for a `Timestamp`; `-infinity`
  /// becomes `.min`.
  static func timestamp(_ stored: Int64) -> Timestamp {
    let (value, overflow) = stored.addingReportingOverflow(unixMicroseconds)
    if stored == .min { return .min }
    return overflow ? .max : Timestamp(microseconds: value)
  }
}
