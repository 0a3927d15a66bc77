/// Parser of times in header fields. It supports only the IMF-fixdate form, the one that servers send today: `Sun, 06
/// Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
package enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the time in seconds since 1970; nil if `text` has any other form. Ignores the name of the weekday.
  package static func seconds(_ text: String) -> Int64? {
    // A valid date has 29 bytes. The limit bounds the cost of splitting a hostile value.
    guard text.utf8.count <= 64 else { return nil }
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int64(words[1]), (1...31).contains(day),
      let month = months.firstIndex(of: String(words[2])), let year = Int64(words[3]), (1970...9999).contains(year)
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int64($0) }
    guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
    else { return nil }
    return days(year, Int64(month) + 1, day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  /// Returns the number of days since 1970-01-01 in the Gregorian calendar. Counts years from March, so that the leap
  /// day is the last day of a year.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  /// Returns the delay of a `Retry-After` field in seconds, given as a number or as a date (RFC 9110 §10.2.3): at least
  /// 0, for a time in the past, and at most a day. Nil if malformed.
  /// - Parameter now: the current time in seconds since 1970.
  package static func retryAfter(_ text: String, now: Int64) -> Int? {
    let asked = Int64(text) ?? seconds(text).map { $0 - now }
    return asked.map { Int(min(max(0, $0), PushTransport.Limits.longestRetryAfter)) }
  }
}
