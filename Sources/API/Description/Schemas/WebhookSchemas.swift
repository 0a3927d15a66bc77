internal import Domain
internal import Operations

/// Webhooks, events and short messages.
extension Schemas {
  /// What stands in an address as it is: no quotes, braces and the like; no `@` at all, which is more than is asked.
  private static let url = Schema.text(
    matching: "^https?://[!$-.0-9;=A-Z\\[\\]_a-z~][!#-;=?A-Z\\[\\]_a-z~]*$"
  ).adding("maxLength", .number(Operations.Limits.webhookURLBytes))
  private static let kinds = Schema.list(
    of: Schema.words(EventKind.wanted.map(\.rawValue)), 1...Operations.Limits.webhookKinds)

  private static let entry: [Schema.Property] = [
    .needed("webhook", Schema.sequence, "Its number."), .needed("appId", Schema.appID), .needed("url", Schema.anyText),
    .needed("kinds", Schema.list(of: Schema.anyText), "What it is told."),
    .needed("active", Schema.flag), .needed("createdAt", Schema.moment),
    .needed("waiting", Schema.count, "Events on their way."), .needed("dead", Schema.count, "Events given up."),
  ]
  private static let secret = Schema.text(matching: "^whsec_[A-Za-z0-9+/]{43}=$")

  static let webhooks: [Node.Member] = [
    (
      "NewWebhook",
      Schema.object(
        isClosed: true,
        [.needed("appId", Schema.appID), .needed("url", url), .needed("kinds", kinds, "What it wants to be told.")])
    ),
    (
      "WebhookChange",
      Schema.object(
        isClosed: true,
        [
          .optional("url", url), .optional("kinds", kinds), .optional("active", Schema.flag),
          .optional("renewSecret", Schema.flag, "The old secret signs nothing more."),
        ])
    ),
    ("Webhook", Schema.object(entry + [.optional("secret", secret, "Only when it is new.")])),
    ("WebhookMade", Schema.object(entry + [.needed("secret", secret, "Shown once.")])),
    ("WebhookPage", Schema.object([.needed("items", Schema.list(of: Schema.reference("Webhook"))), nextCursor])),
    ("WebhookTested", Schema.object([.needed("id", Schema.uuid, "The event's id.")])),
    (
      "EventPage",
      Schema.object([
        .needed(
          "items",
          Schema.list(
            of: Schema.object([
              .needed("id", Schema.uuid), .needed("kind", Schema.words(EventKind.allCases.map(\.rawValue))),
              .needed("at", Schema.moment), .needed("state", Schema.words(["waiting", "delivered", "dead"])),
              .needed("attempts", Schema.count), .needed("nextAt", Schema.optional(Schema.moment)),
              .needed("endedAt", Schema.optional(Schema.moment)),
              .needed("status", Schema.optional(Schema.count), "HTTP status of the last answer; null without one."),
              .needed("reason", Schema.optional(Schema.anyText), "Why the last attempt failed."),
              .needed("data", .object([("type", "object")])),
            ]))), nextCursor,
      ])
    ),
    (
      "Replay",
      Schema.oneOf([
        Schema.object(isClosed: true, [.needed("dead", Schema.constant(.flag(true)), "What was given up.")]),
        Schema.object(isClosed: true, [.needed("since", Schema.moment, "Everything of its kinds since then.")]),
        Schema.object(isClosed: true, [.needed("id", Schema.uuid, "This event.")]),
      ])
    ),
    ("Replayed", Schema.object([.needed("replayed", Schema.count, "Events that are told again.")])),
    (
      "FallbackPage",
      Schema.object([
        .needed(
          "items",
          Schema.list(
            of: Schema.object([
              .needed("clientUid", Schema.anyText),
              .needed("state", Schema.words(["waiting", "confirmed", "sms-requested", "called-off"])),
              .needed("dueAt", Schema.moment), .needed("decidedAt", Schema.optional(Schema.moment)),
              .needed("lateAt", Schema.optional(Schema.moment), "Confirmed after the short message was asked for."),
            ]))), nextCursor,
      ])
    ),
  ]
}
