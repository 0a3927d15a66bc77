internal import JSON

/// When a message goes out.
package enum Timing: Equatable, Sendable {
  /// As soon as it is accepted.
  case now
  /// At a moment, microseconds since 1970.
  case at(Int64)
  /// When the clock on each device's wall shows it.
  case local(LocalTime)

  /// Reads `sendAt` or `localTime`.
  static func read(_ key: String, _ reader: inout JSONReader) throws(JSONError) -> Timing {
    if key == "sendAt" { return .at(try reader.readMoment()) }
    guard let local = LocalTime(try reader.readString()) else {
      throw JSONError("must be a wall clock's time without offset, for example 2026-12-24T09:00")
    }
    return .local(local)
  }
}

/// A message that is sent again and again: every so many days, weeks or months at the same time of the wall clock, up to
/// and including a last day. Each occurrence is a message of its own. Occurrence k is the first one plus k units, so a
/// month's 31st falls on the last day of shorter months and comes back on the 31st.
package struct Repetition: Equatable, Sendable {
  /// Raw values are stored, and are PostgreSQL's words for intervals.
  package enum Unit: String, CaseIterable, Sendable {
    case day
    case week
    case month
  }

  package let unit: Unit
  package let until: CalendarDate

  /// Reads `{"every":"day"|"week"|"month","until":"2027-01-31"}`.
  static func read(_ reader: inout JSONReader) throws(JSONError) -> Repetition {
    var unit: Unit?
    var until: CalendarDate?
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "every":
        guard let known = Unit(rawValue: try reader.readString()) else {
          throw JSONError("must be day, week or month")
        }
        unit = known
      case "until":
        guard let date = CalendarDate(try reader.readString()) else {
          throw JSONError("must be a date, for example 2027-01-31")
        }
        until = date
      default: throw .unknownField
      }
    }
    guard let unit else { throw JSONError("is needed: day, week or month").inside("every") }
    guard let until else { throw JSONError("is needed: the last day, for example 2027-01-31").inside("until") }
    return Repetition(unit: unit, until: until)
  }
}

/// The part of the day in which a message may go out. Outside of it deliveries wait; they are not dropped, unless the
/// message expires first.
package struct SendWindow: Equatable, Sendable {
  /// Whose clock counts.
  package enum Zone: String, Sendable {
    case app
    case device
  }

  package let opens: ClockTime
  /// Before `opens`: the window spans midnight.
  package let closes: ClockTime
  package let zone: Zone

  /// Reads `{"from":"08:00","to":"21:00","zone":"app"|"device"}`.
  static func read(_ reader: inout JSONReader) throws(JSONError) -> SendWindow {
    var opens: ClockTime?
    var closes: ClockTime?
    var zone = Zone.app
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "from": opens = try readTime(&reader)
      case "to": closes = try readTime(&reader)
      case "zone":
        guard let known = Zone(rawValue: try reader.readString()) else { throw JSONError("must be app or device") }
        zone = known
      default: throw .unknownField
      }
    }
    guard let opens else { throw JSONError("is needed, for example 08:00").inside("from") }
    guard let closes else { throw JSONError("is needed, for example 21:00").inside("to") }
    return SendWindow(opens: opens, closes: closes, zone: zone)
  }

  private static func readTime(_ reader: inout JSONReader) throws(JSONError) -> ClockTime {
    guard let time = ClockTime(try reader.readString()) else {
      throw JSONError("must be a time of day, for example 08:00")
    }
    return time
  }
}

extension Domain.Limits {
  /// A reserved message that comes later than this after its time is not sent at all: it would surprise people.
  package static let lateSeconds: Int32 = 3600
}
