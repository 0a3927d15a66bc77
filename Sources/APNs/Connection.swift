internal import HTTP2
internal import Reactor
internal import TLS

/// Who a connection works for: its pool.
protocol ConnectionOwner: AnyObject {
  /// Submits up to `allowance` requests with `Connection.submit`. Returns how many.
  func fill(_ connection: Connection, atMost allowance: Int) -> Int
  /// Exactly once for each request submitted.
  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection)
  /// It is proven and takes as much as the peer allows.
  func becameReady(_ connection: Connection)
  func received(_ goAway: GoAway, on connection: Connection)
  /// It takes no more requests: get the next one on its way.
  func needsSuccessor(of connection: Connection)
  /// It is gone; all its requests have ended. Called exactly once.
  func closed(_ connection: Connection, reason: String)
}

/// One connection to APNs: drives socket, TLS and HTTP/2 and does what its `ConnectionState` says. On the sender's loop.
final class Connection: EventLoop.Handler {
  /// For logs.
  let number: Int
  let openedAt: Instant
  private(set) var state: ConnectionState
  private(set) var wasReady = false
  /// Writing has failed; only what the peer said before is still read.
  private var isLost = false
  /// It ended because nothing more was to be sent on it, not by loss.
  private(set) var wasRetired = false

  private let loop: EventLoop
  private unowned let owner: any ConnectionOwner
  private let endpoint: APNsEndpoint
  private let context: TLSContext
  private let streamCap: Int
  private let lastStreamID: Int32

  private var addresses: ArraySlice<SocketAddress>
  private var lastConnectError = "no address"
  private var registration: EventLoop.Registration?
  // One of these three: the socket while connecting, then the stream, at the end neither.
  private var socket: Socket?
  private var stream: TLSStream?
  private var session: ClientSession?
  private var timer: Timers.ID?

  /// What TLS waits for to read on: almost always that there is something to read.
  private var waitsToRead: Readiness = .readable
  private var input = ByteBuffer(capacity: 16_384)
  private var output = ByteBuffer(capacity: 32_768)
  /// The tag of a request is its place here.
  private var slots: [InFlight?] = []
  private var freeSlots: [Int] = []
  private(set) var inFlight = 0
  private var pings: UInt64 = 0

  init(
    number: Int, loop: EventLoop, owner: any ConnectionOwner, endpoint: APNsEndpoint, addresses: [SocketAddress],
    context: TLSContext, streamCap: Int, lastStreamID: Int32
  ) {
    self.number = number
    self.loop = loop
    self.owner = owner
    self.endpoint = endpoint
    self.addresses = addresses[...]
    self.context = context
    self.streamCap = streamCap
    self.lastStreamID = lastStreamID
    openedAt = loop.clock.now
    state = ConnectionState(at: openedAt)
  }

  // MARK: Opening

  /// Begins to connect. The owner hears of the end by `closed`, also when this fails at once.
  func open() {
    scheduleTick()
    connectToNextAddress()
  }

  private func connectToNextAddress() {
    while let address = addresses.popFirst() {
      do throws(SystemError) {
        let attempt = try Socket.connect(to: address)
        registration = try loop.register(attempt.descriptor, interest: .writable, handler: self)
        socket = consume attempt
        return
      } catch {
        lastConnectError = error.description
      }
    }
    end("connect: \(lastConnectError)")
  }

  private func finishConnect() {
    let code = socket?.connectError ?? 0
    guard code == 0 else {
      lastConnectError = SystemError(code: code, operation: "connect", subject: endpoint.authority).description
      deregister()
      socket = nil
      return connectToNextAddress()
    }
    perform(state.connected(at: loop.now))
  }

  private func secure() {
    guard let socket = socket.take() else { return }
    do throws(TLSError) {
      let stream = try TLSStream(connecting: socket, context: context, serverName: endpoint.host)
      stream.keepAlive(
        idle: .seconds(APNs.Limits.keepAliveSeconds), unacknowledged: .seconds(APNs.Limits.unacknowledgedSeconds))
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
    case .failed(let error): end(error.description)
    case .complete:
      // Without ALPN the service speaks HTTP/2 all the same.
      if let agreed = stream.negotiatedProtocol, agreed != "h2" { return end("the server speaks \(agreed)") }
      do throws(HTTP2Error) {
        session = try ClientSession()
        perform(state.secured(at: loop.now))
      } catch {
        end(error.description)
      }
    }
  }

  // MARK: Readiness

  func ready(_ readiness: Readiness) {
    switch state.phase {
    case .connecting: finishConnect()
    case .securing: shakeHands()
    case .probing, .ready, .draining: receive()
    case .closed: break
    }
  }

  private func receive() {
    guard let stream, let session else { return }
    let result = stream.read(into: &input, limit: APNs.Limits.bytesPerTurn)
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
      loop.schedule(after: .zero) { [weak self] in self?.ready(.readable) }
    case .endOfStream: return end("the peer closed the connection")
    case .failed(let error): return end(error.description)
    }
    pump()
  }

  private func takeEvents(_ session: ClientSession) {
    var actions: ConnectionState.Actions = []
    while let event = session.nextEvent() {
      switch event {
      case .settings:
        actions.formUnion(state.settingsArrived(streamLimit: session.peerStreamLimit, at: loop.now))
      case .closed(let end): actions.formUnion(ended(end))
      case .goAway(let goAway):
        owner.received(goAway, on: self)
        actions.formUnion(state.retire(inFlight: inFlight, at: loop.now))
      case .pong: break
      }
    }
    actions.formUnion(state.drained(inFlight: inFlight))
    perform(actions)
  }

  // MARK: Requests

  /// HTTP/2's connection window still takes a body of this size at once (or nothing is in flight to wait for).
  func hasWindow(for bytes: Int) -> Bool {
    inFlight == 0 || (session?.windowBytes ?? 0) >= bytes
  }

  /// Submits one request; only from `ConnectionOwner.fill`. False when the session refuses: nothing was taken.
  func submit(_ submission: Submission, _ template: RequestTemplate, _ composer: borrowing Composer) -> Bool {
    guard let session else { return false }
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(nil) }
    let (path, identifier, body) = (composer.path, composer.identifier, composer.body)
    do throws(HTTP2Error) {
      let id = try session.submit(
        template, path: path.span, varying: identifier.span, body: body.span, tag: UInt64(slot))
      slots[slot] = InFlight(submission: submission, streamID: id, submittedAt: loop.now)
      inFlight += 1
      return true
    } catch {
      freeSlots.append(slot)
      return false
    }
  }

  private func ended(_ end: StreamEnd) -> ConnectionState.Actions {
    let slot = Int(end.tag)
    // The owner may have ended the connection while earlier events of this turn were handled.
    guard slot < slots.count, let request = slots[slot] else { return [] }
    slots[slot] = nil
    freeSlots.append(slot)
    inFlight -= 1
    var actions: ConnectionState.Actions = []
    let ending: Ending
    if request.isGivenUp, end.status == 0 {
      ending = .unknown("no answer within \(APNs.Limits.requestSeconds) s")
    } else if end.isNotProcessed {
      ending = .notProcessed
    } else if end.status == 200 {
      actions = state.answered(isForbidden: false, at: loop.now)
      ending = .accepted
    } else if end.status > 200, end.errorCode == .noError {
      actions = state.answered(isForbidden: end.status == 403, at: loop.now)
      ending = .refused(
        APNsAnswer(status: end.status, body: end.body, retryAfter: end.value(of: "retry-after").flatMap { Int($0) }))
    } else {
      ending = .unknown("stream reset: \(end.errorCode)")
    }
    owner.ended(request.submission, ending, on: self)
    return actions
  }

  /// Writes what waits and submits as much as may be, until there is nothing more or the socket is full.
  func pump() {
    guard let stream, let session, state.phase != .closed, !isLost else { return }
    while true {
      switch stream.write(&output) {
      case .complete: break
      case .wouldBlock(let readiness):
        return watch(waitsToRead.union(readiness))
      case .failed(let error): return endAfterReading(error)
      }
      session.writeOutput(into: &output)
      if !output.isEmpty { continue }
      if session.isFinished { return end("the session is over") }
      let allowance = state.allowance(capacity: session.capacity, inFlight: inFlight, cap: streamCap)
      guard allowance > 0, owner.fill(self, atMost: allowance) > 0 else { break }
    }
    watch(waitsToRead)
    // Requests that were reset, or that a GOAWAY overtook, end when their frames would have left.
    takeEvents(session)
  }

  /// It takes nothing more before something is answered: by requests in flight, or by bytes that the peer has not
  /// acknowledged.
  var isFull: Bool {
    allowance == 0 || inFlight > 0 && (session?.windowBytes ?? 0) < APNs.Limits.payloadBytes
  }

  /// Requests it would take now.
  var allowance: Int {
    guard let session else { return 0 }
    return state.allowance(capacity: session.capacity, inFlight: inFlight, cap: streamCap)
  }

  // MARK: Time

  private func scheduleTick() {
    timer = loop.schedule(after: .seconds(1)) { [weak self] in self?.tick() }
  }

  private func tick() {
    scheduleTick()
    let now = loop.clock.now
    if let session {
      for slot in slots.indices {
        guard let request = slots[slot], !request.isGivenUp,
          (now - request.submittedAt).components.seconds >= APNs.Limits.requestSeconds
        else { continue }
        slots[slot]?.isGivenUp = true
        session.reset(request.streamID, .cancel)
        perform(state.timedOut(inFlight: inFlight, at: now))
      }
      if session.nextStreamID > lastStreamID || !session.acceptsRequests {
        perform(state.retire(inFlight: inFlight, at: now))
      }
    }
    perform(state.ticked(inFlight: inFlight, at: now))
    pump()
  }

  // MARK: Ending

  /// Takes no more requests and closes when the present ones have ended.
  func retire() {
    perform(state.retire(inFlight: inFlight, at: loop.now))
  }

  private func perform(_ actions: ConnectionState.Actions) {
    guard !actions.isEmpty else { return }
    if actions.contains(.secure) { secure() }
    if actions.contains(.fill), state.phase == .ready, !wasReady {
      wasReady = true
      owner.becameReady(self)
    }
    if actions.contains(.succeed) { owner.needsSuccessor(of: self) }
    if actions.contains(.ping), let session {
      pings += 1
      session.ping(pings)
    }
    if actions.contains(.abandon) { end("no answer from the peer") }
    if actions.contains(.close) { closePolitely() }
    if actions.contains(.fill) { pump() }
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
    state.closed(at: loop.now)
    if let timer { loop.cancel(timer) }
    deregister()
    socket = nil
    stream = nil
    session = nil
    let lost = slots.compactMap { $0 }
    slots = []
    inFlight = 0
    for request in lost { owner.ended(request.submission, .unknown(reason), on: self) }
    owner.closed(self, reason: reason)
  }

  /// The peer takes nothing more; but it may have said why, and answered, before it left. That makes the difference
  /// between "unknown" and knowing.
  private func endAfterReading(_ error: TLSError) {
    isLost = true
    if let stream, let session {
      _ = stream.read(into: &input, limit: .max)
      _ = try? session.receive(&input)
      takeEvents(session)
    }
    end(error.description)
  }

  private func deregister() {
    if let registration { loop.deregister(registration) }
    registration = nil
  }

  private func watch(_ readiness: Readiness) {
    if let registration { loop.update(registration, interest: readiness) }
  }
}
