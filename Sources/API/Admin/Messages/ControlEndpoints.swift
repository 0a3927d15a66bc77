internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints that pause, resume, cancel and resend a message or change its pace.
extension Endpoint {
  static let control: [Endpoint] = [
    change(
      "pause", "pauseMessage", "Pause a message",
      "Within a second nothing more of it goes out, on any node. Repeating the call changes nothing.",
      handler: .whole(AdminCall.pause)),
    change(
      "resume", "resumeMessage", "Let a paused message go on",
      "Also one that its canary has stopped: it goes on without the canary. Repeating the call changes nothing.",
      handler: .whole(AdminCall.resume)),
    change(
      "cancel", "cancelMessage", "Cancel a message",
      """
      What nobody has under way is cancelled; what may already have arrived is counted as `skipped`, never as \
      `cancelled`. The answer waits up to a second for the exact account. Repeating the call changes nothing.
      """, handler: .whole(AdminCall.cancel)),
    Endpoint(
      .patch, "/v1/admin/messages/{seqno}", id: "changePace", in: .control, "Change how fast a message goes out",
      "Null lifts the pace.", by: .permission(.control),
      body: Body(
        ControlService.PaceChange.object,
        examples: [
          ("perSecond", #"{"pace":{"perSecond":300}}"#), ("portions", #"{"pace":{"devices":1000,"wait":"PT1M"}}"#),
          ("none", #"{"pace":null}"#),
        ]),
      answers: [Answer(200, "The numbers of this moment.", ReportService.FunnelAnswer.object, example: funnel)],
      problems: [.unknownMessage, .wrongState], handler: .whole(AdminCall.setPace)),
    Endpoint(
      .post, "/v1/admin/messages/{seqno}/resend", id: "resendMessage", in: .control, "Send a message once more",
      """
      To those of its devices that it has not reached (`failed`, `not-received`) or that have not read it (`not-read`). \
      Whoever was left out as late has failed: then everyone of its audience whom it has not reached gets it. It \
      is a new message with a number of its own and the same content; when and how fast the old one went is not repeated. \
      The old one must have ended.
      """, by: .permission(.send), parameters: [.idempotencyKey],
      body: Body(ResendService.Options.object, examples: [("failed", #"{"to":"failed"}"#)]),
      answers: [
        Answer(
          202,
          "The new message is stored and will be sent; or it waits for a second person, who is asked for what an account sends to many.",
          sendAnswer.name,
          example: #"{"seqno":"105","state":"queued","targeted":1,"resendOf":"104","unknown":[]}"#, links: messageLinks)
      ],
      problems: [
        .unknownMessage, .notKept, .contentWiped, .payloadTooLarge, .impossible, .idempotencyConflict, .wrongState,
        .conflict,
      ], handler: .whole(AdminCall.resend)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let controlSchemas: [JSONTree.Member] = [
    ControlService.PaceChange.object.named, ResendService.Options.object.named,
  ]

  private static func change(
    _ verb: String, _ id: String, _ summary: String, _ about: String, handler: Handler
  ) -> Endpoint {
    Endpoint(
      .post, "/v1/admin/messages/{seqno}/\(verb)", id: id, in: .control, summary, about,
      by: .permission(.control),
      answers: [Answer(200, "The numbers of this moment.", ReportService.FunnelAnswer.object, example: funnel)],
      problems: [.unknownMessage, .wrongState], handler: handler)
  }
}

extension AdminCall {
  fileprivate func pause() throws(Problem) -> Response { try control(.pause) }
  fileprivate func resume() throws(Problem) -> Response { try control(.resume) }
  fileprivate func cancel() throws(Problem) -> Response { try control(.cancel) }

  private func control(_ control: MessageControl) throws(Problem) -> Response {
    .json(
      .ok,
      try ControlService.control(
        control, try seqno(), for: caller, on: connection, now: now))
  }

  fileprivate func setPace() throws(Problem) -> Response {
    let change = try body(ControlService.PaceChange.object)
    return .json(.ok, try ControlService.setPace(change.pace, of: try seqno(), for: caller, on: connection))
  }

  fileprivate func resend() throws(Problem) -> Response {
    let answer = try ResendService.resend(
      try seqno(),
      SendRequest(
        body: try jsonBody(), idempotencyKey: request.header("idempotency-key"), caller: caller,
        hosting: resources.hosting, trace: request.trace),
      on: connection, catalog: resources.catalog, now: now)
    return accepted(answer)
  }
}
