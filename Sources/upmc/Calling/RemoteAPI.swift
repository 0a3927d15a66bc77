internal import Domain
internal import HTTPClient
internal import JSON
internal import Reactor
internal import Server
internal import TLS

/// The admin API of a server, over HTTP.
struct RemoteAPI: AdminAPI {
  private let url: HTTPURL
  private let client: HTTPClient.Blocking
  private let apiKey: String
  let name: String

  /// Timeout of a request; long, because counting the audience of a campaign takes time.
  private static let patience: Duration = .seconds(120)
  /// Maximum size of a response in bytes; large, because an export is one response.
  private static let answerBytes = 1 << 30

  /// Creates the API of a server.
  /// - Throws: `CommandError` if the address or the API key is malformed, or the address cannot be resolved.
  init(_ address: String, apiKey: String, _ configuration: Configuration) throws {
    guard let url = HTTPURL(address) else {
      throw CommandError("\(address) is no server's address. Write https://host, with a port or a path if needed.")
    }
    self.url = url
    self.apiKey = apiKey
    name = address
    guard !apiKey.isEmpty, apiKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw CommandError("The API key for \(address) is empty or no key. `upmc key create` makes one, on the server.")
    }
    if !url.isSecure, !Self.isHere(url.host) {
      Output.complain("\(address) is not https: whoever is on the way can read the API key.")
    }
    do {
      var options = HTTPClient.Configuration()
      options.timeout = Self.patience
      options.bodyBytes = Self.answerBytes
      if url.isSecure {
        var trust = TLSContext.Trust()
        if let file = configuration.caFile { trust.files.append(file) }
        options.security = HTTPClientSecurity(
          context: try .client(trust: trust, protocols: ["http/1.1"]), serverName: url.host)
      }
      client = try HTTPClient.Blocking(try Self.origin(url), configuration: options)
    } catch {
      throw CommandError("\(address) cannot be reached: \(error). Is the address right?")
    }
  }

  /// Returns the server's origin, whose `Host` value omits the default port.
  private static func origin(_ url: HTTPURL) throws -> HTTPOrigin {
    let origin = try HTTPOrigin(host: url.host, port: url.port)
    guard url.isSecure, url.port == 443 else { return origin }
    return HTTPOrigin(host: url.host.contains(":") ? "[\(url.host)]" : url.host, addresses: origin.addresses)
  }

  private static func isHere(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  func answer(_ request: AdminRequest) throws -> Answer {
    let response = try send(request)
    let answer = try Answer(status: response.status, body: response.body, from: name)
    guard answer.status >= 400 else { return answer }
    throw Refusal(answer)
  }

  func download(_ request: AdminRequest, _ piece: ([UInt8]) -> Void) throws {
    let response = try send(request)
    guard response.status >= 400 else { return piece(response.body) }
    throw Refusal(try Answer(status: response.status, body: response.body, from: name))
  }

  private func send(_ request: AdminRequest) throws -> HTTPResponse {
    var base = url.target
    while base.hasSuffix("/") { base.removeLast() }
    let target = base + request.path + (request.query.isEmpty ? "" : "?\(request.query)")
    let headers = request.headers + [(name: "authorization", value: "Bearer \(apiKey)")]
    let response: HTTPResponse
    do throws(HTTPClientError) {
      response = try client.send(HTTPRequest(request.method.rawValue, target, headers: headers, body: request.body))
    } catch {
      throw CommandError(Self.sentence(error, name, request))
    }
    guard !(300..<400).contains(response.status) else {
      throw CommandError(
        "\(name) redirects to \(response.header("location") ?? "elsewhere"). Give the address that it redirects to.")
    }
    return response
  }

  private static func sentence(_ error: HTTPClientError, _ name: String, _ request: AdminRequest) -> String {
    switch error {
    case .unreachable, .noTunnel, .refused, .closed: "\(name) cannot be reached: \(error). Is the address right?"
    case .lost, .timedOut, .malformed:
      request.method == .get
        ? "\(name) gave no answer: \(error). Try again."
        : "\(name) gave no answer: \(error). It may have been carried out: look before you repeat it."
    }
  }
}
