internal import Domain
internal import HTTPServer

/// Where events go, what was told, and telling it again.
extension APIOperation {
  private static let keepers = Proof.apiKey(roles: ["operator", "admin"])
  private static let admins = Proof.apiKey(roles: ["admin"])

  static let webhooks: [APIOperation] = [
    APIOperation(
      .post, "/v1/admin/webhooks", id: "createWebhook", in: .administration, "Have events told to a server of yours",
      """
      Each event is POSTed as `{"id","kind","appId","at","data"}`, signed as standardwebhooks.com says: the headers \
      `webhook-id`, `webhook-timestamp` and `webhook-signature`, `v1,` and the base64 of the HMAC-SHA-256 of \
      `id.timestamp.body` with the secret. Answer 2xx within 10 seconds; anything else, redirections too, is tried again \
      after 5 s, 15 s, 1 min, 5 min, 15 min, 30 min, 1 h, 2 h, 4 h and 8 h, then given up and kept as dead. An event may \
      come more than once: keep the ids. The data of `sms.requested` is `{"seqno","clientUid","clientName","phone","unless",\
      "title","body","sender","reference"}`; `phone` is the PHONENUM that an app built with the existing SDK said (null: \
      none), opened for the webhook alone: in apps that are `open` it is the device's word, and the first one stays. Of a confidential message \
      it is null, for nobody vouched for the number, and `"confidential":true` stands beside the text. `message.reopened` \
      (`{"seqno","reference"}`) takes a `message.finished` back: the network had refused devices for a setting of ours, and \
      they are sent to after all; another `message.finished` follows. Only `https` to public addresses, unless UPMC_WEBHOOK_PRIVATE allows a network. \
      The secret is shown once.
      """, by: admins,
      body: Body(
        schema: "NewWebhook",
        examples: [
          (
            "gateway",
            #"{"appId":"com.example.bank","url":"https://sms.example.com/upmc","kinds":["sms.requested"]}"#
          )
        ]),
      answers: [Answer(201, "It is made.", "WebhookMade", example: made)],
      problems: [.unknownApp]),
    APIOperation(
      .get, "/v1/admin/webhooks", id: "listWebhooks", in: .administration, "List webhooks", "Oldest first.",
      by: keepers,
      parameters: [
        Parameter(place: .query, name: "appId", schema: Schema.appID, about: "Of this app."), limit, numberCursor,
      ],
      answers: [Answer(200, "A page.", "WebhookPage", example: #"{"items":[\#(webhook)],"nextCursor":null}"#)],
      problems: [.invalidField, .unknownApp]),
    APIOperation(
      .get, "/v1/admin/webhooks/{webhook}", id: "showWebhook", in: .administration, "Look at a webhook",
      "With what waits for it, and what was given up.", by: keepers,
      answers: [Answer(200, "The webhook.", "Webhook", example: webhook)], problems: [.unknownWebhook]),
    APIOperation(
      .patch, "/v1/admin/webhooks/{webhook}", id: "changeWebhook", in: .administration, "Change a webhook",
      "What is left out stays. While it is not `active` it is told nothing, and nothing is kept for it.", by: admins,
      body: Body(
        schema: "WebhookChange",
        examples: [("off", #"{"active":false}"#), ("new secret", #"{"renewSecret":true}"#)]),
      answers: [Answer(200, "The webhook now; with its secret if that is new.", "Webhook", example: webhook)],
      problems: [.unknownWebhook, .impossible]),
    APIOperation(
      .delete, "/v1/admin/webhooks/{webhook}", id: "deleteWebhook", in: .administration, "End a webhook",
      "What waits for it is forgotten.", by: admins, answers: [Answer(204, "It is gone.")],
      problems: [.unknownWebhook]),
    APIOperation(
      .post, "/v1/admin/webhooks/{webhook}/test", id: "testWebhook", in: .administration, "Try a webhook out",
      "Sends the event `webhook.test`; the webhook's deliveries tell what came of it.", by: keepers,
      answers: [
        Answer(
          202, "It will be sent.", "WebhookTested", example: #"{"id":"0b0e6c0a-7d3c-4a57-9a3e-3a9c5c1f2e11"}"#)
      ], problems: [.unknownWebhook, .conflict]),
    APIOperation(
      .get, "/v1/admin/webhooks/{webhook}/deliveries", id: "listWebhookDeliveries", in: .administration,
      "Ask what a webhook was told", "Newest first; `state=dead` is what was given up.", by: keepers,
      parameters: [
        Parameter(
          place: .query, name: "state", schema: Schema.words(["waiting", "delivered", "dead"]), about: "Only these."),
        limit, numberCursor,
      ],
      answers: [Answer(200, "A page.", "EventPage", example: events)], problems: [.invalidField, .unknownWebhook]),
    APIOperation(
      .post, "/v1/admin/webhooks/{webhook}/replay", id: "replayEvents", in: .administration, "Tell events again",
      """
      What was given up (up to 10,000 a call), everything of its kinds since a time (also what happened before the webhook \
      was made), or one event. They keep their ids.
      """, by: keepers,
      body: Body(
        schema: "Replay",
        examples: [("dead", #"{"dead":true}"#), ("since", #"{"since":"2026-11-21T09:00:00Z"}"#)]),
      answers: [Answer(200, "How many.", "Replayed", example: #"{"replayed":3}"#)], problems: [.unknownWebhook]),
    APIOperation(
      .get, "/v1/admin/messages/{seqno}/fallbacks", id: "listFallbacks", in: .messages,
      "Ask who was sent a short message instead",
      "Of a message with `sms`: each person, in the order of their ids. `lateAt` is when the push was confirmed after all.",
      by: .apiKey(roles: ["sender", "operator", "viewer", "admin"]),
      parameters: [
        limit,
        Parameter(
          place: .query, name: "cursor", schema: Schema.opaque,
          about: "`nextCursor` of the page before; absent for the first."),
      ],
      answers: [Answer(200, "A page.", "FallbackPage", example: fallbacks)], problems: [.invalidField, .unknownMessage]),
  ]

  private static let numberCursor = Parameter(
    place: .query, name: "cursor", schema: Schema.sequence,
    about: "`nextCursor` of the page before; absent for the first.")

  private static let webhook = """
    {"webhook":"3","appId":"com.example.bank","url":"https://sms.example.com/upmc","kinds":["sms.requested"],\
    "active":true,"createdAt":"2026-11-21T09:30:00.123Z","waiting":0,"dead":0}
    """
  private static let made = """
    {"webhook":"3","appId":"com.example.bank","url":"https://sms.example.com/upmc","kinds":["sms.requested"],\
    "active":true,"createdAt":"2026-11-21T09:30:00.123Z","waiting":0,"dead":0,\
    "secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="}
    """
  private static let events = """
    {"items":[{"id":"0b0e6c0a-7d3c-4a57-9a3e-3a9c5c1f2e11","kind":"sms.requested","at":"2026-11-21T09:30:00.123Z",\
    "state":"dead","attempts":11,"nextAt":null,"endedAt":"2026-11-22T01:30:00.123Z","status":500,\
    "reason":"it answered 500 instead of 2xx","data":{"seqno":"104","clientUid":"kim01","clientName":"Kim",\
    "unless":"received","title":"이체 완료","body":"Kim님, 10,000원이 이체되었습니다.","sender":"UMSUI"}}],"nextCursor":null}
    """
  private static let fallbacks = """
    {"items":[{"clientUid":"kim01","state":"sms-requested","dueAt":"2026-11-21T09:33:00.123Z",\
    "decidedAt":"2026-11-21T09:33:00.301Z","lateAt":null}],"nextCursor":null}
    """
}
