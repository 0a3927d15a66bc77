internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// How answers leave the admin door. No cache may keep them.
extension Response {
  static func json(_ status: Status, _ answer: some JSONAnswer) -> Response {
    Response(status: status, headers: [("Content-Type", "application/json"), noStore], body: answer.json)
  }

  /// 204: it is done, and there is nothing to say.
  static let done = Response(status: .noContent, headers: [noStore])
}

/// How answers and problems leave the device doors.
extension Responder {
  func send(_ problem: Problem, requestID: String) {
    send(.problem(problem, requestID: requestID))
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
