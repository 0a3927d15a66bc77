internal import Domain

/// Receipts and reads.
extension Schemas {
  static let confirmations: [Node.Member] = [
    ("Receipts", list("receipts", of: "Receipt")),
    ("Reads", list("reads", of: "Read")),
    ("Receipt", Schema.object(isClosed: true, confirmation)),
    (
      "Read",
      Schema.oneOf([Schema.reference("PlainRead"), Schema.reference("SettingRead")])
    ),
    (
      "PlainRead",
      Schema.object(
        "Takes one off the badge count, or makes it 0.", isClosed: true,
        confirmation + [
          .optional("badgeOption", Schema.words(["keep", "reset"]), "`keep` by default.")
        ])
    ),
    (
      "SettingRead",
      Schema.object(
        "Sets the badge count.", isClosed: true,
        confirmation + [
          .needed(
            "badgeOption", Schema.words(["update", "force"]),
            "`update` acts once per user and message, `force` each time."),
          .needed("badge", Schema.badge, "The new count."),
        ])
    ),
    ("ReceiptResults", results([])),
    (
      "ReadResults",
      results([.optional("badge", Schema.badgeCount, "The user's new count, when the message is known.")])
    ),
  ]

  private static func list(_ name: String, of element: String) -> Node {
    Schema.object(
      isClosed: true,
      [.needed(name, Schema.list(of: Schema.reference(element), 1...Domain.Limits.confirmationsPerCall))])
  }

  private static let confirmation: [Schema.Property] = [
    .needed("seqno", Schema.sequence, "SEQNO, from the payload."),
    .needed("psid", Schema.text(upTo: Domain.Limits.psidBytes), "PSID that the message was sent to."),
    .needed("pushkey", Schema.givenText, "From the payload: proves that the message was sent to this PSID."),
    .optional(
      "at", Schema.moment,
      "When it happened, by the device's clock: kept, but no earlier than the send and no later than now."),
  ]

  private static func results(_ more: [Schema.Property]) -> Node {
    let result = Schema.object(
      [
        .needed("seqno", Schema.sequence),
        .needed("status", Schema.words(["recorded", "duplicate", "invalid-pushkey", "unknown-message"])),
      ] + more)
    return Schema.object([.needed("results", Schema.list(of: result), "One for each entry, in order.")])
  }
}
