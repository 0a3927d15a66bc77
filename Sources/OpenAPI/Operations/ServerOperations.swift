internal import Domain
internal import HTTPServer

/// The server about itself.
extension APIOperation {
  static let server: [APIOperation] = [
    APIOperation(
      .get, "/health", id: "showHealth", in: .server, "Is it alive?",
      "Answers once the process serves and its schema is current.", by: .nothing,
      answers: [Answer(200, "It serves.", "Health", example: #"{"status":"ok"}"#)]),
    APIOperation(
      .get, "/ready", id: "showReadiness", in: .server, "Can it deliver?",
      "Whether it can reach its database: a load balancer should send requests elsewhere until then.", by: .nothing,
      answers: [Answer(200, "It is ready.", "Health", example: #"{"status":"ok"}"#)], problems: [.databaseAway]),
    APIOperation(
      .get, "/openapi.json", id: "showDocument", in: .server, "This document", "OpenAPI 3.1, with an ETag.",
      by: .nothing, answers: [Answer(200, "The document.", "Document")]),
    APIOperation(
      .get, "/docs", id: "showPage", in: .server, "This document, to be read by people",
      "A page without script that asks nobody else for anything.", by: .nothing,
      answers: [Answer(200, "The page.", "Page")]),
  ]
}
