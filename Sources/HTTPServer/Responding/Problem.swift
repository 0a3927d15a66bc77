/// The engine's own answers: RFC 9457 problem details, so that clients parse only one error format.
enum Problem {
  static func response(_ status: Status, _ detail: String, number: UInt64) -> Response {
    // Details are sentences of this module: none holds a character that JSON must escape.
    let kind = EngineProblem(status)
    let body = """
      {"type":"\(kind?.type ?? "about:blank")","title":"\(kind?.title ?? status.reason)","status":\(status.code),\
      "detail":"\(detail)","requestId":"\(RequestID.text(number))"}
      """
    return Response(
      status: status, headers: [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")],
      body: Array(body.utf8))
  }
}
