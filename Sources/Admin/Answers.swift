internal import Domain
internal import HTTPServer
internal import Operations

/// How answers and problems leave the admin door.
extension Response {
  static func json(_ status: Status, _ answer: some JSONAnswer) -> Response {
    Response(status: status, headers: [("Content-Type", "application/json"), noStore], body: answer.json)
  }

  /// 204: it is done, and there is nothing to say.
  static let done = Response(status: .noContent, headers: [noStore])

  static func problem(_ problem: Problem, requestID: String) -> Response {
    var headers = [("Content-Type", "application/problem+json"), noStore]
    switch problem.code.status {
    case 401: headers.append(("WWW-Authenticate", "Bearer"))
    case 429, 503:
      headers.append(("Retry-After", String(problem.retryAfterSeconds ?? Admin.Limits.retryAfterSeconds)))
    default: break
    }
    return Response(
      status: Status(problem.code.status), headers: headers, body: problem.json(requestID: requestID))
  }

  static func methodNotAllowed(_ allowed: [Method], requestID: String) -> Response {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    var response = Response.problem(Problem(.methodNotAllowed, "Use \(names) here."), requestID: requestID)
    response.headers.append(("Allow", names))
    return response
  }

  /// Answers are about people and change all the time: no cache may keep them.
  private static let noStore = ("Cache-Control", "no-store")
}
