internal import Domain
package import JSON
package import Store

/// What lists and reports show of a message, and of its deliveries.
enum ShownMessage {
  static let alert = JSONField<String?>.needed(
    "alert", .raw(.object([("type", .texts(["object", "string", "null"]))])), { Array(($0 ?? "null").utf8) },
    "As it was asked for; null when there is none, it is confidential, or the request is very large.")
  static let confidential = JSONField<Bool>.optional(
    "confidential", .flag, { $0 ? true : nil }, "True: what it says is sealed, and shown to nobody.")
  static let stateReason = JSONField<String?>.optional(
    "stateReason", .anyText, { $0 }, "Why it is paused or has failed.")
  static let resendOf = JSONField<Int64?>.optional("resendOf", .sequence, { $0 }, "The message that it repeats.")
}

extension Funnel {
  /// The funnel: devices by outcome.
  static let counts: [JSONField<Funnel>] = [
    .needed("targeted", .orNull(.count), \.targeted, "Devices; null until counted."),
    .needed("pending", .orNull(.count), \.pending, "Not yet decided."),
    .needed("accepted", .count, \.accepted, "The push network took it."),
    .needed("rejected", .count, \.rejected, "The push network refused it for good."),
    .needed("expired", .count, \.expired, "Worth nothing any more before it could be delivered."),
    .needed("cancelled", .count, \.cancelled), .needed("skipped", .count, \.skipped, "Not sent, for a reason."),
    .needed("received", .count, \.received, "The device confirmed its arrival."),
    .needed("read", .count, \.read, "The user opened it."),
  ]
}

extension DeliveryPages.Delivery: DescribedAnswer {
  package static let object = JSONObject<DeliveryPages.Delivery>(
    "Delivery",
    [
      .needed("device", .device, \.device),
      .needed("clientUid", .orNull(.anyText), \.userKey.clientUID, "Null for a guest."),
      .needed("status", .outcome, \.status),
      .needed("reason", .orNull(.anyText), \.reason, "Of the push network, or ours; null when accepted."),
      .needed("attempts", .count, \.attempts), .needed("at", .moment, \.at, "Of the latest change."),
      .needed("receivedAt", .orNull(.moment), \.receivedAt), .needed("readAt", .orNull(.moment), \.readAt),
    ])
}
