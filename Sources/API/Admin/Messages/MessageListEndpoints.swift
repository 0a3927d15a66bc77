internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// Endpoints for lists of messages, and a message's failures, shards and explanation for one person.
extension Endpoint {
  static let messageLists: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/messages", id: "listMessages", in: .messages, "List messages",
      "Newest first, with their numbers.",
      by: .permission(.viewMessages),
      parameters: [
        .ofApp(isNeeded: false),
        .query(
          "state", JSONSchema.words(MessageState.allCases.map(\.name) + [MessageListing.open]),
          "Only those in this state; `open`: all that are not over. Open ones are found at once, however many are over."
        ),
        .query(
          "purpose", JSONSchema.words(MessagePurpose.allCases.map(\.name)),
          "Only campaigns (to an audience), single sends (to users or devices that are named), or tests."),
        .query("text", JSONSchema.givenText, "Only those whose title, subtitle or text holds this, whatever the case."),
        .query("sender", JSONSchema.givenText, "Only those with this `sender`."),
        .query("lane", JSONSchema.words(Lane.allCases.map(\.name)), "Only those of a lane."),
        .query("from", JSONSchema.moment, "Asked for then or later."),
        .query("to", JSONSchema.moment, "Asked for before then."),
        .query(
          "activeFrom", JSONSchema.moment,
          "Only those that had not ended before then. With `to`: those with deliveries that may have ended in between."),
        .limit, .cursor,
      ],
      answers: [
        Answer(
          200, "A page of messages. It may hold fewer than asked for, also none, and still have a next.",
          ItemPage<MessageListing.Entry>.object,
          example: Answer.page(
            """
            {"seqno":"104","appId":"com.example.bank","state":"completed","lane":"normal","purpose":"campaign",\
            "alert":{"title":"News","body":"Hello"},"createdAt":"2026-11-21T09:30:00.123Z","sendAt":null,\
            "finishedAt":"2026-11-21T09:30:02.123Z","apiKeyId":"3","requestedBy":"CRM","sender":null,"targeted":2,"pending":0,"accepted":2,"rejected":0,\
            "expired":0,"cancelled":0,"skipped":0,"received":1,"read":0}
            """))
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.messages)),
    Endpoint(
      .get, "/v1/admin/messages/{seqno}/failures", id: "listFailures", in: .messages, "List what failed of a message",
      "Deliveries that ended rejected, expired or skipped.", by: .permission(.viewMessages), load: .heavy,
      parameters: [
        .query("reason", JSONSchema.givenText, "Only for this reason, as the funnel names it."),
        .limit, .cursor,
      ],
      answers: [
        Answer(
          200, "A page of deliveries. It may hold fewer than asked for and still have a next.",
          ItemPage<DeliveryPages.Delivery>.object,
          example: Answer.page(
            """
            {"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","clientUid":"kim01","status":"rejected",\
            "reason":"Unregistered","attempts":1,"at":"2026-11-21T09:30:00.123Z","receivedAt":null,"readAt":null}
            """))
      ], problems: [.invalidField, .unknownMessage, .notKept], handler: .whole(AdminCall.failures)),
    Endpoint(
      .get, "/v1/admin/messages/{seqno}/shards", id: "listShards", in: .messages, "Show how far a message's shards are",
      "The audience is cut into shards, and each is claimed batch by batch. Messages to named users have none.",
      by: .permission(.viewMessages), parameters: [.limit, .cursor],
      answers: [
        Answer(
          200, "Sums of all shards, and a page of them.", ReportService.ShardsAnswer.object,
          example: """
            {"seqno":"104","planned":true,"shards":2,"exhausted":1,"targeted":75000,"claimed":62000,\
            "items":[{"shard":0,"wave":0,"targeted":50000,"claimed":50000,"exhausted":true},\
            {"shard":1,"wave":0,"targeted":25000,"claimed":12000,"exhausted":false}],"nextCursor":null}
            """)
      ], problems: [.invalidField, .unknownMessage], handler: .whole(AdminCall.shards)),
    Endpoint(
      .get, "/v1/admin/messages/{seqno}/users/{clientUid}/explain", id: "explainMessage", in: .messages,
      "Explain a message for one user", "Every step with its time, in words, and what to do where something failed.",
      by: .permission(.viewPeople),
      parameters: [
        .header("Accept-Language", JSONSchema.anyText, "`ko` for Korean; English otherwise.")
      ],
      answers: [
        Answer(
          200, "The story, in its order.", ExplanationService.Answer.object,
          example: #"""
            {"seqno":"104","clientUid":"kim01","state":"completed","language":"en","steps":[\#
            {"code":"requested","at":"2026-11-21T09:30:00.123Z","device":null,"reason":null,\#
            "text":"The message was requested with the API key \"CRM\".","advice":null},\#
            {"code":"rejected","at":"2026-11-21T09:30:00.423Z","device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b",\#
            "reason":"Unregistered","text":"APNs (production) refused it for this device. The app was removed from the \#
            device.","advice":"Nothing: it gets messages again when the app registers."}]}
            """#)
      ], problems: [.unknownMessage, .notKept], handler: .whole(AdminCall.explain)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let messageListSchemas: [JSONTree.Member] = [
    ReportService.ShardsAnswer.object.named, ReportService.ShardsAnswer.shard.named,
    ItemPage<MessageListing.Entry>.object.named, ExplanationService.Answer.object.named,
  ]
}

extension AdminCall {
  fileprivate func messages() throws(Problem) -> Response {
    var question = MessageListing.Question()
    question.appID = query["appId"]
    question.state = query["state"]
    question.purpose = query["purpose"]
    question.lane = query["lane"]
    question.from = query["from"]
    question.to = query["to"]
    question.activeFrom = query["activeFrom"]
    question.text = query["text"]
    question.sender = query["sender"]
    return .json(.ok, try MessageListing.list(question, try page(), by: caller, on: connection))
  }

  fileprivate func failures() throws(Problem) -> Response {
    .json(
      .ok,
      try MessageListing.failures(of: try seqno(), reason: query["reason"], try page(), for: caller, on: connection))
  }

  fileprivate func shards() throws(Problem) -> Response {
    let page = try page()
    return .json(.ok, try ReportService.shards(of: try seqno(), page, for: caller, on: connection))
  }

  fileprivate func explain() throws(Problem) -> Response {
    let answer = try ExplanationService.explain(
      try seqno(), for: parameters["clientUid"], language: request.header("accept-language"), by: caller,
      on: connection)
    var response = Response.json(.ok, answer)
    response.headers.append(("Vary", "Accept-Language"))
    return response
  }
}
