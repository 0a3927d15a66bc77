internal import JSON
internal import Domain
internal import Operations

/// Sends that wait for a second person.
extension Schemas {
  static let approvals: [JSONTree.Member] = [
    ("ApprovalPage", page(of: JSONSchema.reference("Approval"))),
    (
      "Approval",
      JSONSchema.object([
        .needed("approvalId", JSONSchema.sequence), .needed("appId", JSONSchema.appID),
        .needed("state", JSONSchema.words(["waiting", "approved", "rejected", "expired"])),
        .needed("requestedBy", JSONSchema.anyText, "The login of an account, or `command line (kim)`."),
        .needed("requestedAt", JSONSchema.moment),
        .needed("endsAt", JSONSchema.moment, "After that nobody can approve it."),
        .needed(
          "targeted", JSONSchema.optional(JSONSchema.count), "Devices, when it was asked; null: more than are counted."),
        .needed(
          "because", JSONSchema.words(SecondPerson.Because.allCases.map(\.name)),
          "Why: its `size`; what was sent within the `hour` with it; its `growth` until the audience was frozen."),
        .needed(
          "sentWithinHour", JSONSchema.count, "Devices of other messages of whoever asked, that nobody else has seen."),
        .needed("isHeld", JSONSchema.flag, "The message is there (`seqno`), paused with its devices counted."),
        .needed("message", .object([("type", "object")]), "A send; or, with `resendOf`, a resend of that message."),
        .needed("resendOf", JSONSchema.optional(JSONSchema.sequence)),
        .needed("decidedBy", JSONSchema.optional(JSONSchema.anyText)),
        .needed("decidedAt", JSONSchema.optional(JSONSchema.moment)),
        .needed("reason", JSONSchema.optional(JSONSchema.anyText), "Why it was rejected."),
        .needed("seqno", JSONSchema.optional(JSONSchema.sequence), "The message that it became, or that is held."),
      ])
    ),
    (
      "Rejection",
      JSONSchema.object(
        isClosed: true,
        [.optional("reason", JSONSchema.optional(JSONSchema.text(upTo: Operations.Limits.approvalReasonBytes)))])
    ),
    ("AcceptedOrWaiting", JSONSchema.oneOf([JSONSchema.reference("Accepted"), JSONSchema.reference("Waiting")])),
    (
      "Waiting",
      JSONSchema.object([
        .needed("seqno", .object([("type", "null")]), "There is no message yet."),
        .needed("state", JSONSchema.constant("waiting-for-approval")), .needed("approvalId", JSONSchema.sequence),
        .needed("targeted", JSONSchema.optional(JSONSchema.count)),
        .needed("unknown", JSONSchema.list(of: JSONSchema.anyText)),
      ])
    ),
  ]
}
