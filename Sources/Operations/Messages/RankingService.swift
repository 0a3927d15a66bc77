package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Compares campaigns: ranks those of a period, and counts receipts and reads by hour of the week.
package enum RankingService {
  /// Parameters of a ranking, as text from a query string; nil means the default, or no condition.
  package struct Question: Sendable {
    package var appID: String?
    package var from: String?
    package var to: String?
    package var sort: String?
    package var kind: String?
    package var text: String?
    package var sender: String?

    package init() {}
  }

  /// A campaign with the counts that rank it.
  package struct Entry: DescribedAnswer {
    package let row: CampaignRanking.Row

    package static let object = JSONObject<Entry>(
      "RankedCampaign", isNamed: false,
      [
        .always("seqno", .sequence, \.row.place.seqno), .always("appId", .anyText, \.row.appID),
        .always("kind", .words(MessageKind.allCases), \.row.kind), ShownMessage.alert.of(\.row.alert),
        ShownMessage.confidential.of(\.row.isConfidential),
        .always("sender", .orNull(.anyText), \.row.sender, "As the request says; null: `admin`."),
        .always("createdAt", .moment, \.row.createdAt),
        .always("targeted", .orNull(.count), \.row.targeted, "Devices; null until counted."),
        .always("accepted", .count, \.row.accepted, "The push network took it."),
        .always("received", .count, \.row.received, "The device confirmed its arrival."),
        .always("read", .count, \.row.read, "The user opened it."),
      ])
  }

  /// Validated parameters of a ranking.
  package struct Checked: Sendable {
    let filter: CampaignRanking.Filter
    let order: CampaignRanking.Order
  }

  /// Checks a ranking's parameters. Without `from`, the period is the 30 days before `to`; without `sort`, the newest
  /// campaigns come first.
  /// - Parameter now: the end of the period if the question has no `to`.
  /// - Throws: `.invalidField` for a parameter that is no valid value; `.impossible` if the period is empty, exceeds
  ///   `rankedDays`, or contains more than `rankedCampaigns`; `.unknownApp`; `.forbidden`.
  package static func check(
    _ question: Question, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Checked {
    try caller.require(.viewMessages)
    let order = try StatisticsService.word(question.sort, "sort", CampaignRanking.Order.newest)
    let period = try period(question.from, question.to, now: now)
    let apps = try StatisticsService.apps(question.appID, by: caller, on: connection)
    var filter = CampaignRanking.Filter(apps: apps, from: period.from, to: period.to)
    if let kind = question.kind { filter.kind = try StatisticsService.word(kind, "kind", MessageKind.notice) }
    if let text = question.text, !text.isEmpty { filter.text = text }
    if let sender = question.sender, !sender.isEmpty { filter.sender = sender }
    let most = Operations.Limits.rankedCampaigns
    guard try connection.answer(CampaignRanking.count(filter, limit: most + 1)) <= most else {
      throw Problem(
        .impossible, "More than \(most) campaigns were requested then. Ask for a shorter time, or for one app.")
    }
    return Checked(filter: filter, order: order)
  }

  /// Returns a page of the ranking.
  /// - Throws: for another list's cursor.
  package static func ranking(
    _ checked: Checked, _ page: PageRequest, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let rows = try rows(checked, behind: try page.rank(), limit: page.limit + 1, on: connection)
    return ItemPage(rows.map(Entry.init), limit: page.limit) { PageRequest.text(of: $0.row.place) }
  }

  static func rows(
    _ checked: Checked, behind place: CampaignRanking.Place, limit: Int, on connection: Connection
  ) throws(Problem) -> [CampaignRanking.Row] {
    try connection.answer(
      CampaignRanking.rows(
        checked.filter, by: checked.order, behind: place, window: Operations.Limits.rankedCampaigns, limit: limit))
  }

  // MARK: Times of reading

  /// Receipts and reads by weekday and hour in each app's time zone.
  package struct Times: DescribedAnswer {
    package let from: Timestamp
    package let to: Timestamp
    package let rows: [ReadTimes.Row]

    package static let object = JSONObject<Times>(
      "ReadTimes",
      [
        .always("from", .moment, \.from), .always("to", .moment, \.to),
        .always(
          "items",
          .list(
            of: JSONObject<ReadTimes.Row>(
              "ReadTime", isNamed: false,
              [
                .always("weekday", .integer, { Int64($0.weekday) }, "1 Monday to 7 Sunday, in the app's time zone."),
                .always("hour", .integer, { Int64($0.hour) }, "0 to 23, in the app's time zone."),
                .always("received", .integer, \.received), .always("read", .integer, \.read),
              ]
            ).form), \.rows),
      ])
  }

  /// Returns the receipts and reads of all messages by weekday and hour, from the hour that contains `from` to `to`.
  /// The hour that contains `to` may be counted up to its end. Without `to`, the period ends now; without `from`, it
  /// has 30 days. Hours without counts have no row.
  /// - Parameter appID: the only app to include; nil for all that the caller may access.
  /// - Throws: `.invalidField` if a time is malformed; `.impossible` if the period is empty or exceeds `rankedDays`;
  ///   `.unknownApp`; `.forbidden`.
  package static func times(
    appID: String?, from: String?, to: String?, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Times {
    try caller.require(.viewMessages)
    let period = try period(from, to, now: now)
    let apps = try StatisticsService.apps(appID, by: caller, on: connection)
    let rows = try connection.answer(ReadTimes.rows(of: apps, from: period.from, to: period.to))
    return Times(from: period.from, to: period.to, rows: rows)
  }

  private static func period(
    _ from: String?, _ to: String?, now: Timestamp
  ) throws(Problem) -> (from: Timestamp, to: Timestamp) {
    let to = try MessageListing.moment(to, "to") ?? now + .microseconds(1)
    let from = try MessageListing.moment(from, "from") ?? to - .seconds(30 * 86_400)
    guard from < to else { throw Problem(.impossible, "from must be earlier than to.") }
    guard to - from <= .seconds(Operations.Limits.rankedDays * 86_400) else {
      throw Problem(.impossible, "At most \(Operations.Limits.rankedDays) days can be asked for at once.")
    }
    return (from, to)
  }
}

extension PageRequest {
  /// Returns the position in the ranking after which the page begins; without a cursor, the one before the first entry.
  /// - Throws: for another list's cursor.
  func rank() throws(Problem) -> CampaignRanking.Place {
    guard let cursor else { return .first }
    let parts = cursor.split(separator: " ", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let key = parts[0], let seqno = parts[1] else { throw Self.foreignCursor }
    return CampaignRanking.Place(key: key, seqno: Seqno(seqno))
  }

  static func text(of place: CampaignRanking.Place) -> String { "\(place.key) \(place.seqno)" }
}

extension Operations.Limits {
  /// Maximum period of a ranking, in days: the time for which hourly numbers are stored.
  static let rankedDays: Int64 = 400
  /// Maximum number of campaigns in a ranking's period.
  static let rankedCampaigns = 20_000
}
