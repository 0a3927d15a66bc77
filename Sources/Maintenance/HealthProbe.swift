internal import HTTPClient
internal import Reactor
package import Server
internal import TLS

/// Requests the health of the server on this machine, for the health checks of containers and monitors.
///
/// Connects to the address in `UPMC_LISTEN`, with TLS and the PROXY protocol if the server expects them. Does not
/// verify the certificate, because an expired certificate must not cause a restart of a process that serves (Decision
/// 127).
package struct HealthProbe {
  /// The server's response.
  package struct Answer: Equatable, Sendable {
    /// HTTP status, for example 200.
    package let status: Int
    /// JSON with the server's state.
    package let body: String
    /// URL of the request, for messages: `http://127.0.0.1:8080/health`.
    package let url: String
  }

  /// Error: the server sent no response. The description says where and why.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let configuration: Configuration

  package init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// Requests a path from the server and returns its answer.
  /// - Parameters:
  ///   - path: `/health` or `/ready`.
  ///   - timeout: for the whole request.
  package func ask(_ path: String, within timeout: Duration) throws -> Answer {
    let (host, port) = (Self.reachable(configuration.listenHost), configuration.listenPort)
    let listening = configuration.listening
    let url =
      "\(listening.certificateFile == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    guard port != 0 else {
      throw Failure(description: "UPMC_LISTEN names no port, so the server chose one that only its log knows. Set one.")
    }
    do {
      var options = HTTPClient.Configuration()
      options.timeout = timeout
      let origin = try HTTPOrigin(host: host, port: port)
      if let ip = origin.address.ip { options.preamble = listening.probePreamble(from: ip) }
      if listening.certificateFile != nil {
        options.security = HTTPClientSecurity(context: try .unverifiedClient(protocols: ["http/1.1"]), serverName: host)
      }
      let client = try HTTPClient.Blocking(origin, configuration: options)
      let response = try client.send(HTTPRequest("GET", path))
      return Answer(status: response.status, body: String(decoding: response.body, as: UTF8.self), url: url)
    } catch {
      throw Failure(description: "\(url) does not answer: \(error). Is the server running, with this UPMC_LISTEN?")
    }
  }

  /// Returns the host to connect to on this machine: the loopback address if the server listens on all addresses,
  /// otherwise `host` itself.
  private static func reachable(_ host: String) -> String {
    switch host {
    case "", "0.0.0.0": "127.0.0.1"
    case "::": "::1"
    default: host
    }
  }
}
