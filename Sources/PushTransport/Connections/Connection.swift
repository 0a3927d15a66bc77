internal import Domain
internal import HTTP2
package import Reactor
internal import TLS

/// One connection to a push network: drives its `Transport` and the HTTP/2 session on it, and does what its
/// `ConnectionState` says. On the sender's loop.
package final class Connection: EventLoop.Handler {
  /// For logs.
  package let number: Int
  let openedAt: Instant
  /// When it is old enough to be replaced.
  private let dueAt: Instant
  private let loop: EventLoop
  private let settings: ConnectionSettings
  private unowned let owner: any ConnectionOwner
  private unowned let source: any RequestSource

  private var state: ConnectionState
  private let transport: Transport
  /// From the end of the handshake until the connection is closed.
  private var session: ClientSession?
  let requests: OpenRequests
  private var input = ByteBuffer(capacity: 16_384)
  private var output = ByteBuffer(capacity: 32_768)
  private var timer: Timers.ID?
  /// More has come than a turn reads.
  private var readsOnLater = false
  /// Writing has failed; only what the peer said before is still read.
  private var isLost = false
  private var pings: UInt64 = 0

  private(set) var wasReady = false
  /// It ended because nothing more was to be sent on it, not by loss.
  private(set) var wasRetired = false
  /// It goes as soon as another one is ready: its owner's mark.
  var isLeaving = false

  init(
    number: Int, loop: EventLoop, owner: any ConnectionOwner, source: any RequestSource, settings: ConnectionSettings,
    addresses: [SocketAddress], age: Duration
  ) {
    self.number = number
    self.loop = loop
    self.owner = owner
    self.source = source
    self.settings = settings
    transport = Transport(loop: loop, settings: settings, addresses: addresses)
    requests = OpenRequests(loop: loop, cap: settings.streamCap)
    openedAt = loop.clock.now
    dueAt = openedAt + age
    state = ConnectionState(
      at: openedAt, needsProof: settings.needsProof, isTunnelled: settings.tunnel != nil)
  }

  // MARK: How it stands

  var address: SocketAddress? { transport.address }
  var inFlight: Int { requests.count }
  var isReady: Bool { state.phase == .ready }
  var isStalled: Bool { state.isStalled }
  /// Nothing more is submitted on it.
  var isEnding: Bool { state.isEnding }
  var usualStreams: Int { requests.usualStreams(session) }

  /// Requests of this lane that it would take now.
  func allowance(_ lane: Lane) -> Int {
    guard let session else { return 0 }
    return max(0, state.allowance(capacity: session.capacity, inFlight: inFlight, cap: requests.shares[lane]))
  }

  /// A body of this size can leave at once.
  func hasWindow(for bytes: Int, _ lane: Lane) -> Bool {
    session.map { requests.hasWindow(for: bytes, lane, $0) } ?? false
  }

  /// It takes no more of this lane before something is answered: by requests in flight, or by bytes that the peer has
  /// not acknowledged.
  func isFull(_ lane: Lane) -> Bool {
    allowance(lane) == 0 || !hasWindow(for: PushTransport.Limits.payloadBytes, lane)
  }

  // MARK: Opening

  /// Begins to connect. The owner hears of the end by `closed`, also when this fails at once.
  func open() {
    scheduleTick()
    connectToNextAddress()
  }

  private func connectToNextAddress() {
    while let address = transport.nextAddress() {
      if transport.connect(to: address, self) { return }
      owner.failed(address)
    }
    end(transport.connectFault)
  }

  private func finishConnect() {
    if transport.hasConnected() { return perform(state.connected(at: loop.now)) }
    if let address { owner.failed(address) }
    connectToNextAddress()
  }

  private func askProxy() {
    switch transport.askProxy() {
    case .waiting: break
    case .done: perform(state.tunnelled(at: loop.now))
    case .failed(let reason): end(reason)
    }
  }

  private func secure() {
    switch transport.secure() {
    case .waiting: break
    case .done: greet()
    case .failed(let reason): end(reason)
    }
  }

  private func greet() {
    do throws(HTTP2Error) {
      session = try OpenRequests.makeSession()
      perform(state.secured(at: loop.now))
    } catch {
      end(error.description)
    }
  }

  // MARK: Reading

  package func ready(_ readiness: Readiness) {
    switch state.phase {
    case .connecting: finishConnect()
    case .tunnelling: askProxy()
    case .securing: secure()
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
    guard let session, !readsOnLater else { return }
    let result = transport.read(into: &input, limit: PushTransport.Limits.bytesPerTurn)
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
    case .wouldBlock: break
    case .moreWaiting:
      // What waits inside TLS is invisible to epoll: come back after the others had their turn.
      readOnLater()
    case .endOfStream: return end("the peer closed the connection")
    case .failed(let error): return end(error.description)
    }
    pump()
  }

  private func takeEvents(_ session: ClientSession) {
    var actions: ConnectionState.Actions = []
    // Once for all events: each use of an unowned reference counts up and down.
    let source = source
    while let event = session.nextEvent() {
      switch event {
      case .settings:
        requests.streamLimitChanged(to: session.peerStreamLimit)
        actions.formUnion(state.settingsArrived(streamLimit: session.peerStreamLimit, at: loop.now))
      case .closed(let end): actions.formUnion(ended(end, source))
      case .goAway(let goAway):
        source.received(goAway, on: self)
        actions.formUnion(state.retire(inFlight: inFlight, at: loop.now))
      case .pong: break
      }
    }
    actions.formUnion(state.drained(inFlight: inFlight))
    perform(actions)
  }

  private func ended(_ end: StreamEnd, _ source: any RequestSource) -> ConnectionState.Actions {
    guard let request = requests.take(end) else { return [] }
    let ending = Ending(end, of: request, wallSeconds: loop.clock.wallMicroseconds / 1_000_000)
    var actions: ConnectionState.Actions = []
    if ending.isAnswer {
      let time = loop.now - request.submittedAt
      requests.answered(after: time)
      source.answered(request.submission.batch.message.lane, after: time)
      actions = state.answered(isForbidden: end.status == 403, at: loop.now)
      if !end.fields.isEmpty, let date = end.value(of: "date"), let seconds = HTTPDate.seconds(date) {
        source.heard(peerSeconds: seconds)
      }
    }
    source.ended(request.submission, ending, on: self)
    return actions
  }

  // MARK: Writing

  /// Submits one request; only from `RequestSource.fill`. False when the session refuses: nothing was taken.
  func submit(_ submission: Submission, _ template: RequestTemplate, _ letter: borrowing EncodedPush) -> Bool {
    guard let session, requests.submit(submission, template, letter, on: session) else { return false }
    if inFlight == 1 { state.awakened(at: loop.now) }
    return true
  }

  /// Writes what waits and submits as much as may be, until there is nothing more or the socket is full.
  func pump() {
    guard let session, state.phase != .closed, !isLost else { return }
    while true {
      switch transport.write(&output) {
      case .complete: break
      case .wouldBlock: return
      case .failed(let error): return endAfterReading(error, session)
      }
      session.writeOutput(into: &output)
      if !output.isEmpty { continue }
      if session.isFinished { return end("the session is over") }
      guard allowance(.urgent) > 0, source.fill(self) > 0 else { break }
    }
    transport.watchForInput()
    // Requests that were reset, or that a GOAWAY overtook, end when their frames would have left.
    takeEvents(session)
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

  /// Resets requests whose time is over.
  private func giveUpOverdue(_ session: ClientSession, _ now: Instant) {
    let overdue = requests.review(at: now)
    for stream in overdue {
      session.reset(stream, .cancel)
      perform(state.timedOut(inFlight: inFlight, at: now))
    }
    if !overdue.isEmpty { takeEvents(session) }
  }

  // MARK: What the state asks for

  private func perform(_ actions: ConnectionState.Actions) {
    guard !actions.isEmpty else { return }
    if actions.contains(.tunnel) { askProxy() }
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
    if actions.contains(.abandon) { end(transport.silence(in: state.phase)) }
    if actions.contains(.close) { closePolitely() }
    if actions.contains(.fill) { pump() }
  }

  // MARK: Ending

  /// Takes no more requests and closes when the present ones have ended.
  package func retire() {
    perform(state.retire(inFlight: inFlight, at: loop.now))
  }

  private func closePolitely() {
    if let session {
      session.goAway()
      session.writeOutput(into: &output)
      transport.sayGoodbye(&output)
    }
    end("closed by us")
  }

  /// The end, whatever the cause: what is in flight may or may not have been processed.
  func end(_ reason: String) {
    guard state.phase != .closed else { return }
    wasRetired = state.phase == .draining
    if !wasReady, !wasRetired, let address { owner.failed(address) }
    state.closed(at: loop.now)
    if let timer { loop.cancel(timer) }
    transport.close()
    session = nil
    for request in requests.takeAll() { source.ended(request.submission, .unknown(reason), on: self) }
    owner.closed(self, reason: reason)
  }

  /// The peer takes nothing more; but it may have said why, and answered, before it left. That makes the difference
  /// between "unknown" and knowing.
  private func endAfterReading(_ error: TLSError, _ session: ClientSession) {
    isLost = true
    var reason = error.description
    // The reason that the peer gave is a better one than that it takes nothing.
    if case .failed(let last) = transport.read(into: &input, limit: PushTransport.Limits.lastBytes) {
      reason = last.description
    }
    _ = try? session.receive(&input)
    takeEvents(session)
    end(reason)
  }
}
