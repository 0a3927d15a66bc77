internal import Reactor
internal import TLS

/// Carries the bytes of one connection: TCP or a Unix socket, plain or under TLS, optionally preceded by a proxy's
/// header that names the client.
///
/// ```
///   proxy header ──► handshake ──► open        each only where configured; `open()` proceeds as far as it can
///        └────────────────┴──────► failed
/// ```
///
/// A class, so that its connection can release it in the middle of a call; the descriptor closes with it.
final class Transport {
  enum Opening {
    case open
    /// Call again when the descriptor is ready for this.
    case waiting(Readiness)
    case failed
  }

  // Invariant: exactly one of the two is set, until the end.
  private var socket: Socket?
  private var stream: TLSStream?
  private var context: TLSContext?
  private var header: ProxyHeader?
  /// The client named by a proxy.
  private(set) var namedClient: SocketAddress?
  /// TLS holds bytes, or the end of the stream, that epoll does not report: read again without waiting.
  private(set) var hasHiddenInput = false
  /// Whether a close_notify is due: it lets TLS clients tell an orderly end from a truncated connection.
  private var owesFarewell = false

  /// - Parameters:
  ///   - tls: nil for a plain connection.
  ///   - expectsHeader: whether the peer is a proxy that must begin with a PROXY header.
  init(_ socket: consuming Socket, tls: TLSContext? = nil, expectsHeader: Bool = false) {
    self.socket = consume socket
    context = tls
    header = expectsHeader ? ProxyHeader() : nil
  }

  deinit {
    if owesFarewell { stream?.sendCloseNotify() }
  }

  /// True when HTTP bytes can be exchanged.
  var isOpen: Bool { header == nil && context == nil }

  var remoteAddress: SocketAddress? { namedClient ?? peerAddress }

  private var peerAddress: SocketAddress? {
    guard let stream else { return socket?.remoteAddress ?? nil }
    return stream.remoteAddress
  }

  // MARK: Opening

  func open() -> Opening {
    if header != nil {
      switch readHeader() {
      case .open: break
      case let other: return other
      }
    }
    return context == nil ? .open : shakeHands()
  }

  private func readHeader() -> Opening {
    while let awaited = header?.awaitedBytes {
      var bytes: [UInt8] = []
      // Not one byte beyond the header: what follows belongs to TLS, which reads by itself.
      switch socket?.receive(appendingTo: &bytes, atMost: awaited) {
      case .bytes:
        guard header?.take(bytes) == true else { return .failed }
      case .wouldBlock: return .waiting(.readable)
      case .endOfStream, .failed, nil: return .failed
      }
    }
    namedClient = header?.client
    header = nil
    return .open
  }

  private func shakeHands() -> Opening {
    if stream == nil, let context, let socket = socket.take() {
      // Fails only when the process is out of memory.
      stream = try? TLSStream(accepted: socket, context: context)
    }
    switch stream?.handshake() {
    case .complete:
      context = nil
      owesFarewell = true
      // The first request may have come with the end of the handshake, and be buffered already.
      hasHiddenInput = true
      return .open
    case .incomplete(let readiness): return .waiting(readiness)
    case .failed, nil: return .failed
    }
  }

  // MARK: Bytes

  /// Reads once, into at least `bytes` of free space.
  func receive(into buffer: inout ByteBuffer, reserving bytes: Int) -> Socket.Transfer {
    guard let stream else { return socket?.receive(into: &buffer, room: bytes) ?? .endOfStream }
    let before = buffer.count
    let result = stream.read(into: &buffer, limit: bytes)
    let count = buffer.count - before
    switch result {
    case .wouldBlock:
      hasHiddenInput = false
      return count > 0 ? .bytes(count) : .wouldBlock
    case .moreWaiting:
      hasHiddenInput = true
      return .bytes(count)
    case .endOfStream:
      hasHiddenInput = count > 0
      return count > 0 ? .bytes(count) : .endOfStream
    case .failed:
      owesFarewell = false
      hasHiddenInput = false
      // A client that closes TCP without close_notify counts as failed too: it is gone.
      return .failed(0)
    }
  }

  /// Sends once, and consumes what was sent.
  func send(_ buffer: inout ByteBuffer) -> Socket.Transfer {
    let before = buffer.count
    guard let stream else {
      guard let transfer = socket?.send(buffer) else { return .failed(0) }
      if case .bytes(let count) = transfer { buffer.consume(count) }
      return transfer
    }
    return judge(stream.write(&buffer), before - buffer.count)
  }

  /// Sends `bytes[start...]` once.
  func send(_ bytes: [UInt8], from start: Int) -> Socket.Transfer {
    guard let stream else { return socket?.send(bytes, from: start) ?? .failed(0) }
    var sent = 0
    let result = stream.write(bytes, from: start, sent: &sent)
    return judge(result, sent)
  }

  private func judge(_ result: TLSStream.WriteResult, _ count: Int) -> Socket.Transfer {
    switch result {
    case .complete, .wouldBlock: return count > 0 ? .bytes(count) : .wouldBlock
    case .failed:
      owesFarewell = false
      return .failed(0)
    }
  }

  /// Bytes that our kernel holds and the client's has not acknowledged.
  var unacknowledgedBytes: Int { stream?.unacknowledgedBytes ?? socket?.unacknowledgedBytes ?? 0 }

  // MARK: End

  /// The client reads end of stream; we can still read.
  func shutdownWrite() {
    guard let stream else {
      socket?.shutdownWrite()
      return
    }
    if owesFarewell { stream.sendCloseNotify() }
    owesFarewell = false
    stream.shutdownWrite()
  }

  /// Makes the following close a reset: nothing unsent is kept for a client that does not read.
  func resetOnClose() {
    owesFarewell = false
    guard let stream else {
      socket?.resetOnClose()
      return
    }
    stream.resetOnClose()
  }
}
