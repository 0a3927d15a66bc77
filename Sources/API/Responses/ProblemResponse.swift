package import Domain
package import HTTPServer

/// Responses that report a problem, for all parts of the API but the legacy one: `application/problem+json`, with the
/// headers that the status requires.
extension Response {
  /// Value of Retry-After for 503 and 429 when the problem has none, in seconds.
  static let retryAfterSeconds = 1

  /// Header that forbids caches to store answers about people, which change all the time.
  static let noStore = ("Cache-Control", "no-store")

  /// Returns the response that reports a problem.
  /// - Parameters:
  ///   - isKept: whether caches may store it.
  ///   - language: that of its sentences.
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

  /// Returns the headers of an answer whose sentences are in `language`, and would be in another language for another
  /// Accept-Language.
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
  /// Language in which the client wants its answer. Scans all headers, so it is meant for refusals only.
  package var language: SpokenLanguage { SpokenLanguage(accepting: header("accept-language")) }
}

extension OwnedRequest {
  /// Language in which the client wants its answer.
  var language: SpokenLanguage { SpokenLanguage(accepting: header("accept-language")) }
}
