/// Distributed traces: the trace that a piece of work belongs to, and the spans that this process has finished.
///
/// ```
///   traceparent of a caller ──► TraceContext ──► OpenSpan ──end──► TraceSpan ──► SpanQueue ──► exporter
///                                    │                                             │ full: dropped and counted
///                                    └──► stored with the message, sent on to webhooks
/// ```
///
/// **Sampling.** No span is opened for a context that is not sampled, nor in a process without a queue; the cost is
/// then one comparison. The caller decides whether a context is sampled (W3C Trace Context).
///
/// **Ids.** A request's span id equals the request's number, so its `X-Request-Id` can be looked up in the traces; all
/// other span ids are random.
///
/// No I/O and no clock: times are arguments.
package enum Tracing {
  package enum Limits {
    /// Maximum number of finished spans that wait for the exporter: a few seconds of a node at full speed, and some 4 MiB.
    package static let waitingSpans = 8_192
  }
}
