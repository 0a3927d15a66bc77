internal import Domain
internal import JSON
internal import Operations

/// The section `webhooks` of the document: for each kind of event, the request that this server sends to a webhook.
enum WebhookSection {
  static let node = JSONTree.object(EventKind.allCases.map { ($0.rawValue, .object([("post", post($0))])) })

  /// Name of the tag of these requests. The API reference shows them as an area of that name.
  private static let area = "Webhook events"
  /// Name of the section's page in its path, without the suffix of the language.
  static let slug = "webhooks"
  static let tag = JSONTree.object([
    ("name", .text(area)),
    (
      "description",
      .text(
        """
        What this server sends to a webhook of yours: a POST for each event, made again until it is taken. The receiver \
        checks the signature and keeps the ids.
        """)
    ),
  ])

  private static func post(_ kind: EventKind) -> JSONTree {
    let example = """
      {"id":"0b0e6c0a-7d3c-4a57-9a3e-3a9c5c1f2e11","kind":"\(kind.rawValue)","appId":"com.example.bank",\
      "at":"2026-11-21T09:30:00.123Z","data":\(kind.example)}
      """
    return .object([
      ("operationId", .text("on\(kind.eventName)")), ("tags", .texts([area])),
      ("summary", .text("Event \(kind.rawValue)")), ("description", .text(kind.about)), ("security", .list([])),
      ("parameters", .list(headers)),
      (
        "requestBody",
        .object([
          ("required", .flag(true)),
          (
            "content",
            .object([
              (
                "application/json",
                .object([("schema", JSONSchema.reference(kind.eventName)), ("example", .json(example))])
              )
            ])
          ),
        ])
      ),
      (
        "responses",
        .object([
          ("2XX", .object([("description", "Taken, within 10 seconds. The body is not read.")])),
          ("default", .object([("description", "Not taken: the event is sent again.")])),
        ])
      ),
    ])
  }

  private static let headers = [
    header("webhook-id", JSONSchema.uuid, "The event's id: the same when it is sent again."),
    header(
      "webhook-timestamp", JSONSchema.text(matching: "^[0-9]+$"),
      "Seconds since 1970. Refuse what is more than five minutes away, or old requests can be played again."),
    header(
      "webhook-signature", JSONSchema.anyText,
      """
      One or more, separated by blanks: `v1,` and the base64 of the HMAC-SHA-256 of `id.timestamp.body`, with the key that \
      the base64 behind `whsec_` stands for. One that fits is enough.
      """),
  ]

  private static func header(_ name: String, _ schema: JSONTree, _ about: String) -> JSONTree {
    .object([
      ("name", .text(name)), ("in", "header"), ("required", .flag(true)), ("description", .text(about)),
      ("schema", schema),
    ])
  }
}
