/// Distributed traces: which trace a piece of work belongs to, and the spans that this process has finished.
///
/// ```
///   traceparent of a caller ──► TraceContext ──► OpenSpan ──end──► TraceSpan ──► SpanQueue ──► exporter
///                                    │                                             │ full: dropped and counted
///                                    └──► stored with the message, sent on to webhooks
/// ```
///
/// **Who is recorded.** A context that is not sampled opens no span, and neither does a process without a queue: then
/// work costs one comparison. Whether a context is sampled is the caller's decision (W3C Trace Context).
///
/// **Ids.** A request's span has the request's own number, so that its `X-Request-Id` is found in the traces; all other
/// span ids are random.
///
/// Pure: times are arguments, in microseconds since 1970.
package enum Tracing {
  package enum Limits {
    /// Finished spans that wait for the exporter: a few seconds of a node at full speed, and some 4 MiB.
    package static let waitingSpans = 8_192
  }
}
