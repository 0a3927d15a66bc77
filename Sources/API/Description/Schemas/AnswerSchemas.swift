internal import JSON
internal import Domain

/// What sends answer.
extension Schemas {
  static let answers: [JSONTree.Member] = [
    (
      "Accepted",
      JSONSchema.object([
        .needed("seqno", JSONSchema.sequence, "SEQNO: the message's number."),
        .needed("state", JSONSchema.words(["queued", "scheduled"])),
        .needed(
          "targeted", JSONSchema.optional(JSONSchema.count), "Devices; null when there are too many to count at once."),
        .optional(
          "estimate", JSONSchema.constant(.flag(true)), "The audience is counted again when the message is due."),
        .optional("sendAt", JSONSchema.moment, "When it is due."),
        .optional("resendOf", JSONSchema.sequence, "The message that it repeats."), unknown,
      ])
    ),
    (
      "DryRun",
      JSONSchema.object([
        .needed("seqno", .object([("type", "null")])), .needed("state", JSONSchema.constant("dry-run")),
        .needed("targeted", JSONSchema.optional(JSONSchema.count)), unknown,
        .needed(
          "payloads",
          JSONSchema.list(
            of: JSONSchema.object([
              .needed("pnsId", networks), .needed("device", JSONSchema.uuid),
              .needed("pushType", JSONSchema.words(PushType.allCases.map(\.rawValue))),
              .optional("language", JSONSchema.anyText), .needed("bytes", JSONSchema.count),
              .needed("payload", .object([("type", "object")])),
            ])), "What one device of each push network would get, in each language of the message."),
        .needed(
          "headers",
          JSONSchema.object([
            .needed("topic", JSONSchema.anyText),
            .needed("pushType", JSONSchema.words(PushType.allCases.map(\.rawValue))),
            .needed("priority", JSONSchema.number(1...10)), .needed("keptForDevice", JSONSchema.flag),
          ])),
        .needed(
          "notes", JSONSchema.list(of: JSONSchema.anyText),
          "What the app needs so that the message is shown as it was meant."),
        .needed(
          "refusals",
          JSONSchema.list(
            of: JSONSchema.object([.needed("type", JSONSchema.words(codes)), .needed("detail", JSONSchema.anyText)])),
          "Why it would be refused; empty when it would not."),
      ])
    ),
  ]

  private static let unknown = JSONSchema.Property.needed(
    "unknown", JSONSchema.list(of: JSONSchema.anyText), "Entries of the audience that name nobody.")
}
