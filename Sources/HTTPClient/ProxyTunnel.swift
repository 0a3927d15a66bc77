package import Reactor

/// The description of a tunnel through the proxy to one server. Each connection opens its own.
package struct ProxyTunnel: Hashable, Sendable {
  package let proxy: OutboundProxy
  /// The target of CONNECT: `host:port`.
  package let authority: String

  /// Adds the proxy's name to the reason of a failure between this server and the proxy.
  package func naming(_ reason: some CustomStringConvertible) -> String { "the proxy \(proxy): \(reason)" }

  private static let beginning = "through the proxy "

  /// Adds the proxy's name to the reason of a failure beyond the proxy, which may be its cause; returns the reason
  /// unchanged without a tunnel.
  package static func behind(_ tunnel: ProxyTunnel?, _ reason: String) -> String {
    tunnel.map { "\(beginning)\($0.proxy): \(reason)" } ?? reason
  }

  /// Removes the text that `behind` has added, for tenants, who must not learn the proxy's name.
  package static func withoutProxy(_ reason: String) -> String {
    guard reason.hasPrefix(beginning), let end = reason.firstRange(of: ": ") else { return reason }
    return String(reason[end.upperBound...])
  }

  /// Limits of a tunnel.
  package enum Limits {
    /// Maximum size in bytes of the head of the response to CONNECT; proxies send a few hundred.
    static let headBytes = 16_384
    /// Timeout of opening a tunnel in seconds, during which the proxy has to connect to the server.
    package static let seconds: Int64 = 10
    /// Maximum number of 1xx responses before the response to CONNECT.
    package static let announcements = 4
  }
}

extension OutboundProxy {
  /// Returns the tunnel to a server given by name, which is not resolved here. Nil if the exceptions bypass the proxy.
  package func tunnel(to host: String, port: UInt16) -> ProxyTunnel? {
    guard !isException(host) else { return nil }
    return ProxyTunnel(proxy: self, authority: Self.authority(host, port))
  }

  /// Tunnels to the proxy's own machine. `upmc doctor` checks that the proxy refuses them, because tenants' webhooks
  /// could misuse them.
  package var tunnelsToItself: [ProxyTunnel] {
    [("localhost", port), ("localhost", 443), ("127.0.0.1", 443)].map { host, port in
      ProxyTunnel(proxy: self, authority: Self.authority(host, port))
    }
  }

  /// Returns the tunnel to an address that `host` resolved to. Nil if the exceptions for the name or the address bypass
  /// the proxy.
  package func tunnel(to address: SocketAddress, of host: String) -> ProxyTunnel? {
    guard !isException(host), address.ip.map(isException) != true else { return nil }
    return ProxyTunnel(proxy: self, authority: address.description)
  }
}

/// A CONNECT exchange on a socket that is connected to the proxy: sends the request and reads the head of the response.
/// Once `open`, bytes on the socket go to the server.
///
/// Parsing is strict, because otherwise the proxy's bytes could be taken for the server's: the response must be a
/// complete HTTP head with CR LF and limited length, and no byte may follow it before we have sent something.
package struct TunnelRequest {
  package enum Step: Equatable {
    case open
    case incomplete(until: Readiness)
    case failed(TunnelFault)
  }

  private let tunnel: ProxyTunnel
  private let request: [UInt8]
  private var sent = 0
  private var answer: [UInt8] = []
  /// The offset of the current head, after those of 1xx responses.
  private var start = 0
  private var announcements = 0

  package init(_ tunnel: ProxyTunnel) {
    self.tunnel = tunnel
    var head = "CONNECT \(tunnel.authority) HTTP/1.1\r\nHost: \(tunnel.authority)\r\n"
    if let authorization = tunnel.proxy.authorization { head += "Proxy-Authorization: \(authorization)\r\n" }
    request = Array((head + "\r\n").utf8)
  }

  /// Sends and reads as far as the socket allows. Call again when it is ready.
  package mutating func advance(over socket: borrowing Socket) -> Step {
    while sent < request.count {
      switch socket.send(request, from: sent) {
      case .bytes(let count): sent += count
      case .wouldBlock: return .incomplete(until: .writable)
      case .endOfStream, .failed: return failed("the proxy \(tunnel.proxy) broke the connection before it was asked")
      }
    }
    let room = ProxyTunnel.Limits.headBytes + 1 - answer.count
    switch socket.receive(appendingTo: &answer, atMost: room) {
    case .bytes: return read() ?? .incomplete(until: .readable)
    case .wouldBlock: return .incomplete(until: .readable)
    case .endOfStream, .failed:
      return failed("the proxy \(tunnel.proxy) broke the connection instead of answering CONNECT")
    }
  }

  private func failed(_ reason: String, status: Int? = nil) -> Step {
    .failed(TunnelFault(reason: reason, status: status))
  }

  /// Parses the response; nil while its head is incomplete. For a refusal, the status line suffices.
  private mutating func read() -> Step? {
    while true {
      let beginning = Array("HTTP/1.".utf8)
      let rest = answer[start...]
      guard rest.prefix(beginning.count).elementsEqual(beginning.prefix(rest.count)) else {
        return failed("what answers at \(tunnel.proxy) is no HTTP proxy")
      }
      do throws(MalformedResponse) {
        let line = answer.span.endOfLine(from: start)
        if line < answer.count {
          let status = try ResponseHead(answer.span.extracting(start..<line)).status
          let isAnnouncement = (100..<200).contains(status) && status != 101
          guard isAnnouncement || (200..<300).contains(status) else {
            return failed(words(for: status), status: status)
          }
        }
        guard let end = answer.span.endOfHead(from: start), end + 4 <= ProxyTunnel.Limits.headBytes else {
          guard answer.count > ProxyTunnel.Limits.headBytes else { return nil }
          return failed("the proxy \(tunnel.proxy) answers CONNECT with a head without end")
        }
        let head = try ResponseHead(answer.span.extracting(start..<end))
        start = end + 4
        if head.status >= 200 { break }
      } catch {
        return failed("the answer of the proxy \(tunnel.proxy) to CONNECT is no HTTP: \(error.reason)")
      }
      announcements += 1
      guard announcements <= ProxyTunnel.Limits.announcements else {
        return failed("the proxy \(tunnel.proxy) announces an answer to CONNECT again and again")
      }
    }
    guard answer.count == start else {
      return failed("the proxy \(tunnel.proxy) says more than that the tunnel is open")
    }
    return .open
  }

  private func words(for status: Int) -> String {
    let (proxy, server) = ("the proxy \(tunnel.proxy)", tunnel.authority)
    return switch status {
    // Some proxies answer 401 instead of 407 to a wrong password.
    case 401, 407:
      tunnel.proxy.authorization == nil
        ? "\(proxy) asks for a user and a password (\(status)): give them in UPMC_PROXY_URL"
        : "\(proxy) does not take the user and password of UPMC_PROXY_URL (\(status))"
    case 403: "\(proxy) refuses \(server) (403): have it allow that host and port"
    case 400, 405, 501: "\(proxy) does not take CONNECT to \(server) (\(status))"
    case 500, 502: "\(proxy) cannot reach \(server) (\(status))"
    case 503: "\(proxy) is busy, or cannot reach \(server) (503)"
    case 504: "\(proxy) waited in vain for \(server) (504)"
    default: "\(proxy) answers CONNECT to \(server) with \(status)"
    }
  }
}

extension Socket {
  /// Advances the tunnel request; returns nil if there is none. Drops the request, which contains the password, once it
  /// is answered.
  package borrowing func advance(_ request: inout TunnelRequest?) -> TunnelRequest.Step? {
    let step = request?.advance(over: self)
    if step == .open { request = nil }
    return step
  }
}
