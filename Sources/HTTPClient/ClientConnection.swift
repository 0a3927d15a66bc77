internal import Reactor

/// One connection of a client: one request at a time.
///
/// ```
///   connecting ──► tunnelling ──► securing ──► ready (idle or with a request) ──► ended
/// ```
final class ClientConnection: EventLoop.Handler {
  private enum State {
    case connecting
    /// A tunnel is being opened through the proxy; skipped without one.
    case tunnelling
    /// The TLS handshake is in progress; skipped for plain HTTP.
    case securing
    case ready
    case ended
  }

  private let client: HTTPClient
  private let address: SocketAddress
  private var transport: ClientTransport?
  private var registration: EventLoop.Registration?
  private var state = State.connecting
  private var output = ByteBuffer()
  private var input = ByteBuffer()
  private var parser: ResponseParser
  private var current: PendingRequest?
  /// The number of bytes of the current request that the kernel has accepted.
  private var sentBytes = 0
  /// True once a byte of the current response has arrived.
  private var hasAnswerBegun = false
  /// The start of the idle period; before the first request, the start of the connection attempt.
  private var idleSince: Instant
  /// True if more input is pending than one loop iteration reads, and a call to continue is scheduled.
  private var goesOnLater = false

  init(client: HTTPClient) throws(SystemError) {
    self.client = client
    let address = client.address
    self.address = address
    let transport = try ClientTransport(
      to: address, security: client.configuration.security, tunnel: client.configuration.tunnel,
      preamble: client.configuration.preamble)
    self.transport = transport
    parser = ResponseParser(bodyLimit: client.configuration.bodyBytes, cutsBody: client.configuration.cutsBody)
    idleSince = client.loop.now
    registration = try client.loop.register(transport.descriptor, interest: .writable, handler: self)
  }

  func begin(_ pending: PendingRequest) {
    current = pending
    sentBytes = 0
    hasAnswerBegun = false
    parser.reset(isHead: pending.request.method == "HEAD")
    pending.request.write(to: &output, host: client.origin.host)
    if state == .ready { flush() }
  }

  func ready(_ readiness: Readiness) {
    if state == .connecting {
      let error = transport?.connectError ?? 0
      guard error == 0 else {
        let reason = SystemError(code: error, operation: "connect", subject: address.description)
        return goElsewhere(client.noConnection(reason.description))
      }
      state = .tunnelling
    }
    if state == .tunnelling { goThroughProxy() }
    if state == .securing { secure() }
    guard state == .ready else { return }
    // Read first: a server may respond and close before it has read the whole request.
    if !goesOnLater, readiness.overlaps(.readable) || readiness.overlaps(.failed) { receive() }
    if state == .ready { flush() }
  }

  private func goThroughProxy() {
    switch transport?.openTunnel() {
    case .open: state = .securing
    case .incomplete(let readiness):
      if let registration { client.loop.update(registration, interest: readiness) }
    case .failed(let fault): fail(.noTunnel(fault))
    case nil: end()
    }
  }

  private func secure() {
    switch transport?.secure() {
    case .done: state = .ready
    case .incomplete(let readiness):
      if let registration { client.loop.update(registration, interest: readiness) }
    // No byte of a request has been sent, so the request can be reported as not sent.
    case .failed(let reason): fail(.unreachable(ProxyTunnel.behind(client.configuration.tunnel, reason)))
    case nil: end()
    }
  }

  func checkTimeout(_ now: Instant) {
    if let current {
      checkTimeout(with: current, now)
    } else if now - idleSince >= client.configuration.idleTimeout {
      end()
    }
  }

  private func checkTimeout(with pending: PendingRequest, _ now: Instant) {
    let tunnel = client.configuration.tunnel
    let isLate = pending.deadline <= now
    if state == .connecting, !isLate, now - idleSince >= share(of: pending) {
      return goElsewhere(.unreachable("\(address) does not answer"))
    }
    switch state {
    // Before `ready` nothing was sent, so the server cannot have acted on a request.
    case .connecting, .tunnelling:
      guard let tunnel else {
        if isLate { fail(.unreachable("\(address) does not answer")) }
        return
      }
      guard isLate || now - idleSince >= .seconds(ProxyTunnel.Limits.seconds) else { return }
      fail(.noTunnel(TunnelFault(reason: "the proxy \(tunnel.proxy) does not answer")))
    case .securing:
      if isLate { fail(.unreachable(ProxyTunnel.behind(tunnel, "no answer to the handshake of TLS"))) }
    case .ready, .ended:
      if isLate { fail(.timedOut) }
    }
  }

  /// Returns the time that this address may take to connect: an equal share for each that was not tried yet, so that
  /// one that is silent leaves some for the others. The last one has until the deadline.
  private func share(of pending: PendingRequest) -> Duration {
    let left = client.origin.addresses.count - pending.addressesTried
    return left > 1 ? (pending.deadline - idleSince) / left : pending.deadline - idleSince
  }

  // MARK: Bytes

  private func flush() {
    while !output.isEmpty {
      switch transport?.send(&output) {
      case .bytes(let count): sentBytes += count
      case .wouldBlock: return watch(.writable)
      // A response may have arrived already, which explains the failure.
      case .endOfStream, .failed, nil: return receive()
      }
    }
    watch(.nothing)
  }

  private func watch(_ more: Readiness) {
    guard let registration else { return }
    client.loop.update(registration, interest: Readiness(rawValue: Readiness.readable.rawValue | more.rawValue))
  }

  /// Reads once per loop iteration. A limit in bytes would not suffice, because few bytes may cause much work.
  private func receive() {
    switch transport?.receive(into: &input) {
    case .bytes:
      parse(isEnd: false)
      if state == .ready, transport?.hasHiddenInput == true { goOnLater() }
    case .wouldBlock: return
    case .endOfStream:
      parse(isEnd: true)
      if state == .ready { lost("the server closed it") }
    case .failed, nil: lost("it was reset")
    }
  }

  /// Continues reading in the next loop iteration, after other handlers: epoll does not report data buffered inside
  /// TLS.
  private func goOnLater() {
    guard !goesOnLater else { return }
    goesOnLater = true
    client.loop.schedule(after: .zero) { [weak self] in
      guard let self else { return }
      goesOnLater = false
      if state == .ready { receive() }
    }
  }

  private func parse(isEnd: Bool) {
    guard let pending = current else {
      // Data that arrives without a request is discarded with the connection.
      if !input.isEmpty || isEnd { end() }
      return
    }
    if !input.isEmpty { hasAnswerBegun = true }
    switch parser.parse(&input, isEnd: isEnd) {
    case .needMore: return
    case .malformed(let reason): fail(.malformed(reason))
    case .complete(let response, let keepsAlive):
      current = nil
      // Reuse the connection only if the request was sent completely and nothing follows the response.
      if keepsAlive, !isEnd, output.isEmpty, input.isEmpty {
        idleSince = client.loop.now
        client.becameIdle(self)
      } else {
        end()
      }
      pending.completion(.success(response))
    }
  }

  // MARK: Ending

  private func lost(_ reason: String) {
    guard let pending = current, !pending.wasRepeated, !hasAnswerBegun,
      sentBytes == 0 || pending.request.isRepeatable
    else { return fail(.lost(reason)) }
    current = nil
    end()
    client.sendAgain(pending)
  }

  /// Ends a connection that could not be established. Its request goes to the next address, or fails with `error` if
  /// there is none.
  private func goElsewhere(_ error: HTTPClientError) {
    guard let pending = current, client.sendElsewhere(pending, than: address) else { return fail(error) }
    current = nil
    end()
  }

  func fail(_ error: HTTPClientError) {
    let pending = current
    current = nil
    end()
    pending?.completion(.failure(error))
  }

  private func end() {
    guard state != .ended else { return }
    state = .ended
    if let registration { client.loop.deregister(registration) }
    registration = nil
    transport = nil
    client.ended(self)
  }
}
