package import Reactor
package import Tracing

/// The span of a recorded request, until its answer.
struct RequestSpan {
  let context: TraceContext
  let parent: UInt64?
  /// Microseconds since 1970.
  let began: Int64
  let method: String
  /// As the access log shows it: nobody is named.
  let path: String
  /// The pattern that it matched; nil if it matched none.
  var route: String?
}

/// Records requests as spans, named by the conventions of OpenTelemetry for HTTP servers. On the loop's thread.
///
/// **Which**: the caller decides by the flag of its `traceparent`. A request without one begins a trace of its own with
/// the configured probability, decided by its random number. Decision 134.
package final class RequestTracer {
  private let spans: SpanQueue
  /// A request without a caller's context is recorded if its number is below this.
  private let threshold: UInt64
  private let scheme: String
  private let masked: (String) -> String
  private let clock: any Clock
  private var numbers = RandomNumbers()

  /// - Parameters:
  ///   - ratio: the share of requests without a caller's context that are recorded, 0 to 1.
  ///   - isSecure: the server speaks TLS.
  ///   - masked: a path without what names people or devices.
  package init(
    _ spans: SpanQueue, ratio: Double, isSecure: Bool, clock: any Clock, masked: @escaping (String) -> String
  ) {
    self.spans = spans
    threshold = ratio >= 1 ? .max : UInt64(max(0, ratio) * 0x1p64)
    scheme = isSecure ? "https" : "http"
    self.clock = clock
    self.masked = masked
  }

  /// Nil if the request is not recorded.
  /// - Parameters:
  ///   - number: the request's.
  ///   - caller: its `traceparent`; nil if absent.
  ///   - method: as it was sent; nil for one that HTTP does not know.
  func begin(
    _ number: UInt64, _ caller: TraceContext?, method: @autoclosure () -> String?, path: @autoclosure () -> String
  ) -> RequestSpan? {
    let isRecorded = caller?.isSampled ?? (number < threshold)
    guard isRecorded,
      let context = caller.map({ $0.child(number) })
        ?? TraceContext(traceHigh: numbers.next(), traceLow: numbers.next(), span: number, isSampled: true)
    else { return nil }
    return RequestSpan(
      context: context, parent: caller?.span, began: clock.wallMicroseconds,
      method: method() ?? "_OTHER", path: masked(path()))
  }

  func end(_ span: RequestSpan, _ number: UInt64, api: String, _ status: Status) {
    var attributes: [TraceSpan.Attribute] = [
      ("http.request.method", .text(span.method)), ("url.path", .text(span.path)), ("url.scheme", .text(scheme)),
      ("http.response.status_code", .number(Int64(status.code))), ("upmc.api", .text(api)),
      ("upmc.request_id", .text(RequestID.text(number))),
    ]
    if let route = span.route { attributes.append(("http.route", .text(route))) }
    // Of a server's answers only 5xx are its faults.
    let isFault = status.code >= 500
    if isFault { attributes.append(("error.type", .text(String(status.code)))) }
    let method = span.method == "_OTHER" ? "HTTP" : span.method
    spans.offer(
      TraceSpan(
        span.context, parent: span.parent, name: span.route.map { "\(method) \($0)" } ?? method, kind: .server,
        began: span.began, ended: clock.wallMicroseconds, attributes: attributes, fault: isFault ? "" : nil))
  }
}
