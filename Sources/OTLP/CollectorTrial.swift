internal import Reactor

/// Asks a collector whether it takes this installation's exports, by requests without spans or metrics, which the
/// specification allows.
package enum CollectorTrial {
  /// Why the collector does not take exports; nil if it takes both signals, or the one that is exported. Blocks up to
  /// twice the configured timeout.
  package static func objection(_ configuration: OTLPConfiguration) -> String? {
    let collector = Collector(configuration)
    let now = configuration.clock.wallMicroseconds
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
