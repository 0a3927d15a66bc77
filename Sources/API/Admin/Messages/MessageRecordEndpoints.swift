internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints that show a message's record (what was requested, by whom, and what it waits for), and that replace a
/// scheduled message.
extension Endpoint {
  static let messageRecords: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/messages/{seqno}/request", id: "showRequest", in: .messages,
      "Show what was asked for, and by whom",
      "With the second person who approved it, and what holds it back now.", by: .permission(.viewMessages),
      load: .heavy,
      answers: [
        Answer(
          200, "The record.", MessageRecord.object,
          example: """
            {"seqno":"104","appId":"com.example.bank","state":"sending","purpose":"campaign",\
            "createdAt":"2026-11-21T09:30:00.123Z","requestedBy":"kim@example.com","approvalId":"7",\
            "approvedBy":"lee@example.com","approvedAt":"2026-11-21T09:31:00.123Z",\
            "message":{"appId":"com.example.bank","audience":{"all":true},"alert":"Good morning","kind":"ad"},\
            "pace":{"perSecond":300},"repeat":null,\
            "waits":[{"reason":"night","until":"2026-11-21T23:00:00.000Z","devices":157}]}
            """)
      ], problems: [.unknownMessage], handler: .whole(AdminCall.messageRecord)),
    Endpoint(
      .put, "/v1/admin/messages/{seqno}", id: "replaceMessage", in: .control, "Replace a message that is scheduled",
      """
      Cancels it and accepts another in its place, both or neither; the other one has a number of its own. The one of a \
      repetition ends the series, and the new one begins its own. Where a second person is asked for the new one, the old one \
      is cancelled at once.
      """, by: .permission(.send), parameters: [.idempotencyKey],
      body: Body(schema: "Send", examples: MessageExamples.replacements),
      answers: [
        Answer(
          202, "The new message is stored and will be sent; or it waits for a second person.", sendAnswer.name,
          example: #"{"seqno":"105","state":"scheduled","targeted":2,"unknown":[]}"#, links: messageLinks)
      ],
      problems: [
        .notFound, .unknownApp, .unknownMessage, .unknownSegment, .unknownUpload, .payloadTooLarge, .impossible,
        .idempotencyConflict, .wrongState, .conflict,
      ], handler: .whole(AdminCall.replaceMessage)),
  ]

  /// The named schema that these endpoints add to the OpenAPI document (`Schemas`).
  static let messageRecordSchemas: [JSONTree.Member] = [MessageRecord.object.named]
}

extension AdminCall {
  fileprivate func messageRecord() throws(Problem) -> Response {
    .json(.ok, try MessageRecord.find(try seqno(), for: caller, on: connection))
  }

  fileprivate func replaceMessage() throws(Problem) -> Response {
    let sent = SendRequest(
      body: try jsonBody(), idempotencyKey: request.header("idempotency-key"), caller: caller,
      hosting: resources.hosting, trace: request.trace)
    let answer = try ReplacementService.replace(
      try seqno(), by: sent, on: connection, catalog: resources.catalog, now: now)
    return accepted(answer)
  }
}
