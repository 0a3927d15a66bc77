package import Domain
package import HTTPServer
internal import JSON
internal import Operations

/// Responses that report a problem as `application/problem+json`, with the headers that the status requires. Calls of
/// the legacy API, and requests for hosted files and the console's files, are refused in formats of their own.
extension Response {
  /// Value of Retry-After for 503 and 429 when the problem has none, in seconds.
  static let retryAfterSeconds = 1

  /// Header that tells caches not to store a response, for example one about people.
  static let noStore = ("Cache-Control", "no-store")

  /// Returns the response that reports a problem.
  /// - Parameters:
  ///   - requestID: written into the body.
  ///   - isKept: false adds the header `Cache-Control: no-store`.
  ///   - language: language of the title and the detail.
  package static func problem(
    _ problem: Problem, requestID: String, isKept: Bool = true, in language: SpokenLanguage = .english
  ) -> Response {
    var headers = [("Content-Type", "application/problem+json")] + Self.speaking(language)
    if !isKept { headers.append(noStore) }
    switch problem.code.status {
    case 401: headers.append(("WWW-Authenticate", "Bearer"))
    case 429, 503: headers.append(("Retry-After", String(problem.retryAfterSeconds ?? retryAfterSeconds)))
    default: break
    }
    return Response(
      status: Status(problem.code.status), headers: headers, body: problem.json(requestID: requestID, in: language))
  }

  /// Returns the headers, Content-Language and Vary, of an answer whose texts are in `language` because of the
  /// request's Accept-Language.
  static func speaking(_ language: SpokenLanguage) -> [(String, String)] {
    [("Content-Language", language.rawValue), ("Vary", "Accept-Language")]
  }

  static func methodNotAllowed(
    _ allowed: [Method], requestID: String, isKept: Bool = true, in language: SpokenLanguage = .english
  ) -> Response {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    var response = Response.problem(
      Problem(.methodNotAllowed, "Use \(names) here."), requestID: requestID, isKept: isKept, in: language)
    response.headers.append(("Allow", names))
    return response
  }
}

extension Request {
  /// Language of the answer according to Accept-Language; English if the header is absent or names no supported
  /// language. Each call scans all headers.
  package var language: SpokenLanguage { SpokenLanguage(accepting: header("accept-language")) }
}

extension OwnedRequest {
  /// Language of the answer according to Accept-Language; English if the header is absent or names no supported
  /// language.
  var language: SpokenLanguage { SpokenLanguage(accepting: header("accept-language")) }
}

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
