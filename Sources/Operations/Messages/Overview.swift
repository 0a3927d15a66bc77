package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// The current activity of one app or all: statistics of the last hour by minute, undivided and by reason; and the
/// newest messages, campaigns, campaigns that have not ended, and paused single sends, up to `overviewMessages` each.
package struct Overview: DescribedAnswer {
  package let minutes: StatisticsService.Report
  package let reasons: StatisticsService.Report
  package let messages: ItemPage<MessageListing.Entry>
  package let campaigns: ItemPage<MessageListing.Entry>
  package let openCampaigns: ItemPage<MessageListing.Entry>
  package let openSingles: ItemPage<MessageListing.Entry>

  package static let object = JSONObject<Overview>(
    "Overview", isNamed: false,
    [
      .always("minutes", StatisticsService.Report.object.form, \.minutes, "The last hour, by minute."),
      .always("reasons", StatisticsService.Report.object.form, \.reasons, "The same, by reason."),
      .always("messages", ItemPage<MessageListing.Entry>.object.form, \.messages, "The newest."),
      .always("campaigns", ItemPage<MessageListing.Entry>.object.form, \.campaigns, "The newest campaigns."),
      .always(
        "openCampaigns", ItemPage<MessageListing.Entry>.object.form, \.openCampaigns, "Campaigns that are not over."),
      .always(
        "openSingles", ItemPage<MessageListing.Entry>.object.form, \.openSingles,
        "Single sends that are paused."),
    ])

  /// Returns the app that an overview is limited to: the requested one, or else the caller's only one; nil for all
  /// apps.
  /// - Throws: `.unknownApp`; `.forbidden` if the caller may not view messages, or not those of the requested app.
  package static func scope(
    _ appID: String?, by caller: Caller, on connection: Connection
  ) throws(Problem) -> App.Number? {
    try caller.require(.viewMessages)
    return try Administration.scope(appID, .viewMessages, caller, connection)
  }

  /// Returns the overview, without checking permissions. It is the same for everyone who may see it.
  /// - Parameter app: the only app to include, as returned by `scope`; nil for all apps.
  /// - Returns: nil if the overview could not be read, for example while the database is unavailable.
  package static func watched(_ app: App.Number?, on connection: Connection, now: Timestamp) -> Overview? {
    let caller = Caller(role: .viewer, app: app, apiKey: nil)
    // Round up to the end of the minute, so that the result stays the same while nothing happens.
    let end = Timestamp(seconds: (now.seconds / 60 + 1) * 60)
    do throws(Problem) {
      func report(per division: String) throws(Problem) -> StatisticsService.Report {
        let question = StatisticsService.Question(by: "minute", per: division)
        return try StatisticsService.report(question, by: caller, on: connection, now: end)
      }
      func messages(_ purpose: MessagePurpose?, _ state: String?) throws(Problem) -> ItemPage<MessageListing.Entry> {
        var question = MessageListing.Question()
        question.purpose = purpose?.name
        question.state = state
        return try MessageListing.list(question, page, by: caller, on: connection)
      }
      var page = try PageRequest()
      page.limit = Operations.Limits.overviewMessages
      return Overview(
        minutes: try report(per: "none"), reasons: try report(per: "reason"),
        messages: try messages(nil, nil), campaigns: try messages(.campaign, nil),
        openCampaigns: try messages(.campaign, MessageListing.open),
        openSingles: try messages(.single, MessageState.paused.name))
    } catch {
      return nil
    }
  }
}

extension Operations.Limits {
  /// Maximum number of messages in each list of an overview.
  static let overviewMessages = 12
}
