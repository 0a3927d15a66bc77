internal import HTTP2
internal import Reactor
internal import TLS

/// A provider's connection: TLS and HTTP/2 between the socket and `RequestJudge`.
///
/// ```
/// waiting ──start──► handshaking ──► open ──GOAWAY──► draining ──last stream──► closed
///                         │            │ ╲──half-open fault──► stalled             ▲
///                         └────────────┴───── lost, cut, timeout ──────────────────┘
/// ```
///
/// Reads all available input, processes all complete requests, then writes once. Confined to the service's loop.
final class Connection: EventLoop.Handler, JudgedConnection {
  enum State { case waiting, handshaking, open, draining, stalled, closed }

  let number: Int
  private let adapter: any ServiceAdapter
  private let simulated: SimulatedService
  /// Called once, when the connection is closed.
  var whenClosed: (Connection) -> Void = { _ in }
  let session: ServerSession
  private(set) var state = State.waiting
  private let stream: TLSStream
  private let fault: Effect?
  private var registration: EventLoop.Registration?
  private var input = ByteBuffer(capacity: 65_536)
  private var output = ByteBuffer(capacity: 65_536)
  private var readWaitsFor = Readiness.readable
  private var writeWaitsFor: Readiness?
  private var endsWhenWritten = false
  /// True once our first SETTINGS frame was sent, so that further ones may follow.
  private var hasSettings = false
  private var lastActivity: Instant
  /// Time at which withheld WINDOW_UPDATE frames are sent; nil if none are withheld.
  private var releasesWindowsFrom: Instant?
  lazy var judge = RequestJudge(connection: self, adapter: adapter, simulated: simulated)

  init(
    number: Int, adapter: any ServiceAdapter, stream: TLSStream, fault: Effect?, simulated: SimulatedService
  ) throws(HTTP2Error) {
    self.number = number
    self.adapter = adapter
    self.stream = stream
    self.fault = fault
    self.simulated = simulated
    lastActivity = simulated.loop.now
    var configuration = ServerSession.Configuration()
    // The real service answers a violation with its own text, so the limit is checked here.
    configuration.enforcesStreamLimit = false
    configuration.storedBodyBytes = adapter.storedBodyBytes
    // Providers that give up on slow answers reset many streams; count the resets, but keep the connection.
    configuration.resetRateLimit = (burst: 1_000_000, perSecond: 100_000)
    configuration.acknowledgesSettings = fault != .ignoreSettings
    if case .withholdWindow(let time) = fault {
      configuration.updatesWindows = false
      releasesWindowsFrom = simulated.loop.now + time
    }
    session = try ServerSession(configuration: configuration)
    if case .withholdWindow(let time) = fault {
      simulated.loop.schedule(after: time) { [weak self] in self?.pump() }
    }
  }

  var priorityFrames: Int { session.priorityFrames }

  // MARK: Start

  func start() {
    guard state == .waiting else { return }
    do {
      registration = try simulated.loop.register(stream.descriptor, interest: .readable, handler: self)
    } catch {
      return close()
    }
    state = .handshaking
    shakeHands()
  }

  private func shakeHands() {
    switch stream.handshake() {
    case .complete: begin()
    case .incomplete(let readiness): watch(readiness)
    case .failed:
      simulated.counters.handshakesFailed += 1
      close()
    }
  }

  private func begin() {
    state = .open
    lastActivity = simulated.loop.now
    if fault == .breakHandshake { return cut(.reset) }
    if stream.negotiatedProtocol == nil { simulated.counters.connectionsWithoutALPN += 1 }
    simulated.counters.serverNames[stream.requestedServerName ?? "-", default: 0] += 1
    if let certificate = stream.peerCertificate {
      simulated.counters.connectionsWithCertificate += 1
      guard judge.present(certificate) else {
        sendFirstSettings()
        goAway(.init(), lastStream: 0, debugData: judge.certificateProblem)
        return flush()
      }
    }
    guard case .delaySettings(let delay) = fault else {
      sendFirstSettings()
      return pump()
    }
    // Read nothing meanwhile; otherwise the acknowledgement of the client's SETTINGS would be sent before ours.
    watch([])
    simulated.loop.schedule(after: delay) { [weak self] in
      self?.sendFirstSettings()
      self?.pump()
    }
  }

  private func sendFirstSettings() {
    hasSettings = true
    var settings: [Setting] = [
      .headerTableSize(UInt32(Limits.headerTableBytes)),
      .initialWindowSize(UInt32(Limits.initialWindowBytes)),
      .maxFrameSize(UInt32(Limits.frameBytes)),
      .maxHeaderListSize(UInt32(Limits.headerListBytes)),
    ]
    if let limit = judge.limitToSend() { settings.append(.maxConcurrentStreams(UInt32(limit))) }
    if fault == .unknownSettings {
      settings.append(Setting(identifier: 0x0F00, value: 1))
      settings.append(Setting(identifier: 0xF0F0, value: .max))
    }
    try? session.submitSettings(settings)
  }

  // MARK: Input and output

  func ready(_ readiness: Readiness) {
    switch state {
    case .handshaking: shakeHands()
    case .open, .draining: pump()
    case .waiting, .stalled, .closed: return
    }
  }

  /// Reads, answers and writes until there is no more input or the socket is full.
  func pump() {
    while state == .open || state == .draining {
      let more = isCongested ? false : read()
      flush()
      if !more { break }
    }
    updateInterest()
  }

  /// Reads once and processes the requests. Returns true if more input may be waiting.
  private func read() -> Bool {
    simulated.takeTime()
    let result = stream.read(into: &input)
    if !input.isEmpty {
      do {
        try session.receive(&input)
      } catch {
        // Send nghttp2's GOAWAY, if any, before closing.
        flush()
        close()
        return false
      }
      handleEvents()
    }
    switch result {
    case .moreWaiting: return state == .open || state == .draining
    case .wouldBlock(let readiness):
      readWaitsFor = readiness
      return false
    case .endOfStream, .failed:
      close()
      return false
    }
  }

  private func handleEvents() {
    while state == .open || state == .draining, let event = session.nextEvent() {
      switch event {
      case .opened(let stream): judge.opened(stream)
      case .request(let stream):
        lastActivity = simulated.loop.now
        judge.request(stream)
      case .closed(let stream, let code): judge.closed(stream, code)
      case .settingsAcknowledged: judge.settingsAcknowledged()
      case .settings, .goAway, .pong: break
      }
    }
  }

  /// Writes pending output. Must be called after anything that may have produced output, including timers.
  func flush() {
    guard state == .open || state == .draining else { return }
    if let from = releasesWindowsFrom, simulated.loop.now >= from { session.releaseWindow() }
    if hasSettings, let limit = judge.limitToSend() {
      try? session.submitSettings([.maxConcurrentStreams(UInt32(limit))])
    }
    while true {
      let more = (try? session.writeOutput(into: &output)) ?? false
      switch stream.write(&output) {
      case .complete: writeWaitsFor = nil
      case .wouldBlock(let readiness):
        writeWaitsFor = readiness
        return updateInterest()
      case .failed: return close()
      }
      if !more { break }
    }
    // When a stream closes, the session emits an event, which must be handled so that the stream object can be reused.
    handleEvents()
    let isDrained = state == .draining && (endsWhenWritten || session.openStreams == 0)
    if isDrained || session.isFinished { endInOrder() }
  }

  /// True if the provider does not read its answers; then its requests are not read either.
  private var isCongested: Bool { output.count > Limits.outputBytes }

  private func updateInterest() {
    guard state == .open || state == .draining || state == .handshaking else { return }
    watch(isCongested ? writeWaitsFor ?? .writable : readWaitsFor.union(writeWaitsFor ?? []))
  }

  private func watch(_ readiness: Readiness) {
    if let registration { simulated.loop.update(registration, interest: readiness) }
  }

  // MARK: End

  /// Queues a GOAWAY for the next `flush`. Open streams are still answered, unless `ending` says otherwise.
  func goAway(_ plan: Effect.GoAway, lastStream: Int32, debugData: [UInt8]? = nil) {
    guard state == .open else { return }
    state = .draining
    simulated.counters.goAwaysSent += 1
    if plan.isTwice {
      session.announceShutdown()
      simulated.counters.goAwaysSent += 1
    }
    try? session.goAway(
      lastStreamID: lastStream, ErrorCode(rawValue: plan.code), debugData: debugData ?? Array(plan.debugData.utf8))
    judge.beginDraining(lastStream: lastStream)
    endsWhenWritten = plan.ending != .drain || lastStream == 0
    simulated.loop.schedule(after: Limits.drain) { [weak self] in self?.endInOrder() }
  }

  /// Shuts the connection down with a GOAWAY, after all open streams are answered.
  func shutDown() {
    guard state == .open else { return close() }
    goAway(.init(), lastStream: session.lastStreamID, debugData: adapter.goAwayDebugData(isIdle: false))
    flush()
  }

  /// Sends GOAWAY if the connection has been idle for too long; closes it if the handshake takes too long.
  func checkIdle(now: Instant) {
    switch state {
    case .open where now - lastActivity > simulated.configuration.idle:
      goAway(.init(), lastStream: session.lastStreamID, debugData: adapter.goAwayDebugData(isIdle: true))
      flush()
    case .handshaking where now - lastActivity > Limits.handshake:
      simulated.counters.handshakesFailed += 1
      close()
    default: break
    }
  }

  func cut(_ way: Effect.Cut) {
    switch way {
    case .reset:
      stream.resetOnClose()
      close()
    case .fin: close()
    case .halfOpen:
      state = .stalled
      watch([])
    }
  }

  func abandon() {
    close()
  }

  private func endInOrder() {
    guard state != .closed else { return }
    stream.sendCloseNotify()
    close()
  }

  private func close() {
    guard state != .closed else { return }
    state = .closed
    judge.ended()
    simulated.counters.priorityFrames += session.priorityFrames
    if let registration { simulated.loop.deregister(registration) }
    registration = nil
    whenClosed(self)
  }
}
