internal import HTTPClient
internal import Logging
package import Metrics
package import Reactor
internal import Time
package import Tracing

/// Exports spans and metrics to a collector by OTLP/HTTP with JSON. Decision 133.
///
/// ```
///   any thread ──► SpanQueue ──┐                     2xx             taken; what it rejected is counted
///                   full: drop │    thread `otlp`    429, 502–504,   again, after Retry-After or a back-off
///                              ├──► POST /v1/traces  no answer
///   Metrics ───────────────────┴──► POST /v1/metrics anything else   lost, and counted
/// ```
///
/// **It never delays other work.** Only this thread waits for the collector. While the collector is down, the thread
/// retries one batch of spans and the others wait in the bounded queue; what does not fit is dropped and counted
/// (`upmc_otlp_spans_total`). Metrics need no queue: each export carries the totals since the process began, so a
/// missed one only reduces the resolution.
///
/// **Log**: one line when the collector starts failing, one a minute while it fails, and one when it recovers.
///
/// **Stop**: the last spans and values are sent within `OTLPConfiguration.drain`.
package final class OTLPExporter {
  private let stopping: StopSignal
  private let done: Inbox<Void>
  private let drain: Duration

  /// Starts the thread.
  package init(_ configuration: OTLPConfiguration, spans: SpanQueue, metrics: Metrics) throws(SystemError) {
    let (stopping, done) = (try StopSignal(), try Inbox<Void>(capacity: 1))
    self.stopping = stopping
    self.done = done
    drain = configuration.drain
    _ = try Thread(name: "otlp") {
      ExportLoop(configuration, spans, metrics).run(until: stopping)
      _ = done.offer(())
    }
  }

  /// Sends the remaining data within `OTLPConfiguration.drain`, then ends the thread.
  package func stop() {
    stopping.raise()
    _ = done.receive(atMost: drain + .seconds(1))
  }
}

/// The exporter's thread.
private final class ExportLoop {
  private let configuration: OTLPConfiguration
  private let spans: SpanQueue
  private let metrics: Metrics
  private let meter: ExportMeter
  private let collector: Collector
  private let clock: any Clock
  private let log = Logger(label: "otlp")
  /// The spans taken from the queue that the collector has not yet accepted or rejected.
  private var batch: [TraceSpan] = []
  private var batchSince = Instant(nanoseconds: 0)
  private var pauses: [String: ExportPause] = [:]
  private var failing: Set<String> = []
  private var metricsDue: Instant
  private let began: Timestamp

  init(_ configuration: OTLPConfiguration, _ spans: SpanQueue, _ metrics: Metrics) {
    self.configuration = configuration
    self.spans = spans
    self.metrics = metrics
    meter = ExportMeter(metrics, spans)
    collector = Collector(configuration)
    clock = configuration.clock
    began = clock.wallTime
    metricsDue = clock.now + (configuration.metricsInterval ?? .zero)
  }

  func run(until stopping: StopSignal) {
    while !stopping.isRaised {
      exportSpans(within: configuration.timeout) { stopping.isRaised || areMetricsDue }
      if areMetricsDue, let interval = configuration.metricsInterval {
        metricsDue = clock.now + interval
        exportMetrics(within: configuration.timeout)
      }
      stopping.rest(atMost: OTLPLimits.look)
    }
    let end = clock.now + configuration.drain
    pauses = [:]
    while clock.now < end, !batch.isEmpty || spans.count > 0 {
      guard exportSpans(within: min(configuration.timeout, end - clock.now), until: { true }) else { break }
    }
    if configuration.metricsInterval != nil, clock.now < end { exportMetrics(within: end - clock.now) }
  }

  private var areMetricsDue: Bool { configuration.metricsInterval != nil && clock.now >= metricsDue }

  /// Sends queued spans, one request after the other, until none is left or `isOver` returns true after a request:
  /// spans that come as fast as the collector takes them must hold up neither metrics nor the stop. Returns false if the
  /// collector accepts none at present.
  @discardableResult private func exportSpans(within timeout: Duration, until isOver: () -> Bool) -> Bool {
    while isDue("traces") {
      if batch.isEmpty {
        batch = spans.take(atMost: OTLPLimits.spansOfRequest)
        batchSince = clock.now
      }
      guard !batch.isEmpty else { return true }
      let body = OTLPTraces.body(batch, of: configuration.resource)
      switch collector.send("traces", body, within: timeout) {
      case .taken(let rejected, let why):
        meter.sent(batch.count, rejected: rejected)
        batch = []
        succeeded("traces", rejected, why)
        if isOver() { return true }
      case .again(let seconds, let why):
        failed("traces", why, after: seconds)
        if clock.now - batchSince > OTLPLimits.spanLife { lose() }
        return false
      case .refused(let why):
        failed("traces", "traces: \(why)", after: nil)
        lose()
        return false
      }
    }
    return false
  }

  private func lose() {
    meter.lost(batch.count)
    batch = []
  }

  private func exportMetrics(within timeout: Duration) {
    guard isDue("metrics") else { return }
    let samples = metrics.samples()
    let period = OTLPMetrics.Period(began: began, now: clock.wallTime)
    let body = OTLPMetrics.body(samples, period, of: configuration.resource)
    switch collector.send("metrics", body, within: timeout) {
    case .taken(let rejected, let why): succeeded("metrics", rejected, why)
    case .again(let seconds, let why): failed("metrics", why, after: seconds)
    case .refused(let why): failed("metrics", "metrics: \(why)", after: nil)
    }
  }

  private func isDue(_ signal: String) -> Bool { pauses[signal]?.isOver(at: clock.now) ?? true }

  private func succeeded(_ signal: String, _ rejected: Int, _ why: String) {
    pauses[signal] = nil
    if failing.remove(signal) != nil, failing.isEmpty {
      log.info("the collector takes exports again", metadata: faultDetails)
    }
    guard rejected > 0 || !why.isEmpty else { return }
    log.warning(
      "the collector took an export with a complaint",
      metadata: ["signal": "\(signal)", "rejected": .stringConvertible(rejected), "reason": "\(why)"])
  }

  /// The log metadata of a failure, which names the collector as one fault, whichever signal fails.
  private var faultDetails: Logger.Metadata {
    ["collector": "\(configuration.url.host)", "fault": "collector"]
  }

  private func failed(_ signal: String, _ why: String, after seconds: Int?) {
    pauses[signal, default: ExportPause()].failed(
      at: clock.now, after: seconds, jitter: Double.random(in: 0...1))
    failing.insert(signal)
    meter.failed(signal)
    var details = faultDetails
    details["error"] = "\(why)"
    log.warning("the collector does not take exports; trying again", metadata: details)
  }
}
