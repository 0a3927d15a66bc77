internal import Domain
internal import HTTPClient
internal import OTLP
package import Reactor
internal import TLS

/// Derives the exporter's settings from the server's.
extension Configuration {
  /// Returns the exporter's settings; nil if nothing is exported.
  /// - Parameter node: identifies this node among those of the installation.
  func collector(node: String, clock: any Clock) -> OTLPConfiguration? {
    guard let export else { return nil }
    let resource = OTLPResource(
      name: Product.name, version: Product.version, instance: node, host: HostName.current)
    var collector = OTLPConfiguration(url: export.url, resource: resource, clock: clock)
    collector.headers = export.headers
    collector.timeout = export.timeout
    collector.metricsInterval = export.metricsInterval
    if let drain = export.drain { collector.drain = drain }
    collector.proxy = proxy
    if let caFile { collector.trust.files.append(caFile) }
    return collector
  }

  /// Sends an empty export to the collector. Blocks. Returns the collector's host, and the reason why it does not
  /// accept exports (nil if it does); nil if nothing is exported.
  package func tryCollector(clock: any Clock) -> (host: String, objection: String?)? {
    guard let collector = collector(node: HostName.current, clock: clock) else { return nil }
    return (collector.url.host, CollectorTrial.objection(collector))
  }
}
