/// What the engine writes, to the last byte. Only two things may differ from run to run: the id of the request, and the
/// sentence that explains a refusal.
enum ExactAnswer {
  private static let date = "Thu, 01 Jan 2026 00:00:00 GMT"

  /// Compares everything received with these answers.
  /// - Parameters:
  ///   - bodies: of the answers 200, in order, as the handler of `HostilityTests` makes them.
  ///   - lastCloses: whether the last answer announces the end of the connection.
  ///   - firstStays: whether the first says that the connection stays: to a client of HTTP/1.0, which would not expect it.
  /// - Returns: where it differs; nil when it does not.
  static func mismatch(
    _ received: [UInt8], statuses: [Int], bodies: [String], lastCloses: Bool, firstStays: Bool = false
  ) -> String? {
    var rest = received[...]
    var bodies = bodies[...]
    for (index, status) in statuses.enumerated() {
      let closes = lastCloses && index == statuses.count - 1
      let seen = status == 200 ? bodies.popFirst() ?? "" : ""
      // The time of a refusal may be later: those who wait are told after a minute.
      let shown = String(decoding: rest, as: UTF8.self)
      guard let id = text(in: shown, after: "X-Request-Id: ", before: "\r\n"),
        id.wholeMatch(of: #/[0-9a-f]{16}/#) != nil
      else { return "answer \(index + 1) has no request id: \(shown)" }
      var expected =
        status == 200
        ? answer(seen, id, closes ? "close" : firstStays && index == 0 ? "keep-alive" : nil)
        : refusal(status, shown, id)
      if status == 408 {
        expected = expected.replacing("00:00:00 GMT", with: text(in: shown, after: "2026 ", before: "\r\n") ?? "")
      }
      guard rest.starts(with: expected.utf8) else { return "answer \(index + 1) is \(shown)\ninstead of \(expected)" }
      rest = rest.dropFirst(expected.utf8.count)
    }
    return rest.isEmpty ? nil : "more than the answers: \(String(decoding: rest, as: UTF8.self))"
  }

  private static func answer(_ body: String, _ id: String, _ option: String?) -> String {
    let connection = option.map { "Connection: \($0)\r\n" } ?? ""
    let head = """
      HTTP/1.1 200 OK\r\nX-Content-Type-Options: nosniff\r\nDate: \(date)\r\nX-Request-Id: \(id)\r\n\(connection)Content-Type: text/plain\r\n\
      Content-Length: \(body.utf8.count)\r\n\r\n
      """
    return head + (body.hasPrefix("HEAD ") ? "" : body)
  }

  private static func refusal(_ status: Int, _ shown: String, _ id: String) -> String {
    let reason = [
      400: "Bad Request", 408: "Request Timeout", 413: "Content Too Large", 414: "URI Too Long",
      417: "Expectation Failed", 431: "Request Header Fields Too Large", 505: "HTTP Version Not Supported",
    ][status, default: "?"]
    let kind = [
      400: ("malformed", "The request cannot be read"), 408: ("request-timeout", "The request took too long to arrive"),
      413: ("body-too-large", "The body is too large"), 414: ("target-too-long", "The request line is too long"),
      417: ("expectation-failed", "The expectation cannot be met"),
      431: ("head-too-large", "The headers are too large"),
      505: ("version-not-supported", "The version of HTTP is not supported"),
    ][status, default: ("?", "?")]
    let detail = text(in: shown, after: "\"detail\":\"", before: "\"") ?? "(none)"
    let body = """
      {"type":"upmc:\(kind.0)","title":"\(kind.1)","status":\(status),"detail":"\(detail)","requestId":"\(id)"}
      """
    return """
      HTTP/1.1 \(status) \(reason)\r\nX-Content-Type-Options: nosniff\r\nDate: \(date)\r\nX-Request-Id: \(id)\r\nConnection: close\r\n\
      Content-Type: application/problem+json\r\nCache-Control: no-store\r\n\
      Content-Length: \(body.utf8.count)\r\n\r\n\(body)
      """
  }

  private static func text(in text: String, after start: String, before end: String) -> String? {
    guard let first = text.firstRange(of: start), let last = text[first.upperBound...].firstRange(of: end) else {
      return nil
    }
    return String(text[first.upperBound..<last.lowerBound])
  }
}
