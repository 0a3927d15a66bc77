internal import Domain
internal import Operations

/// Sends that wait for a second person.
extension Schemas {
  static let approvals: [Node.Member] = [
    ("ApprovalPage", page(of: Schema.reference("Approval"))),
    (
      "Approval",
      Schema.object([
        .needed("approvalId", Schema.sequence), .needed("appId", Schema.appID),
        .needed("state", Schema.words(["waiting", "approved", "rejected", "expired"])),
        .needed("requestedBy", Schema.anyText, "The login of an account, or `command line (kim)`."),
        .needed("requestedAt", Schema.moment),
        .needed("endsAt", Schema.moment, "After that nobody can approve it."),
        .needed("targeted", Schema.optional(Schema.count), "Devices, when it was asked; null: more than are counted."),
        .needed(
          "because", Schema.words(SecondPerson.Because.allCases.map(\.name)),
          "Why: its `size`; what was sent within the `hour` with it; its `growth` until the audience was frozen."),
        .needed(
          "sentWithinHour", Schema.count, "Devices of other messages of whoever asked, that nobody else has seen."),
        .needed("isHeld", Schema.flag, "The message is there (`seqno`), paused with its devices counted."),
        .needed("message", .object([("type", "object")]), "A send; or, with `resendOf`, a resend of that message."),
        .needed("resendOf", Schema.optional(Schema.sequence)),
        .needed("decidedBy", Schema.optional(Schema.anyText)), .needed("decidedAt", Schema.optional(Schema.moment)),
        .needed("reason", Schema.optional(Schema.anyText), "Why it was rejected."),
        .needed("seqno", Schema.optional(Schema.sequence), "The message that it became, or that is held."),
      ])
    ),
    (
      "Rejection",
      Schema.object(
        isClosed: true,
        [.optional("reason", Schema.optional(Schema.text(upTo: Operations.Limits.approvalReasonBytes)))])
    ),
    ("AcceptedOrWaiting", Schema.oneOf([Schema.reference("Accepted"), Schema.reference("Waiting")])),
    (
      "Waiting",
      Schema.object([
        .needed("seqno", .object([("type", "null")]), "There is no message yet."),
        .needed("state", Schema.constant("waiting-for-approval")), .needed("approvalId", Schema.sequence),
        .needed("targeted", Schema.optional(Schema.count)),
        .needed("unknown", Schema.list(of: Schema.anyText)),
      ])
    ),
  ]
}
