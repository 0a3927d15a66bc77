internal import Domain

/// What became of messages.
extension Schemas {
  static let reports: [Node.Member] = [
    (
      "FunnelEvents",
      events(["funnel", "end"], "Event after event; the data of each is a Funnel.", Schema.reference("Funnel"))
    ),
    (
      "Funnel",
      Schema.object([
        .needed("seqno", Schema.sequence), .needed("appId", Schema.appID), shownAlert, shownConfidential,
        .needed("createdAt", Schema.moment), .needed("state", Schema.words(MessageState.allCases.map(\.name))),
        .needed("targeted", Schema.optional(Schema.count), "Devices; null until counted."),
        .needed("pending", Schema.optional(Schema.count), "Not yet decided."),
        .needed("accepted", Schema.count, "The push network took it."),
        .needed("rejected", Schema.count, "The push network refused it for good."),
        .needed("expired", Schema.count, "Worth nothing any more before it could be delivered."),
        .needed("cancelled", Schema.count), .needed("skipped", Schema.count, "Not sent, for a reason."),
        .needed("received", Schema.count, "The device confirmed its arrival."),
        .needed("read", Schema.count, "The user opened it."),
        .needed("unknown", Schema.count, "Submissions whose answer never came."),
        .needed("resent", Schema.count, "Submissions beyond the first."),
        .needed(
          "reasons", .object([("type", "object"), ("additionalProperties", Schema.count)]),
          "How many for which reason, of all that was not accepted."),
        .optional("stateReason", Schema.anyText, "Why it is paused or has failed."),
        .optional("resendOf", Schema.sequence, "The message that it repeats."),
        .optional("sendAt", Schema.moment, "When it is or was due."),
        .optional("reference", Schema.reference("SenderReference")),
        .optional("from", Schema.reference("SenderDevice")),
        .optional("estimate", Schema.constant(.flag(true)), "`targeted` is an estimate until it is due."),
      ])
    ),
    (
      "ShardPage",
      Schema.object([
        .needed("seqno", Schema.sequence),
        .needed("planned", Schema.flag, "The whole audience is cut into shards."),
        .needed("shards", Schema.count, "How many there are by now."),
        .needed("exhausted", Schema.count, "Those that have nothing more to claim."),
        .needed("targeted", Schema.count, "Devices of all shards, as counted."),
        .needed("claimed", Schema.count, "Devices that have been taken to be sent to."),
        .needed("items", Schema.list(of: Schema.reference("Shard"))), nextCursor,
      ])
    ),
    (
      "Shard",
      Schema.object([
        .needed("shard", Schema.count), .needed("wave", Schema.count, "Of a message in local time; 0 otherwise."),
        .needed("targeted", Schema.count), .needed("claimed", Schema.count), .needed("exhausted", Schema.flag),
      ])
    ),
    (
      "DeliveryPage",
      Schema.object([.needed("items", Schema.list(of: Schema.reference("Delivery"))), nextCursor])
    ),
    (
      "Delivery",
      Schema.object([
        .needed("device", Schema.uuid), .needed("clientUid", Schema.optional(Schema.anyText), "Null for a guest."),
        .needed("status", Schema.words(OutcomeStatus.allCases.map(\.name))),
        .needed("reason", Schema.optional(Schema.anyText), "Of the push network, or ours; null when accepted."),
        .needed("attempts", Schema.count), .needed("at", Schema.moment, "Of the latest change."),
        .needed("receivedAt", Schema.optional(Schema.moment)), .needed("readAt", Schema.optional(Schema.moment)),
      ])
    ),
  ]

  /// An answer of server-sent events, told by what each of them is.
  static func events(_ names: [String], _ about: String, _ data: Node) -> Node {
    Schema.object(
      about,
      [
        .needed("event", Schema.words(names)),
        .needed(
          "data", .object([("type", "string"), ("contentMediaType", "application/json"), ("contentSchema", data)])),
      ])
  }
}
