internal import Domain
internal import Postgres
internal import Store
internal import Time

/// Due and expiry times of a message that is being accepted.
struct DueTime {
  /// Time at which the message is due; nil for immediately. For a message by local time, the time at which the first of
  /// the app's devices are due.
  let dueAt: Timestamp?
  let localTime: LocalTime?
  /// Time at which the message expires, counted from the due time, or from acceptance if it is sent immediately. For
  /// local times, only the latest bound, counted from the latest possible due time, `zonesSpan` after `dueAt`: each
  /// device has its own expiry.
  let expiresAt: Timestamp

  init(_ message: MessageRequest, _ app: App, on connection: Connection, now: Timestamp) throws(Problem) {
    let expiry = Duration.seconds(message.expiresInSeconds)
    switch message.timing {
    case .now:
      dueAt = nil
      localTime = nil
      expiresAt = now + expiry
    case .at(let moment):
      try Self.check(moment, now, at: "/sendAt")
      dueAt = moment
      localTime = nil
      expiresAt = moment + expiry
    case .local(let local):
      let span = try connection.answer(Waves.span(app: app.number, local, appTimeZone: app.timeZone))
      // Zones in which the time has passed are left out; at least one must still be in time.
      try Self.check(span.last, now, at: "/localTime")
      dueAt = span.first
      localTime = local
      expiresAt = span.first + Operations.Limits.zonesSpan + expiry
    }
    if let repetition = message.repetition { try check(repetition, message.timing, app, connection) }
  }

  private static func check(_ moment: Timestamp, _ now: Timestamp, at pointer: String) throws(Problem) {
    guard moment >= now - .seconds(Domain.Limits.lateSeconds) else {
      throw Problem(
        .impossible, at: pointer,
        "is more than \(Domain.Limits.lateSeconds / 60) minutes ago; a message that late would not be sent")
    }
    guard moment <= now + Operations.Limits.farthestDue else {
      throw Problem(
        .impossible, at: pointer, "is more than \(Operations.Limits.farthestDue.components.seconds / 86_400) days ahead"
      )
    }
  }

  /// Throws `.impossible` if the last day of a repetition is before the day of the first occurrence: the date of the
  /// local time or, for a message with `sendAt`, the date in the app's time zone. A message that is sent immediately
  /// always passes.
  private func check(
    _ repetition: Repetition, _ timing: Timing, _ app: App, _ connection: Connection
  ) throws(Problem) {
    let first: CalendarDate
    switch timing {
    case .local(let local): first = local.date
    case .at(let moment):
      // `yyyyMMddHH` in the app's time zone.
      let digits = try connection.answer(Messages.sendDate(at: moment, timeZone: app.timeZone))
      let text = "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.dropFirst(6).prefix(2))"
      guard let date = CalendarDate(text) else { return }
      first = date
    case .now: return
    }
    guard !(repetition.until < first) else {
      throw Problem(.impossible, at: "/repeat/until", "is before the first occurrence, \(first.text)")
    }
  }
}

extension Operations.Limits {
  /// Maximum time between acceptance and due time: 366 days.
  static let farthestDue: Duration = .seconds(366 * 86_400)
  /// Time between the first time zone to reach a local time (UTC+14) and the last (UTC−12).
  static let zonesSpan: Duration = .seconds(26 * 3_600)
}
