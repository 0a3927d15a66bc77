internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Responses of the admin API. Caches must not store them.
extension Response {
  static func json(_ status: Status, _ answer: some JSONAnswer) -> Response {
    Response(status: status, headers: [("Content-Type", "application/json"), noStore], body: answer.json)
  }

  /// Returns the response for an answer that contains sentences, written in `language`.
  static func json(_ status: Status, _ answer: some JSONAnswer, in language: SpokenLanguage) -> Response {
    Response(
      status: status, headers: [("Content-Type", "application/json"), noStore] + speaking(language),
      body: answer.json(in: language))
  }

  /// The response 204 without a body.
  static let done = Response(status: .noContent, headers: [noStore])
}

/// Sends answers and problems on an HTTP loop: those of the device API, `/health`, `/ready` and `/metrics`.
extension Responder {
  func send(_ problem: Problem, requestID: String, in language: SpokenLanguage) {
    send(.problem(problem, requestID: requestID, in: language))
  }

  func send<Root>(status: Status = .ok, _ object: JSONObject<Root>, _ root: Root) {
    send(status: status) { object.write(root, to: &$0) }
  }

  func send(status: Status = .ok, json body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.object(body)
    send(status: status, contentType: "application/json", body: writer.bytes)
  }
}
