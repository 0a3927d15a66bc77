package import Reactor

/// The way to one server through the proxy: each connection asks for a tunnel of its own.
package struct ProxyTunnel: Hashable, Sendable {
  package let proxy: OutboundProxy
  /// What CONNECT names: `host:port`.
  package let authority: String

  /// What went wrong on this way: the sentence's end, with the proxy in front.
  package func naming(_ reason: some CustomStringConvertible) -> String { "the proxy \(proxy): \(reason)" }

  /// Numbers of tunnels: unit, reason.
  package enum Limits {
    /// Bytes of the head that answers CONNECT: what proxies say there fits in a few hundred.
    package static let headBytes = 16_384
    /// Seconds that a proxy may take to open a tunnel: it has to connect itself.
    package static let seconds: Int64 = 10
  }
}

extension OutboundProxy {
  /// The way to a server that goes by its name, which nobody looks up here. Nil where it is called without the proxy.
  package func tunnel(to host: String, port: UInt16) -> ProxyTunnel? {
    guard !isException(host) else { return nil }
    return ProxyTunnel(proxy: self, authority: Self.authority(host, port))
  }

  /// The way to the proxy's own machine, which no tenant should find open.
  package var tunnelToItself: ProxyTunnel {
    ProxyTunnel(proxy: self, authority: Self.authority("localhost", port))
  }

  /// The way to an address that a name was found to stand for. Nil where name or address are called without the proxy.
  package func tunnel(to address: SocketAddress, of host: String) -> ProxyTunnel? {
    guard !isException(host), address.ip.map(isException) != true else { return nil }
    return ProxyTunnel(proxy: self, authority: address.description)
  }
}

/// The question for a tunnel, asked over a socket whose connect to the proxy has succeeded: the request goes out, and the
/// answer is read to the end of its head. Once `open`, the socket speaks with the server.
///
/// The answer is read strictly, for a server could take anything else for a part of what follows: a whole HTTP head with
/// CR LF, bounded, and after the one that opens the tunnel not a byte before we have said something.
package struct TunnelRequest {
  package enum Step: Equatable {
    case open
    case incomplete(until: Readiness)
    /// One sentence's end that names the proxy, never its password.
    case failed(String)
  }

  private let tunnel: ProxyTunnel
  private let request: [UInt8]
  private var sent = 0
  private var answer: [UInt8] = []

  package init(_ tunnel: ProxyTunnel) {
    self.tunnel = tunnel
    var head = "CONNECT \(tunnel.authority) HTTP/1.1\r\nHost: \(tunnel.authority)\r\n"
    if let authorization = tunnel.proxy.authorization { head += "Proxy-Authorization: \(authorization)\r\n" }
    request = Array((head + "\r\n").utf8)
  }

  /// Goes on as far as the socket allows. Call it again when it is ready.
  package mutating func advance(over socket: borrowing Socket) -> Step {
    while sent < request.count {
      switch socket.send(request, from: sent) {
      case .bytes(let count): sent += count
      case .wouldBlock: return .incomplete(until: .writable)
      case .endOfStream, .failed: return .failed("the proxy \(tunnel.proxy) broke the connection before it was asked")
      }
    }
    let room = ProxyTunnel.Limits.headBytes + 1 - answer.count
    switch socket.receive(appendingTo: &answer, atMost: room) {
    case .bytes: return read() ?? .incomplete(until: .readable)
    case .wouldBlock: return .incomplete(until: .readable)
    case .endOfStream, .failed:
      return .failed("the proxy \(tunnel.proxy) broke the connection instead of answering CONNECT")
    }
  }

  /// Nil while the head is not whole.
  private func read() -> Step? {
    let beginning = Array("HTTP/1.".utf8)
    guard answer.prefix(beginning.count).elementsEqual(beginning.prefix(answer.count)) else {
      return .failed("what answers at \(tunnel.proxy) is no HTTP proxy")
    }
    guard let end = answer.span.endOfHead(from: 0), end + 4 <= ProxyTunnel.Limits.headBytes else {
      guard answer.count > ProxyTunnel.Limits.headBytes else { return nil }
      return .failed("the proxy \(tunnel.proxy) answers CONNECT with a head without end")
    }
    do throws(ResponseParser.Failure) {
      let head = try ResponseHead(answer.span.extracting(0..<end))
      guard (200..<300).contains(head.status) else { return .failed(words(for: head.status)) }
    } catch {
      return .failed("the answer of the proxy \(tunnel.proxy) to CONNECT is no HTTP: \(error.reason)")
    }
    guard answer.count == end + 4 else {
      return .failed("the proxy \(tunnel.proxy) says more than that the tunnel is open")
    }
    return .open
  }

  private func words(for status: Int) -> String {
    let (proxy, server) = ("the proxy \(tunnel.proxy)", tunnel.authority)
    return switch status {
    // Some say 401 of a password that is wrong.
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
  /// Goes on with asking for a tunnel; nil when none is asked for.
  package borrowing func advance(_ request: inout TunnelRequest?) -> TunnelRequest.Step? {
    request?.advance(over: self)
  }
}
