internal import Domain

/// What sends answer.
extension Schemas {
  static let answers: [Node.Member] = [
    (
      "Accepted",
      Schema.object([
        .needed("seqno", Schema.sequence, "SEQNO: the message's number."),
        .needed("state", Schema.words(["queued", "scheduled"])),
        .needed("targeted", Schema.optional(Schema.count), "Devices; null when there are too many to count at once."),
        .optional("estimate", Schema.constant(.flag(true)), "The audience is counted again when the message is due."),
        .optional("sendAt", Schema.moment, "When it is due."),
        .optional("resendOf", Schema.sequence, "The message that it repeats."), unknown,
      ])
    ),
    (
      "DryRun",
      Schema.object([
        .needed("seqno", .object([("type", "null")])), .needed("state", Schema.constant("dry-run")),
        .needed("targeted", Schema.optional(Schema.count)), unknown,
        .needed(
          "payloads",
          Schema.list(
            of: Schema.object([
              .needed("pnsId", networks), .needed("device", Schema.uuid), .needed("bytes", Schema.count),
              .needed("payload", .object([("type", "object")])),
            ])), "What one device of each push network would get."),
        .needed(
          "refusals",
          Schema.list(of: Schema.object([.needed("type", Schema.words(codes)), .needed("detail", Schema.anyText)])),
          "Why it would be refused; empty when it would not."),
      ])
    ),
  ]

  private static let unknown = Schema.Property.needed(
    "unknown", Schema.list(of: Schema.anyText), "Entries of the audience that name nobody.")
}
