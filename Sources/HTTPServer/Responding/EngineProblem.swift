/// Reasons for which the server itself refuses a request before the handler sees it. Each has a stable `type` on which
/// clients can rely; handlers that report the same problem use the same `type`.
package enum EngineProblem: CaseIterable, Sendable {
  case malformed
  case timeout
  case bodyTooLarge
  case targetTooLong
  case expectationFailed
  case rateLimited
  case headTooLarge
  case busy
  case versionNotSupported

  package var status: Status {
    switch self {
    case .malformed: .badRequest
    case .timeout: .requestTimeout
    case .bodyTooLarge: .contentTooLarge
    case .targetTooLong: .uriTooLong
    case .expectationFailed: .expectationFailed
    case .rateLimited: .tooManyRequests
    case .headTooLarge: .requestHeaderFieldsTooLarge
    case .busy: .serviceUnavailable
    case .versionNotSupported: .httpVersionNotSupported
    }
  }

  package var type: String {
    switch self {
    case .malformed: "upmc:malformed"
    case .timeout: "upmc:request-timeout"
    case .bodyTooLarge: "upmc:body-too-large"
    case .targetTooLong: "upmc:target-too-long"
    case .expectationFailed: "upmc:expectation-failed"
    case .rateLimited: "upmc:rate-limited"
    case .headTooLarge: "upmc:head-too-large"
    case .busy: "upmc:busy"
    case .versionNotSupported: "upmc:version-not-supported"
    }
  }

  package var title: StaticString {
    switch self {
    case .malformed: "The request cannot be read"
    case .timeout: "The request took too long to arrive"
    case .bodyTooLarge: "The body is too large"
    case .targetTooLong: "The request line is too long"
    case .expectationFailed: "The expectation cannot be met"
    case .rateLimited: "Too much comes from this address"
    case .headTooLarge: "The headers are too large"
    case .busy: "The server is busy"
    case .versionNotSupported: "The version of HTTP is not supported"
    }
  }

  /// Returns the problem with this status; nil if the server itself never answers with it.
  init?(_ status: Status) {
    guard let problem = Self.allCases.first(where: { $0.status == status }) else { return nil }
    self = problem
  }
}

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
