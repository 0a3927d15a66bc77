internal import Reactor
internal import TLS

/// The byte stream of one connection: TCP or a Unix socket, with or without TLS, optionally preceded by a PROXY header
/// that names the client.
///
/// ```
///   proxy header ──► handshake ──► open        each only if configured; `open()` proceeds as far as it can
///        └────────────────┴──────► failed
/// ```
///
/// A class, so that the connection can release it in the middle of a call; the descriptor is closed with it.
final class Transport {
  enum Opening {
    case open
    /// Call `open()` again when the descriptor has this readiness.
    case waiting(Readiness)
    case failed
  }

  // Invariant: exactly one of `socket` and `stream` is set; neither if the TLS stream could not be created.
  private var socket: Socket?
  private var stream: TLSStream?
  private var context: TLSContext?
  private var header: ProxyHeader?
  /// Address of the client that a proxy has named in its PROXY header; nil before the header is complete, if none is
  /// expected, or if the header names none.
  private(set) var namedClient: SocketAddress?
  /// True if TLS may hold decrypted bytes or the end of the stream, which epoll does not report: read again without
  /// waiting.
  private(set) var hasHiddenInput = false
  /// True if a close_notify must be sent before closing, by which TLS clients distinguish an orderly end from
  /// truncation.
  private var mustSendCloseNotify = false

  /// Creates the transport of an accepted connection.
  /// - Parameters:
  ///   - tls: context of the TLS connection; nil for a plain connection.
  ///   - expectsHeader: whether the peer is a proxy that must begin with a PROXY header.
  init(_ socket: consuming Socket, tls: TLSContext? = nil, expectsHeader: Bool = false) {
    self.socket = consume socket
    context = tls
    header = expectsHeader ? ProxyHeader() : nil
  }

  deinit {
    if mustSendCloseNotify { stream?.sendCloseNotify() }
  }

  /// True when the PROXY header and the TLS handshake are complete or not needed, so that HTTP bytes can be exchanged.
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
      // Never read beyond the header: the bytes after it belong to TLS, which does its own reading.
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
      // Fails only if the process is out of memory.
      stream = try? TLSStream(accepted: socket, context: context)
    }
    switch stream?.handshake() {
    case .complete:
      context = nil
      mustSendCloseNotify = true
      // The first request may have arrived with the end of the handshake and be buffered in TLS.
      hasHiddenInput = true
      return .open
    case .incomplete(let readiness): return .waiting(readiness)
    case .failed, nil: return .failed
    }
  }

  // MARK: Bytes

  /// Reads what is available: with one system call and at least `bytes` of free buffer space, or over TLS about `bytes`
  /// at most.
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
      mustSendCloseNotify = false
      hasHiddenInput = false
      // A client that closes TCP without close_notify has disconnected, too.
      return .failed(0)
    }
  }

  /// Sends as much of the buffer as the socket accepts now, and consumes that part.
  func send(_ buffer: inout ByteBuffer) -> Socket.Transfer {
    let before = buffer.count
    guard let stream else {
      guard let transfer = socket?.send(buffer) else { return .failed(0) }
      if case .bytes(let count) = transfer { buffer.consume(count) }
      return transfer
    }
    return judge(stream.write(&buffer), before - buffer.count)
  }

  /// Sends as much of `bytes[start...]` as the socket accepts now, and returns how much that was.
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
      mustSendCloseNotify = false
      return .failed(0)
    }
  }

  /// Number of sent bytes that the client's kernel has not acknowledged; 0 if the kernel does not report it.
  var unacknowledgedBytes: Int { stream?.unacknowledgedBytes ?? socket?.unacknowledgedBytes ?? 0 }

  // MARK: End

  /// Shuts down the sending side, after close_notify if TLS is open: the client reads the end of the stream, and the
  /// server can still read.
  func shutdownWrite() {
    guard let stream else {
      socket?.shutdownWrite()
      return
    }
    if mustSendCloseNotify { stream.sendCloseNotify() }
    mustSendCloseNotify = false
    stream.shutdownWrite()
  }

  /// Makes closing send a TCP reset, and no close_notify, so that nothing unsent is kept for a client that does not
  /// read.
  func resetOnClose() {
    mustSendCloseNotify = false
    guard let stream else {
      socket?.resetOnClose()
      return
    }
    stream.resetOnClose()
  }
}
