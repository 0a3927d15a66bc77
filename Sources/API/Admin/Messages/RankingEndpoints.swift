internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// Endpoints that rank campaigns, and that show at which hours of the week people receive and read messages.
extension Endpoint {
  static let rankings: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/statistics/campaigns", id: "rankCampaigns", in: .messages, "Rank campaigns",
      """
      Campaigns requested in a period of at most 400 days, the greatest first; those without a share come last. Single \
      sends and tests are not ranked. At most 20,000 campaigns may have been requested in the period.
      """, by: .permission(.viewMessages), load: .heavy, parameters: rankingParameters + [.limit, .cursor],
      answers: [
        Answer(
          200, "A page of campaigns.", ItemPage<RankingService.Entry>.object,
          example: Answer.page(
            """
            {"seqno":"104","appId":"com.example.bank","kind":"ad","alert":{"title":"News","body":"Hello"},"sender":null,\
            "createdAt":"2026-11-21T09:30:00.123Z","targeted":1000,"accepted":985,"received":700,"read":120}
            """))
      ], problems: [.invalidField, .unknownApp, .impossible], handler: .whole(AdminCall.rankCampaigns)),
    Endpoint(
      .get, "/v1/admin/statistics/hours", id: "showReadTimes", in: .messages, "Show when people read",
      """
      Receipts and reads by weekday and hour of the app's clock, in a period of at most 400 days. An hour in which nothing \
      was received or read is left out.
      """, by: .permission(.viewMessages), load: .heavy,
      parameters: [
        .ofApp(isNeeded: false), .query("from", JSONSchema.moment, "Absent: 30 days before `to`."),
        .query("to", JSONSchema.moment, "Before then; absent: now."),
      ],
      answers: [
        Answer(
          200, "By weekday and hour.", RankingService.Times.object,
          example: """
            {"from":"2026-10-21T15:00:00.000Z","to":"2026-11-20T15:00:00.000Z","items":[{"weekday":1,"hour":9,\
            "received":700,"read":120}]}
            """)
      ], problems: [.invalidField, .unknownApp, .impossible], handler: .whole(AdminCall.readTimes)),
  ]

  /// Query parameters of a ranking, without those of pages. The export of a ranking has the same.
  static let rankingParameters: [Parameter] = [
    .ofApp(isNeeded: false), .query("from", JSONSchema.moment, "Absent: 30 days before `to`."),
    .query("to", JSONSchema.moment, "Before then; absent: now."),
    .query("sort", JSONSchema.words(CampaignRanking.Order.allCases.map(\.rawValue)), "`newest` when absent."),
    .query("kind", JSONSchema.words(MessageKind.allCases.map(\.rawValue)), "Only those of a kind."),
    .query("text", JSONSchema.givenText, "Only those whose title, subtitle or text holds this, whatever the case."),
    .query("sender", JSONSchema.givenText, "Only those with this `sender`."),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let rankingSchemas: [JSONTree.Member] = [
    ItemPage<RankingService.Entry>.object.named, RankingService.Times.object.named,
  ]
}

extension AdminCall {
  fileprivate func rankCampaigns() throws(Problem) -> Response {
    let checked = try RankingService.check(rankingQuestion, by: caller, on: connection, now: now)
    let page = try PageRequest(limit: query["limit"], cursor: query["cursor"])
    return .json(.ok, try RankingService.ranking(checked, page, on: connection))
  }

  fileprivate func readTimes() throws(Problem) -> Response {
    .json(
      .ok,
      try RankingService.times(
        appID: query["appId"], from: query["from"], to: query["to"], by: caller, on: connection, now: now))
  }

  var rankingQuestion: RankingService.Question {
    var question = RankingService.Question()
    question.appID = query["appId"]
    question.from = query["from"]
    question.to = query["to"]
    question.sort = query["sort"]
    question.kind = query["kind"]
    question.text = query["text"]
    question.sender = query["sender"]
    return question
  }
}
