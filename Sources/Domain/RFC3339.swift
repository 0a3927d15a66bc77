/// Times as text: RFC 3339 in UTC with milliseconds, for example `2026-11-21T03:08:39.123Z`.
package enum RFC3339 {
  /// - Parameter microseconds: since 1970-01-01 UTC.
  package static func text(microseconds: Int64) -> String {
    let milliseconds = Int64((Double(microseconds) / 1000).rounded(.down))
    let days = floorDivide(milliseconds, 86_400_000)
    var rest = milliseconds - days * 86_400_000
    let (year, month, day) = date(daysSince1970: days)
    let hours = rest / 3_600_000
    rest %= 3_600_000
    let minutes = rest / 60_000
    rest %= 60_000
    return
      "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(hours, 2)):\(pad(minutes, 2)):\(pad(rest / 1000, 2)).\(pad(rest % 1000, 3))Z"
  }

  /// The civil date, by counting eras of 400 years (146,097 days) that begin on 1 March.
  private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
