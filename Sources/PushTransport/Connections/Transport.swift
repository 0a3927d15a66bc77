internal import HTTPClient
internal import Reactor
internal import TLS

/// The byte stream under a connection: TCP (trying one address after another), an optional proxy tunnel, and TLS.
/// Performs the steps that `ConnectionState` decides on. Confined to the sender's event loop.
final class Transport {
  /// The result of one step of opening the byte stream.
  enum Step {
    /// The step is incomplete; repeat it when the socket is ready.
    case waiting
    case done
    case failed(String)
  }

  private let loop: EventLoop
  private let endpoint: Endpoint
  private let tunnel: ProxyTunnel?
  private let context: TLSContext
  private var addresses: ArraySlice<SocketAddress>
  private var lastError = "no address"
  private var registration: EventLoop.Registration?
  // The socket is set until TLS begins, the stream afterwards; both are nil once closed.
  private var socket: Socket?
  private var stream: TLSStream?
  private var tunnelRequest: TunnelRequest?
  /// The socket readiness that TLS needs for the next read: almost always readability, but writability during a key
  /// update.
  private var waitsToRead: Readiness = .readable
  /// The address that is connected or being tried; nil before the first attempt and after the last address has failed.
  private(set) var address: SocketAddress?

  init(loop: EventLoop, settings: ConnectionSettings, addresses: [SocketAddress]) {
    self.loop = loop
    endpoint = settings.endpoint
    tunnel = settings.tunnel
    context = settings.context
    self.addresses = addresses[...]
  }

  // MARK: Opening

  /// Selects and returns the next address to try; nil if all have been tried.
  func nextAddress() -> SocketAddress? {
    address = addresses.popFirst()
    return address
  }

  /// Starts a non-blocking connect; `handler` is called when it has succeeded or failed. Returns false if it fails at
  /// once; `connectFault` says why.
  func connect(to address: SocketAddress, _ handler: any EventLoop.Handler) -> Bool {
    do throws(SystemError) {
      let attempt = try Socket.connect(to: address)
      registration = try loop.register(attempt.descriptor, interest: .writable, handler: handler)
      socket = consume attempt
      return true
    } catch {
      lastError = error.description
      return false
    }
  }

  /// Returns true if the finished connection attempt succeeded. Closes the socket if it failed.
  func hasConnected() -> Bool {
    let code = socket?.connectError ?? 0
    guard code != 0 else { return true }
    lastError = SystemError(code: code, operation: "connect", subject: address?.description ?? "").description
    close()
    return false
  }

  /// The error text for the last connection attempt that failed, or for a host without addresses.
  var connectFault: String { tunnel?.naming(lastError) ?? "connect: \(lastError)" }

  /// Sends CONNECT to the proxy, or continues reading the proxy's response. Fails if the proxy opens no tunnel; done at
  /// once without a proxy.
  func askProxy() -> Step {
    if tunnelRequest == nil { tunnelRequest = tunnel.map { TunnelRequest($0) } }
    switch socket?.advance(&tunnelRequest) {
    case .open, nil: return .done
    case .incomplete(let readiness):
      watch(readiness)
      return .waiting
    case .failed(let fault): return .failed(fault.reason)
    }
  }

  /// Begins the TLS handshake or continues it. Fails also if the server has chosen a protocol other than HTTP/2.
  func secure() -> Step {
    if let socket = socket.take() {
      do throws(TLSError) {
        let stream = try TLSStream(connecting: socket, context: context, serverName: endpoint.host)
        stream.keepAlive(
          idle: .seconds(PushTransport.Limits.keepAliveSeconds),
          unacknowledged: .seconds(PushTransport.Limits.unacknowledgedSeconds))
        self.stream = stream
      } catch {
        return .failed(error.description)
      }
    }
    switch stream?.handshake() {
    case .incomplete(let readiness):
      watch(readiness)
      return .waiting
    case .failed(let error): return .failed(ProxyTunnel.behind(tunnel, error.description))
    case .complete, nil: break
    }
    // A server that does not support ALPN is assumed to speak HTTP/2.
    if let agreed = stream?.negotiatedProtocol, agreed != "h2" { return .failed("the server speaks \(agreed)") }
    return .done
  }

  /// Returns the error text for a timeout in this phase: names the proxy or the peer, whichever did not answer.
  func silence(in phase: ConnectionState.Phase) -> String {
    if let proxy = tunnel?.proxy, phase == .connecting || phase == .tunnelling {
      return "the proxy \(proxy) does not answer"
    }
    let words = "no answer from the peer"
    return phase == .securing ? ProxyTunnel.behind(tunnel, words) : words
  }

  // MARK: Transfer

  func read(into input: inout ByteBuffer, limit: Int) -> TLSStream.ReadResult {
    guard let stream else { return .endOfStream }
    let result = stream.read(into: &input, limit: limit)
    if case .wouldBlock(let readiness) = result { waitsToRead = readiness }
    return result
  }

  /// Writes buffered output. If some is left, watches the socket for writability. Reports completion, writing nothing,
  /// if there is no TLS stream.
  func write(_ output: inout ByteBuffer) -> TLSStream.WriteResult {
    guard let stream else { return .complete }
    let result = stream.write(&output)
    if case .wouldBlock(let readiness) = result { watch(waitsToRead.union(readiness)) }
    return result
  }

  func watchForInput() {
    watch(waitsToRead)
  }

  private func watch(_ readiness: Readiness) {
    if let registration { loop.update(registration, interest: readiness) }
  }

  // MARK: Closing

  /// Sends the remaining output and a TLS close_notify, best effort: if the socket buffer is full they are dropped, and
  /// the peer sees only the close.
  func sayGoodbye(_ output: inout ByteBuffer) {
    if let stream, case .complete = stream.write(&output) { stream.sendCloseNotify() }
  }

  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    socket = nil
    stream = nil
  }
}

/// The settings that all connections of a pool have in common.
struct ConnectionSettings {
  let endpoint: Endpoint
  /// The HTTP proxy tunnel to use, or nil for a direct connection. With a tunnel, the connection's addresses are the
  /// proxy's.
  let tunnel: ProxyTunnel?
  let context: TLSContext
  /// True if the peer accepts only one request at a time until it has seen a valid credential.
  let needsProof: Bool
  let streamCap: Int
  let lastStreamID: Int32
}
