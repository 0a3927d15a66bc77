/// Times in header fields, in the only form that servers send today: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
package enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Seconds since 1970; nil for any other form.
  package static func seconds(_ text: String) -> Int64? {
    // The form has 29 bytes. The cost of the comparisons below grows with the length: bound it.
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

  /// Days since 1970-01-01 in the Gregorian calendar. Years begin in March, so that the leap day comes last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  /// The delay of a `Retry-After` field in seconds: a number, or a time (RFC 9110 §10.2.3). Capped at a day.
  package static func retryAfter(_ text: String, now: Int64) -> Int? {
    let asked = Int64(text) ?? seconds(text).map { $0 - now }
    return asked.map { Int(min(max(0, $0), PushTransport.Limits.longestRetryAfter)) }
  }
}
