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
              .needed("pnsId", networks), .needed("device", Schema.uuid),
              .needed("pushType", Schema.words(PushType.allCases.map(\.rawValue))),
              .optional("language", Schema.anyText), .needed("bytes", Schema.count),
              .needed("payload", .object([("type", "object")])),
            ])), "What one device of each push network would get, in each language of the message."),
        .needed(
          "headers",
          Schema.object([
            .needed("topic", Schema.anyText), .needed("pushType", Schema.words(PushType.allCases.map(\.rawValue))),
            .needed("priority", Schema.number(1...10)), .needed("keptForDevice", Schema.flag),
          ])),
        .needed(
          "notes", Schema.list(of: Schema.anyText), "What the app needs so that the message is shown as it was meant."),
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
