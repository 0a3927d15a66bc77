package import Reactor
internal import Time
package import Tracing

/// The open span of a recorded request.
struct RequestSpan {
  let context: TraceContext
  let parent: UInt64?
  /// Wall-clock time at which the span was started.
  let began: Timestamp
  let method: String
  /// The path with personal identifiers masked, as in the access log.
  let path: String
  /// The route pattern that the request matched; nil if it matched none.
  var route: String?
}

/// Records requests as spans, named by OpenTelemetry's conventions for HTTP servers. Confined to the loop's thread.
///
/// **Sampling**: the caller decides by the flag of its `traceparent`. A request without one begins a new trace with the
/// configured probability, decided by its random number. Decision 134.
package final class RequestTracer {
  private let spans: SpanQueue
  /// A request without a caller's context is recorded if its random number is below this.
  private let threshold: UInt64
  private let scheme: String
  private let masked: (String) -> String
  private let clock: any Clock
  private var numbers = RandomNumbers()

  /// Creates a tracer.
  /// - Parameters:
  ///   - ratio: fraction of the requests without a caller's context that are recorded, 0…1.
  ///   - isSecure: true if the server uses TLS.
  ///   - masked: returns a path without the parts that identify people or devices.
  package init(
    _ spans: SpanQueue, ratio: Double, isSecure: Bool, clock: any Clock, masked: @escaping (String) -> String
  ) {
    self.spans = spans
    threshold = ratio >= 1 ? .max : UInt64(max(0, ratio) * 0x1p64)
    scheme = isSecure ? "https" : "http"
    self.clock = clock
    self.masked = masked
  }

  /// Starts the span of a request. Returns nil if the request is not recorded: if its caller's trace is not sampled, or
  /// if it has no caller's context and is not in this server's sample.
  /// - Parameters:
  ///   - number: random number of the request, which becomes its span id.
  ///   - caller: context in the request's `traceparent`; nil if that is absent or malformed.
  ///   - method: the method as sent; nil for one that this server does not know.
  func begin(
    _ number: UInt64, _ caller: TraceContext?, method: @autoclosure () -> String?, path: @autoclosure () -> String
  ) -> RequestSpan? {
    let isRecorded = caller?.isSampled ?? (number < threshold)
    guard isRecorded,
      let context = caller.map({ $0.child(number) })
        ?? TraceContext(traceHigh: numbers.next(), traceLow: numbers.next(), span: number, isSampled: true)
    else { return nil }
    return RequestSpan(
      context: context, parent: caller?.span, began: clock.wallTime,
      method: method() ?? "_OTHER", path: masked(path()))
  }

  func end(_ span: RequestSpan, _ number: UInt64, api: String, _ status: Status) {
    var attributes: [TraceSpan.Attribute] = [
      ("http.request.method", .text(span.method)), ("url.path", .text(span.path)), ("url.scheme", .text(scheme)),
      ("http.response.status_code", .number(Int64(status.code))), ("upmc.api", .text(api)),
      ("upmc.request_id", .text(RequestID.text(number))),
    ]
    if let route = span.route { attributes.append(("http.route", .text(route))) }
    // OpenTelemetry counts only 5xx as errors of a server.
    let isFault = status.code >= 500
    if isFault { attributes.append(("error.type", .text(String(status.code)))) }
    let method = span.method == "_OTHER" ? "HTTP" : span.method
    spans.offer(
      TraceSpan(
        span.context, parent: span.parent, name: span.route.map { "\(method) \($0)" } ?? method, kind: .server,
        began: span.began, ended: clock.wallTime, attributes: attributes, fault: isFault ? "" : nil))
  }
}
