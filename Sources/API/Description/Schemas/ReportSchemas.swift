internal import JSON
internal import Domain

/// What became of messages.
extension Schemas {
  static let reports: [JSONTree.Member] = [
    (
      "FunnelEvents",
      events(["funnel", "end"], "Event after event; the data of each is a Funnel.", JSONSchema.reference("Funnel"))
    ),
    (
      "Funnel",
      JSONSchema.object([
        .needed("seqno", JSONSchema.sequence), .needed("appId", JSONSchema.appID), shownAlert, shownConfidential,
        .needed("createdAt", JSONSchema.moment), .needed("state", JSONSchema.words(MessageState.allCases.map(\.name))),
        .needed("targeted", JSONSchema.optional(JSONSchema.count), "Devices; null until counted."),
        .needed("pending", JSONSchema.optional(JSONSchema.count), "Not yet decided."),
        .needed("accepted", JSONSchema.count, "The push network took it."),
        .needed("rejected", JSONSchema.count, "The push network refused it for good."),
        .needed("expired", JSONSchema.count, "Worth nothing any more before it could be delivered."),
        .needed("cancelled", JSONSchema.count), .needed("skipped", JSONSchema.count, "Not sent, for a reason."),
        .needed("received", JSONSchema.count, "The device confirmed its arrival."),
        .needed("read", JSONSchema.count, "The user opened it."),
        .needed("unknown", JSONSchema.count, "Submissions whose answer never came."),
        .needed("resent", JSONSchema.count, "Submissions beyond the first."),
        .needed(
          "reasons", .object([("type", "object"), ("additionalProperties", JSONSchema.count)]),
          "How many for which reason, of all that was not accepted."),
        .optional("stateReason", JSONSchema.anyText, "Why it is paused or has failed."),
        .optional("resendOf", JSONSchema.sequence, "The message that it repeats."),
        .optional("sendAt", JSONSchema.moment, "When it is or was due."),
        .optional("reference", JSONSchema.reference("SenderReference")),
        .optional("from", JSONSchema.reference("SenderDevice")),
        .optional("estimate", JSONSchema.constant(.flag(true)), "`targeted` is an estimate until it is due."),
      ])
    ),
    (
      "ShardPage",
      JSONSchema.object([
        .needed("seqno", JSONSchema.sequence),
        .needed("planned", JSONSchema.flag, "The whole audience is cut into shards."),
        .needed("shards", JSONSchema.count, "How many there are by now."),
        .needed("exhausted", JSONSchema.count, "Those that have nothing more to claim."),
        .needed("targeted", JSONSchema.count, "Devices of all shards, as counted."),
        .needed("claimed", JSONSchema.count, "Devices that have been taken to be sent to."),
        .needed("items", JSONSchema.list(of: JSONSchema.reference("Shard"))), nextCursor,
      ])
    ),
    (
      "Shard",
      JSONSchema.object([
        .needed("shard", JSONSchema.count),
        .needed("wave", JSONSchema.count, "Of a message in local time; 0 otherwise."),
        .needed("targeted", JSONSchema.count), .needed("claimed", JSONSchema.count),
        .needed("exhausted", JSONSchema.flag),
      ])
    ),
    (
      "DeliveryPage",
      JSONSchema.object([.needed("items", JSONSchema.list(of: JSONSchema.reference("Delivery"))), nextCursor])
    ),
    (
      "Delivery",
      JSONSchema.object([
        .needed("device", JSONSchema.uuid),
        .needed("clientUid", JSONSchema.optional(JSONSchema.anyText), "Null for a guest."),
        .needed("status", JSONSchema.words(OutcomeStatus.allCases.map(\.name))),
        .needed("reason", JSONSchema.optional(JSONSchema.anyText), "Of the push network, or ours; null when accepted."),
        .needed("attempts", JSONSchema.count), .needed("at", JSONSchema.moment, "Of the latest change."),
        .needed("receivedAt", JSONSchema.optional(JSONSchema.moment)),
        .needed("readAt", JSONSchema.optional(JSONSchema.moment)),
      ])
    ),
  ]

  /// An answer of server-sent events, told by what each of them is.
  static func events(_ names: [String], _ about: String, _ data: JSONTree) -> JSONTree {
    JSONSchema.object(
      about,
      [
        .needed("event", JSONSchema.words(names)),
        .needed(
          "data", .object([("type", "string"), ("contentMediaType", "application/json"), ("contentSchema", data)])),
      ])
  }
}
