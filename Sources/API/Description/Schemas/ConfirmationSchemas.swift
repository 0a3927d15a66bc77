internal import JSON
internal import Domain

/// Receipts and reads.
extension Schemas {
  static let confirmations: [JSONTree.Member] = [
    ("Receipts", list("receipts", of: "Receipt")),
    ("Reads", list("reads", of: "Read")),
    ("Receipt", JSONSchema.object(isClosed: true, confirmation)),
    (
      "Read",
      JSONSchema.oneOf([JSONSchema.reference("PlainRead"), JSONSchema.reference("SettingRead")])
    ),
    (
      "PlainRead",
      JSONSchema.object(
        "Takes one off the badge count, or makes it 0.", isClosed: true,
        confirmation + [
          .optional("badgeOption", JSONSchema.words(["keep", "reset"]), "`keep` by default.")
        ])
    ),
    (
      "SettingRead",
      JSONSchema.object(
        "Sets the badge count.", isClosed: true,
        confirmation + [
          .needed(
            "badgeOption", JSONSchema.words(["update", "force"]),
            "`update` acts once per user and message, `force` each time."),
          .needed("badge", JSONSchema.badge, "The new count."),
        ])
    ),
    ("ReceiptResults", results([])),
    (
      "ReadResults",
      results([.optional("badge", JSONSchema.badgeCount, "The user's new count, when the message is known.")])
    ),
  ]

  private static func list(_ name: String, of element: String) -> JSONTree {
    JSONSchema.object(
      isClosed: true,
      [.needed(name, JSONSchema.list(of: JSONSchema.reference(element), 1...Domain.Limits.confirmationsPerCall))])
  }

  private static let confirmation: [JSONSchema.Property] = [
    .needed("seqno", JSONSchema.sequence, "SEQNO, from the payload."),
    .needed("psid", JSONSchema.text(upTo: Domain.Limits.psidBytes), "PSID that the message was sent to."),
    .needed("pushkey", JSONSchema.givenText, "From the payload: proves that the message was sent to this PSID."),
    .optional(
      "at", JSONSchema.moment,
      "When it happened, by the device's clock: kept, but no earlier than the send and no later than now."),
  ]

  private static func results(_ more: [JSONSchema.Property]) -> JSONTree {
    let result = JSONSchema.object(
      [
        .needed("seqno", JSONSchema.sequence),
        .needed("status", JSONSchema.words(["recorded", "duplicate", "invalid-pushkey", "unknown-message"])),
      ] + more)
    return JSONSchema.object([.needed("results", JSONSchema.list(of: result), "One for each entry, in order.")])
  }
}
