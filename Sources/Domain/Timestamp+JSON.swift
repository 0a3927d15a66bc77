package import JSON
package import Time

/// Times in JSON.
extension Timestamp {
  /// Parses RFC 3339 text: `2026-12-24T09:00:00+09:00`, `…Z`. Seconds may be missing; digits beyond microseconds are
  /// dropped. Returns nil if it is malformed, has no offset, or names a date or time that does not exist.
  package init?(_ text: String) {
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
    let seconds = LocalTime(date: date, time: time).secondsAtUTC - offset
    self.init(microseconds: seconds * 1_000_000 + fraction)
  }
}

extension JSONForm<Timestamp> {
  /// The form of a time: RFC 3339 text with any offset, written in UTC with milliseconds.
  package static let moment = JSONForm(
    JSONSchema.moment, read: { (reader) throws(JSONError) in try reader.readMoment() },
    write: { $1.value($0.description) })
}

extension JSONReader {
  /// Parses a time given as RFC 3339 text with an offset. Throws for anything else.
  package mutating func readMoment() throws(JSONError) -> Timestamp {
    guard let moment = Timestamp(try readString()) else {
      throw JSONError("must be a time with its offset, for example 2026-12-24T09:00:00+09:00")
    }
    return moment
  }
}
