internal import Reactor

/// One client's connection: reads requests, hands them to the handler one at a time, collects the answers.
///
/// Requests sent ahead wait in `request`. Answers collect in `answers` and are sent once at the end of the turn. A
/// client that does not read its answers is not read from either.
///
/// Its parts do not know each other, and only the connection knows them; it coordinates them.
final class Connection: EventLoop.Handler, Answering {
  let server: HTTPServer
  let slot: Int
  /// Unique within the server: distinguishes this connection from a later one in the same slot.
  let identity: UInt64
  let request: Request
  private(set) var phase = ConnectionPhase.head
  /// Counts requests; an answer names the one it belongs to.
  private(set) var serial: UInt64 = 0

  private let wire: Wire
  private let client: ClientEntry
  private let intake = Intake()
  private let admission = BodyAdmission()
  private let answers = Answers()
  private let stall = WriteStall()
  /// The last value of `answers.count`, kept because it is needed often.
  private(set) var unsentBytes = 0 {
    didSet { server.unsentBytes += unsentBytes - oldValue }
  }
  /// When the current phase times out; checked once a second, instead of a timer per request.
  private var deadline: Instant
  private var isPumping = false
  private let turn = ConnectionTurn()

  init(
    server: HTTPServer, slot: Int, identity: UInt64, transport: Transport, descriptor: Int32, isSurplus: Bool
  ) throws(SystemError) {
    self.server = server
    self.slot = slot
    self.identity = identity
    request = Request(limits: server.configuration.head)
    wire = Wire(transport, loop: server.loop)
    client = ClientEntry(isSurplus: isSurplus)
    deadline = server.loop.now + server.configuration.headTimeout
    if !transport.isOpen { phase = .opening }
    try wire.register(descriptor, self)
    request.findRemoteAddress = { [unowned self] in self.wire.remoteAddress }
    request.findClient = { [unowned self] in self.server.client(of: self.request) }
    request.isExempt = { [unowned self] in self.server.isExempt($0) }
  }

  /// True when closing it loses nothing: no request has begun and no answer is unsent.
  var isIdle: Bool { phase == .head && request.store.isIdle && unsentBytes == 0 }

  // MARK: Opening

  /// Continues what precedes the first request, as far as the socket allows.
  func open() {
    switch wire.open() {
    case .open:
      phase = .head
      arrive(from: wire.remoteAddress)
      if phase == .head { read() }
    case .waiting: break
    case .failed: close()
    }
  }

  /// The client's address is known: admits the client, or answers why not.
  /// - Parameter address: nil when no limit needs it.
  func arrive(from address: SocketAddress?) {
    if let refusal = client.arrive(address?.ip, for: request, server.visitors, isTrusted: server.isTrusted) {
      refuse(refusal)
    }
  }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    if phase == .opening { return open() }
    // A reset, or both sides shut down: no answer can be delivered.
    if readiness.overlaps(.failed) { return close() }
    if readiness.overlaps(.writable) { queueFlush() }
    if readiness.overlaps(.readable) {
      if phase == .lingering { drop() } else { read() }
    }
  }

  /// Reads once and processes what it can.
  func read() {
    let wanted = phase == .body ? request.store.bodyReadBytes : HTTPLimits.readBytes
    switch wire.receive(into: &request.store.input, reserving: wanted) {
    case .bytes:
      intake.arrived()
      pump()
    case .endOfStream:
      intake.ended()
      if phase == .streaming, answers.isEndless { return close() }
      pump()
    case .wouldBlock: break
    case .failed: close()
    }
  }

  /// After an answer that ends the connection: discards what the client still sends, until it closes.
  private func drop() {
    let transfer = wire.receive(into: &request.store.input, reserving: HTTPLimits.bodyReadBytes)
    let isBearable = intake.drop(request)
    switch transfer {
    case .bytes where isBearable: updateInterest()
    case .wouldBlock: break
    default: close()
    }
  }

  /// Continues after an answer or a drained output: with requests that were sent ahead, or the source of a stream.
  func resume() {
    turn.resumes()
    if wire.hasHiddenInput, wantsInput { return phase == .lingering ? drop() : read() }
    if phase == .streaming { answers.takeDrained()?() } else { pump() }
  }

  private func queueResume() { if turn.takesResume() { server.queueResume(self) } }
  private func queueFlush() { if turn.takesFlush() { server.queueFlush(self) } }

  // MARK: Requests

  /// Handles every complete request, as long as each is answered at once.
  private func pump() {
    isPumping = true
    while takeStep() {}
    isPumping = false
    updateInterest()
  }

  /// Returns false when nothing more can be done now.
  private func takeStep() -> Bool {
    let step: Intake.Step
    switch phase {
    case .head where mayBegin: step = intake.takeHead(of: request, server.bodies)
    case .body: step = intake.takeBody(of: request, limit: admission.limit, server.bodies)
    case .head, .opening, .handling, .streaming, .closing, .lingering, .closed: return false
    }
    switch step {
    case .wait: return false
    case .headHasBegun:
      deadline = server.loop.now + server.configuration.headTimeout
      return false
    case .ended:
      if unsentBytes > 0 { phase = .closing } else { close() }
      return false
    case .head(let facts): beginBody(facts)
    case .complete(let facts): handle(facts)
    case .refused(let refusal): refuse(refusal)
    }
    return true
  }

  /// Whether another request may be answered before the client has read the unsent answers.
  private var mayBegin: Bool {
    unsentBytes == 0
      || unsentBytes < HTTPLimits.outputBytes && server.unsentBytes < server.configuration.outputMemoryBytes
  }

  private var wantsInput: Bool { intake.isWanted(in: phase, request, mayBegin: mayBegin) }

  /// The body has not arrived completely, or the handler must decide whether it may.
  private func beginBody(_ facts: RequestStore.Facts) {
    guard facts.expectation != .unknown else { return refuse(.unknownExpectation) }
    if server.bodies.isLong(facts.framing), isHeld(facts) { return }
    takeBody(facts)
  }

  /// True when the body is not read now: the client exceeds its rate limit, or must be authenticated first. Meanwhile
  /// the request counts as being handled: input stays in the socket, apart from what is read ahead (pipelining).
  private func isHeld(_ facts: RequestStore.Facts) -> Bool {
    phase = .handling
    begin(facts)
    // If the handler answers without admitting the body, the unread body would precede the next request.
    answers.keepsAlive = false
    guard mayAsk else {
      turnAway()
      dropBody()
      return true
    }
    let isHeld = server.handler.holdsBody(of: request, ticket(serial))
    admission.asked(isHeld: isHeld)
    return isHeld
  }

  /// The handler admits the body.
  func goOn(_ serial: UInt64) {
    guard isAwaiting(serial), admission.goOn() else { return }
    takeBody(request.store.facts)
    pump()
  }

  private func takeBody(_ facts: RequestStore.Facts) {
    phase = .body
    let limit = server.bodies.limit(for: request, facts.framing)
    let isComing = admission.begin(facts.framing, limit: limit)
    if isComing, !server.bodies.hasRoom(for: request, facts.framing) { return refuse(.noRoomForBody) }
    deadline = server.loop.now + server.configuration.bodyTimeout
    guard isComing, facts.expectation == .continue, !intake.hasEnded, !request.store.hasBodyBytes else { return }
    answers.writeContinue()
    outputGrew()
  }

  private func handle(_ facts: RequestStore.Facts) {
    phase = .handling
    // A request whose body was asked about is counted already.
    if beginUnlessAsked(facts) || mayAsk {
      server.handler.handle(request, Responder(connection: self, serial: serial))
    } else {
      turnAway()
    }
    intake.finish(request)
    guard !request.room.isEmpty else { return }
    // The handler has seen the body, and copied what it keeps.
    request.store.trim()
    // Answered already, or the client is gone.
    if phase != .handling, phase != .streaming { request.room.giveBack() }
  }

  /// Every answer has its own number, including answers to malformed requests.
  private func begin(_ facts: RequestStore.Facts) {
    serial &+= 1
    let number = server.beginRequest()
    request.begin(number, facts.method)
    server.meter?.began(request)
    answers.begin(number, facts, at: server.loop.now)
  }

  /// Begins the request, unless that was done when the handler was asked about its body. Returns whether it was.
  @discardableResult
  private func beginUnlessAsked(_ facts: RequestStore.Facts) -> Bool {
    guard admission.end() else {
      begin(facts)
      return false
    }
    answers.beginAgain(facts, at: server.loop.now)
    return true
  }

  /// Whether the client is within its rate limit.
  private var mayAsk: Bool { client.mayAsk(request, among: server.visitors, now: server.loop.now) }

  /// Answers 429 in the handler's place. The connection stays open, unless an unread body is in the way.
  private func turnAway() {
    server.counters.count(.address)
    respond(serial, Refusal.tooManyRequests.response(answers.number))
  }

  /// Answers a request that is malformed or not admitted, and ends the connection.
  private func refuse(_ refusal: Refusal) {
    phase = .handling
    beginUnlessAsked(request.store.factsOfRefused)
    server.counters.count(refusal.cause)
    respond(serial, refusal.response(answers.number))
    dropBody()
  }

  /// The request was refused, so what has arrived of its body is discarded.
  private func dropBody() {
    guard !request.room.isEmpty else { return }
    request.store.discard()
    request.room.giveBack()
  }

  // MARK: Answers

  /// The client has shut down its side.
  var inputHasEnded: Bool { intake.hasEnded }

  /// Lets `add` extend the answer to this request. Returns false when the request no longer expects it in this phase:
  /// the client is gone, or it was answered. Nothing is sent before the turn ends.
  @inline(__always)
  func answer(_ serial: UInt64, in phase: ConnectionPhase, _ add: (Answers) -> Answers.Progress) -> Bool {
    guard self.phase == phase, serial == self.serial else { return false }
    if phase == .handling, server.isDraining { answers.keepsAlive = false }
    switch add(answers) {
    case .same: break
    case .whole(let status): answered(status)
    case .grew: outputGrew()
    case .begun:
      self.phase = .streaming
      outputGrew()
    case .awaitsDrain: if unsentBytes == 0, !turn.isQueuedForFlush { queueResume() }
    case .broken:
      abandon()
      return false
    }
    return true
  }

  /// The answer is in the output completely.
  private func answered(_ status: Status) {
    server.meter?.answered(answers.number, request, status, after: answers.age(at: server.loop.now))
    // A handler that answers at once may still read the body: `handle` releases it.
    if !isPumping, !request.room.isEmpty { request.room.giveBack() }
    if answers.keepsAlive {
      phase = .head
      intake.awaitHead()
      deadline = server.idleDeadline
      // While the handler runs, `pump` continues by itself; a later answer must resume requests sent ahead.
      if !isPumping, intake.hasEnded || intake.hasMore { queueResume() }
    } else {
      phase = .closing
    }
    outputGrew()
  }

  private func outputGrew() {
    unsentBytes = answers.count
    queueFlush()
  }

  // MARK: Sending

  /// Sends what has collected: one system call, two for a large body. Calls no handler.
  func flush() {
    turn.flushes()
    guard !wire.isClosed else { return }
    let before = unsentBytes
    guard wire.send(answers) else { return close() }
    unsentBytes = answers.count
    stall.sent(before, left: unsentBytes, at: server.loop.now, timeout: server.configuration.writeTimeout)
    if unsentBytes == 0, phase == .closing { return linger() }
    // Requests, or the source of a stream, may wait for the output to drain.
    switch phase {
    case .head where before > 0 && intake.hasMore && mayBegin: queueResume()
    case .streaming where unsentBytes == 0 && answers.awaitsDrain: queueResume()
    default: break
    }
    updateInterest()
  }

  /// Shuts down the write side and waits for the client to close: closing at once while bytes arrive would send a
  /// reset, and the client might lose the answer before reading it (RFC 9112 §9.6).
  private func linger() {
    if intake.hasEnded { return close() }
    wire.shutdownWrite()
    phase = .lingering
    request.store.input.removeAll()
    deadline = server.loop.now + server.configuration.lingerTimeout
    updateInterest()
  }

  private func updateInterest() {
    let wantsInput = wantsInput
    if wire.hasHiddenInput, wantsInput { queueResume() }
    wire.watch(forInput: wantsInput, forOutput: unsentBytes > 0 && !turn.isQueuedForFlush)
  }

  // MARK: Time

  /// Checks the timeouts. Called once a second.
  func checkTime(_ now: Instant) {
    if stall.isStalled {
      let timeout = server.configuration.writeTimeout
      guard stall.isOver(held: wire.unacknowledgedBytes, at: now, timeout: timeout) else { return }
      // A client that has read nothing for so long gets no orderly close either.
      server.counters.count(.tooSlow)
      return abandon()
    }
    answers.trim()
    let isIdle = isIdle
    if isIdle { request.store.rest() }
    guard now >= deadline else { return }
    switch phase {
    case .opening:
      server.counters.count(.tooSlow)
      close()
    case .head where !isIdle, .body: refuse(.tooSlow)
    case .head, .lingering: close()
    case .handling, .streaming, .closing, .closed: break
    }
  }

  // MARK: End

  /// Closes the connection with a reset.
  func abandon() {
    wire.resetOnClose()
    close()
  }

  func close() {
    guard phase != .closed else { return }
    phase = .closed
    wire.close()
    unsentBytes = 0
    request.room.giveBack()
    client.leave(server.visitors)
    server.remove(self)
    answers.abandonStream()?()
  }
}
