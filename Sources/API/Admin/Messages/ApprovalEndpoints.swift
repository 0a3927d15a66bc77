internal import JSON
internal import Domain
internal import HTTPServer
internal import Operations

/// Endpoints for sends that wait for a second person's approval.
extension Endpoint {
  static let approvals: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/approvals", id: "listApprovals", in: .messages, "List what waits for a second person",
      """
      And what became of it, newest first. What a person (an account, or somebody at the command line) sends to more \
      devices than its app's `approvalAbove` waits until somebody else approves it, and so does what comes to more together \
      with all that the same person has sent within the hour. Both are looked at when it is asked for, and again when the \
      audience is frozen: then the message is paused until it is approved. After a week nobody can any more, and a message \
      that is held is cancelled.
      """, by: .permission(.viewMessages),
      parameters: [
        .ofApp(isNeeded: false),
        .query("state", JSONSchema.words(["waiting", "approved", "rejected", "expired"]), "Only those in this state."),
        .limit, .cursor,
      ],
      answers: [
        Answer(
          200, "A page. It may hold fewer than asked for, also none, and still have a next.",
          ItemPage<ApprovalService.Entry>.object,
          example: Answer.page(approval))
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.approvals)),
    Endpoint(
      .get, "/v1/admin/approvals/{approvalId}", id: "showApproval", in: .messages, "Show an approval",
      "With the message as it would go out.", by: .permission(.viewMessages),
      answers: [Answer(200, "The approval.", ApprovalService.Entry.object, example: approval)], problems: [.notFound],
      handler: .whole(AdminCall.approval)),
    Endpoint(
      .post, "/v1/admin/approvals/{approvalId}/approve", id: "approveMessage", in: .messages, "Let a message go out",
      """
      By a person other than the one that asked; an API key is no second person. The account must be older than the \
      request, and whoever asked must neither have created it nor, within 90 days, have held a sign-in link to it; nor may \
      the approver have created the account that asked, or held a link to it, within 7 days. The audience is looked up anew; \
      when it has grown by more than a tenth until it is frozen, it is asked about again. Repeating the call answers the same.
      """, by: .permission(.approve),
      answers: [
        Answer(
          202, "The message is stored and will be sent.", "Accepted",
          example: #"{"seqno":"104","state":"queued","targeted":120000,"unknown":[]}"#)
      ],
      problems: [
        .invalidField, .notFound, .unknownApp, .unknownSegment, .unknownUpload, .unknownMessage, .payloadTooLarge,
        .impossible, .idempotencyConflict, .wrongState, .conflict,
      ], handler: .whole(AdminCall.approve)),
    Endpoint(
      .post, "/v1/admin/approvals/{approvalId}/reject", id: "rejectMessage", in: .messages, "Refuse a message",
      "Nothing of it goes out. Whoever asked may do so too.", by: .permission(.approve),
      body: Body(ApprovalService.Rejection.object, examples: [("reason", #"{"reason":"The price is wrong."}"#)]),
      answers: [Answer(200, "As it is now.", ApprovalService.Entry.object, example: approval)],
      problems: [.notFound, .conflict],
      handler: .whole(AdminCall.reject)),
  ]

  private static let approval = """
    {"approvalId":"7","appId":"com.example.bank","state":"waiting","requestedBy":"kim@example.com",\
    "requestedAt":"2026-11-21T09:30:00.123Z","endsAt":"2026-11-28T09:30:00.123Z","targeted":120000,\
    "because":"size","sentWithinHour":0,"isHeld":false,"message":{"appId":"com.example.bank","audience":{"all":true},"alert":"Hello"},"resendOf":null,"decidedBy":null,\
    "decidedAt":null,"reason":null,"seqno":null}
    """

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let approvalSchemas: [JSONTree.Member] = [
    ItemPage<ApprovalService.Entry>.object.named, ApprovalService.Entry.object.named,
    ApprovalService.Rejection.object.named,
  ]
}

extension AdminCall {
  fileprivate func approvals() throws(Problem) -> Response {
    .json(
      .ok,
      try ApprovalService.list(
        of: query["appId"], state: query["state"], try page(), by: caller, on: connection,
        now: now))
  }

  fileprivate func approval() throws(Problem) -> Response {
    .json(
      .ok,
      try ApprovalService.show(
        try approvalNumber(), seal: resources.catalog.seal, by: caller, on: connection,
        now: now))
  }

  fileprivate func approve() throws(Problem) -> Response {
    accepted(
      try ApprovalService.approve(
        try approvalNumber(), hosting: resources.hosting, seal: resources.catalog.seal, by: caller, on: connection,
        now: now))
  }

  fileprivate func reject() throws(Problem) -> Response {
    // The body is optional: a rejection needs no reason.
    let reason = request.body.isEmpty ? nil : try self.body(ApprovalService.Rejection.object).reason
    return .json(
      .ok,
      try ApprovalService.reject(
        try approvalNumber(), reason: reason, by: caller, on: connection, now: now))
  }

  private func approvalNumber() throws(Problem) -> Int64 {
    guard let number = Int64(parameters["approvalId"]) else {
      throw Problem(.notFound, "An approval's id is a whole number, as lists show it.")
    }
    return number
  }
}
