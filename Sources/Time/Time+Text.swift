/// The form of all answers: RFC 3339, UTC, milliseconds.
extension Timestamp: CustomStringConvertible {
  package var description: String {
    let days = milliseconds.dividedRoundingDown(by: 86_400_000)
    let ofDay = milliseconds - days * 86_400_000
    let date = Self.civil(days)
    let time = [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60].map { Self.digits($0, 2) }
    return """
      \(Self.digits(date.year, 4))-\(Self.digits(date.month, 2))-\(Self.digits(date.day, 2))\
      T\(time.joined(separator: ":")).\(Self.digits(ofDay % 1000, 3))Z
      """
  }

  /// Converts days since 1970 to a Gregorian date. Years start in March, so that the leap day is the last day of its
  /// year, and are counted in eras of 400 years, each of 146,097 days.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let era = (days + 719_468).dividedRoundingDown(by: 146_097)
    let dayOfEra = days + 719_468 - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: Swift.max(0, count - text.count)) + text
  }
}
