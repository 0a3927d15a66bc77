package import Reactor

/// The tunnel to one server through the proxy. Each connection opens its own.
package struct ProxyTunnel: Hashable, Sendable {
  package let proxy: OutboundProxy
  /// The target of CONNECT: `host:port`.
  package let authority: String

  /// Prefixes the reason of a failure between us and the proxy with the proxy's name.
  package func naming(_ reason: some CustomStringConvertible) -> String { "the proxy \(proxy): \(reason)" }

  private static let beginning = "through the proxy "

  /// Prefixes the reason of a failure behind an open tunnel, if there is one, with the proxy's name: it may be the
  /// cause.
  package static func behind(_ tunnel: ProxyTunnel?, _ reason: String) -> String {
    tunnel.map { "\(beginning)\($0.proxy): \(reason)" } ?? reason
  }

  /// Removes what `behind` added, for readers who must not learn the proxy's name.
  package static func withoutProxy(_ reason: String) -> String {
    guard reason.hasPrefix(beginning), let end = reason.firstRange(of: ": ") else { return reason }
    return String(reason[end.upperBound...])
  }

  /// Tunnel limits: unit, reason.
  package enum Limits {
    /// Maximum head of the response to CONNECT, in bytes: proxies send a few hundred.
    package static let headBytes = 16_384
    /// Seconds that a proxy may take to open a tunnel: it has to connect itself.
    package static let seconds: Int64 = 10
    /// Maximum 1xx responses before the response to CONNECT.
    package static let announcements = 4
  }
}

extension OutboundProxy {
  /// The tunnel to a server named by host; the name is not resolved here. Nil if exceptions bypass the proxy.
  package func tunnel(to host: String, port: UInt16) -> ProxyTunnel? {
    guard !isException(host) else { return nil }
    return ProxyTunnel(proxy: self, authority: Self.authority(host, port))
  }

  /// Tunnels to the proxy's own machine; tenants must find none of them open.
  package var tunnelsToItself: [ProxyTunnel] {
    [("localhost", port), ("localhost", 443), ("127.0.0.1", 443)].map { host, port in
      ProxyTunnel(proxy: self, authority: Self.authority(host, port))
    }
  }

  /// The tunnel to an address that `host` resolved to. Nil if exceptions for the name or the address bypass the proxy.
  package func tunnel(to address: SocketAddress, of host: String) -> ProxyTunnel? {
    guard !isException(host), address.ip.map(isException) != true else { return nil }
    return ProxyTunnel(proxy: self, authority: address.description)
  }
}

/// A CONNECT exchange over a socket that has connected to the proxy: sends the request and reads the response to the
/// end of its head. Once `open`, the socket talks to the server.
///
/// Parsing is strict, because a server could take anything else for a part of what follows: the response is a complete
/// HTTP head with CR LF, bounded, and no byte may follow the head that opens the tunnel before we have sent something.
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
  /// Offset of the current head, after those of 1xx responses.
  private var start = 0
  private var announcements = 0

  package init(_ tunnel: ProxyTunnel) {
    self.tunnel = tunnel
    var head = "CONNECT \(tunnel.authority) HTTP/1.1\r\nHost: \(tunnel.authority)\r\n"
    if let authorization = tunnel.proxy.authorization { head += "Proxy-Authorization: \(authorization)\r\n" }
    request = Array((head + "\r\n").utf8)
  }

  /// Continues as far as the socket allows. Call again when it is ready.
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

  /// Nil while the head is incomplete. For a refusal the status line is enough.
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
    // Some proxies send 401 for a wrong password.
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
  /// Advances the tunnel request; nil if there is none. Drops the request, and the password in it, once it is answered.
  package borrowing func advance(_ request: inout TunnelRequest?) -> TunnelRequest.Step? {
    let step = request?.advance(over: self)
    if step == .open { request = nil }
    return step
  }
}
