internal import Glibc
internal import Reactor

/// The listening sockets of HTTP and metrics. They are bound before anything else starts, so an unusable address ends
/// the start early. Clients that connect meanwhile wait until the loops take over.
final class Listeners {
  let http: SocketAddress
  let metrics: SocketAddress?
  private var httpDescriptors: [Int32] = []
  private var metricsDescriptor: Int32?

  /// Binds the sockets and starts to listen.
  /// - Parameter loops: number of loops that share the HTTP address.
  /// - Throws: `ServerError`, which names the variable and says what is wrong with the address and what to do.
  init(_ configuration: Configuration, loops: Int = 1) throws(ServerError) {
    let name = "UPMC_LISTEN"
    let first = try Self.listen(name, configuration.listenHost, configuration.listenPort, reusePort: loops > 1)
    guard let http = first.localAddress else { throw ServerError("The listening socket has no address.") }
    self.http = http
    httpDescriptors = [first.release()]
    if let (host, port) = configuration.metricsListen {
      let socket = try Self.listen("UPMC_METRICS_LISTEN", host, port, reusePort: false)
      metrics = socket.localAddress
      metricsDescriptor = socket.release()
    } else {
      metrics = nil
    }
    for _ in 1..<max(loops, 1) {
      httpDescriptors.append(
        try Self.listen(name, configuration.listenHost, at: http, port: http.port, reusePort: true).release())
    }
  }

  deinit { for descriptor in httpDescriptors + [metricsDescriptor].compactMap({ $0 }) { _ = close(descriptor) } }

  /// Returns the HTTP sockets, one per loop. The caller must close them.
  func takeHTTP() -> [Int32] {
    defer { httpDescriptors = [] }
    return httpDescriptors
  }

  /// Returns the metrics socket, which the caller must close; nil when metrics have no address of their own.
  func takeMetrics() -> Int32? {
    defer { metricsDescriptor = nil }
    return metricsDescriptor
  }

  /// Checks that all addresses are available. Binds without `SO_REUSEPORT`, so that another server of ours on the same
  /// address is reported as a conflict.
  static func probe(_ configuration: Configuration) throws(ServerError) {
    _ = try Listeners(configuration)
  }

  private static func listen(
    _ name: String, _ host: String, _ port: UInt16, reusePort: Bool
  ) throws(ServerError) -> Socket {
    guard let address = try? SocketAddress.resolve(host: host, port: port, passive: true).first else {
      throw ServerError("\(name): the host \(host) has no address. Write host:port, for example 0.0.0.0:\(port).")
    }
    return try listen(name, host, at: address, port: port, reusePort: reusePort)
  }

  private static func listen(
    _ name: String, _ host: String, at address: SocketAddress, port: UInt16, reusePort: Bool
  ) throws(ServerError) -> Socket {
    do throws(SystemError) {
      return try Socket.listen(on: address, reusePort: reusePort)
    } catch {
      let shown = host.contains(":") ? "[\(host)]" : host
      throw ServerError("\(name)=\(shown):\(port) cannot be listened on: \(advice(error, name, shown, port))")
    }
  }

  private static func advice(_ error: SystemError, _ name: String, _ host: String, _ port: UInt16) -> String {
    switch error.code {
    case EADDRINUSE:
      let other = port < .max ? port + 1 : port - 1
      return "another program has this port. Stop it, or choose another one, for example \(name)=\(host):\(other)."
    case EADDRNOTAVAIL:
      return "\(host) is no address of this machine. Use one of its own, or 0.0.0.0 for all of them."
    case EACCES:
      return "this user may not use it. Choose a port above 1023, for example \(name)=\(host):8080."
    default: return "\(error)."
    }
  }
}
