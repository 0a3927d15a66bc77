internal import Domain
package import JSON
package import Store

/// Fields of a message and its deliveries, as shown in lists and reports.
enum ShownMessage {
  private static let alertSchema = JSONSchema.oneOf([
    JSONSchema.anyText.titled("ShownAlertText"), JSONTree.object([("type", "object")]).titled("ShownAlertParts"),
    JSONSchema.null,
  ])
  static let alert = JSONField<String?>.always(
    "alert", .raw(alertSchema), { Array(($0 ?? "null").utf8) },
    """
    As it was asked for; in lists, of a long one only the title and the beginning of the text. Null when there is none, \
    it is confidential, or the request is very large.
    """)
  static let confidential = JSONField<Bool>.optional(
    "confidential", .flag, { $0 ? true : nil }, "True: its contents are sealed and never shown.")
  static let stateReason = JSONField<String?>.optional(
    "stateReason", .anyText, { $0 }, "Why it is paused or has failed.")
  static let resendOf = JSONField<Seqno?>.optional("resendOf", .sequence, { $0 }, "The message that it repeats.")
}

extension Funnel {
  /// Fields of the funnel: the number of devices in the audience, by outcome, and by confirmation.
  static let counts: [JSONField<Funnel>] = [
    .always("targeted", .orNull(.count), \.targeted, "Devices; null until counted."),
    .always("pending", .orNull(.count), \.pending, "Not yet decided."),
    .always("accepted", .count, \.accepted, "The push network took it."),
    .always("rejected", .count, \.rejected, "The push network refused it for good."),
    .always("expired", .count, \.expired, "Worth nothing any more before it could be delivered."),
    .always("cancelled", .count, \.cancelled), .always("skipped", .count, \.skipped, "Not sent, for a reason."),
    .always("received", .count, \.received, "The device confirmed its arrival."),
    .always("read", .count, \.read, "The user opened it."),
  ]
}

extension DeliveryPages.Delivery: DescribedAnswer {
  package static let object = JSONObject<DeliveryPages.Delivery>(
    "Delivery",
    [
      .always("device", .device, \.device),
      .always("clientUid", .orNull(.anyText), \.userKey.clientUID, "Null for a guest."),
      .always("status", .outcome, \.status),
      .always("reason", .orNull(.anyText), \.reason, "Of the push network, or ours; null when accepted."),
      .always("attempts", .count, \.attempts), .always("at", .moment, \.at, "Of the latest change."),
      .always("receivedAt", .orNull(.moment), \.receivedAt), .always("readAt", .orNull(.moment), \.readAt),
    ])
}
