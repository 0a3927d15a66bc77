internal import Domain
internal import HTTPServer
internal import JSON

/// How problems and JSON leave the device doors.
extension Responder {
  func send(_ problem: Problem, requestID: String) {
    var headers = [("Content-Type", "application/problem+json")]
    switch problem.code.status {
    case 401: headers.append(("WWW-Authenticate", "Bearer"))
    case 429, 503:
      headers.append(("Retry-After", String(problem.retryAfterSeconds ?? Receiver.Limits.retryAfterSeconds)))
    default: break
    }
    send(Response(status: Status(problem.code.status), headers: headers, body: problem.json(requestID: requestID)))
  }

  func refuse(allowed: [Method], requestID: String) {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    let problem = Problem(.methodNotAllowed, "Use \(names) here.")
    let headers = [("Content-Type", "application/problem+json"), ("Allow", names)]
    send(Response(status: .methodNotAllowed, headers: headers, body: problem.json(requestID: requestID)))
  }

  func send(status: Status = .ok, json body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.object(body)
    send(status: status, contentType: "application/json", body: writer.bytes)
  }
}
