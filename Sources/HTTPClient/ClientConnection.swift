internal import Reactor

/// One connection of a client: one request at a time.
final class ClientConnection: EventLoop.Handler {
  private enum State {
    case connecting
    case ready
    case ended
  }

  private unowned let client: HTTPClient
  private let socket: Socket
  private var registration: EventLoop.Registration?
  private var state = State.connecting
  private var output = ByteBuffer()
  private var input = ByteBuffer()
  private var current: HTTPClient.Pending?
  /// Answers so far: a connection that has served may be closed by the server at any time.
  private var served = 0

  init(client: HTTPClient) throws(SystemError) {
    self.client = client
    socket = try Socket.connect(to: client.origin.address)
    registration = try client.loop.register(socket.descriptor, interest: [.writable], handler: self)
  }

  func begin(_ pending: HTTPClient.Pending) {
    current = pending
    pending.request.write(to: &output, host: client.origin.host)
    if case .ready = state { flush() }
  }

  func ready(_ readiness: Readiness) {
    if case .connecting = state {
      let error = socket.connectError
      guard error == 0 else {
        return fail(
          .unreachable(SystemError(code: error, operation: "connect", subject: client.origin.description).description))
      }
      state = .ready
    }
    flush()
    if case .ready = state, !readiness.isDisjoint(with: [.readable, .peerClosed, .failed]) { receive() }
  }

  func checkPatience(_ now: Instant) {
    if let current, current.deadline <= now { fail(.timedOut) }
  }

  // MARK: Bytes

  private func flush() {
    while !output.isEmpty {
      switch socket.send(output) {
      case .bytes(let count): output.consume(count)
      case .wouldBlock: return watch([.readable, .writable])
      case .endOfStream, .failed: return lost("it was reset")
      }
    }
    watch([.readable])
  }

  private func watch(_ interest: Readiness) {
    if let registration { client.loop.update(registration, interest: interest) }
  }

  private func receive() {
    while true {
      switch socket.receive(into: &input) {
      case .bytes: continue
      case .wouldBlock: return parse(isEnd: false)
      case .endOfStream:
        parse(isEnd: true)
        if case .ready = state { lost("the server closed it") }
        return
      case .failed: return lost("it was reset")
      }
    }
  }

  private func parse(isEnd: Bool) {
    guard let pending = current else {
      // A server that speaks unasked has nothing to say that we could use.
      return input.isEmpty ? () : fail(.closed)
    }
    guard !input.isEmpty else { return }
    let bytes = input.bytes
    switch ResponseParser.parse(bytes, isHead: pending.request.method == "HEAD", isEnd: isEnd) {
    case .needMore: return
    case .malformed(let reason): fail(.malformed(reason))
    case .complete(let response, let consumed, let keepsAlive):
      input.consume(consumed)
      served += 1
      current = nil
      if keepsAlive, !isEnd { client.becameIdle(self) } else { end() }
      pending.completion(.success(response))
    }
  }

  // MARK: Ends

  private func lost(_ reason: String) {
    if let pending = current, served > 0, input.isEmpty, !pending.wasRepeated {
      current = nil
      client.repeatLater(pending)
    }
    fail(.lost(reason))
  }

  func fail(_ error: HTTPClientError) {
    let pending = current
    current = nil
    end()
    pending?.completion(.failure(error))
  }

  private func end() {
    if case .ended = state { return }
    state = .ended
    if let registration { client.loop.deregister(registration) }
    socket.shutdownWrite()
    client.ended(self)
  }
}
