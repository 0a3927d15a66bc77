package import Domain
package import HTTPServer

/// Problems of every part of the API but the legacy one: `application/problem+json`, with the headers that the status
/// requires.
extension Response {
  /// Retry-After of a 503 or 429, in seconds, where the problem gives none.
  static let retryAfterSeconds = 1

  /// For answers about people, which change all the time: no cache may keep them.
  static let noStore = ("Cache-Control", "no-store")

  /// - Parameter isKept: false forbids caches to keep it.
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
