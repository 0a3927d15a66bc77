package import JSON
package import Time

/// The time at which a message is sent.
package enum Timing: Equatable, Sendable {
  /// As soon as the message is accepted.
  case now
  /// At an instant.
  case at(Timestamp)
  /// When each device's local clock shows this time.
  case local(LocalTime)
}

/// A repeating message: every day, week or month at the same local time, up to and including a last day. Each
/// occurrence is a separate message. Occurrence k (from 0) is k units after the first one, so a monthly 31st falls on
/// the last day of shorter months and returns to the 31st afterwards.
package struct Repetition: Equatable, Sendable {
  /// Interval between occurrences. The raw values are stored; they are PostgreSQL's names of intervals.
  package enum Unit: String, CaseIterable, Sendable {
    case day
    case week
    case month
  }

  package private(set) var unit = Unit.day
  package private(set) var until = CalendarDate.last

  package static let object = JSONObject(
    "Repetition", about: "Again and again; each occurrence is a message of its own. Needs `sendAt` or `localTime`.",
    from: Repetition(),
    [
      .required("every", .words(Unit.allCases), \.unit, missing: "is needed: day, week or month"),
      .required(
        "until", .date, \.until, "The last day.", missing: "is needed: the last day, for example 2027-01-31"),
    ])
}

/// The hours in which a message may be sent, on every day: from `opens` (inclusive) to `closes` (exclusive). Outside
/// them deliveries wait, unless the message expires first.
package struct SendWindow: Equatable, Sendable {
  /// The clock that applies: that of the app's time zone, or each device's.
  package enum Zone: String, CaseIterable, Sendable {
    case app
    case device
  }

  package private(set) var opens = ClockTime.midnight
  /// End of the window, exclusive; if earlier than `opens`, the window spans midnight. Never equal to it in a valid
  /// request.
  package private(set) var closes = ClockTime.midnight
  package private(set) var zone = Zone.app

  package static let object = JSONObject(
    "SendWindow", about: "Outside of these hours deliveries wait. `from` after `to` spans midnight.",
    from: SendWindow(),
    [
      .required("from", .clockTime, \.opens, missing: "is needed, for example 08:00"),
      .required("to", .clockTime, \.closes, "Not the same as `from`.", missing: "is needed, for example 21:00"),
      .given("zone", .words(Zone.allCases), \.zone, "Whose clock; `app` by default."),
    ])
}

extension JSONForm<ClockTime> {
  /// The form of a time of day in a request: `HH:mm` or `HH:mm:ss`.
  static let clockTime = JSONForm<String>.anyText.described(
    JSONSchema.text(matching: "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$")
  ).mapped(by: { ClockTime($0) }, else: "must be a time of day, for example 08:00", written: \.text)
}

extension JSONForm<CalendarDate> {
  static let date = JSONForm<String>.anyText.described(.object([("type", "string"), ("format", "date")])).mapped(
    by: { CalendarDate($0) }, else: "must be a date, for example 2027-01-31", written: \.text)
}

extension JSONForm<LocalTime> {
  static let localTime = JSONForm<String>.anyText.described(
    JSONSchema.text(
      matching: "^(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        + "T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$", "date-time-local")
  ).mapped(
    by: { LocalTime($0) }, else: "must be a wall clock's time without offset, for example 2026-12-24T09:00",
    written: \.text)
}

extension Domain.Limits {
  /// Maximum delay in seconds with which the sending of a scheduled message can begin. A message that has not begun by
  /// then is not sent, because it would come as a surprise.
  package static let lateSeconds: Int32 = 3600
}
