internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for webhooks, their deliveries and replays, and a message's SMS fallbacks.
extension Endpoint {
  static let webhooks: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/webhooks", id: "createWebhook", in: .administration, "Send events to a server of yours",
      """
      What each kind tells, and the headers that prove it, are under Webhook events: signed as standardwebhooks.com says, \
      with the secret, which is shown once. Answer 2xx within 10 seconds; anything else, redirections too, is tried again \
      after 5 s, 15 s, 1 min, 5 min, 15 min, 30 min, 1 h, 2 h, 4 h and 8 h, then given up and kept as dead. An event may \
      come more than once: keep the ids. Only `https` to public addresses, unless UPMC_WEBHOOK_PRIVATE allows a network; \
      an address that can never be reached is refused here. An app has at most \(Operations.Limits.webhooksOfApp) webhooks.
      """, by: .permission(.manageApps), needsFreshSignIn: true,
      body: Body(
        WebhookService.NewWebhook.object,
        examples: [
          (
            "gateway",
            #"{"appId":"com.example.bank","url":"https://sms.example.com/upmc","kinds":["sms.requested"]}"#
          )
        ]),
      answers: [Answer(201, "It is made.", WebhookService.Made.object, example: made)],
      problems: [.unknownApp, .impossible], handler: .whole(AdminCall.createWebhook)),
    Endpoint(
      .get, "/v1/admin/webhooks", id: "listWebhooks", in: .administration, "List webhooks", "Oldest first.",
      by: .permission(.manageEvents),
      parameters: [
        .query("appId", JSONSchema.appID, "Of this app."), .limit, .cursor,
      ],
      answers: [
        Answer(
          200, "A page.", ItemPage<WebhookService.Entry>.object, example: #"{"items":[\#(webhook)],"nextCursor":null}"#)
      ],
      problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.webhooks)),
    Endpoint(
      .get, "/v1/admin/webhooks/{webhookId}", id: "showWebhook", in: .administration, "Look at a webhook",
      "With what waits for it, and what was given up.", by: .permission(.manageEvents),
      answers: [Answer(200, "The webhook.", WebhookService.Entry.object, example: webhook)],
      problems: [.unknownWebhook],
      handler: .whole(AdminCall.webhook)),
    Endpoint(
      .patch, "/v1/admin/webhooks/{webhookId}", id: "changeWebhook", in: .administration, "Change a webhook",
      "What is left out stays. While it is not `active`, nothing is sent to it or kept for it.",
      by: .permission(.manageApps), needsFreshSignIn: true,
      body: Body(
        WebhookService.Change.object,
        examples: [("off", #"{"active":false}"#), ("new secret", #"{"renewSecret":true,"keepSecretFor":"P7D"}"#)]),
      answers: [
        Answer(200, "The webhook now; with its secret if that is new.", WebhookService.Entry.object, example: webhook)
      ],
      problems: [.unknownWebhook, .impossible], handler: .whole(AdminCall.changeWebhook)),
    Endpoint(
      .delete, "/v1/admin/webhooks/{webhookId}", id: "deleteWebhook", in: .administration, "End a webhook",
      "What waits for it is forgotten.", by: .permission(.manageApps), answers: [Answer(204, "It is gone.")],
      problems: [.unknownWebhook], handler: .whole(AdminCall.deleteWebhook)),
    Endpoint(
      .post, "/v1/admin/webhooks/{webhookId}/test", id: "testWebhook", in: .administration, "Try a webhook out",
      "Sends the event `webhook.test`; the webhook's deliveries show the result.", by: .permission(.manageEvents),
      answers: [
        Answer(
          202, "It will be sent.", EventService.Tested.object,
          example: #"{"id":"0b0e6c0a-7d3c-4a57-9a3e-3a9c5c1f2e11"}"#)
      ], problems: [.unknownWebhook, .conflict], handler: .whole(AdminCall.testWebhook)),
    Endpoint(
      .get, "/v1/admin/webhooks/{webhookId}/deliveries", id: "listWebhookDeliveries", in: .administration,
      "List the deliveries of a webhook", "Newest first; `state=dead` is what was given up.",
      by: .permission(.manageEvents),
      parameters: [
        .query("state", JSONSchema.words(EventService.states), "Only these."),
        .limit, .cursor,
      ],
      answers: [Answer(200, "A page.", ItemPage<EventService.Entry>.object, example: events)],
      problems: [.invalidField, .unknownWebhook],
      handler: .whole(AdminCall.webhookDeliveries)),
    Endpoint(
      .post, "/v1/admin/webhooks/{webhookId}/replay", id: "replayEvents", in: .administration, "Tell events again",
      """
      What was given up (up to 10,000 a call), everything of its kinds since a time (also what happened before the webhook \
      was made), or one event. They keep their ids.
      """, by: .permission(.manageEvents),
      body: Body(
        schema: EventService.replaySchema.name,
        examples: [("dead", #"{"dead":true}"#), ("since", #"{"since":"2026-11-21T09:00:00Z"}"#)]),
      answers: [Answer(200, "How many.", EventService.Replayed.object, example: #"{"replayed":3}"#)],
      problems: [.unknownWebhook],
      handler: .whole(AdminCall.replayEvents)),
    Endpoint(
      .get, "/v1/admin/messages/{seqno}/fallbacks", id: "listFallbacks", in: .messages,
      "Ask who was sent a short message instead",
      "Of a message with `sms`: each person, in the order of their ids. `lateAt` is when the push was confirmed after all.",
      by: .permission(.viewMessages),
      parameters: [
        .limit,
        .cursor,
      ],
      answers: [Answer(200, "A page.", ItemPage<EventService.Fallback>.object, example: fallbacks)],
      problems: [.invalidField, .unknownMessage], handler: .whole(AdminCall.fallbacks)),
  ]

  private static let webhook = """
    {"webhookId":"3","appId":"com.example.bank","url":"https://sms.example.com/upmc","kinds":["sms.requested"],\
    "active":true,"createdAt":"2026-11-21T09:30:00.123Z","formerSecretEndsAt":null,"waiting":0,"dead":0}
    """
  private static let made = """
    {"webhookId":"3","appId":"com.example.bank","url":"https://sms.example.com/upmc","kinds":["sms.requested"],\
    "active":true,"createdAt":"2026-11-21T09:30:00.123Z","formerSecretEndsAt":null,"waiting":0,"dead":0,\
    "secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="}
    """
  private static let events = """
    {"items":[{"id":"0b0e6c0a-7d3c-4a57-9a3e-3a9c5c1f2e11","kind":"sms.requested","at":"2026-11-21T09:30:00.123Z",\
    "state":"dead","attempts":11,"nextAt":null,"endedAt":"2026-11-22T01:30:00.123Z","status":500,\
    "reason":"it answered 500 instead of 2xx","data":{"seqno":"104","clientUid":"kim01","clientName":"Kim",\
    "unless":"received","title":"이체 완료","body":"Kim님, 10,000원이 이체되었습니다.","sender":"UMSUI"},"history":[{"at":"2026-11-22T01:30:00.001Z","status":500,\
    "milliseconds":122,"reason":"it answered 500 instead of 2xx"}]}],"nextCursor":null}
    """
  private static let fallbacks = """
    {"items":[{"clientUid":"kim01","state":"sms-requested","dueAt":"2026-11-21T09:33:00.123Z",\
    "decidedAt":"2026-11-21T09:33:00.301Z","lateAt":null}],"nextCursor":null}
    """

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let webhookSchemas: [JSONTree.Member] = [
    WebhookService.NewWebhook.object.named, WebhookService.Change.object.named, WebhookService.Entry.object.named,
    WebhookService.Made.object.named, ItemPage<WebhookService.Entry>.object.named, EventService.Tested.object.named,
    ItemPage<EventService.Entry>.object.named, EventService.replaySchema, EventService.Replayed.object.named,
    ItemPage<EventService.Fallback>.object.named,
  ]
}

extension AdminCall {
  fileprivate func createWebhook() throws(Problem) -> Response {
    .json(
      .created,
      try WebhookService.create(
        try body(WebhookService.NewWebhook.object), at: resources.webhooks, master: try masterKey(), by: caller,
        on: connection, now: now))
  }

  fileprivate func webhooks() throws(Problem) -> Response {
    .json(.ok, try WebhookService.list(query["appId"], try page(), by: caller, on: connection))
  }

  fileprivate func webhook() throws(Problem) -> Response {
    .json(.ok, try WebhookService.find(parameters["webhookId"], by: caller, on: connection))
  }

  fileprivate func changeWebhook() throws(Problem) -> Response {
    .json(
      .ok,
      try WebhookService.change(
        parameters["webhookId"], try body(WebhookService.Change.object), at: resources.webhooks,
        master: try masterKey(), by: caller, on: connection))
  }

  fileprivate func deleteWebhook() throws(Problem) -> Response {
    try WebhookService.delete(parameters["webhookId"], by: caller, on: connection)
    return .done
  }

  fileprivate func testWebhook() throws(Problem) -> Response {
    .json(.accepted, try EventService.test(parameters["webhookId"], by: caller, on: connection))
  }

  fileprivate func webhookDeliveries() throws(Problem) -> Response {
    .json(
      .ok, try EventService.list(parameters["webhookId"], state: query["state"], try page(), by: caller, on: connection)
    )
  }

  fileprivate func replayEvents() throws(Problem) -> Response {
    let replay = try EventService.readReplay(json: try jsonBody())
    return .json(.ok, try EventService.replay(replay, to: parameters["webhookId"], by: caller, on: connection))
  }

  fileprivate func fallbacks() throws(Problem) -> Response {
    .json(.ok, try EventService.fallbacks(of: try seqno(), try page(), by: caller, on: connection))
  }

  private func masterKey() throws(Problem) -> MasterKey {
    guard let master = resources.master else {
      throw Problem(.internalError, "This server has no master key to seal secrets with.")
    }
    return master
  }
}
