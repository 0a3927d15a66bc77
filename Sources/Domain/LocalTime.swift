/// A local date and time without a time zone: `2026-12-24T09:00`. PostgreSQL, which has the time zone data, computes
/// the instant. Decision 066.
package struct LocalTime: Equatable, Sendable {
  package let date: CalendarDate
  package let time: ClockTime

  /// Parses `yyyy-MM-ddTHH:mm` or `…:ss`. Returns nil if malformed, for dates that do not exist, and for years before
  /// 1970, for which the database's time zones are unreliable.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    guard parts.count == 2, let date = CalendarDate(parts[0]), date.year >= 1970, let time = ClockTime(parts[1]) else {
      return nil
    }
    self.date = date
    self.time = time
  }

  package init(date: CalendarDate, time: ClockTime) {
    self.date = date
    self.time = time
  }

  package var text: String { "\(date.text)T\(time.text)" }

  /// Seconds since 1970 if the local time were UTC.
  var secondsAtUTC: Int64 { date.daysSince1970 * 86_400 + time.seconds }
}

/// A date in the Gregorian calendar.
package struct CalendarDate: Equatable, Sendable {
  package let year: Int
  package let month: Int
  package let day: Int

  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let year = Digits.number(parts[0], 4), let month = Digits.number(parts[1], 2),
      let day = Digits.number(parts[2], 2), (1...12).contains(month), day >= 1,
      day <= Self.days(of: month, in: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  private init(lastOf year: Int) { (self.year, month, day) = (year, 12, 31) }

  /// The last date with a four-digit year.
  static let last = CalendarDate(lastOf: 9999)

  package var text: String { "\(Digits.text(year, 4))-\(Digits.text(month, 2))-\(Digits.text(day, 2))" }

  private static func days(of month: Int, in year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Days since 1970-01-01. Counts years from March, so that the leap day is the last day of a year; 400 such years
  /// have 146,097 days.
  var daysSince1970: Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int64(era * 146_097 + dayOfEra - 719_468)
  }
}

/// A time of day, with a resolution of seconds.
package struct ClockTime: Equatable, Sendable {
  package let hour: Int
  package let minute: Int
  package let second: Int

  /// Parses `HH:mm` or `HH:mm:ss`, from 00:00 to 23:59:59. Returns nil if malformed or out of this range.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else { return nil }
    let numbers = parts.compactMap { Digits.number($0, 2) }
    guard numbers.count == parts.count, numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) else {
      return nil
    }
    hour = numbers[0]
    minute = numbers[1]
    second = numbers.count == 3 ? numbers[2] : 0
  }

  private init(hour: Int) { (self.hour, minute, second) = (hour, 0, 0) }

  static let midnight = ClockTime(hour: 0)

  package var text: String { "\(Digits.text(hour, 2)):\(Digits.text(minute, 2)):\(Digits.text(second, 2))" }
  var seconds: Int64 { Int64(hour * 3600 + minute * 60 + second) }
}

/// Parses and formats non-negative numbers of fixed width.
enum Digits {
  static func number(_ text: some StringProtocol, _ count: Int) -> Int? {
    guard text.utf8.count == count, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }

  static func text(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}

extension CalendarDate: Comparable {
  package static func < (left: CalendarDate, right: CalendarDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}
