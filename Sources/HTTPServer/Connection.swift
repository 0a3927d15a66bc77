internal import Reactor

/// One client's connection: reads requests, hands them to the handler one at a time, gathers the answers.
///
/// ```
///   head ──► body ──► handling ──► head …            one request after the other
///     │        │          │
///     └────────┴──────────┴──► closing ──► lingering ──► closed
///          last answer is being sent    write side shut   descriptor gone
/// ```
///
/// Whatever the client sends ahead waits in `request.input`. Answers gather in `output` and are sent once at the end of
/// the turn. A client that does not read its answers is not read from either.
final class Connection: EventLoop.Handler {
  enum Phase {
    /// Idle, or a head has begun to arrive.
    case head
    /// The head is complete, the body is not.
    case body
    /// The handler has the request and owes the answer.
    case handling
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
  var transport: Transport?
  var registration: EventLoop.Registration?
  var interest = Readiness.readable

  var output = ByteBuffer(capacity: 512)
  /// A large body behind `output`, sent from where it lies, and how much of it has gone.
  var detached: [UInt8] = []
  var detachedSent = 0

  var exchange = ResponseWriter.Exchange()
  /// Counts requests: an answer names the one it belongs to.
  var serial: UInt64 = 0
  var bodyLimit = 0
  /// The client has shut its side; it may still read.
  var inputEnded = false
  var isPumping = false
  var headHasBegun = false
  /// When the present phase has lasted too long; looked at once a second.
  var deadline: Instant
  var writeDeadline: Instant
  /// The kernel takes no more bytes at present: the client is slow to read.
  var isStalled = false
  /// What the kernel still held for the client when it was last seen to take something.
  var stalledBytes = Int.max
  var lingered = 0
  var isQueuedForFlush = false
  var isQueuedForResume = false
  /// Counted per address, when the configuration asks for it.
  var addressKey: String?

  init(server: HTTPServer, slot: Int, identity: UInt64, socket: consuming Socket) throws(SystemError) {
    self.server = server
    self.slot = slot
    self.identity = identity
    request = Request(limits: server.configuration.head)
    deadline = server.loop.now + server.configuration.headTimeout
    writeDeadline = deadline
    headHasBegun = true
    socket.disableDelay()
    let descriptor = socket.descriptor
    transport = Transport(socket)
    registration = try server.loop.register(descriptor, interest: interest, handler: self)
    request.findRemoteAddress = { [unowned self] in remoteAddress }
  }

  var remoteAddress: SocketAddress? { transport?.remoteAddress }

  /// True when closing it loses nothing: no request has begun and no answer is owed.
  var isIdle: Bool { phase == .head && request.isIdle && unsentBytes == 0 }

  var unsentBytes: Int { output.count + detached.count - detachedSent }

  func isAwaiting(_ serial: UInt64) -> Bool { phase == .handling && serial == self.serial }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    // A reset, or both sides shut: nobody reads any more.
    if readiness.overlaps(.failed) { return close() }
    if readiness.overlaps(.writable) { server.queueFlush(self) }
    if readiness.overlaps(.readable) {
      if phase == .lingering { drop() } else { read() }
    }
  }

  /// Reads once and does what can be done with it.
  func read() {
    let isBody = phase == .body
    let wanted = isBody ? min(Self.bodyReadBytes, max(512, request.awaitedBodyBytes)) : Self.readBytes
    switch transport?.receive(into: &request.input, reserving: wanted) {
    case .bytes: pump()
    case .endOfStream:
      inputEnded = true
      pump()
    case .wouldBlock: break
    case .failed, nil: close()
    }
  }

  static let readBytes = HTTPServer.Limits.readBytes
  static let bodyReadBytes = HTTPServer.Limits.bodyReadBytes

  /// After an answer that ends the connection: takes what the client still sends, until it closes.
  func drop() {
    let transfer = transport?.receive(into: &request.input, reserving: Self.bodyReadBytes)
    lingered += request.input.count
    request.input.removeAll()
    switch transfer {
    case .bytes where lingered <= HTTPServer.Limits.lingerBytes: break
    case .wouldBlock: break
    default: close()
    }
  }

  /// Goes on after an answer, or after the output has drained: for requests that were sent ahead.
  func resume() {
    isQueuedForResume = false
    pump()
  }

  // MARK: Requests

  /// Handles every request that is complete, as long as each is answered at once.
  func pump() {
    isPumping = true
    defer { isPumping = false }
    while true {
      switch phase {
      case .head:
        guard unsentBytes < HTTPServer.Limits.outputBytes, receiveHead() else { return updateInterest() }
      case .body:
        guard receiveBody() else { return updateInterest() }
      case .handling, .closing, .lingering, .closed:
        return updateInterest()
      }
    }
  }

  /// False when more bytes are needed.
  func receiveHead() -> Bool {
    switch request.parseHead() {
    case .needMore:
      if inputEnded {
        endOfRequests()
      } else if !headHasBegun, !request.isIdle {
        headHasBegun = true
        deadline = server.loop.now + server.configuration.headTimeout
      }
      return false
    case .malformed(let malformed):
      refuse(malformed.status, malformed.reason)
    case .head:
      beginBody()
    }
    return true
  }

  func endOfRequests() {
    if !request.isIdle {
      refuse(.badRequest, "The connection ended in the middle of a request.")
    } else if unsentBytes > 0 {
      phase = .closing
    } else {
      close()
    }
  }

  func beginBody() {
    let head = request.head
    guard head.expectation != .unknown else {
      return refuse(.expectationFailed, "Only the expectation 100-continue can be met (RFC 9110 §10.1.1).")
    }
    bodyLimit = server.configuration.bodyBytes
    phase = .body
    switch head.framing {
    case .none: return
    case .length(let length) where length <= bodyLimit: break
    default: bodyLimit = server.handler.bodyLimit(for: request, standard: bodyLimit)
    }
    deadline = server.loop.now + server.configuration.bodyTimeout
    let hasBodyBytes = request.input.count > head.count
    let fits = if case .length(let length) = head.framing { length <= bodyLimit } else { true }
    if head.expectation == .continue, !hasBodyBytes, fits, !inputEnded {
      output.append("HTTP/1.1 100 Continue\r\n\r\n")
      server.queueFlush(self)
    }
  }

  /// False when more bytes are needed.
  func receiveBody() -> Bool {
    switch request.receiveBody(limit: bodyLimit) {
    case .needMore:
      guard inputEnded else { return false }
      refuse(.badRequest, "The connection ended in the middle of a request.")
    case .malformed(let malformed):
      refuse(malformed.status, malformed.reason)
    case .complete:
      handle()
    }
    return true
  }

  func handle() {
    phase = .handling
    begin(keepsAlive: request.head.keepsAlive)
    server.handler.handle(request, Responder(connection: self, serial: serial))
    request.finish()
  }

  /// Every answer, also to what could not be read as a request, has a number of its own.
  func begin(keepsAlive: Bool) {
    serial &+= 1
    server.counters.requests &+= 1
    request.number = server.requestIDs.next()
    exchange = ResponseWriter.Exchange(
      number: request.number, isHead: request.head.method == .head, minorVersion: request.head.minorVersion,
      keepsAlive: keepsAlive)
  }

  /// Answers what is no proper request, and ends the connection.
  func refuse(_ status: Status, _ detail: StaticString) {
    server.counters.refused &+= 1
    phase = .handling
    begin(keepsAlive: false)
    respond(serial, Problem.response(status, "\(detail)", number: exchange.number))
  }

  /// Tells a client that came when the server was full to come again.
  func refuseOverload() {
    phase = .handling
    begin(keepsAlive: false)
    var response = Problem.response(.serviceUnavailable, "There are too many connections.", number: exchange.number)
    response.headers.append(("Retry-After", "1"))
    respond(serial, response)
  }

  // MARK: Output

  /// Sends what has gathered: one call to the kernel, two for a large body. Calls nobody else.
  func flush() {
    isQueuedForFlush = false
    guard phase != .closed else { return }
    let before = unsentBytes
    if !output.isEmpty { guard keepsGoing(transport?.send(&output)) else { return close() } }
    if output.isEmpty, detachedSent < detached.count {
      let transfer = transport?.send(detached, from: detachedSent)
      guard keepsGoing(transfer) else { return close() }
      if case .bytes(let count) = transfer { detachedSent += count }
      if detachedSent == detached.count {
        detached = []
        detachedSent = 0
      }
    }
    let after = unsentBytes
    if after > 0, after < before || !isStalled {
      writeDeadline = server.loop.now + server.configuration.writeTimeout
      stalledBytes = .max
    }
    isStalled = after > 0
    if after == 0, phase == .closing { return linger() }
    // Requests may be waiting for the output to drain.
    if phase == .head, before >= HTTPServer.Limits.outputBytes, after < HTTPServer.Limits.outputBytes {
      server.queueResume(self)
    }
    updateInterest()
  }

  func keepsGoing(_ transfer: Socket.Transfer?) -> Bool {
    switch transfer {
    case .bytes, .wouldBlock: true
    case .endOfStream, .failed, nil: false
    }
  }

  /// Shuts the write side and waits for the client to close: closing at once while bytes arrive would send a reset, and
  /// the client might lose the answer before it has read it (RFC 9112 §9.6).
  func linger() {
    if inputEnded { return close() }
    transport?.shutdownWrite()
    phase = .lingering
    request.input.removeAll()
    deadline = server.loop.now + server.configuration.lingerTimeout
    updateInterest()
  }

  func updateInterest() {
    guard phase != .closed, let registration else { return }
    let input: Readiness = wantsInput ? .readable : .nothing
    let output: Readiness = unsentBytes > 0 && !isQueuedForFlush ? .writable : .nothing
    let wanted = Readiness(rawValue: input.rawValue | output.rawValue)
    guard wanted.rawValue != interest.rawValue else { return }
    interest = wanted
    server.loop.update(registration, interest: wanted)
  }

  var wantsInput: Bool {
    switch phase {
    case .lingering: true
    case .head, .body: !inputEnded && unsentBytes < HTTPServer.Limits.outputBytes
    // The socket stays watched, to learn of requests sent ahead and of a client that leaves, until enough waits.
    case .handling: !inputEnded && request.input.count < HTTPServer.Limits.pipelinedBytes
    case .closing, .closed: false
    }
  }

  // MARK: Time and end

  /// Called once a second.
  func checkTime(_ now: Instant) {
    if isStalled {
      checkStall(now)
      return
    }
    let held = request.input.allocatedBytes + output.allocatedBytes
    if held > HTTPServer.Limits.idleBufferBytes, isIdle { trim() }
    guard now >= deadline else { return }
    switch phase {
    case .head where request.isIdle: close()
    case .head, .body:
      server.counters.timedOut &+= 1
      refuse(.requestTimeout, "The request took too long to arrive.")
    case .lingering: close()
    case .handling, .closing, .closed: break
    }
  }

  /// The kernel reports room only when a third of its buffer is free, which takes a slow client long: so it is asked
  /// whether the client has taken anything.
  func checkStall(_ now: Instant) {
    let held = transport?.unacknowledgedBytes ?? 0
    if held < stalledBytes {
      stalledBytes = held
      writeDeadline = now + server.configuration.writeTimeout
    } else if now >= writeDeadline {
      // Whoever takes nothing for so long is not sent a polite end either.
      server.counters.timedOut &+= 1
      abandon()
    }
  }

  /// Ends the connection with a reset.
  func abandon() {
    transport?.resetOnClose()
    close()
  }

  /// Gives large buffers back.
  func trim() {
    if request.input.isEmpty { request.input = ByteBuffer(capacity: Self.readBytes) }
    output = ByteBuffer(capacity: 512)
  }

  func close() {
    guard phase != .closed else { return }
    phase = .closed
    if let registration { server.loop.deregister(registration) }
    registration = nil
    transport = nil
    server.remove(self)
  }
}
