internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// Endpoints for statistics over time, and the dashboard's overview.
extension Endpoint {
  static let statistics: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/statistics", id: "showStatistics", in: .messages, "Ask for statistics",
      """
      What happened by minute (at most a day), hour (at most 62 days), or the app's day, week (from Monday) or month, in \
      all or divided. Minutes are kept for 3 days, hours for 400 days, days without end. Numbers are kept \
      as things happen, without those of tests. Receipts and reads are counted by app and lane only. Hours are kept \
      by UTC: in a zone whose offset is not whole hours, one that spans local midnight counts towards the day before.
      """, by: .permission(.viewMessages), load: .heavy,
      parameters: reportParameters,
      answers: [
        Answer(
          200, "What happened, by time; a time at which nothing did is left out.", StatisticsService.Report.object,
          example: """
            {"from":"2026-11-21T00:00:00.000Z","to":"2026-11-21T10:00:00.000Z","by":"hour","per":"lane",\
            "timeZone":"Asia/Seoul",\
            "total":{"accepted":985,"rejected":3,"expired":0,"cancelled":0,"skipped":2,"received":700,"read":120,"joined":0,\
            "left":0},"items":[{"at":"2026-11-21T09:00:00.000Z","lane":"bulk","accepted":985,"rejected":3,"expired":0,\
            "cancelled":0,"skipped":2,"received":700,"read":120,"joined":0,"left":0}]}
            """)
      ], problems: [.invalidField, .unknownApp, .impossible], handler: .whole(AdminCall.statistics)),
    Endpoint(
      .get, "/v1/admin/overview/events", id: "watchOverview", in: .messages, "Watch what happens",
      """
      Server-sent events `overview`: the last hour by minute, the same by reason, the twelve newest messages and campaigns, \
      and campaigns that are not over, at once \
      and whenever they have changed, at most every two seconds. The answer ends after 15 minutes at the latest: connect \
      again, as browsers do by themselves.
      """, by: .permission(.viewMessages), parameters: [.ofApp(isNeeded: false)],
      answers: [
        Answer(
          200, "What happens, as it changes.", overviewEvents.name,
          example: """
            event: overview
            data: {"minutes":{"from":"2026-11-21T09:00:00.000Z","to":"2026-11-21T10:00:00.000Z","by":"minute","per":"none",\
            "timeZone":"Asia/Seoul",\
            "total":{"accepted":0,"rejected":0,"expired":0,"cancelled":0,"skipped":0,"received":0,"read":0,"joined":0,\
            "left":0},"items":[]},"reasons":{"from":"2026-11-21T09:00:00.000Z","to":"2026-11-21T10:00:00.000Z",\
            "by":"minute","per":"reason","timeZone":"Asia/Seoul",\
            "total":{"accepted":0,"rejected":0,"expired":0,"cancelled":0,"skipped":0,\
            "received":0,"read":0,"joined":0,"left":0},"items":[]},"messages":{"items":[],"nextCursor":null},\
            "campaigns":{"items":[],"nextCursor":null},\
            "openCampaigns":{"items":[],"nextCursor":null},"openSingles":{"items":[],"nextCursor":null}}


            """, type: "text/event-stream")
      ], problems: [.unknownApp], handler: .pieces(.live, AdminCall.watchOverview)),
  ]

  /// Query parameters of a report. The export of a report has the same.
  static let reportParameters: [Parameter] = [
    .ofApp(isNeeded: false),
    .query(
      "from", JSONSchema.moment,
      "Absent: an hour of minutes, a day of hours, 30 days, 26 weeks, or 366 days of months before `to`."),
    .query("to", JSONSchema.moment, "Before then; absent: now."),
    .query("by", JSONSchema.words(StatisticsReports.Unit.allCases.map(\.rawValue)), "`hour` when absent."),
    .query("per", JSONSchema.words(StatisticsReports.Division.allCases.map(\.rawValue)), "What to divide it by."),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let statisticsSchemas: [JSONTree.Member] = [StatisticsService.Report.object.named, overviewEvents]

  private static let overviewEvents: JSONTree.Member = (
    "OverviewEvents", JSONSchema.events(["overview"], "Event after event.", Overview.object.schema)
  )
}

extension AdminCall {
  fileprivate func statistics() throws(Problem) -> Response {
    .json(.ok, try StatisticsService.report(reportQuestion, by: caller, on: connection, now: now))
  }

  var reportQuestion: StatisticsService.Question {
    StatisticsService.Question(
      appID: query["appId"], from: query["from"], to: query["to"], by: query["by"], per: query["per"])
  }
}
