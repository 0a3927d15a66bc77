internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// Endpoints for a message's funnel and deliveries.
extension Endpoint {
  static let reports: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/messages/{seqno}", id: "showMessage", in: .messages, "Ask for a message's numbers",
      """
      The funnel. At every instant `targeted` = `pending` + `accepted` + `rejected` + `expired` + `cancelled` + `skipped`.
      """, by: .permission(.viewMessages),
      answers: [Answer(200, "The numbers of this moment.", ReportService.FunnelAnswer.object, example: funnel)],
      problems: [.unknownMessage],
      handler: .whole(AdminCall.funnel)),
    Endpoint(
      .get, "/v1/admin/messages/{seqno}/events", id: "watchMessage", in: .messages, "Watch a message's numbers",
      """
      Server-sent events: `funnel`, with the numbers as JSON, at once and whenever they have changed, at most twice a \
      second; `end`, with the last numbers, when the message has ended and nothing has changed for 10 minutes. The answer \
      ends after 15 minutes at the latest: connect again, as browsers do by themselves.
      """, by: .permission(.viewMessages),
      answers: [
        Answer(
          200, "The numbers, as they change.", funnelEvents.name, example: "event: funnel\ndata: \(funnel)\n\n",
          type: "text/event-stream")
      ], problems: [.unknownMessage], handler: .pieces(.live, AdminCall.watchMessage)),
    Endpoint(
      .get, "/v1/admin/messages/{seqno}/deliveries", id: "listDeliveries", in: .messages,
      "List what became of each device", "Deliveries that have an outcome, or wait for their next try.",
      by: .permission(.viewMessages), load: .heavy,
      parameters: [
        .limit, .cursor,
        .query("status", JSONSchema.words(OutcomeStatus.allCases.map(\.name)), "Only those in this state."),
      ],
      answers: [
        Answer(
          200, "A page of deliveries.", ItemPage<DeliveryPages.Delivery>.object,
          example: """
            {"items":[{"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","clientUid":"kim01","status":"accepted",\
            "reason":null,"attempts":1,"at":"2026-11-21T09:30:00.123Z","receivedAt":"2026-11-21T09:30:01.004Z",\
            "readAt":null}],"nextCursor":null}
            """)
      ], problems: [.invalidField, .unknownMessage, .notKept], handler: .whole(AdminCall.deliveries)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let reportSchemas: [JSONTree.Member] = [
    funnelEvents, ReportService.FunnelAnswer.object.named, ItemPage<DeliveryPages.Delivery>.object.named,
    DeliveryPages.Delivery.object.named,
  ]

  private static let funnelEvents: JSONTree.Member = (
    "FunnelEvents",
    JSONSchema.events(
      ["funnel", "end"], "Event after event; the data of each is a Funnel.",
      ReportService.FunnelAnswer.object.form.schema)
  )

  static let funnel = """
    {"seqno":"104","appId":"com.example.bank","alert":{"title":"News","body":"Hello"},\
    "createdAt":"2026-11-21T09:30:00.123Z","state":"sending","targeted":1000,"pending":10,\
    "accepted":985,"rejected":3,"expired":0,"cancelled":0,"skipped":2,"received":700,"read":120,"unknown":0,"resent":1,"reasons":{"Unregistered":3,"quarantine":2}}
    """
}

extension AdminCall {
  fileprivate func funnel() throws(Problem) -> Response {
    .json(.ok, try ReportService.funnel(try seqno(), for: caller, on: connection))
  }

  fileprivate func deliveries() throws(Problem) -> Response {
    let page = try PageRequest(limit: query["limit"], cursor: query["cursor"], status: query["status"])
    return .json(.ok, try ReportService.deliveries(of: try seqno(), page, for: caller, on: connection))
  }
}
