internal import Domain
internal import HTTP2
internal import HTTPClient
package import Reactor
internal import TLS

/// Who a connection works for: its pool.
protocol ConnectionOwner: AnyObject {
  /// Submits with `Connection.submit` as many requests as the connection takes. Returns how many.
  func fill(_ connection: Connection) -> Int
  /// Exactly once for each request submitted.
  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection)
  /// Told before `ended` of each request that the peer has answered.
  func answered(_ lane: Lane, after time: Duration)
  /// It is proven and takes as much as the peer allows.
  func becameReady(_ connection: Connection)
  func received(_ goAway: GoAway, on connection: Connection)
  /// What the peer's clock shows, in seconds since 1970.
  func heard(peerSeconds: Int64)
  /// It takes no more requests: get the next one on its way.
  func needsSuccessor(of connection: Connection)
  /// It has served long enough: another one should take its place before it goes. May be called again and again.
  func isDue(_ connection: Connection)
  func failed(_ address: SocketAddress)
  /// It is gone; all its requests have ended. Called exactly once.
  func closed(_ connection: Connection, reason: String)
}

/// One connection to a push network: drives socket, TLS and HTTP/2 and does what its `ConnectionState` says. On the sender's loop.
///
/// This file holds opening, reading and ending; requests are in the extension.
package final class Connection: EventLoop.Handler {
  /// What all connections of a pool have in common.
  struct Settings {
    let endpoint: Endpoint
    /// The way through the proxy, whose addresses the connection is then given; nil for the straight one.
    let tunnel: ProxyTunnel?
    let context: TLSContext
    /// The peer allows one request until it has seen a good credential.
    let needsProof: Bool
    let streamCap: Int
    let lastStreamID: Int32
  }

  /// For logs.
  package let number: Int
  let openedAt: Instant
  /// When it is old enough to be replaced.
  let dueAt: Instant
  var state: ConnectionState
  private(set) var wasReady = false
  /// Writing has failed; only what the peer said before is still read.
  private(set) var isLost = false
  /// It ended because nothing more was to be sent on it, not by loss.
  private(set) var wasRetired = false
  /// It goes as soon as another one is ready.
  var isLeaving = false
  /// Where it is connected, or tries to.
  private(set) var address: SocketAddress?

  let loop: EventLoop
  unowned let owner: any ConnectionOwner
  let settings: Settings

  private var addresses: ArraySlice<SocketAddress>
  private var lastConnectError = "no address"
  private var registration: EventLoop.Registration?
  // One of these three: the socket while connecting, then the stream, at the end neither.
  private var socket: Socket?
  private var tunnelRequest: TunnelRequest?
  private(set) var stream: TLSStream?
  private(set) var session: ClientSession?
  private var timer: Timers.ID?

  /// What TLS waits for to read on: almost always that there is something to read.
  private(set) var waitsToRead: Readiness = .readable
  /// More has come than a turn reads.
  private var readsOnLater = false
  private var input = ByteBuffer(capacity: 16_384)
  var output = ByteBuffer(capacity: 32_768)
  var requests = InFlightTable()
  var shares = StreamShares(limit: 1, cap: 1)
  /// The most that the peer has allowed: what it will allow again after a fall.
  var usualLimit = 1
  var latency = Latency()
  /// Seconds that its open requests have waited on average, as of the last tick.
  var meanAge = 0.0
  /// Ticks in a row that it was much slower than its siblings.
  var slowTicks = 0
  private var pings: UInt64 = 0

  init(
    number: Int, loop: EventLoop, owner: any ConnectionOwner, settings: Settings, addresses: [SocketAddress],
    age: Duration
  ) {
    self.number = number
    self.loop = loop
    self.owner = owner
    self.settings = settings
    self.addresses = addresses[...]
    openedAt = loop.clock.now
    dueAt = openedAt + age
    state = ConnectionState(
      at: openedAt, needsProof: settings.needsProof, isTunnelled: settings.tunnel != nil)
  }

  // MARK: Opening

  /// Begins to connect. The owner hears of the end by `closed`, also when this fails at once.
  func open() {
    scheduleTick()
    connectToNextAddress()
  }

  private func connectToNextAddress() {
    while let address = addresses.popFirst() {
      self.address = address
      do throws(SystemError) {
        let attempt = try Socket.connect(to: address)
        registration = try loop.register(attempt.descriptor, interest: .writable, handler: self)
        socket = consume attempt
        return
      } catch {
        connectFailed(error)
      }
    }
    end(settings.tunnel?.naming(lastConnectError) ?? "connect: \(lastConnectError)")
  }

  private func connectFailed(_ error: SystemError) {
    lastConnectError = error.description
    if let address { owner.failed(address) }
  }

  private func finishConnect() {
    let code = socket?.connectError ?? 0
    guard code == 0 else {
      connectFailed(SystemError(code: code, operation: "connect", subject: address?.description ?? ""))
      deregister()
      socket = nil
      return connectToNextAddress()
    }
    perform(state.connected(at: loop.now))
  }

  private func askProxy() {
    switch socket?.advance(&tunnelRequest) {
    case .open: perform(state.tunnelled(at: loop.now))
    case .incomplete(let readiness): watch(readiness)
    case .failed(let fault): end(fault.reason)
    case nil: break
    }
  }

  private func secure() {
    guard let socket = socket.take() else { return }
    do throws(TLSError) {
      let stream = try TLSStream(connecting: socket, context: settings.context, serverName: settings.endpoint.host)
      stream.keepAlive(
        idle: .seconds(PushWire.Limits.keepAliveSeconds),
        unacknowledged: .seconds(PushWire.Limits.unacknowledgedSeconds))
      self.stream = stream
      shakeHands()
    } catch {
      end(error.description)
    }
  }

  private func shakeHands() {
    guard let stream else { return }
    switch stream.handshake() {
    case .incomplete(let readiness): watch(readiness)
    case .failed(let error): end(ProxyTunnel.behind(settings.tunnel, error.description))
    case .complete:
      // Without ALPN the service speaks HTTP/2 all the same.
      if let agreed = stream.negotiatedProtocol, agreed != "h2" { return end("the server speaks \(agreed)") }
      do throws(HTTP2Error) {
        var configuration = ClientSession.Configuration()
        configuration.storedBodyBytes = PushWire.Limits.answerBytes
        let session = try ClientSession(configuration: configuration)
        // The first answers may carry the peer's time; later ones are not worth the reading.
        session.keepsAllFields = true
        self.session = session
        perform(state.secured(at: loop.now))
      } catch {
        end(error.description)
      }
    }
  }

  // MARK: Readiness

  package func ready(_ readiness: Readiness) {
    switch state.phase {
    case .connecting: finishConnect()
    case .tunnelling: askProxy()
    case .securing: shakeHands()
    case .probing, .ready, .draining: receive()
    case .closed: break
    }
  }

  /// Reads on in the next turn; what epoll says meanwhile adds no second one.
  private func readOnLater() {
    readsOnLater = true
    loop.schedule(after: .zero) { [weak self] in
      guard let self else { return }
      readsOnLater = false
      ready(.readable)
    }
  }

  private func receive() {
    guard let stream, let session, !readsOnLater else { return }
    let result = stream.read(into: &input, limit: PushWire.Limits.bytesPerTurn)
    if !input.isEmpty {
      state.heard(at: loop.now)
      do throws(HTTP2Error) {
        try session.receive(&input)
      } catch {
        takeEvents(session)
        return end(error.description)
      }
      takeEvents(session)
    }
    switch result {
    case .wouldBlock(let readiness): waitsToRead = readiness
    case .moreWaiting:
      // What waits inside TLS is invisible to epoll: come back after the others had their turn.
      readOnLater()
    case .endOfStream: return end("the peer closed the connection")
    case .failed(let error): return end(error.description)
    }
    pump()
  }

  func takeEvents(_ session: ClientSession) {
    var actions: ConnectionState.Actions = []
    // Once for all events: each use of an unowned reference counts up and down.
    let owner = owner
    while let event = session.nextEvent() {
      switch event {
      case .settings: actions.formUnion(settingsArrived(session))
      case .closed(let end): actions.formUnion(ended(end, owner))
      case .goAway(let goAway):
        owner.received(goAway, on: self)
        actions.formUnion(state.retire(inFlight: inFlight, at: loop.now))
      case .pong: break
      }
    }
    actions.formUnion(state.drained(inFlight: inFlight))
    perform(actions)
  }

  private func settingsArrived(_ session: ClientSession) -> ConnectionState.Actions {
    shares = StreamShares(limit: session.peerStreamLimit, cap: settings.streamCap)
    usualLimit = max(usualLimit, shares.bulk)
    return state.settingsArrived(streamLimit: session.peerStreamLimit, at: loop.now)
  }

  // MARK: Time

  private func scheduleTick() {
    timer = loop.schedule(after: .seconds(1)) { [weak self] in self?.tick() }
  }

  private func tick() {
    scheduleTick()
    let now = loop.clock.now
    if let session {
      session.secondPassed()
      giveUpOverdue(session, now)
      if !session.acceptsRequests {
        perform(state.retire(inFlight: inFlight, at: now))
      } else if now >= dueAt || session.nextStreamID > settings.lastStreamID {
        owner.isDue(self)
      }
    }
    perform(state.ticked(inFlight: inFlight, at: now))
    pump()
  }

  // MARK: Ending

  /// Takes no more requests and closes when the present ones have ended.
  package func retire() {
    perform(state.retire(inFlight: inFlight, at: loop.now))
  }

  func perform(_ actions: ConnectionState.Actions) {
    guard !actions.isEmpty else { return }
    if actions.contains(.tunnel) {
      tunnelRequest = settings.tunnel.map { TunnelRequest($0) }
      askProxy()
    }
    if actions.contains(.secure) { secure() }
    if actions.contains(.fill), state.phase == .ready, !wasReady {
      wasReady = true
      session?.keepsAllFields = false
      owner.becameReady(self)
    }
    if actions.contains(.succeed) { owner.needsSuccessor(of: self) }
    if actions.contains(.ping), let session {
      pings += 1
      session.ping(pings)
    }
    if actions.contains(.abandon) { end(silence) }
    if actions.contains(.close) { closePolitely() }
    if actions.contains(.fill) { pump() }
  }

  /// Says who has not answered.
  private var silence: String {
    if let proxy = settings.tunnel?.proxy, state.phase == .connecting || state.phase == .tunnelling {
      return "the proxy \(proxy) does not answer"
    }
    let words = "no answer from the peer"
    return state.phase == .securing ? ProxyTunnel.behind(settings.tunnel, words) : words
  }

  private func closePolitely() {
    guard let stream, let session else { return end("closed by us") }
    session.goAway()
    session.writeOutput(into: &output)
    // Best effort: whoever does not take these few bytes now will notice the end all the same.
    if case .complete = stream.write(&output) { stream.sendCloseNotify() }
    end("closed by us")
  }

  /// The end, whatever the cause: what is in flight may or may not have been processed.
  func end(_ reason: String) {
    guard state.phase != .closed else { return }
    wasRetired = state.phase == .draining
    if !wasReady, !wasRetired, let address { owner.failed(address) }
    state.closed(at: loop.now)
    if let timer { loop.cancel(timer) }
    deregister()
    socket = nil
    stream = nil
    session = nil
    for request in requests.takeAll() { owner.ended(request.submission, .unknown(reason), on: self) }
    owner.closed(self, reason: reason)
  }

  /// The peer takes nothing more; but it may have said why, and answered, before it left. That makes the difference
  /// between "unknown" and knowing.
  func endAfterReading(_ error: TLSError) {
    isLost = true
    var reason = error.description
    if let stream, let session {
      // The reason that the peer gave is a better one than that it takes nothing.
      if case .failed(let last) = stream.read(into: &input, limit: PushWire.Limits.lastBytes) {
        reason = last.description
      }
      _ = try? session.receive(&input)
      takeEvents(session)
    }
    end(reason)
  }

  private func deregister() {
    if let registration { loop.deregister(registration) }
    registration = nil
  }

  func watch(_ readiness: Readiness) {
    if let registration { loop.update(registration, interest: readiness) }
  }
}
