internal import Metrics
internal import Tracing

/// Counts the exporter's results in metrics of its own. Confined to its thread.
final class ExportMeter {
  private let sent: Counter
  private let rejected: Counter
  private let lost: Counter
  private let failures: [String: Counter]
  private static let spans = (
    name: "upmc_otlp_spans_total",
    help:
      "Recorded spans: sent to the collector, rejected by it, lost because it was away too long, dropped because too many waited."
  )

  init(_ metrics: Metrics, _ queue: SpanQueue) {
    func counter(_ result: String) -> Counter {
      metrics.counter(Self.spans.name, Self.spans.help, ["result": result])
    }
    (sent, rejected, lost) = (counter("sent"), counter("rejected"), counter("lost"))
    metrics.read(Self.spans.name, .counter, Self.spans.help) {
      [(Labels().adding("result", "dropped"), Double(queue.dropped))]
    }
    failures = Dictionary(
      uniqueKeysWithValues: ["traces", "metrics"].map { signal in
        (
          signal,
          metrics.counter(
            "upmc_otlp_failures_total", "Requests that the collector did not take, by signal.", ["signal": signal])
        )
      })
  }

  func sent(_ count: Int, rejected refused: Int) {
    sent.add(count - min(count, refused))
    rejected.add(min(count, refused))
  }

  func lost(_ count: Int) { lost.add(count) }
  func failed(_ signal: String) { failures[signal]?.add() }
}
