package import JSON

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

  /// Parses `HH:mm` or `HH:mm:ss`. Returns nil if malformed.
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

/// Parses RFC 3339 timestamps: `2026-12-24T09:00:00+09:00`, `…Z`.
package enum Moment {
  /// Parses a timestamp and returns microseconds since 1970. Returns nil if malformed.
  package static func microseconds(_ text: String) -> Int64? {
    var body = Substring(text)
    var offset: Int64 = 0
    if let last = body.last, last == "Z" || last == "z" {
      body.removeLast()
    } else {
      guard body.count > 6, let sign = body.dropLast(5).last, sign == "+" || sign == "-",
        let zone = ClockTime(body.suffix(5))
      else { return nil }
      offset = zone.seconds * (sign == "-" ? -1 : 1)
      body.removeLast(6)
    }
    var fraction: Int64 = 0
    if let point = body.firstIndex(of: ".") {
      let digits = body[body.index(after: point)...]
      let kept = digits.prefix(6)
      guard !digits.isEmpty, let number = Digits.number(kept, kept.count),
        digits.utf8.allSatisfy({ (48...57).contains($0) })
      else { return nil }
      fraction = (0..<6 - kept.count).reduce(Int64(number)) { value, _ in value * 10 }
      body = body[..<point]
    }
    let parts = body.split(omittingEmptySubsequences: false) { $0 == "T" || $0 == "t" }
    guard parts.count == 2, let date = CalendarDate(parts[0]), let time = ClockTime(parts[1]) else { return nil }
    return (LocalTime(date: date, time: time).secondsAtUTC - offset) * 1_000_000 + fraction
  }
}

extension JSONReader {
  /// Parses a timestamp and returns microseconds since 1970.
  package mutating func readMoment() throws(JSONError) -> Int64 {
    guard let moment = Moment.microseconds(try readString()) else {
      throw JSONError("must be a time with its offset, for example 2026-12-24T09:00:00+09:00")
    }
    return moment
  }
}

/// Parses and formats numbers of fixed width.
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
