internal import Domain
internal import HTTPClient
internal import OTLP
package import Reactor
internal import TLS

/// The exporter's settings, from the server's.
extension Configuration {
  /// Nil if nothing is exported.
  /// - Parameter node: tells the nodes of one installation apart.
  func collector(node: String, clock: any Clock) -> OTLPConfiguration? {
    guard let export else { return nil }
    let resource = OTLPResource(
      name: Product.name, version: Product.version, instance: node, host: HostName.current)
    var collector = OTLPConfiguration(url: export.url, resource: resource, clock: clock)
    collector.headers = export.headers
    collector.timeout = export.timeout
    collector.metricsInterval = export.metricsInterval
    collector.proxy = proxy
    if let caFile { collector.trust.files.append(caFile) }
    return collector
  }

  /// What the collector says to an empty export. Blocks.
  /// - Returns: its host and why it does not take exports (nil: it does); nil if nothing is exported.
  package func tryCollector(clock: any Clock) -> (host: String, objection: String?)? {
    guard let collector = collector(node: HostName.current, clock: clock) else { return nil }
    return (collector.url.host, CollectorTrial.objection(collector))
  }
}
