package import Reactor

/// One tunnel, opened to see whether it opens, and given back at once: for whoever waits, such as the command line. Nothing
/// is said to the server behind it.
package final class TunnelTrial: EventLoop.Handler {
  private let loop: EventLoop
  private var socket: Socket?
  private var request: TunnelRequest?
  private let tunnel: ProxyTunnel
  private var isConnected = false
  /// Empty: the tunnel opened.
  private var outcome: String?

  private init(_ tunnel: ProxyTunnel, to address: SocketAddress, _ loop: EventLoop) throws(SystemError) {
    self.loop = loop
    self.tunnel = tunnel
    request = TunnelRequest(tunnel)
    socket = try Socket.connect(to: address)
  }

  /// Why there is no way through the proxy to a server; nil when there is. Blocks, and looks the proxy's name up.
  package static func objection(to tunnel: ProxyTunnel, patience: Duration) -> String? {
    do throws(SystemError) {
      guard let address = try SocketAddress.resolve(host: tunnel.proxy.host, port: tunnel.proxy.port).first else {
        return tunnel.naming("its name leads to no address")
      }
      let loop = try EventLoop()
      return try TunnelTrial(tunnel, to: address, loop).run(patience)
    } catch {
      return tunnel.naming(error)
    }
  }

  private func run(_ patience: Duration) throws(SystemError) -> String? {
    guard let descriptor = socket?.descriptor else { return nil }
    let registration = try loop.register(descriptor, interest: .writable, handler: self)
    defer { loop.deregister(registration) }
    let deadline = loop.clock.now + patience
    while outcome == nil, loop.clock.now < deadline {
      loop.turn(atMost: deadline - loop.clock.now)
      loop.update(registration, interest: isConnected ? .readable : .writable)
    }
    guard let outcome else { return "the proxy \(tunnel.proxy) does not answer" }
    return outcome.isEmpty ? nil : outcome
  }

  package func ready(_ readiness: Readiness) {
    let code = socket?.connectError ?? 0
    guard isConnected || code == 0 else {
      outcome = tunnel.naming(SystemError(code: code, operation: "connect", subject: "\(tunnel.proxy)"))
      return
    }
    isConnected = true
    switch socket?.advance(&request) {
    case .open: outcome = ""
    case .failed(let reason): outcome = reason
    case .incomplete, nil: break
    }
  }
}
