internal import Domain
internal import HTTPServer
internal import JSON
internal import Logging
internal import Operations

/// Endpoint that sends a message, or tries it out.
extension Endpoint {
  static let messages: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/messages", id: "sendMessage", in: .messages, "Send a message, or try it out",
      """
      Answered as soon as the message is stored; it goes out at once, or when it is due. With `dryRun` nothing is stored: \
      the answer has the exact audience, a payload for each push network in it, and what would be refused.

      With an `Idempotency-Key` (per app) the request may be repeated: the same body gets the same answer, another body is \
      refused.
      """, by: .permission(.send), parameters: [.idempotencyKey],
      body: Body(schema: "Send", examples: MessageExamples.sends),
      answers: [
        Answer(
          202,
          "The message is stored and will be sent; or it waits for a second person, who is asked for what an account sends to many.",
          sendAnswer.name,
          example: #"{"seqno":"104","state":"queued","targeted":2,"unknown":[]}"#,
          links: messageLinks),
        Answer(200, "It was tried out only.", DryRun.object, example: MessageExamples.dryRun),
      ],
      problems: [
        .notFound, .unknownApp, .unknownSegment, .unknownUpload, .payloadTooLarge, .impossible, .idempotencyConflict,
        .conflict,
      ], handler: .whole(AdminCall.send))
  ]

  static let messageLinks = [
    Link("showMessage", "seqno", "$response.body#/seqno"), Link("listDeliveries", "seqno", "$response.body#/seqno"),
    Link("pauseMessage", "seqno", "$response.body#/seqno"), Link("resumeMessage", "seqno", "$response.body#/seqno"),
    Link("cancelMessage", "seqno", "$response.body#/seqno"), Link("changePace", "seqno", "$response.body#/seqno"),
    Link("resendMessage", "seqno", "$response.body#/seqno"),
  ]

  /// The named schemas that this endpoint adds to the OpenAPI document (`Schemas`), in the document's order.
  static let sendAnswerSchemas: [JSONTree.Member] = [
    SendAnswer.Accepted.object.named, DryRun.object.named, sendAnswer, ApprovalService.Waiting.object.named,
  ]
  static let sendAnswer: JSONTree.Member = (
    "AcceptedOrWaiting",
    JSONSchema.oneOf([SendAnswer.Accepted.object.form.schema, ApprovalService.Waiting.object.form.schema])
  )
}

extension AdminCall {
  fileprivate func send() throws(Problem) -> Response {
    let answer = try SendService.send(
      SendRequest(
        body: try jsonBody(), idempotencyKey: request.header("idempotency-key"), caller: caller,
        hosting: resources.hosting, trace: request.trace),
      on: connection, catalog: resources.catalog, now: now)
    switch answer {
    case .accepted, .waiting: return accepted(answer)
    case .tried: return .json(.ok, answer, in: request.language)
    }
  }

  /// Returns the response, with status 202, for a stored message or an approval request. For a message, also wakes the
  /// dispatcher and logs the message as accepted.
  func accepted(_ answer: SendAnswer) -> Response {
    if case .accepted(let accepted) = answer {
      resources.messageCommitted()
      resources.sends.accepted(accepted.seqno, requestID: request.id, isSingle: false)
    }
    return .json(.accepted, answer)
  }
}
