internal import HTTPClient
internal import Postgres
internal import Store
internal import Tracing

/// Builds the span of an attempt by OpenTelemetry's conventions for HTTP clients. Performs no I/O.
enum WebhookSpan {
  /// Returns the span's attributes, and why the attempt failed: nil if it did not, and empty for an HTTP status of 400
  /// or above. Omits path and query of the webhook, because they may contain the receiver's secret.
  static func of(
    _ attempt: EventDeliveries.Attempt, _ place: HTTPURL, _ result: Result<HTTPResponse, HTTPClientError>
  ) -> (attributes: [TraceSpan.Attribute], fault: String?) {
    var attributes: [TraceSpan.Attribute] = [
      ("http.request.method", .text("POST")), ("server.address", .text(place.host)),
      ("server.port", .number(Int64(place.port))), ("url.scheme", .text(place.isSecure ? "https" : "http")),
      ("upmc.webhook", .number(Int64(attempt.webhook))), ("upmc.event", .text(attempt.kind)),
      ("upmc.event_id", .text(attempt.id.description)),
    ]
    if attempt.attempts > 1 { attributes.append(("http.request.resend_count", .number(Int64(attempt.attempts) - 1))) }
    switch result {
    case .success(let response):
      attributes.append(("http.response.status_code", .number(Int64(response.status))))
      guard response.status >= 400 else { return (attributes, nil) }
      attributes.append(("error.type", .text(String(response.status))))
      return (attributes, "")
    case .failure(let error):
      attributes.append(("error.type", .text(error.type)))
      return (attributes, error.description)
    }
  }
}

extension HTTPClientError {
  /// The error's type, as a word of low cardinality.
  fileprivate var type: String {
    switch self {
    case .unreachable: "unreachable"
    case .noTunnel: "no_tunnel"
    case .lost: "lost"
    case .timedOut: "timeout"
    case .malformed: "malformed"
    case .refused: "refused"
    case .closed: "closed"
    }
  }
}
