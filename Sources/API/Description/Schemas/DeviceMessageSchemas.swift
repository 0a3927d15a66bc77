internal import JSON
internal import Domain
internal import Operations

/// Messages of devices, their settings, and what a sender keeps with a message.
extension Schemas {
  static let deviceMessages: [JSONTree.Member] = [
    (
      "DeviceMessage",
      JSONSchema.object(
        "As a send, to one user.", isClosed: true,
        [
          .needed(
            "audience",
            JSONSchema.object(
              isClosed: true,
              [
                .needed(
                  "clientUids",
                  JSONSchema.list(of: JSONSchema.text(upTo: Domain.Limits.clientUIDBytes), 1...1),
                  "The CUID of the receiver.")
              ])),
          .optional("alert", JSONSchema.reference("Alert")), .optional("badge", JSONSchema.reference("BadgeRequest")),
          .optional("sound", JSONSchema.optional(JSONSchema.text(upTo: 128))),
          .optional("category", JSONSchema.text(upTo: 128)),
          .optional("mutableContent", JSONSchema.flag), .optional("contentAvailable", JSONSchema.flag),
          .optional("ext", JSONSchema.givenText), .optional("data", customKeys), fillsVariables,
          .optional(
            "expiresIn", JSONSchema.duration(Domain.Limits.expirySeconds)), .optional("dbIn", JSONSchema.flag),
          .optional("reference", JSONSchema.reference("SenderReference")),
          .optional(
            "sender", JSONSchema.words(DeviceSend.senders.sorted()),
            "What kind of device; known by itself when absent."),
        ])
    ),
    (
      "SenderReference",
      JSONSchema.object(
        "What the sender wants to find again: kept with the message, shown with its numbers, never sent.",
        isClosed: true,
        [
          .optional("key", JSONSchema.text(upTo: Domain.Limits.referenceBytes), "Your own name for the message."),
          .optional("service", JSONSchema.text(upTo: Domain.Limits.referenceBytes)),
          .optional(
            "values",
            JSONSchema.list(
              of: JSONSchema.text(upTo: Domain.Limits.referenceBytes, isEmptyAllowed: true),
              0...Domain.Limits.referenceValues)),
        ])
    ),
    (
      "SenderDevice",
      JSONSchema.object(
        "The device that a message came from.",
        [.needed("device", JSONSchema.uuid), .needed("clientUid", JSONSchema.anyText)])
    ),
  ]
}
