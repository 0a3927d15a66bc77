/// Creates the server's own error responses as RFC 9457 problem details, so that clients need to parse only one format.
enum Problem {
  static func response(_ status: Status, _ detail: String, number: UInt64) -> Response {
    // Details are sentences of this module, which contain no character that JSON must escape.
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
