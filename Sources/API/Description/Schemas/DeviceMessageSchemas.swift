internal import Domain
internal import Operations

/// Messages of devices, their settings, and what a sender keeps with a message.
extension Schemas {
  static let deviceMessages: [Node.Member] = [
    (
      "DeviceMessage",
      Schema.object(
        "As a send, to one user.", isClosed: true,
        [
          .needed(
            "audience",
            Schema.object(
              isClosed: true,
              [
                .needed(
                  "clientUids",
                  Schema.list(of: Schema.text(upTo: Domain.Limits.clientUIDBytes), 1...1), "The CUID of the receiver.")
              ])),
          .optional("alert", Schema.reference("Alert")), .optional("badge", Schema.reference("BadgeRequest")),
          .optional("sound", Schema.optional(Schema.text(upTo: 128))), .optional("category", Schema.text(upTo: 128)),
          .optional("mutableContent", Schema.flag), .optional("contentAvailable", Schema.flag),
          .optional("ext", Schema.givenText), .optional("data", customKeys), fillsVariables,
          .optional(
            "expiresIn", duration(Domain.Limits.expirySeconds)), .optional("dbIn", Schema.flag),
          .optional("reference", Schema.reference("SenderReference")),
          .optional(
            "sender", Schema.words(DeviceSending.senders.sorted()), "What kind of device; known by itself when absent."),
        ])
    ),
    (
      "SenderReference",
      Schema.object(
        "What the sender wants to find again: kept with the message, shown with its numbers, never sent.",
        isClosed: true,
        [
          .optional("key", Schema.text(upTo: Domain.Limits.referenceBytes), "Your own name for the message."),
          .optional("service", Schema.text(upTo: Domain.Limits.referenceBytes)),
          .optional(
            "values",
            Schema.list(
              of: Schema.text(upTo: Domain.Limits.referenceBytes, isEmptyAllowed: true),
              0...Domain.Limits.referenceValues)),
        ])
    ),
    (
      "SenderDevice",
      Schema.object(
        "The device that a message came from.", [.needed("device", Schema.uuid), .needed("clientUid", Schema.anyText)])
    ),
  ]
}
