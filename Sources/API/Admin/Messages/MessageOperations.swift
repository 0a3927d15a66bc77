internal import Operations
internal import Domain
internal import HTTPServer

/// Sending.
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
          "AcceptedOrWaiting",
          example: #"{"seqno":"104","state":"queued","targeted":2,"unknown":[]}"#,
          links: seqnoLinks),
        Answer(200, "It was tried out only.", "DryRun", example: MessageExamples.dryRun),
      ],
      problems: [
        .notFound, .unknownApp, .unknownSegment, .unknownUpload, .payloadTooLarge, .impossible, .idempotencyConflict,
        .conflict,
      ], handler: .whole(AdminCall.send)),
    Endpoint(
      .post, "/v1/admin/messages/{seqno}/resend", id: "resendMessage", in: .control, "Send a message once more",
      """
      To those of its devices that it has not reached (`failed`, `not-received`) or that have not read it (`not-read`). \
      Whoever was left out as late has failed: then everyone of its audience whom it has not reached gets it. It \
      is a new message with a number of its own and the same content; when and how fast the old one went is not repeated. \
      The old one must have ended.
      """, by: .permission(.send), parameters: [.idempotencyKey],
      body: Body(schema: "Resend", examples: [("failed", #"{"to":"failed"}"#)]),
      answers: [
        Answer(
          202,
          "The new message is stored and will be sent; or it waits for a second person, who is asked for what an account sends to many.",
          "AcceptedOrWaiting",
          example: #"{"seqno":"105","state":"queued","targeted":1,"resendOf":"104","unknown":[]}"#, links: seqnoLinks)
      ],
      problems: [
        .unknownMessage, .notKept, .contentWiped, .payloadTooLarge, .impossible, .idempotencyConflict, .wrongState,
        .conflict,
      ], handler: .whole(AdminCall.resend)),
  ]

  private static let seqnoLinks = [
    Link("showMessage", "seqno", "$response.body#/seqno"), Link("listDeliveries", "seqno", "$response.body#/seqno"),
    Link("pauseMessage", "seqno", "$response.body#/seqno"), Link("resumeMessage", "seqno", "$response.body#/seqno"),
    Link("cancelMessage", "seqno", "$response.body#/seqno"), Link("changePace", "seqno", "$response.body#/seqno"),
    Link("resendMessage", "seqno", "$response.body#/seqno"),
  ]
}
