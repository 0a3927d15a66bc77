package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Statistics by minute, hour, day, week or month. Counters are updated as events happen, so a report costs the same
/// for a thousand devices or ten million.
package enum StatisticsService {
  /// Parameters of a report, as text from a query string; nil means the default.
  package struct Question: Sendable {
    package var appID: String?
    package var from: String?
    package var to: String?
    package var by: String?
    package var per: String?

    package init(
      appID: String? = nil, from: String? = nil, to: String? = nil, by: String? = nil, per: String? = nil
    ) {
      self.appID = appID
      self.from = from
      self.to = to
      self.by = by
      self.per = per
    }
  }

  package struct Report: DescribedAnswer {
    package let from: Timestamp
    package let to: Timestamp
    package let unit: StatisticsReports.Unit
    package let division: StatisticsReports.Division
    /// The time zone whose days, weeks and months are counted; nil if those of the apps differ.
    package let timeZone: String?
    package let rows: [StatisticsReports.Row]

    package static let object = JSONObject<Report>(
      "Statistics",
      [
        .always("from", .moment, \.from), .always("to", .moment, \.to),
        .always("by", .words(StatisticsReports.Unit.allCases), \.unit),
        .always("per", .words(StatisticsReports.Division.allCases), \.division),
        .always(
          "timeZone", .orNull(.anyText), \.timeZone,
          "Whose days, weeks and months these are: UTC while the database does not know the app's; null: apps differ."),
        .always("total", total.form, \.total, "All items together."),
        .always(
          "items", .list(of: Point.object.form),
          { report in
            report.rows.map { Point(row: $0, division: report.division) }
          }),
      ])
    private static let total = JSONObject<Statistics.Counts>("Counts", isNamed: false, Statistics.Counts.members)

    private var total: Statistics.Counts {
      var total = Statistics.Counts()
      for row in rows { total += row.counts }
      return total
    }
  }

  /// Counts of one time unit and, if the report is divided, of one part.
  private struct Point {
    let row: StatisticsReports.Row
    let division: StatisticsReports.Division

    static let object = JSONObject<Point>(
      "StatisticsPoint", isNamed: false,
      [.always("at", .moment, \.row.at, "Where the period begins; days, weeks (from Monday) and months are the app's.")]
        + StatisticsReports.Division.allCases.filter { $0 != .none }.map { division in
          .optional(
            division.member, .orNull(.anyText), { $0.part(of: division) },
            "When divided by it; null: not known, or none.")
        } + Statistics.Counts.members.map { $0.of(\.row.counts) })

    private func part(of division: StatisticsReports.Division) -> String?? {
      self.division == division ? .some(division.word(row.part)) : nil
    }
  }

  /// Creates a report. By default, it is by hour and undivided, and its period depends on the unit (`usualSeconds`).
  /// Time units without any counts have no row.
  /// - Parameter now: the end of the period if the question has no `to`.
  /// - Throws: `.invalidField` for a parameter that is no valid value; `.impossible` if the period is empty or too long
  ///   for the unit, or the report would exceed `reportRows`; `.unknownApp`; `.forbidden`.
  package static func report(
    _ question: Question, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Report {
    try caller.require(.viewMessages)
    let unit = try word(question.by, "by", StatisticsReports.Unit.hour)
    let division = try word(question.per, "per", StatisticsReports.Division.none)
    let longest = Duration.seconds(unit.longestSeconds)
    let to = try MessageListing.moment(question.to, "to") ?? now + .microseconds(1)
    // The default period depends on the unit, because a day of minutes would be too many points for a chart.
    let from = try MessageListing.moment(question.from, "from") ?? to - .seconds(unit.usualSeconds)
    guard from < to else { throw Problem(.impossible, "from must be earlier than to.") }
    guard to - from <= longest else {
      throw Problem(
        .impossible,
        "By \(unit.rawValue) at most \(unit.longestSeconds / 86_400) days can be asked for at once. Take a larger unit."
      )
    }
    let apps = try apps(question.appID, by: caller, on: connection)
    let rows = try connection.answer(
      StatisticsReports.report(
        of: apps, from: from, to: to, by: unit, per: division, limit: Operations.Limits.reportRows + 1))
    guard rows.count <= Operations.Limits.reportRows else {
      throw Problem(
        .impossible,
        "The report would have more than \(Operations.Limits.reportRows) rows. Ask for a shorter time, or for one app.")
    }
    let timeZone = try connection.answer(StatisticsReports.timeZone(of: apps))
    return Report(from: from, to: to, unit: unit, division: division, timeZone: timeZone, rows: rows)
  }

  /// Returns the numbers of the apps to report on: the requested one; if `appID` is nil, the caller's only app, or all
  /// apps if the caller is not limited to one. Call it after checking that the caller has `.viewMessages`, because this
  /// function checks it only for a requested app.
  /// - Throws: `.unknownApp`, or `.forbidden` if the caller may not access the requested app.
  static func apps(
    _ appID: String?, by caller: Caller, on connection: Connection
  ) throws(Problem) -> [App.Number] {
    if let app = try Administration.scope(appID, .viewMessages, caller, connection) { return [app] }
    return try connection.answer(Apps.all()).map(\.app.number)
  }

  static func word<Word: RawRepresentable<String> & CaseIterable>(
    _ text: String?, _ name: String, _ usual: Word
  ) throws(Problem) -> Word {
    guard let text else { return usual }
    guard let word = Word(rawValue: text) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.invalidField, "\(name) must be one of \(words).")
    }
    return word
  }
}

extension Statistics.Counts {
  /// Fields of the counts. They are signed, because a count is negative if more was undone than done within the period.
  fileprivate static let members: [JSONField<Statistics.Counts>] = [
    .always("accepted", .integer, \.accepted), .always("rejected", .integer, \.rejected),
    .always("expired", .integer, \.expired), .always("cancelled", .integer, \.cancelled),
    .always("skipped", .integer, \.skipped), .always("received", .integer, \.received),
    .always("read", .integer, \.read), .always("joined", .integer, \.joined), .always("left", .integer, \.left),
  ]
}

extension StatisticsReports.Unit {
  /// Maximum period of a report by this unit, in seconds: as many points as a chart can show.
  fileprivate var longestSeconds: Int64 {
    switch self {
    case .minute: 86_400
    case .hour: 62 * 86_400
    case .day: 1_000 * 86_400
    case .week, .month: 3_660 * 86_400
    }
  }

  fileprivate var usualSeconds: Int64 {
    switch self {
    case .minute: 3_600
    case .hour: 86_400
    case .day: 30 * 86_400
    case .week: 182 * 86_400
    case .month: 366 * 86_400
    }
  }
}

extension StatisticsReports.Division {
  var member: String {
    switch self {
    case .app: "appId"
    case .network: "pnsId"
    default: rawValue
    }
  }

  /// Returns the API's name of a stored value; nil if the value is unknown or does not apply.
  func word(_ stored: String) -> String? {
    switch self {
    case .network: Int16(stored).flatMap(PushNetwork.init(rawValue:))?.pnsID
    case .lane: Int16(stored).flatMap(Lane.init(rawValue:))?.name
    default: stored.isEmpty ? nil : stored
    }
  }
}

extension Operations.Limits {
  /// Maximum number of rows of a report, which exceeds the minutes of a day, because a report can be divided.
  static let reportRows = 20_000
}
