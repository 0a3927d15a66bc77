internal import Reactor

/// One client's connection: reads requests, hands them to the handler one at a time, gathers the answers.
///
/// ```
///   opening ──► head ──► body ──► handling ──► head …      one request after the other
///   (proxy header,│       │         │   └► streaming ─┘
///    handshake)   └───────┴─────────┴───────┴──► closing ──► lingering ──► closed
///                          last answer is being sent    write side shut   descriptor gone
/// ```
///
/// Whatever the client sends ahead waits in `request`. Answers gather in `output` and are sent once at the end of the
/// turn. A client that does not read its answers is not read from either.
final class Connection: EventLoop.Handler, Answering {
  enum Phase {
    /// A proxy's header or the handshake of TLS is under way; nothing of HTTP has been said.
    case opening
    /// Idle, or a head has begun to arrive.
    case head
    /// The head is complete, the body is not.
    case body
    /// The handler has the request and owes the answer.
    case handling
    /// The head of the answer is out, its body comes in pieces.
    case streaming
    /// The last answer is on its way; no more requests are read.
    case closing
    /// All is sent and the write side is shut; what still arrives is dropped, so that no reset destroys the answer.
    case lingering
    case closed
  }

  let server: HTTPServer
  let slot: Int
  /// Never used twice by one server: tells this connection from a later one in the same slot.
  let identity: UInt64
  let request: Request
  var phase = Phase.head
  private(set) var transport: Transport?
  private var registration: EventLoop.Registration?
  private var interest = Readiness.readable

  var output = Output()
  /// What `output.count` was when it was last looked at: asked often, so kept beside it.
  var unsentBytes = 0 {
    didSet { server.unsentBytes += unsentBytes - oldValue }
  }
  var exchange = ResponseWriter.Exchange()
  /// Counts requests: an answer names the one it belongs to.
  private(set) var serial: UInt64 = 0
  /// When the present request was whole, for the meter.
  var beganAt: Instant
  var stream: StreamState?

  var bodyLimit = 0
  /// What the handler was asked of a long body before it came; the request has its number since then.
  var leave = Leave.notAsked
  /// The client has shut its side; it may still read.
  private(set) var inputEnded = false
  /// Requests, or the beginning of one, wait behind the present one.
  private var hasMoreInput = false
  private var isPumping = false
  private var headHasBegun = true
  /// When the present phase has lasted too long; looked at once a second.
  var deadline: Instant
  var writeDeadline: Instant
  /// The kernel takes no more bytes at present: the client is slow to read.
  private(set) var isStalled = false
  /// What the kernel still held for the client when it was last seen to take something.
  var stalledBytes = Int.max
  private var lingered = 0
  var isQueuedForFlush = false
  var isQueuedForResume = false
  /// There were too many connections when it came: it is only told so.
  let isSurplus: Bool
  /// The client's address among all others; nil when it is not counted.
  var visitor: Visitors.Visitor?
  /// The peer is one of our own proxies: each request says for whom it is.
  var isBehindProxy: Bool {
    get { request.isBehindProxy }
    set { request.isBehindProxy = newValue }
  }

  init(
    server: HTTPServer, slot: Int, identity: UInt64, transport: Transport, descriptor: Int32, isSurplus: Bool
  ) throws(SystemError) {
    self.server = server
    self.slot = slot
    self.identity = identity
    self.isSurplus = isSurplus
    request = Request(limits: server.configuration.head)
    deadline = server.loop.now + server.configuration.headTimeout
    writeDeadline = deadline
    beganAt = server.loop.now
    self.transport = transport
    if !transport.isOpen { phase = .opening }
    registration = try server.loop.register(descriptor, interest: interest, handler: self)
    request.findRemoteAddress = { [unowned self] in self.transport?.remoteAddress }
    request.findClient = { [unowned self] in self.server.client(of: self.request) }
    request.isExempt = { [unowned self] in self.server.isExempt($0) }
  }

  /// True when closing it loses nothing: no request has begun and no answer is owed.
  var isIdle: Bool { phase == .head && request.store.isIdle && unsentBytes == 0 }

  func isAwaiting(_ serial: UInt64) -> Bool { phase == .handling && serial == self.serial }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    if phase == .opening { return open() }
    // A reset, or both sides shut: nobody reads any more.
    if readiness.overlaps(.failed) { return close() }
    if readiness.overlaps(.writable) { server.queueFlush(self) }
    if readiness.overlaps(.readable) {
      if phase == .lingering { drop() } else { read() }
    }
  }

  /// Reads once and does what can be done with it.
  func read() {
    let wanted = phase == .body ? bodyReadBytes : HTTPLimits.readBytes
    switch transport?.receive(into: &request.store.input, reserving: wanted) {
    case .bytes:
      hasMoreInput = true
      pump()
    case .endOfStream:
      inputEnded = true
      if phase == .streaming, stream?.isEndless == true { return close() }
      pump()
    case .wouldBlock: break
    case .failed, nil: close()
    }
  }

  private var bodyReadBytes: Int {
    min(HTTPLimits.bodyReadBytes, max(512, request.store.awaitedBodyBytes))
  }

  /// After an answer that ends the connection: takes what the client still sends, until it closes.
  private func drop() {
    let transfer = transport?.receive(into: &request.store.input, reserving: HTTPLimits.bodyReadBytes)
    lingered += request.store.input.count
    request.store.input.removeAll()
    switch transfer {
    case .bytes where lingered <= HTTPLimits.lingerBytes: updateInterest()
    case .wouldBlock: break
    default: close()
    }
  }

  /// Goes on after an answer, or after the output has drained: for requests that were sent ahead, and for streams.
  func resume() {
    isQueuedForResume = false
    if transport?.hasHiddenInput == true, wantsInput { return phase == .lingering ? drop() : read() }
    if phase == .streaming { streamDrained() } else { pump() }
  }

  // MARK: Requests

  /// Handles every request that is complete, as long as each is answered at once.
  func pump() {
    isPumping = true
    while true {
      let goesOn =
        switch phase {
        case .head: mayBegin && receiveHead()
        case .body: receiveBody()
        case .opening, .handling, .streaming, .closing, .lingering, .closed: false
        }
      if !goesOn { break }
    }
    isPumping = false
    updateInterest()
  }

  /// False when more bytes are needed.
  private func receiveHead() -> Bool {
    guard hasMoreInput || inputEnded else { return false }
    switch request.store.advance(unaskedBytes: unaskedBodyBytes) {
    case .complete(let facts): handle(facts)
    case .head(let facts): beginBody(facts)
    case .malformed(let malformed): refuse(malformed.status, "\(malformed.reason)")
    case .needMore: return awaitHead()
    }
    return true
  }

  /// False when more bytes are needed.
  private func awaitHead() -> Bool {
    guard !inputEnded else {
      endOfRequests()
      return false
    }
    guard countBody() else {
      refuseBody()
      return true
    }
    beginHead()
    return false
  }

  private func beginHead() {
    guard !headHasBegun, !request.store.isIdle else { return }
    headHasBegun = true
    deadline = server.loop.now + server.configuration.headTimeout
  }

  private func endOfRequests() {
    if !request.store.isIdle {
      refuse(.badRequest, "The connection ended in the middle of a request.")
    } else if unsentBytes > 0 {
      phase = .closing
    } else {
      close()
    }
  }

  var unaskedBodyBytes: Int { min(HTTPLimits.unaskedBodyBytes, server.configuration.bodyBytes) }

  /// False when more bytes are needed.
  private func receiveBody() -> Bool {
    guard countBody() else {
      refuseBody()
      return true
    }
    switch request.store.receiveBody(limit: bodyLimit) {
    case .needMore:
      guard inputEnded else { return false }
      refuse(.badRequest, "The connection ended in the middle of a request.")
    case .malformed(let malformed) where malformed.status == .contentTooLarge:
      refuse(.contentTooLarge, "The body is too large: what is asked here takes \(bodyLimit) bytes at most.")
    case .malformed(let malformed): refuse(malformed.status, "\(malformed.reason)")
    case .unstorable: refuseBody()
    case .complete: handle(request.store.facts)
    }
    return true
  }

  private func handle(_ facts: RequestStore.Facts) {
    phase = .handling
    // It was counted when its handler was asked for leave.
    let isCountedAlready = leave != .notAsked
    beginUnlessAsked(facts)
    if isCountedAlready || mayAsk {
      server.handler.handle(request, Responder(connection: self, serial: serial))
    } else {
      turnAway()
    }
    hasMoreInput = request.store.finish()
    if isCounted { letGoOfBody() }
  }

  /// Every answer, also to what could not be read as a request, has a number of its own.
  func begin(_ facts: RequestStore.Facts) {
    serial &+= 1
    let number = server.beginRequest()
    request.number = number
    request.knownMethod = facts.method
    request.kind = 0
    beganAt = server.loop.now
    exchange = ResponseWriter.Exchange(
      number: number, isHead: facts.method == .head, minorVersion: facts.minorVersion, keepsAlive: facts.keepsAlive)
  }

  /// Answers what is no proper request, and ends the connection.
  /// - Parameter detail: a sentence of ours: nothing in it comes from the request.
  func refuse(_ status: Status, _ detail: String, headers: [(String, String)] = []) {
    phase = .handling
    beginUnlessAsked(request.store.factsOfRefused)
    server.counters.refused &+= 1
    var response = Problem.response(status, detail, number: exchange.number)
    response.headers += headers
    respond(serial, response)
    if isCounted { dropBody() }
  }

  // MARK: After an answer

  /// The answer is in the output whole.
  func answered(_ status: Status) {
    server.meter?.answered(exchange.number, request.kind, status, after: server.loop.now - beganAt)
    // A handler that answers at once may still look at the body: `handle` gives it back.
    if isCounted, !isPumping { giveBack() }
    if exchange.keepsAlive {
      phase = .head
      headHasBegun = false
      deadline = server.idleDeadline
      // While the handler runs, `pump` itself goes on; a later answer must wake what was sent ahead.
      if !isPumping, inputEnded || hasMoreInput { server.queueResume(self) }
    } else {
      phase = .closing
    }
    outputGrew()
  }

  func outputGrew() {
    unsentBytes = output.count
    server.queueFlush(self)
  }

  /// Sends what has gathered: one call to the kernel, two for a large body. Calls nobody else.
  func flush() {
    isQueuedForFlush = false
    guard let transport else { return }
    let before = unsentBytes
    guard output.send(over: transport) else { return close() }
    unsentBytes = output.count
    let isNewlyStalled = !isStalled
    isStalled = unsentBytes > 0
    if isStalled, isNewlyStalled || unsentBytes < before {
      writeDeadline = server.loop.now + server.configuration.writeTimeout
      stalledBytes = .max
    }
    if !isStalled, phase == .closing { return linger() }
    // Requests, or the source of a stream, may be waiting for the output to drain.
    let mayGoOn = before > 0 && hasMoreInput && mayBegin
    if phase == .head && mayGoOn || phase == .streaming && streamMayGoOn { server.queueResume(self) }
    updateInterest()
  }

  /// Shuts the write side and waits for the client to close: closing at once while bytes arrive would send a reset, and
  /// the client might lose the answer before it has read it (RFC 9112 §9.6).
  private func linger() {
    if inputEnded { return close() }
    transport?.shutdownWrite()
    phase = .lingering
    request.store.input.removeAll()
    deadline = server.loop.now + server.configuration.lingerTimeout
    updateInterest()
  }

  func updateInterest() {
    // Bytes that TLS has decrypted already wait where epoll does not see them.
    if transport?.hasHiddenInput == true, wantsInput { server.queueResume(self) }
    let input: Readiness = wantsInput ? .readable : .nothing
    let output: Readiness = unsentBytes > 0 && !isQueuedForFlush ? .writable : .nothing
    let wanted = Readiness(rawValue: input.rawValue | output.rawValue)
    watch(wanted)
  }

  func watch(_ wanted: Readiness) {
    guard wanted.rawValue != interest.rawValue, let registration else { return }
    interest = wanted
    server.loop.update(registration, interest: wanted)
  }

  private var wantsInput: Bool {
    switch phase {
    case .lingering: true
    case .head, .body: !inputEnded && mayBegin
    // The socket stays watched, to learn of requests sent ahead and of a client that leaves, until enough waits.
    case .handling, .streaming:
      !inputEnded && (!hasMoreInput || request.store.input.count < HTTPLimits.pipelinedBytes)
    case .opening, .closing, .closed: false
    }
  }

  // MARK: End

  /// Ends the connection with a reset.
  func abandon() {
    transport?.resetOnClose()
    close()
  }

  func close() {
    guard phase != .closed else { return }
    phase = .closed
    if let registration { server.loop.deregister(registration) }
    registration = nil
    transport = nil
    unsentBytes = 0
    giveBack()
    server.remove(self)
    streamEnded()
  }
}
