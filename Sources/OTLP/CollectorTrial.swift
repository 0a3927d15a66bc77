internal import Reactor
internal import Time

/// Checks that a collector accepts this installation's exports, with empty requests, which the specification allows.
package enum CollectorTrial {
  /// Returns the reason why the collector rejects exports; nil if it accepts every exported signal. Blocks for up to
  /// twice the configured timeout.
  package static func objection(_ configuration: OTLPConfiguration) -> String? {
    let collector = Collector(configuration)
    let now = configuration.clock.wallTime
    var bodies = [("traces", OTLPTraces.body([], of: configuration.resource))]
    if configuration.metricsInterval != nil {
      let period = OTLPMetrics.Period(began: now, now: now)
      bodies.append(("metrics", OTLPMetrics.body([], period, of: configuration.resource)))
    }
    for (signal, body) in bodies {
      switch collector.send(signal, body, within: configuration.timeout) {
      case .taken: continue
      case .again(_, let why), .refused(let why): return "\(configuration.target(signal)): \(why)"
      }
    }
    return nil
  }
}
