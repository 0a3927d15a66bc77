internal import HTTPServer
internal import JSON

/// The answer of a controller that has done its work. Its code can still report a failure, such as a send that reached
/// no registered device.
struct LegacyAnswer {
  var code = ResultCode.ok
  var text = "OK"
  let body: Envelope.Body

  init(_ body: @escaping Envelope.Body) {
    self.body = body
  }
}

/// Writes answers of the protocol: `{"HEADER":{"RESULT_CODE","RESULT_BODY","SERVICE"},"BODY":…}`.
enum Envelope {
  typealias Body = (inout JSONWriter) -> Void

  /// Returns a complete answer as JSON.
  /// - Parameter body: writes BODY, which is an array or an object.
  static func bytes(_ code: ResultCode, _ text: String, service: String, body: Body) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member(
        "HEADER",
        object: { writer in
          writer.member("RESULT_CODE", code.rawValue)
          writer.member("RESULT_BODY", text)
          writer.member("SERVICE", service)
        })
      writer.name("BODY")
      body(&writer)
    }
    return writer.bytes
  }

  static func success(service: String, body: Body) -> Response {
    Response(status: .ok, headers: headers, body: bytes(.ok, "OK", service: service, body: body))
  }

  static func response(_ answer: LegacyAnswer, service: String) -> Response {
    Response(
      status: .ok, headers: headers, body: bytes(answer.code, answer.text, service: service, body: answer.body))
  }

  static func refusal(_ refusal: LegacyRefusal, service: String, isSend: Bool) -> Response {
    var response = Response(
      status: Status(refusal.status), headers: headers,
      body: bytes(refusal.code, refusal.text, service: service, body: isSend ? emptyObject : emptyArray))
    if let seconds = refusal.retryAfterSeconds { response.headers.append(("Retry-After", String(seconds))) }
    return response
  }

  /// Returns a writer of BODY as an array with one object, the form of successful answers to all calls that are not for
  /// servers.
  /// - Parameter members: writes the members of the object.
  static func row(_ members: @escaping Body) -> Body {
    { writer in writer.array { writer in writer.object(members) } }
  }

  static var emptyRow: Body { row { _ in } }
  private static let emptyArray: @Sendable (inout JSONWriter) -> Void = { writer in writer.array { _ in } }
  private static let emptyObject: @Sendable (inout JSONWriter) -> Void = { writer in writer.object { _ in } }

  static let contentType: StaticString = "application/json;charset=UTF-8"
  /// Answers may contain keys, so caches must not store them.
  private static let headers = [("Content-Type", "\(contentType)"), ("Cache-Control", "no-store")]
}
