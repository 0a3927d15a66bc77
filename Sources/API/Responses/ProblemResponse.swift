package import Domain
package import HTTPServer

/// How problems leave every part of the API but the legacy one: `application/problem+json`, with the headers that the status
/// asks for.
extension Response {
  /// What a client is told to wait after 503, in seconds, where the problem does not say.
  static let retryAfterSeconds = 1

  /// Answers about people that change all the time: no cache may keep them.
  static let noStore = ("Cache-Control", "no-store")

  /// - Parameter isKept: false tells caches not to keep it.
  package static func problem(_ problem: Problem, requestID: String, isKept: Bool = true) -> Response {
    var headers = [("Content-Type", "application/problem+json")]
    if !isKept { headers.append(noStore) }
    switch problem.code.status {
    case 401: headers.append(("WWW-Authenticate", "Bearer"))
    case 429, 503: headers.append(("Retry-After", String(problem.retryAfterSeconds ?? retryAfterSeconds)))
    default: break
    }
    return Response(
      status: Status(problem.code.status), headers: headers, body: problem.json(requestID: requestID))
  }

  static func methodNotAllowed(_ allowed: [Method], requestID: String, isKept: Bool = true) -> Response {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    var response = Response.problem(
      Problem(.methodNotAllowed, "Use \(names) here."), requestID: requestID, isKept: isKept)
    response.headers.append(("Allow", names))
    return response
  }
}
