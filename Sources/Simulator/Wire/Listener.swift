internal import Reactor
internal import TLS

/// A listening socket of a service: APNs production, APNs sandbox or FCM, for example.
final class Listener: EventLoop.Handler {
  /// The TLS contexts for ordinary connections and for handshake faults.
  struct Contexts {
    let ordinary: TLSContext
    let wrongHost: TLSContext
    let expired: TLSContext
    /// Context without any ALPN protocol that a provider supports, so that the handshake fails.
    let foreign: TLSContext

    init(authority: CertificateAuthority, names: [String], nowSeconds: Int64) throws(TLSError) {
      let identity = try authority.issueServer(names: names)
      ordinary = try .server(identity: identity, clientCertificates: .requestedAny)
      wrongHost = try .server(identity: authority.issueServer(names: ["wrong.host.invalid"]))
      let ended = try authority.issueServer(
        names: names, notBefore: nowSeconds - 30 * 86_400, notAfter: nowSeconds - 86_400)
      expired = try .server(identity: ended)
      foreign = try .server(identity: identity, protocols: ["none"])
    }
  }

  private let place: FaultPlan.Place
  private let makeAdapter: () -> any ServiceAdapter
  let port: UInt16
  /// The address with the actual port, for reopening.
  private let address: SocketAddress
  /// The listening socket; nil while closed, when the kernel refuses connections.
  private var socket: Socket?
  private let contexts: Contexts
  private let simulated: SimulatedService
  private let opened: (Connection) -> Void
  private var registration: EventLoop.Registration?

  init(
    place: FaultPlan.Place, socket: consuming Socket, contexts: Contexts, simulated: SimulatedService,
    makeAdapter: @escaping () -> any ServiceAdapter, opened: @escaping (Connection) -> Void
  ) throws(SystemError) {
    self.place = place
    self.makeAdapter = makeAdapter
    self.contexts = contexts
    self.simulated = simulated
    self.opened = opened
    guard let address = socket.localAddress else { throw .last("getsockname", "the listener") }
    self.address = address
    port = address.port
    try listen(consume socket)
  }

  private func listen(_ socket: consuming Socket) throws(SystemError) {
    registration = try simulated.loop.register(socket.descriptor, interest: .readable, handler: self)
    self.socket = consume socket
  }

  func close() {
    if let registration { simulated.loop.deregister(registration) }
    registration = nil
    socket = nil
  }

  /// Opens the same port again, now or as soon as it is free.
  func reopen() {
    guard socket == nil else { return }
    do {
      try listen(try Socket.listen(on: address))
    } catch {
      simulated.loop.schedule(after: Limits.reopen) { [weak self] in self?.reopen() }
    }
  }

  func ready(_ readiness: Readiness) {
    // If the process has no free descriptors, the connection waits in the kernel's queue until the next iteration.
    while let accepted = try? socket?.accept() { begin(accepted) }
  }

  private func begin(_ socket: consuming Socket) {
    let number = simulated.nextConnectionNumber()
    let effect = simulated.faults.effect(
      onConnection: .init(place: place, connection: number, now: simulated.loop.now))
    if effect == .refuse {
      socket.resetOnClose()
      return
    }
    socket.disableDelay()
    let context =
      switch effect {
      case .wrongHost: contexts.wrongHost
      case .expiredCertificate: contexts.expired
      case .breakHandshake: contexts.foreign
      default: contexts.ordinary
      }
    guard let stream = try? TLSStream(accepted: socket, context: context),
      let connection = try? Connection(
        number: number, adapter: makeAdapter(), stream: stream, fault: effect, simulated: simulated)
    else { return }
    opened(connection)
    guard case .delayHandshake(let delay) = effect else { return connection.start() }
    simulated.loop.schedule(after: delay) { connection.start() }
  }
}
