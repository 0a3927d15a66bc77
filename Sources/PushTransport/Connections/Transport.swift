internal import HTTPClient
internal import Reactor
internal import TLS

/// The byte layer of a connection: TCP to one address after another, the tunnel through a proxy, TLS. It performs one
/// step at a time; `ConnectionState` decides which. On the sender's loop.
final class Transport {
  /// Result of a step of opening.
  enum Step {
    /// Continue when the socket is ready.
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
  // One of these two: the socket until TLS begins, then the stream. Neither at the end.
  private var socket: Socket?
  private var stream: TLSStream?
  private var tunnelRequest: TunnelRequest?
  /// What TLS needs in order to read on: almost always readability.
  private var waitsToRead: Readiness = .readable
  /// The address it is connected to, or trying.
  private(set) var address: SocketAddress?

  init(loop: EventLoop, settings: ConnectionSettings, addresses: [SocketAddress]) {
    self.loop = loop
    endpoint = settings.endpoint
    tunnel = settings.tunnel
    context = settings.context
    self.addresses = addresses[...]
  }

  // MARK: Opening

  /// The next address to try. Nil if all have been tried.
  func nextAddress() -> SocketAddress? {
    address = addresses.popFirst()
    return address
  }

  /// Starts to connect. Returns false if that fails at once.
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

  /// Whether the connection attempt, which has ended, succeeded. Closes the socket after a failure.
  func hasConnected() -> Bool {
    let code = socket?.connectError ?? 0
    guard code != 0 else { return true }
    lastError = SystemError(code: code, operation: "connect", subject: address?.description ?? "").description
    close()
    return false
  }

  /// Why the last address could not be reached.
  var connectFault: String { tunnel?.naming(lastError) ?? "connect: \(lastError)" }

  /// Asks the proxy for a tunnel to the network, or continues to read its answer.
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

  /// Begins the TLS handshake or continues it.
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
    // Without ALPN the service speaks HTTP/2 all the same.
    if let agreed = stream?.negotiatedProtocol, agreed != "h2" { return .failed("the server speaks \(agreed)") }
    return .done
  }

  /// Names the party that has not answered.
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

  /// Writes pending output. Watches the socket if some is left.
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

  /// Best effort: a peer that does not take these few bytes now still notices the close.
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
