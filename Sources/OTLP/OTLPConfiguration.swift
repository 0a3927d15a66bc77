package import HTTPClient
package import Reactor
package import TLS

/// The destination and settings of the export of spans and metrics.
package struct OTLPConfiguration: Sendable {
  /// The collector's URL; `/v1/traces` and `/v1/metrics` are appended to its path.
  package let url: HTTPURL
  /// The headers of each request, such as the collector's credential.
  package var headers: [(name: String, value: String)] = []
  /// Timeout of a request, including the time to connect.
  package var timeout = Duration.seconds(10)
  /// The interval between metric exports; nil to export none.
  package var metricsInterval: Duration? = .seconds(60)
  /// Time allowed for the final export when the exporter stops.
  package var drain = OTLPLimits.drain
  package var trust = TLSContext.Trust()
  /// The outbound proxy; nil for a direct connection.
  package var proxy: OutboundProxy?
  package let resource: OTLPResource
  package let clock: any Clock

  package init(url: HTTPURL, resource: OTLPResource, clock: any Clock = SystemClock()) {
    self.url = url
    self.resource = resource
    self.clock = clock
  }

  /// Returns the request path of a signal, `traces` or `metrics`.
  func target(_ signal: String) -> String {
    (url.target.hasSuffix("/") ? String(url.target.dropLast()) : url.target) + "/v1/\(signal)"
  }
}
