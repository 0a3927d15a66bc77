internal import Domain
internal import HTTPClient
internal import Operations
internal import Reactor
internal import TLS

/// Calls the identity provider over HTTP/1.1, through the outbound proxy if one is configured. Each call has a
/// connection of its own, because people sign in only a few times a day.
struct IdentityProviderCaller: IdentityProviderCalls {
  private let proxy: OutboundProxy?
  private let caFile: String?

  /// Timeout from the look-up to the complete answer; short, because a person waits.
  private static let timeout = Duration.seconds(10)
  /// Maximum size of an answer in bytes. A discovery document has some kilobytes, and a large key set some tens.
  private static let answerBytes = 262_144

  init(_ configuration: Configuration) {
    proxy = configuration.proxy
    caFile = configuration.caFile
  }

  func get(_ url: String) throws(Problem) -> IdentityProviderAnswer {
    try send("GET", url, headers: [], body: [])
  }

  func post(_ url: String, form: String, authorization: String?) throws(Problem) -> IdentityProviderAnswer {
    var headers = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
    if let authorization { headers.append((name: "Authorization", value: authorization)) }
    return try send("POST", url, headers: headers, body: Array(form.utf8))
  }

  private func send(
    _ method: String, _ text: String, headers: [(name: String, value: String)], body: [UInt8]
  ) throws(Problem) -> IdentityProviderAnswer {
    do {
      guard let url = HTTPURL(text) else { throw Fault(description: "this is no address") }
      var request = HTTPRequest(method, url.target, headers: headers, body: body)
      request.headers.append((name: "Accept", value: "application/json"))
      let response = try client(url).send(request)
      return IdentityProviderAnswer(status: response.status, body: response.body)
    } catch {
      // The message contains neither the code nor the secret, which are in the request's body.
      throw Problem(.identityProviderAway, "The identity provider does not answer at \(text): \(error).")
    }
  }

  private struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  private func client(_ url: HTTPURL) throws -> HTTPClient.Blocking {
    var options = HTTPClient.Configuration()
    options.connections = 1
    options.timeout = Self.timeout
    options.bodyBytes = Self.answerBytes
    options.tunnel = proxy?.tunnel(to: url.host, port: url.port)
    if url.isSecure {
      var trust = TLSContext.Trust()
      if let caFile { trust.files.append(caFile) }
      options.security = HTTPClientSecurity(
        context: try .client(trust: trust, protocols: ["http/1.1"]), serverName: url.host)
    }
    let resolved = try HTTPOrigin(host: url.host, port: url.port, through: options.tunnel)
    // The Host header omits the scheme's default port.
    let name = url.host.contains(":") ? "[\(url.host)]" : url.host
    let host = url.port == (url.isSecure ? 443 : 80) ? name : "\(name):\(url.port)"
    return try HTTPClient.Blocking(HTTPOrigin(host: host, addresses: resolved.addresses), configuration: options)
  }
}
