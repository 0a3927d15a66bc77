package import Reactor

/// Opens a tunnel as a test and closes it at once. Blocks; used by the command line, for example. Sends nothing to the
/// server.
package final class TunnelTrial: EventLoop.Handler {
  private let loop: EventLoop
  private var socket: Socket?
  private var request: TunnelRequest?
  private let tunnel: ProxyTunnel
  private var isConnected = false
  private var isOpen = false
  private var fault: TunnelFault?

  private init(_ tunnel: ProxyTunnel, to address: SocketAddress, _ loop: EventLoop) throws(SystemError) {
    self.loop = loop
    self.tunnel = tunnel
    request = TunnelRequest(tunnel)
    socket = try Socket.connect(to: address)
  }

  /// Returns the reason why no tunnel can be opened; nil if one can. Resolves the proxy's name and tries its addresses
  /// in turn. After the look-up, blocks for at most the time that a proxy may take to open a tunnel.
  package static func fault(of tunnel: ProxyTunnel) -> TunnelFault? {
    var fault = TunnelFault(reason: tunnel.naming("its name leads to no address"))
    do throws(SystemError) {
      var addresses = try SocketAddress.resolve(host: tunnel.proxy.host, port: tunnel.proxy.port)[...]
      let loop = try EventLoop()
      let deadline = loop.clock.now + .seconds(ProxyTunnel.Limits.seconds)
      while let address = addresses.popFirst() {
        // Divide the remaining time, so that an unresponsive address leaves some for the others.
        let timeout = (deadline - loop.clock.now) / (addresses.count + 1)
        guard let found = attempt(tunnel, address, loop, timeout) else { return nil }
        fault = found
        if found.status != nil { break }
      }
    } catch {
      fault = TunnelFault(reason: tunnel.naming(error))
    }
    return fault
  }

  private static func attempt(
    _ tunnel: ProxyTunnel, _ address: SocketAddress, _ loop: EventLoop, _ timeout: Duration
  ) -> TunnelFault? {
    do throws(SystemError) {
      return try TunnelTrial(tunnel, to: address, loop).run(timeout)
    } catch {
      return TunnelFault(reason: tunnel.naming(error))
    }
  }

  private func run(_ timeout: Duration) throws(SystemError) -> TunnelFault? {
    guard let descriptor = socket?.descriptor else { return nil }
    let registration = try loop.register(descriptor, interest: .writable, handler: self)
    defer { loop.deregister(registration) }
    let deadline = loop.clock.now + timeout
    while !isOpen, fault == nil, loop.clock.now < deadline {
      loop.turn(atMost: deadline - loop.clock.now)
      loop.update(registration, interest: isConnected ? .readable : .writable)
    }
    if isOpen { return nil }
    return fault ?? TunnelFault(reason: "the proxy \(tunnel.proxy) does not answer")
  }

  package func ready(_ readiness: Readiness) {
    let code = socket?.connectError ?? 0
    guard isConnected || code == 0 else {
      let error = SystemError(code: code, operation: "connect", subject: "\(tunnel.proxy)")
      fault = TunnelFault(reason: tunnel.naming(error))
      return
    }
    isConnected = true
    switch socket?.advance(&request) {
    case .open: isOpen = true
    case .failed(let reason): fault = reason
    case .incomplete, nil: break
    }
  }
}
