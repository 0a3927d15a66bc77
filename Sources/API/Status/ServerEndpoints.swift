internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for health, readiness, metrics, the handbook and the API description.
extension Endpoint {
  static let server: [Endpoint] = [
    Endpoint(
      .get, "/health", id: "showHealth", in: .server, "Is it alive?",
      "Answers once the process serves and its schema is current.", by: .open,
      answers: [Answer(200, "It serves.", health.name, example: #"{"status":"ok"}"#)], handler: .own),
    Endpoint(
      .get, "/ready", id: "showReadiness", in: .server, "Can it deliver?",
      "503 when it cannot reach its database: a load balancer should send requests elsewhere until then. Whatever else "
        + "keeps pushes from leaving is the same on every node: then the answer is 200 with complaints.", by: .open,
      answers: [
        Answer(
          200, "It serves.", ReadinessAnswer.object,
          example:
            #"{"status":"ok","complaints":[],"credentials":1,"lastAcceptedAt":"2026-12-24T00:00:00.000Z","#
            + #""overdueDeliveries":0,"nodes":1}"#)
      ], problems: [.databaseAway], handler: .own),
    Endpoint(
      .get, "/metrics", id: "showMetrics", in: .server, "Metrics for Prometheus",
      "Text format 0.0.4. The API key must reach every app. UPMC_METRICS_LISTEN shows the same without a key.",
      by: .permission(.viewMessages), answers: [Answer(200, "The metrics.", text.name)], handler: .own),
    Endpoint(
      .get, "/openapi.json", id: "showDocument", in: .server, "This document", "OpenAPI 3.1, with an ETag.",
      by: .open, answers: [Answer(200, "The document.", document.name)], handler: .own),
    Endpoint(
      .get, "/docs", id: "showHandbook", in: .server, "The handbook",
      "For operators and developers, with a page for each subject below this path; its pages hold no script, and load "
        + "nothing from elsewhere. A server without its files shows this document instead.", by: .open,
      answers: [Answer(200, "The index of its pages.", page.name)], handler: .own),
    Endpoint(
      .get, "/docs/api", id: "showPage", in: .server, "This document, for people",
      "Its index, with a page for each area below this path. Nothing is loaded from elsewhere.", by: .open,
      answers: [Answer(200, "The page.", page.name)], handler: .own),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let serverSchemas: [JSONTree.Member] = [health, document, ReadinessAnswer.object.named, text, page]

  private static let health: JSONTree.Member = (
    "Health", JSONSchema.object([.required("status", JSONSchema.constant("ok"))])
  )
  private static let document: JSONTree.Member = (
    "Document", .object([("type", "object"), ("description", "An OpenAPI 3.1 document.")])
  )
  private static let text: JSONTree.Member = ("Text", .object([("type", "string"), ("description", "Plain text.")]))
  private static let page: JSONTree.Member = ("Page", .object([("type", "string"), ("description", "HTML.")]))
}
