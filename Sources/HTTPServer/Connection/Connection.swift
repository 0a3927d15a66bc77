internal import Reactor

/// One client's connection: reads requests, passes them to the handler one at a time, and sends the responses.
///
/// Pipelined requests wait in `request.store`. Responses are collected in `answers` and sent together at the end of the
/// loop iteration. While too many response bytes are unsent, no further requests are handled. The helper objects do
/// not refer to each other; the connection coordinates them.
final class Connection: EventLoop.Handler, Answering {
  let server: HTTPServer
  let slot: Int
  /// Unique within the server, to distinguish the connection from a later one in the same slot.
  let identity: UInt64
  let request: Request
  private(set) var phase = ConnectionPhase.head
  /// Number of the current request on this connection, from 1, by which responses find it; 0 before the first request.
  private(set) var serial: UInt64 = 0

  private let wire: Wire
  private let client: ClientEntry
  private let intake = Intake()
  private let admission = BodyAdmission()
  private let answers = Answers()
  private let stall = WriteStall()
  /// Number of unsent response bytes: a cached copy of `answers.count`.
  private(set) var unsentBytes = 0 {
    didSet { server.unsentBytes += unsentBytes - oldValue }
  }
  /// Time at which the current phase times out, if `checkTime` limits it. Checked once a second.
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

  /// True if closing the connection loses nothing: no byte of a request has been read and no response is unsent.
  var isIdle: Bool { phase == .head && request.store.isIdle && unsentBytes == 0 }

  // MARK: Opening

  /// Continues the PROXY header and TLS handshake that precede the first request, as far as the socket allows. When
  /// they are complete, admits the client and reads; closes the connection if they fail.
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

  /// Admits the client, or refuses it with 503 or 429. Called when its address is known.
  /// - Parameter address: address of the peer; nil if no limit depends on it.
  func arrive(from address: SocketAddress?) {
    if let refusal = client.arrive(address?.ip, for: request, server.counts, isTrusted: server.isTrusted) {
      refuse(refusal)
    }
  }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    if phase == .opening { return open() }
    // The connection was reset, or both sides are shut down: no response can be delivered.
    if readiness.overlaps(.failed) { return close() }
    if readiness.overlaps(.writable) { queueFlush() }
    if readiness.overlaps(.readable) { return phase == .lingering ? drop() : read() }
  }

  /// Reads once from the socket and processes the complete requests. Closes the connection if it is lost, or if the
  /// client of an event stream has shut down its sending side.
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

  /// Discards input after the last response. Closes the connection if the client has closed it or sent too much.
  private func drop() {
    let transfer = wire.receive(into: &request.store.input, reserving: HTTPLimits.bodyReadBytes)
    let isBearable = intake.drop(request)
    switch transfer {
    case .bytes where isBearable: updateInterest()
    case .wouldBlock: break
    default: close()
    }
  }

  /// Continues with input that TLS has buffered, pipelined requests, or the source of a streamed response. The server
  /// calls it after `queueResume`.
  func resume() {
    turn.resumes()
    if wire.hasHiddenInput, wantsInput { return phase == .lingering ? drop() : read() }
    if phase == .streaming { answers.takeDrained()?() } else { pump() }
  }

  private func queueResume() { if turn.takesResume() { server.queueResume(self) } }
  private func queueFlush() { if turn.takesFlush() { server.queueFlush(self) } }

  // MARK: Requests

  /// Handles all complete requests, as long as each is answered immediately.
  private func pump() {
    isPumping = true
    while takeStep() {}
    isPumping = false
    updateInterest()
  }

  /// Performs one parsing step. Returns false if nothing more can be done now.
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

  /// True if no response bytes are unsent here, or few enough, here and on all connections, to handle another request.
  private var mayBegin: Bool {
    unsentBytes == 0
      || unsentBytes < HTTPLimits.outputBytes && server.unsentBytes < server.configuration.outputMemoryBytes
  }

  private var wantsInput: Bool { intake.isWanted(in: phase, request, mayBegin: mayBegin) }

  /// Starts receiving the body, unless the client's expectation is unknown or the body is held back or refused.
  private func beginBody(_ facts: RequestStore.Facts) {
    guard facts.expectation != .unknown else { return refuse(.unknownExpectation) }
    if server.bodies.isLong(facts.framing), isHeld(facts) { return }
    takeBody(facts)
  }

  /// Asks the handler whether the body may be read. Returns true if it must not be read now, because the client exceeds
  /// its rate limit or must be authenticated first. Meanwhile the request counts as being handled, and no more input is
  /// read than may be pipelined.
  private func isHeld(_ facts: RequestStore.Facts) -> Bool {
    phase = .handling
    begin(facts)
    // If the handler answers without admitting the body, the unread body would precede the next request: close then.
    answers.keepsAlive = false
    guard isWithinRateLimit else {
      refuseOverLimit()
      dropBody()
      return true
    }
    let isHeld = server.handler.holdsBody(of: request, ticket(serial))
    admission.asked(isHeld: isHeld)
    return isHeld
  }

  /// Continues with a body that the handler has admitted. No effect if this request's body is not held back.
  func admitBody(_ serial: UInt64) {
    guard isAwaiting(serial), admission.admitBody() else { return }
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
    // A request whose handler was asked about its body has been counted already.
    if beginUnlessAsked(facts) || isWithinRateLimit {
      server.handler.handle(request, Responder(connection: self, serial: serial))
    } else {
      refuseOverLimit()
    }
    intake.finish(request)
    guard !request.shares.isEmpty else { return }
    // The handler has seen the body and copied what it keeps.
    request.store.trim()
    // The request is answered already, or the client has disconnected.
    if phase != .handling, phase != .streaming { request.shares.release() }
  }

  /// Starts a request: assigns its random number, which every response needs, even one to a malformed request.
  private func begin(_ facts: RequestStore.Facts) {
    serial &+= 1
    let number = server.beginRequest()
    request.begin(number, facts.method)
    server.meter?.began(request)
    answers.begin(number, facts, at: server.loop.now)
  }

  /// Starts the request and returns false; returns true if it was started when the handler was asked about its body.
  @discardableResult
  private func beginUnlessAsked(_ facts: RequestStore.Facts) -> Bool {
    guard admission.end() else {
      begin(facts)
      return false
    }
    answers.beginAgain(facts, at: server.loop.now)
    return true
  }

  /// Counts the request; true if the client is within its rate limit.
  private var isWithinRateLimit: Bool { client.isWithinRateLimit(request, among: server.counts, now: server.loop.now) }

  /// Answers 429 without calling the handler. If the request has an unread body, the connection closes afterwards.
  private func refuseOverLimit() {
    server.counters.count(.address)
    respond(serial, Refusal.tooManyRequests.response(answers.number))
  }

  /// Answers a request that is malformed or not admitted, and closes the connection after the response.
  private func refuse(_ refusal: Refusal) {
    phase = .handling
    beginUnlessAsked(request.store.factsOfRefused)
    server.counters.count(refusal.cause)
    respond(serial, refusal.response(answers.number))
    dropBody()
  }

  /// If the refused request was counted against a budget, discards all input and releases its shares.
  private func dropBody() {
    guard !request.shares.isEmpty else { return }
    request.store.discard()
    request.shares.release()
  }

  // MARK: Responses

  /// True if the client has shut down its sending side.
  var inputHasEnded: Bool { intake.hasEnded }

  /// Calls `add` to extend the response to this request. Returns false, without calling it, if the request is not in
  /// this phase any more, because it was answered or the client has disconnected. Also returns false if `add` reports
  /// `.broken`: then the connection is reset. Otherwise nothing is sent before the end of the loop iteration.
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

  /// Finishes the request after its response has been written completely to the output.
  private func answered(_ status: Status) {
    server.meter?.answered(answers.number, request, status, after: answers.age(at: server.loop.now))
    // A handler that answers immediately may still read the body, so `handle` releases it later.
    if !isPumping, !request.shares.isEmpty { request.shares.release() }
    if answers.keepsAlive {
      phase = .head
      intake.awaitHead()
      deadline = server.idleDeadline
      // During `handle`, `pump` continues; after a later response, pipelined requests must be resumed here.
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

  /// Sends the collected output with one system call, or two for a large body. Closes a lost connection.
  func flush() {
    turn.flushes()
    guard !wire.isClosed else { return }
    let before = unsentBytes
    guard wire.send(answers) else { return close() }
    unsentBytes = answers.count
    let hasRead = stall.sent(before, left: unsentBytes, at: server.loop.now, timeout: server.configuration.writeTimeout)
    if unsentBytes == 0, phase == .closing { return linger() }
    // Only now, when the client has read a long response, does it begin to be idle.
    if hasRead, phase == .head, !intake.headHasBegun { deadline = server.idleDeadline }
    // Requests or the source of a streamed response may be waiting for the output to be sent.
    switch phase {
    case .head where before > 0 && intake.hasMore && mayBegin: queueResume()
    case .streaming where unsentBytes == 0 && answers.awaitsDrain: queueResume()
    default: break
    }
    updateInterest()
  }

  /// Shuts down the sending side and waits for the client to close. Closing at once while the client still sends would
  /// cause a reset, which could destroy the response before the client has read it (RFC 9112 §9.6).
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

  /// Checks the timeouts and releases unused memory. Called once a second.
  func checkTime(_ now: Instant) {
    if stall.isStalled {
      let timeout = server.configuration.writeTimeout
      guard stall.isOver(held: wire.unacknowledgedBytes, at: now, timeout: timeout) else { return }
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

  /// Closes the connection with a TCP reset.
  func abandon() {
    wire.resetOnClose()
    close()
  }

  func close() {
    guard phase != .closed else { return }
    phase = .closed
    wire.close()
    unsentBytes = 0
    request.shares.release()
    client.leave(server.counts)
    server.remove(self)
    answers.abandonStream()?()
  }
}
