package import Metrics
internal import Reactor
package import Tracing

/// Counts and times a server's responses, by the kind that the handler assigns to each request. Confined to the loop's
/// thread.
package final class RequestMeter {
  /// Callback for responses with status 500. `took` is the time from the complete request to the complete response.
  package typealias Failure = (_ requestID: String, _ kind: String, _ status: Int, _ took: Duration) -> Void

  /// The request's part of an access log entry. Recorded on arrival, because the request's bytes may be gone by the
  /// time of the response.
  package struct Asked {
    package let method: String
    /// The path without the query, which may contain confidential data.
    package let path: String
    package let client: String
    /// The caller's own id (`X-Request-Id`) as sent; nil if absent.
    package let callerRequestID: String?
    /// The trace context of the request: its own span if it is recorded, otherwise the caller's; nil if there is none.
    package let trace: TraceContext?
  }

  /// One entry of an access log: a request and the response to it.
  package struct Answer {
    package let requestID: String
    package let asked: Asked
    package let status: Int
    package let took: Duration
  }

  private let kinds: [String]
  /// Counters of responses: five status classes for each kind.
  private let answers: [Counter]
  private let times: [Histogram]
  private let connections: Gauge
  private let accepted: Counter
  private let turnedAway: [Counter]
  private let failed: Failure
  private let told: ((Answer) -> Void)?
  private let tracer: RequestTracer?

  /// Registers the metrics of a server.
  /// - Parameters:
  ///   - kinds: names of the kinds, indexed by `Request.kind`; at least one. A larger index counts as the last kind.
  ///   - failed: called for each response with status 500.
  ///   - told: called for each response; nil without access log, because logging costs as much as a small request.
  ///   - tracer: records spans; nil records none.
  package init(
    _ metrics: Metrics, kinds: [String], failed: @escaping Failure, told: ((Answer) -> Void)? = nil,
    tracer: RequestTracer? = nil
  ) {
    self.told = told
    self.tracer = tracer
    self.kinds = kinds
    self.failed = failed
    answers = kinds.flatMap { kind in
      ["1xx", "2xx", "3xx", "4xx", "5xx"].map { status in
        metrics.counter(
          "upmc_http_requests_total", "Requests answered, by API and class of status.",
          ["api": kind, "status": status])
      }
    }
    times = kinds.map { kind in
      metrics.histogram(
        "upmc_http_request_seconds", "From a whole request to its answer, commit included.", .latency, ["api": kind])
    }
    connections = metrics.gauge("upmc_http_connections", "Open connections.")
    accepted = metrics.counter("upmc_http_connections_accepted_total", "Connections accepted.")
    turnedAway = ["full", "address", "malformed", "slow"].map { reason in
      metrics.counter(
        "upmc_http_turned_away_total",
        "Connections and requests that were not served: too many in all, too many of one address, no proper request, too slow.",
        ["reason": reason])
    }
  }

  /// Starts the span of an arrived request if it is recorded, and copies what the access log entry needs into
  /// `request`.
  func began(_ request: Request) {
    if let tracer {
      request.span = tracer.begin(
        request.number, request.callerTrace, method: request.method == .other ? nil : request.methodName,
        path: request.path)
    }
    guard told != nil else { return }
    request.asked = Asked(
      method: request.methodName, path: request.path,
      client: request.clientAddress?.description ?? request.remoteAddress.host,
      callerRequestID: request.header("x-request-id"), trace: request.trace)
  }

  /// Counts and times a response, and passes it on to those who are told of it.
  /// - Parameter nanoseconds: the time from the complete request to the complete response.
  func answered(_ number: UInt64, _ request: Request, _ status: Status, after nanoseconds: Int64) {
    let kind = min(Int(request.kind), kinds.count - 1)
    answers[kind * 5 + status.code / 100 - 1].add()
    times[kind].record(nanoseconds)
    if status.code == 500 {
      failed(RequestID.text(number), kinds[kind], status.code, .nanoseconds(nanoseconds))
    }
    if let span = request.span { tracer?.end(span, number, api: kinds[kind], status) }
    guard let told, let asked = request.asked else { return }
    let took = Duration.nanoseconds(nanoseconds)
    told(Answer(requestID: RequestID.text(number), asked: asked, status: status.code, took: took))
  }

  /// Updates the metrics of connections and refusals.
  /// - Parameters:
  ///   - count: number of open connections.
  ///   - counters: the server's counters.
  func look(connections count: Int, _ counters: ServerCounters) {
    connections.set(Int64(count))
    accepted.advance(to: counters.accepted)
    for (cell, number) in zip(
      turnedAway, [counters.overloaded, counters.turnedAway, counters.malformed, counters.timedOut])
    {
      cell.advance(to: number)
    }
  }
}
