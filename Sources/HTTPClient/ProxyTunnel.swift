package import Reactor

/// The way to one server through the proxy: each connection asks for a tunnel of its own.
package struct ProxyTunnel: Hashable, Sendable {
  package let proxy: OutboundProxy
  /// What CONNECT names: `host:port`.
  package let authority: String

  /// What went wrong on this way: the sentence's end, with the proxy in front.
  package func naming(_ reason: some CustomStringConvertible) -> String { "the proxy \(proxy): \(reason)" }

  private static let beginning = "through the proxy "

  /// What went wrong behind an open tunnel, where there is one: it may be the proxy's doing.
  package static func behind(_ tunnel: ProxyTunnel?, _ reason: String) -> String {
    tunnel.map { "\(beginning)\($0.proxy): \(reason)" } ?? reason
  }

  /// What `behind` was told, for those who must not read which proxy it was.
  package static func withoutProxy(_ reason: String) -> String {
    guard reason.hasPrefix(beginning), let end = reason.firstRange(of: ": ") else { return reason }
    return String(reason[end.upperBound...])
  }

  /// Numbers of tunnels: unit, reason.
  package enum Limits {
    /// Bytes of the head that answers CONNECT: what proxies say there fits in a few hundred.
    package static let headBytes = 16_384
    /// Seconds that a proxy may take to open a tunnel: it has to connect itself.
    package static let seconds: Int64 = 10
    /// Announcements (1xx) before the answer to CONNECT.
    package static let announcements = 4
  }
}

extension OutboundProxy {
  /// The way to a server that goes by its name, which nobody looks up here. Nil where it is called without the proxy.
  package func tunnel(to host: String, port: UInt16) -> ProxyTunnel? {
    guard !isException(host) else { return nil }
    return ProxyTunnel(proxy: self, authority: Self.authority(host, port))
  }

  /// Ways to the proxy's own machine, none of which a tenant should find open.
  package var tunnelsToItself: [ProxyTunnel] {
    [("localhost", port), ("localhost", 443), ("127.0.0.1", 443)].map { host, port in
      ProxyTunnel(proxy: self, authority: Self.authority(host, port))
    }
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
    case failed(TunnelFault)
  }

  private let tunnel: ProxyTunnel
  private let request: [UInt8]
  private var sent = 0
  private var answer: [UInt8] = []
  /// Where in it the present head begins: behind those that only announced it.
  private var start = 0
  private var announcements = 0

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

  /// Nil while the head is not whole. Of a refusal the status line is enough.
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
  /// Goes on with asking for a tunnel; nil when none is asked for. The question, and the password in it, is forgotten once
  /// it is answered.
  package borrowing func advance(_ request: inout TunnelRequest?) -> TunnelRequest.Step? {
    let step = request?.advance(over: self)
    if step == .open { request = nil }
    return step
  }
}
