internal import Domain
internal import HTTP2
package import Reactor
internal import TLS
internal import Time

/// One connection to a push network. Drives its `Transport` and the HTTP/2 session on it by executing the actions that
/// its `ConnectionState` returns. Confined to the sender's event loop.
package final class Connection: EventLoop.Handler {
  /// The connection's number within its pool, for log entries.
  package let number: Int
  let openedAt: Instant
  /// The time at which the connection has reached its maximum age and should be replaced.
  private let dueAt: Instant
  private let loop: EventLoop
  private let settings: ConnectionSettings
  private unowned let owner: any ConnectionOwner
  private unowned let source: any RequestSource

  private var state: ConnectionState
  private let transport: Transport
  /// The HTTP/2 session; nil before the TLS handshake completes and after the connection is closed.
  private var session: ClientSession?
  let requests: OpenRequests
  private var input = ByteBuffer(capacity: 16_384)
  private var output = ByteBuffer(capacity: 32_768)
  private var timer: Timers.ID?
  /// True if the read limit of this event-loop iteration was hit and another read is scheduled.
  private var readsOnLater = false
  /// True after a failed write: the connection only reads what the peer sent before it.
  private var isLost = false
  private var pings: UInt64 = 0

  private(set) var wasReady = false
  /// True if the connection was draining when it closed; false before, and if it was lost while in use.
  private(set) var wasRetired = false
  /// True if the connection retires as soon as another one is ready. Set by its owner.
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

  // MARK: State

  var address: SocketAddress? { transport.address }
  var inFlight: Int { requests.count }
  var isReady: Bool { state.phase == .ready }
  var isStalled: Bool { state.isStalled }
  /// True if the connection is draining or closed: no more requests are submitted on it.
  var isEnding: Bool { state.isEnding }
  var usualStreams: Int { requests.usualStreams(session) }

  /// Returns the number of requests of this lane that can be submitted on the connection now; 0 unless it is probing or
  /// ready.
  func allowance(_ lane: Lane) -> Int {
    guard let session else { return 0 }
    return max(0, state.allowance(capacity: session.capacity, inFlight: inFlight, cap: requests.shares[lane]))
  }

  /// Returns true if the flow-control window has room to send a request body of this size at once; false without a
  /// session.
  func hasWindow(for bytes: Int, _ lane: Lane) -> Bool {
    session.map { requests.hasWindow(for: bytes, lane, $0) } ?? false
  }

  /// Returns true if no further request of this lane, with a body of `PushTransport.Limits.payloadBytes`, can be
  /// submitted now: the connection is neither probing nor ready, is stalled, or has no stream or flow-control window
  /// left for the lane.
  func isFull(_ lane: Lane) -> Bool {
    allowance(lane) == 0 || !hasWindow(for: PushTransport.Limits.payloadBytes, lane)
  }

  // MARK: Opening

  /// Starts connecting. Every failure, even an immediate one, is reported through the owner's `closed`.
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

  /// Schedules another read for after the other events of this loop iteration, or for the next iteration if called from
  /// a timer. Until then, `receive` does nothing.
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
      // epoll does not report bytes buffered inside TLS, so schedule another read after other connections had their
      // turn.
      readOnLater()
    case .endOfStream: return end("the peer closed the connection")
    case .failed(let error): return end(error.description)
    }
    pump()
  }

  private func takeEvents(_ session: ClientSession) {
    var actions: ConnectionState.Actions = []
    // Copied to a local constant: each access to an unowned reference costs reference counting.
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
    let ending = Ending(end, of: request, wallSeconds: loop.clock.wallTime.seconds)
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

  /// Submits one request. Must be called only from within `RequestSource.fill`. Returns false, without side effects, if
  /// the HTTP/2 session rejects the request or there is no session.
  func submit(_ submission: Submission, _ template: RequestTemplate, _ encoded: borrowing EncodedPush) -> Bool {
    guard let session, requests.submit(submission, template, encoded, on: session) else { return false }
    if inFlight == 1 { state.awakened(at: loop.now) }
    return true
  }

  /// Alternates between writing buffered output and submitting requests, until there is nothing to send or the socket
  /// buffer is full.
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
    // Requests that were reset, or rejected by GOAWAY, end once the session has produced their pending frames.
    takeEvents(session)
  }

  // MARK: Timers

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

  /// Resets the streams of requests that have timed out, so that these requests end as unknown.
  private func giveUpOverdue(_ session: ClientSession, _ now: Instant) {
    let overdue = requests.review(at: now)
    for stream in overdue {
      session.reset(stream, .cancel)
      perform(state.timedOut(inFlight: inFlight, at: now))
    }
    if !overdue.isEmpty { takeEvents(session) }
  }

  // MARK: Actions

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

  /// Starts draining: submits no more requests, and closes the connection once the open ones have ended. Does nothing
  /// if the connection is draining or closed already.
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

  /// Closes the connection immediately and reports that to the owner. Open requests end as `unknown`, because the peer
  /// may have processed them. Does nothing if the connection is closed already.
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

  /// Ends the connection after a failed write. The peer may have sent answers and a GOAWAY reason before it closed;
  /// reading them first gives those requests a definite result instead of "unknown".
  private func endAfterReading(_ error: TLSError, _ session: ClientSession) {
    isLost = true
    var reason = error.description
    // The peer's reason (a TLS alert, say) explains more than the write error.
    if case .failed(let last) = transport.read(into: &input, limit: PushTransport.Limits.lastBytes) {
      reason = last.description
    }
    _ = try? session.receive(&input)
    takeEvents(session)
    end(reason)
  }
}

/// The owner of connections: receives their lifecycle events, and decides when to open and replace them.
protocol ConnectionOwner: AnyObject {
  /// Called once, when the connection becomes ready: it accepts as many requests as the peer allows.
  func becameReady(_ connection: Connection)
  /// Called when the connection starts draining: it accepts no more requests, so the owner should open another one.
  func needsSuccessor(of connection: Connection)
  /// Called, possibly repeatedly, when the connection has reached its maximum age or has used up its stream ids: the
  /// owner should open another one and then retire it.
  func isDue(_ connection: Connection)
  func failed(_ address: SocketAddress)
  /// Called exactly once per connection, after it is closed and all its requests have ended.
  func closed(_ connection: Connection, reason: String)
}

/// The source of a connection's requests, which also receives their results.
protocol RequestSource: AnyObject {
  /// Submits some requests through `Connection.submit` and returns how many; 0 if none can be submitted now. The
  /// connection calls it again until it returns 0.
  func fill(_ connection: Connection) -> Int
  /// Reports how a request ended. Called exactly once for each submitted request.
  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection)
  /// Reports the latency of each answered request, before `ended` is called for it.
  func answered(_ lane: Lane, after time: Duration)
  func received(_ goAway: GoAway, on connection: Connection)
  /// Reports the peer's clock from an answer's `date` field, in seconds since 1970. Answers without the field, or whose
  /// fields are not kept, are not reported.
  func heard(peerSeconds: Int64)
}
