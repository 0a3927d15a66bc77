package import HTTP2
package import Reactor
package import TLS

/// A single request over a connection of its own, which blocks the caller until the answer: for occasional requests
/// other than pushes, such as managing broadcast channels.
///
/// Runs its own event loop and transport on the calling thread. Fails if no connection can be opened, if the service
/// ends the connection or the stream without an answer, or if it does not answer in time.
package final class SingleRequest: EventLoop.Handler {
  package struct Failure: Error, Sendable {
    package let reason: String
    /// True if the request was sent before the failure, so that the service may have carried it out. False also if the
    /// service has reset the stream and guarantees that it did not process the request.
    package let wasSent: Bool

    package init(reason: String, wasSent: Bool) {
      self.reason = reason
      self.wasSent = wasSent
    }
  }

  private enum Phase { case connecting, tunnelling, securing, open }

  private let loop: EventLoop
  private let transport: Transport
  private let session: ClientSession
  private let isTunnelled: Bool
  private let fields: [HeaderField]
  private let body: [UInt8]
  private var phase = Phase.connecting
  private var input = ByteBuffer(capacity: 16_384)
  private var output = ByteBuffer(capacity: 16_384)
  private var wasSent = false
  private var outcome: Result<StreamEnd, Failure>?

  /// Resolves the name of the service (or of the proxy, if one applies), sends a request and blocks until its complete
  /// answer, which it returns whatever its status.
  /// - Parameters:
  ///   - fields: header fields, including the pseudo-header fields.
  ///   - timeout: from the start of connecting to the answer; resolving the name is not included.
  package static func send(
    _ fields: [HeaderField], body: [UInt8], to endpoint: Endpoint, _ context: TLSContext, _ wire: WireConfiguration,
    within timeout: Duration
  ) throws(Failure) -> StreamEnd {
    let request: SingleRequest
    do {
      request = try SingleRequest(fields, body, endpoint, context, wire)
    } catch {
      throw Failure(reason: "\(error)", wasSent: false)
    }
    defer { request.transport.close() }
    return try request.run(within: timeout)
  }

  private init(
    _ fields: [HeaderField], _ body: [UInt8], _ endpoint: Endpoint, _ context: TLSContext, _ wire: WireConfiguration
  ) throws {
    self.fields = fields
    self.body = body
    loop = try EventLoop()
    let tunnel = wire.tunnel(to: endpoint)
    isTunnelled = tunnel != nil
    let settings = ConnectionSettings(
      endpoint: endpoint, tunnel: tunnel, context: context, needsProof: false, streamCap: 1,
      lastStreamID: PushTransport.Limits.lastStreamID)
    var configuration = ClientSession.Configuration()
    configuration.keepsAllFields = true
    // The answer may be a list of ten thousand channels.
    configuration.storedBodyBytes = PushTransport.Limits.singleAnswerBytes
    session = try ClientSession(configuration: configuration)
    transport = Transport(loop: loop, settings: settings, addresses: try wire.lookUp(wire.hop(to: endpoint)))
  }

  private func run(within timeout: Duration) throws(Failure) -> StreamEnd {
    let deadline = loop.clock.now + timeout
    connect()
    while outcome == nil {
      let rest = deadline - loop.clock.now
      guard rest > .zero else { throw Failure(reason: "no answer in time", wasSent: wasSent) }
      loop.turn(atMost: rest)
    }
    guard let outcome else { throw Failure(reason: "no answer", wasSent: wasSent) }
    return try outcome.get()
  }

  private func connect() {
    while let address = transport.nextAddress() {
      if transport.connect(to: address, self) { return }
    }
    fail(transport.connectFault)
  }

  private func fail(_ reason: String) {
    if outcome == nil { outcome = .failure(Failure(reason: reason, wasSent: wasSent)) }
  }

  package func ready(_ readiness: Readiness) {
    guard outcome == nil else { return }
    switch phase {
    case .connecting:
      guard transport.hasConnected() else { return connect() }
      phase = isTunnelled ? .tunnelling : .securing
      isTunnelled ? askProxy() : secure()
    case .tunnelling: askProxy()
    case .securing: secure()
    case .open: receive()
    }
  }

  private func askProxy() {
    switch transport.askProxy() {
    case .waiting: break
    case .failed(let reason): fail(reason)
    case .done:
      phase = .securing
      secure()
    }
  }

  private func secure() {
    switch transport.secure() {
    case .waiting: break
    case .failed(let reason): fail(reason)
    case .done:
      phase = .open
      transport.watchForInput()
      write()
      receive()
    }
  }

  private func receive() {
    let result = transport.read(into: &input, limit: PushTransport.Limits.bytesPerTurn)
    if !input.isEmpty {
      do throws(HTTP2Error) {
        try session.receive(&input)
      } catch {
        return fail(error.description)
      }
    }
    while let event = session.nextEvent() {
      switch event {
      case .settings: submit()
      case .closed(let end):
        outcome = end.errorCode == .noError && end.status > 0 ? .success(end) : nil
        if outcome == nil {
          wasSent = !end.isNotProcessed
          fail("the stream was reset: \(end.errorCode)")
        }
      case .goAway(let goAway):
        let words = String(decoding: goAway.debugData.prefix(200), as: UTF8.self)
        // GOAWAY does not end a stream that the peer has accepted; its answer may still arrive.
        if !wasSent || session.openStreams == 0 { fail("GOAWAY \(words)") }
      case .pong: break
      }
    }
    switch result {
    case .wouldBlock: break
    case .moreWaiting: loop.schedule(after: .zero) { [weak self] in self?.ready(.readable) }
    case .endOfStream: fail("the peer closed the connection")
    case .failed(let error): fail(error.description)
    }
    if outcome == nil { write() }
  }

  private func submit() {
    guard !wasSent else { return }
    do throws(HTTP2Error) {
      try session.submit(fields: fields, body: body, tag: 0)
      wasSent = true
    } catch {
      fail(error.description)
    }
  }

  private func write() {
    session.writeOutput(into: &output)
    switch transport.write(&output) {
    case .complete: transport.watchForInput()
    case .wouldBlock: break
    case .failed(let error): fail(error.description)
    }
  }
}
