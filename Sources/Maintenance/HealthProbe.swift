internal import HTTPClient
internal import Reactor
package import Server
internal import TLS

/// Asks the server on this machine whether it serves: what a container's or a monitor's health check runs.
///
/// Connects as `UPMC_LISTEN` says, with TLS and the PROXY protocol where the server expects them. The certificate is not
/// verified: the probe asks whether this process serves, and a certificate that has ended must not restart it
/// (Decision 127).
package struct HealthProbe {
  /// What the server answered.
  package struct Answer: Equatable, Sendable {
    /// For example 200.
    package let status: Int
    /// JSON that says how the server is.
    package let body: String
    /// `http://127.0.0.1:8080/health`, for messages.
    package let url: String
  }

  /// Nobody answered; one sentence that says where and why.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let configuration: Configuration

  package init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// - Parameters:
  ///   - path: `/health` or `/ready`.
  ///   - timeout: in all.
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

  /// Where a server that listens on every address can be reached from its own machine.
  private static func reachable(_ host: String) -> String {
    switch host {
    case "", "0.0.0.0": "127.0.0.1"
    case "::": "::1"
    default: host
    }
  }
}
