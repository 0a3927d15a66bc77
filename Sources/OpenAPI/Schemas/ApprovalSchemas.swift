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
        .needed("requestedBy", Schema.anyText, "The login of an account."), .needed("requestedAt", Schema.moment),
        .needed("endsAt", Schema.moment, "After that nobody can approve it."),
        .needed("targeted", Schema.optional(Schema.count), "Devices, when it was asked; null: more than are counted."),
        .needed("message", .object([("type", "object")]), "A send; or, with `resendOf`, a resend of that message."),
        .needed("resendOf", Schema.optional(Schema.sequence)),
        .needed("decidedBy", Schema.optional(Schema.anyText)), .needed("decidedAt", Schema.optional(Schema.moment)),
        .needed("reason", Schema.optional(Schema.anyText), "Why it was rejected."),
        .needed("seqno", Schema.optional(Schema.sequence), "The message that it became."),
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
