package import Reactor
package import TLS

/// HTTP/1.1 on POSIX sockets: one server is one listening socket and its connections on one `EventLoop`.
///
/// It is independent of the application. Bytes become requests (`RequestParser`, `ChunkedDecoder`: no I/O); requests go
/// to a `RequestHandler`, one at a time per connection; responses come back through a `Responder` at once or later, or
/// from another thread through a `ResponseTicket`. `Router` and `StaticFiles` are helpers for handlers.
///
/// ```
///            ┌ Acceptor ┐     ┌──────────── Connection (one per client) ────────────┐
///   listen ──┤ 503 when ├────►│ Intake ► parser ─► RequestHandler ─► Responder       │
///            │   full   │     │                                        │            │
///            └──────────┘     │ one send per loop iteration ◄────── Answers         │
///                             └──────────────────────────────────────────────────────┘
///   other threads ── Reply ──► replies (Inbox) ────────────────────────┘
/// ```
///
/// A PROXY header and a TLS handshake can precede the first request: `Transport` handles both, hidden from the other
/// parts. `ClientCounts` limits each client address; `Forwarding` finds that address behind trusted proxies.
///
/// **A loop iteration**: read each ready connection once, handle complete requests, run the loop's other
/// end-of-iteration hooks, then send each connection's responses with one call (two with a large body). The server
/// itself allocates nothing for a small request.
///
/// **Invariants**: responses leave in the order of their requests; `RequestHandler.handle` gets a request complete or
/// not at all; ambiguous framing is refused and ends the connection; every buffer has a limit; while too many response
/// bytes of a client are unsent, none of its further requests is handled.
///
/// **Failure**: a malformed request is answered with problem details, and the connection closes after the client has
/// had time to read them. If the process has no free descriptors, accepting pauses for a moment while open connections
/// continue. Once a client has disconnected, its `Responder` does nothing. Everything runs on the loop's thread; other
/// threads may use only `replies`.
package final class HTTPServer {
  package let loop: EventLoop
  package let configuration: Configuration
  /// Inbox for responses from other threads. Its capacity, one reply per connection, limits the pieces of streamed
  /// responses: further ones are refused until the loop has processed some. The few other replies of each request are
  /// refused only after `close`, because without them the request would wait for ever.
  package let replies: Inbox<Reply>
  package internal(set) var counters = ServerCounters()
  /// Number of requests that were handled or refused so far. A connection that is refused counts as a request.
  package var requests: UInt64 { requestCount }
  private var requestCount: UInt64 = 0
  /// True after `drain` or `close`.
  package private(set) var isDraining = false

  /// TLS context of new connections; nil for plain HTTP. Replace it when the certificate changes; open connections keep
  /// the context with which they began. Strict-Transport-Security is sent only if `init` was given a context.
  package var tls: TLSContext?

  /// The meter that counts and times responses; nil for none. Set it at most once: each assignment starts another
  /// update per second.
  package var meter: RequestMeter? { didSet { tellMeter() } }

  let handler: any RequestHandler
  var writer: ResponseWriter
  let bodies: BodyRules
  /// Number of unsent response bytes on all connections.
  var unsentBytes = 0
  private var requestIDs = RequestID()

  private let idleNanoseconds: Int64

  private var acceptor: Acceptor?
  private var connections: [Connection?] = []
  private var freeSlots: [Int] = []
  private var lastIdentity: UInt64 = 0
  /// The counts per client address; nil if there are no limits per address.
  let counts: ClientCounts?
  /// The slot last examined in search of an idle connection to close; the next search continues after it.
  private var nextEvictionCandidate = 0
  private var flushQueue: [Connection] = []
  private var resumeQueue: [Connection] = []
  private var sweepTimer: Timers.ID?
  private var drainTimer: Timers.ID?
  private var drained: (() -> Void)?

  /// Creates a server and starts accepting connections on the thread of `loop`. Throws if the process has no free
  /// descriptor, or the kernel no memory.
  /// - Parameters:
  ///   - listener: a listening socket; with `reusePort`, servers on several loops may share a port.
  ///   - tls: TLS context for HTTPS; nil for plain HTTP.
  ///   - handler: handles the requests; retained by the server.
  package init(
    loop: EventLoop, listener: consuming Socket, configuration: Configuration = Configuration(),
    tls: TLSContext? = nil, handler: any RequestHandler
  ) throws(SystemError) {
    self.loop = loop
    self.configuration = configuration
    self.handler = handler
    self.tls = tls
    let isLimited = configuration.connectionsPerAddress != nil || configuration.requestsPerAddress != nil
    counts =
      isLimited
      ? ClientCounts(
        connections: configuration.connectionsPerAddress, requestsPerSecond: configuration.requestsPerAddress) : nil
    writer = ResponseWriter(clock: loop.clock, isSecure: tls != nil)
    bodies = BodyRules(
      standard: configuration.bodyBytes, memory: configuration.bodyMemoryBytes, disk: configuration.spoolBytes,
      spoolDirectory: configuration.spoolDirectory, handler: handler)
    replies = try Inbox(capacity: configuration.connections + HTTPLimits.refusals)
    idleNanoseconds = configuration.idleTimeout.nanoseconds
    port = listener.localAddress?.port ?? 0
    acceptor = try Acceptor(loop: loop, listener: listener, hasRoom: { [unowned self] in hasRoomToAccept }) {
      [unowned self] socket in accepted(socket)
    }
    try loop.attach(replies) { [weak self] batch in self?.deliver(batch) }
    loop.atEndOfTurn(last: true) { [weak self] in self?.flush() }
  }

  /// The port on which the server listens; 0 for a Unix socket, or if the kernel does not report it.
  package let port: UInt16

  /// Number of open connections, including refused ones until they are closed.
  package private(set) var connectionCount = 0

  /// Time at which a connection that becomes idle now times out. Uses precomputed nanoseconds, because every request
  /// needs it.
  var idleDeadline: Instant { Instant(nanoseconds: loop.now.nanoseconds + idleNanoseconds) }

  /// Counts a new request and returns its random number.
  func beginRequest() -> UInt64 {
    requestCount &+= 1
    return requestIDs.next()
  }

  /// Updates the meter immediately, and then once a second; does nothing without a meter.
  private func tellMeter() {
    guard let meter else { return }
    meter.look(connections: connectionCount, counters)
    loop.schedule(after: .seconds(1)) { [weak self] in self?.tellMeter() }
  }

  // MARK: Connections

  /// Sets up an accepted connection. If the server is full and no idle connection can be closed, the new connection
  /// only gets a 503. If the kernel is out of memory, the new connection is closed.
  private func accepted(_ socket: consuming Socket) {
    counters.accepted &+= 1
    let isSurplus = connectionCount >= configuration.connections && !makeRoom()
    socket.disableDelay()
    let peer = knowsAddresses ? socket.remoteAddress : nil
    let expectsHeader = configuration.expectsProxyHeader && peer?.ip.map(isTrusted) == true
    let descriptor = socket.descriptor
    let transport = Transport(socket, tls: tls, expectsHeader: expectsHeader)
    guard let connection = open(transport, descriptor, isSurplus: isSurplus) else { return }
    if connection.phase == .opening { connection.open() } else { connection.arrive(from: peer) }
  }

  /// True if the address of each peer is needed when it connects; reading it costs a system call.
  private var knowsAddresses: Bool { counts != nil || !configuration.trustedProxies.isEmpty }

  /// Closes one idle connection in favour of a new one; HTTP clients must expect that between requests. Returns false,
  /// closing none, if the next `HTTPLimits.evictionCandidates` slots contain no idle connection that has had a request.
  private func makeRoom() -> Bool {
    for _ in 0..<min(HTTPLimits.evictionCandidates, connections.count) {
      nextEvictionCandidate = (nextEvictionCandidate + 1) % connections.count
      guard let connection = connections[nextEvictionCandidate], connection.serial > 0, connection.isIdle else {
        continue
      }
      // A request, or the end of the connection, may have arrived that was not read yet.
      connection.read()
      if connection.isIdle { connection.close() }
      if connection.phase == .closed { return true }
    }
    return false
  }

  func isTrusted(_ address: IPAddress) -> Bool {
    configuration.trustedProxies.contains { $0.contains(address) }
  }

  /// Returns whether an address is exempt from the limits per address: a trusted proxy's, and a loopback address unless
  /// the configuration says otherwise.
  func isExempt(_ address: IPAddress) -> Bool {
    configuration.exemptsLoopback && address.isLoopback || isTrusted(address)
  }

  /// Returns the client's address: the peer's, or if that is a trusted proxy, the address that the forwarded header
  /// reports (see `Forwarding.client`). Returns nil for a Unix socket, or if the peer disconnected before its address
  /// was read.
  func client(of request: Request) -> IPAddress? {
    guard let peer = request.remoteAddress.ip else { return nil }
    let header = configuration.forwardedHeader
    return Forwarding.client(of: peer, header, lines: request.values(header.rawValue), isTrusted: isTrusted)
  }

  /// The open connection in the lowest slot, for tests; nil if none is open.
  var firstConnection: Connection? { connections.lazy.compactMap { $0 }.first }

  private func open(_ transport: Transport, _ descriptor: Int32, isSurplus: Bool) -> Connection? {
    let slot = freeSlots.popLast() ?? connections.count
    if slot == connections.count { connections.append(nil) }
    lastIdentity += 1
    // Registration fails only if the kernel is out of memory; the client then sees a closed connection.
    let made = try? Connection(
      server: self, slot: slot, identity: lastIdentity, transport: transport, descriptor: descriptor,
      isSurplus: isSurplus)
    guard let connection = made else {
      freeSlots.append(slot)
      return nil
    }
    connections[slot] = connection
    connectionCount += 1
    if sweepTimer == nil { scheduleSweep() }
    return connection
  }

  func remove(_ connection: Connection) {
    connections[connection.slot] = nil
    freeSlots.append(connection.slot)
    connectionCount -= 1
    acceptor?.roomAppeared()
    if isDraining { finishDrainIfDone() }
  }

  var hasRoomToAccept: Bool { connectionCount < configuration.connections + HTTPLimits.refusals }

  // MARK: The turn

  /// Schedules the connection's output to be sent at the end of the iteration. The connection calls it at most once per
  /// iteration.
  func queueFlush(_ connection: Connection) {
    flushQueue.append(connection)
  }

  /// Schedules `connection` to continue with the loop's next due timers, in this iteration or the next: a handler that
  /// answers many requests at once must not be called again from within those calls. The connection calls it at most
  /// once before it is resumed.
  func queueResume(_ connection: Connection) {
    resumeQueue.append(connection)
    if resumeQueue.count == 1 { loop.schedule(after: .zero) { [weak self] in self?.resume() } }
  }

  private func resume() {
    let waiting = resumeQueue
    resumeQueue.removeAll(keepingCapacity: true)
    for connection in waiting { connection.resume() }
  }

  private func flush() {
    guard !flushQueue.isEmpty else { return }
    var waiting: [Connection] = []
    swap(&waiting, &flushQueue)
    for connection in waiting { connection.flush() }
    // Keep the allocated memory for the next iteration.
    waiting.removeAll(keepingCapacity: true)
    if flushQueue.isEmpty { swap(&waiting, &flushQueue) }
  }

  private func deliver(_ batch: [Reply]) {
    for reply in batch {
      let ticket = reply.ticket
      guard ticket.slot < connections.count, let connection = connections[ticket.slot],
        connection.identity == ticket.connection
      else {
        if case .begin(let stream, _, _) = reply.event { stream.end() }
        continue
      }
      deliver(reply.event, ticket.serial, to: connection)
    }
  }

  private func deliver(_ event: Reply.Event, _ serial: UInt64, to connection: Connection) {
    switch event {
    case .response(let response): connection.respond(serial, response)
    case .admitBody: connection.admitBody(serial)
    case .begin(let stream, let status, let headers):
      guard connection.beginStream(serial, status, headers, length: nil) else { return stream.end() }
      connection.whenAbandoned(serial) { stream.end() }
    case .piece(let piece, let stream):
      guard connection.writeStream(serial, piece.span) else { return }
      stream.pieceTaken()
      connection.whenDrained(serial) { stream.drained() }
    case .abandon: if connection.isStreaming(serial) { connection.abandon() }
    case .end: connection.finishStream(serial)
    }
  }

  /// Schedules `sweep`, which checks all connections, in a second. One timer for all connections avoids a timer per
  /// request.
  private func scheduleSweep() {
    sweepTimer = loop.schedule(after: .seconds(1)) { [weak self] in self?.sweep() }
  }

  private func sweep() {
    sweepTimer = nil
    for connection in connections { connection?.checkTime(loop.now) }
    counts?.sweep(loop.now)
    if connectionCount > 0 || counts?.count ?? 0 > 0, sweepTimer == nil { scheduleSweep() }
  }

  // MARK: End

  /// Shuts down gracefully. Keeps accepting for a moment (`HTTPLimits.lastAccepts`, at most `deadline`), so that
  /// pending TCP handshakes complete, then stops listening. Closes idle connections at once, but new ones without a
  /// request only when listening stops; closes the others after their current request, with `Connection: close`. Resets
  /// what is left after `deadline`. Has no effect after an earlier `drain` or `close`; `completion` is then never
  /// called.
  /// - Parameter completion: called once on the loop's thread, when listening has stopped and no connection is left.
  package func drain(deadline: Duration = .seconds(10), completion: @escaping () -> Void = {}) {
    guard !isDraining else { return }
    isDraining = true
    drained = completion
    acceptor?.acceptLast()
    loop.schedule(after: min(HTTPLimits.lastAccepts, deadline)) { [weak self] in self?.stopListening() }
    for case let connection? in connections {
      // A request may have arrived that was not read yet.
      if connection.isIdle { connection.read() }
      // A connection without a request yet is new, and its client may be about to send one.
      if connection.isIdle, connection.serial > 0 { connection.close() }
    }
    drainTimer = loop.schedule(after: deadline) { [weak self] in self?.closeConnections() }
  }

  private func stopListening() {
    acceptor?.acceptLast()
    acceptor?.close()
    acceptor = nil
    for case let connection? in connections {
      if connection.isIdle { connection.read() }
      if connection.isIdle { connection.close() }
    }
    finishDrainIfDone()
  }

  private func finishDrainIfDone() {
    guard connectionCount == 0, acceptor == nil else { return }
    if let drainTimer { loop.cancel(drainTimer) }
    drainTimer = nil
    let completion = drained
    drained = nil
    completion?()
  }

  /// Stops listening and resets all connections at once, even if responses are unsent. Later offers to `replies` fail.
  package func close() {
    isDraining = true
    acceptor?.close()
    acceptor = nil
    closeConnections()
    replies.close()
  }

  private func closeConnections() {
    for case let connection? in connections { connection.abandon() }
  }
}
