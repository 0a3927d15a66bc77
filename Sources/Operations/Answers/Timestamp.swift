/// The timestamp format of all answers: RFC 3339, UTC, milliseconds.
package enum Timestamp {
  /// Returns a time as text.
  /// - Parameter microseconds: time since 1970-01-01 UTC.
  package static func text(_ microseconds: Int64) -> String {
    let milliseconds = floorDivide(microseconds, 1000)
    let (days, ofDay) = milliseconds.quotientAndRemainderFloored(by: 86_400_000)
    let date = civil(days)
    let time = [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60].map { digits($0, 2) }
    return """
      \(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))\
      T\(time.joined(separator: ":")).\(digits(ofDay % 1000, 3))Z
      """
  }

  /// Converts days since 1970 to a Gregorian date. Years start in March, so that the leap day is the last day of its
  /// year, and are counted in eras of 400 years, each of 146,097 days.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainderFloored(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  private static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
    number.quotientAndRemainderFloored(by: divisor).quotient
  }
}

extension Int64 {
  /// Returns quotient and remainder of a division that rounds down, so that times before 1970 are correct.
  fileprivate func quotientAndRemainderFloored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
