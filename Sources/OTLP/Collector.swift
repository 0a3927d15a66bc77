internal import HTTPClient
internal import TLS

/// The connection to the collector. Its calls block the exporter's thread. It resolves the host name again after a
/// failure.
final class Collector {
  private let configuration: OTLPConfiguration
  private var client: HTTPClient.Blocking?
  /// The TLS context, kept between requests, because loading the system's certificate authorities is slow.
  private var context: TLSContext?

  init(_ configuration: OTLPConfiguration) {
    self.configuration = configuration
  }

  /// Posts a request body of one signal (`traces` or `metrics`), and returns what the collector's response means.
  func send(_ signal: String, _ body: [UInt8], within timeout: Duration) -> CollectorAnswer {
    var request = HTTPRequest(
      "POST", configuration.target(signal),
      headers: [("Content-Type", "application/json"), ("User-Agent", configuration.resource.userAgent)]
        + configuration.headers, body: body)
    // A dead kept-alive connection says nothing about the request, so retry on a new one.
    request.isRepeatable = true
    do {
      return .of(.success(try connected().send(request, timeout: timeout)))
    } catch {
      client = nil
      return .of(.failure(error as? HTTPClientError ?? .unreachable("\(error)")))
    }
  }

  private func connected() throws -> HTTPClient.Blocking {
    if let client { return client }
    let url = configuration.url
    var options = HTTPClient.Configuration()
    options.connections = 1
    options.timeout = configuration.timeout
    options.bodyBytes = OTLPLimits.answerBytes
    options.tunnel = configuration.proxy?.tunnel(to: url.host, port: url.port)
    if url.isSecure {
      let context = try context ?? TLSContext.client(trust: configuration.trust, protocols: ["http/1.1"])
      self.context = context
      options.security = HTTPClientSecurity(context: context, serverName: url.host)
    }
    let made = try HTTPClient.Blocking(
      HTTPOrigin(host: url.host, port: url.port, through: options.tunnel), configuration: options)
    client = made
    return made
  }
}
