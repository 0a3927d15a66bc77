internal import COpenSSL
internal import Crypto
internal import Glibc
package import Reactor

/// A non-blocking TLS connection over a socket, confined to one thread. Owns the socket and closes it on deinit.
@safe
package final class TLSStream {
  package enum Handshake {
    case complete
    /// The handshake is incomplete: call again when the descriptor has this readiness.
    case incomplete(until: Readiness)
    case failed(TLSError)
  }

  package enum ReadResult {
    /// All data received so far is in the buffer; call again when the descriptor has this readiness.
    case wouldBlock(until: Readiness)
    /// The limit was reached, and OpenSSL may hold more data, which epoll does not report: call again.
    case moreWaiting
    /// The peer closed the connection in an orderly way (close_notify).
    case endOfStream
    /// The connection was lost or ended without close_notify.
    case failed(TLSError)
  }

  package enum WriteResult {
    /// All bytes are written; the buffer is empty.
    case complete
    case wouldBlock(until: Readiness)
    case failed(TLSError)
  }

  let ssl: OpaquePointer
  private let socket: Socket
  /// The context, kept alive for OpenSSL's callbacks.
  private let context: TLSContext
  /// True after a fatal error. OpenSSL then forbids all calls but `SSL_free`, so no close_notify is sent.
  private var isBroken = false

  private init(_ socket: consuming Socket, _ context: TLSContext) throws(TLSError) {
    ErrorQueue.clear()
    guard let made = unsafe SSL_new(context.context) else { throw .drained("make TLS stream") }
    unsafe ssl = made
    self.socket = socket
    self.context = context
    guard unsafe SSL_set_fd(ssl, self.socket.descriptor) == 1 else { throw .drained("make TLS stream") }
    unsafe upmc_ssl_bound_reads(ssl)
  }

  /// Starts a TLS client on a connected socket.
  /// - Parameter serverName: host name or IP literal that the server's certificate must match.
  package convenience init(
    connecting socket: consuming Socket, context: TLSContext, serverName: String
  ) throws(TLSError) {
    try self.init(socket, context)
    unsafe SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    guard unsafe SSL_set1_host(ssl, serverName) == 1 else { throw .drained("name the server") }
    // SNI carries names only (RFC 6066 §3).
    if let literal = unsafe a2i_IPADDRESS(serverName) {
      unsafe ASN1_OCTET_STRING_free(literal)
    } else if unsafe upmc_ssl_set_server_name(ssl, serverName) != 1 {
      throw .drained("name the server")
    }
    unsafe SSL_set_connect_state(ssl)
  }

  /// Starts a TLS server on an accepted socket.
  package convenience init(accepted socket: consuming Socket, context: TLSContext) throws(TLSError) {
    try self.init(socket, context)
    unsafe SSL_set_accept_state(ssl)
  }

  deinit {
    unsafe SSL_free(ssl)
  }

  /// The socket's descriptor, for registration with an event loop. Deregister it before the stream is destroyed.
  package var descriptor: Int32 { socket.descriptor }

  // MARK: Handshake

  /// Advances the handshake until the socket would block or this call's read budget is used up, and returns
  /// `incomplete` in both cases.
  package func handshake() -> Handshake {
    ErrorQueue.clear()
    unsafe upmc_ssl_allow_reads(ssl, Int32(TLS.Limits.spareReads))
    let code = unsafe SSL_do_handshake(ssl)
    if code == 1 { return .complete }
    switch outcome(code, "handshake") {
    case .wait(let readiness): return .incomplete(until: readiness)
    case .end: return .failed(TLSError(operation: "handshake", reason: "the peer closed the connection"))
    case .failure(let error): return .failed(withVerification(error))
    }
  }

  /// Adds the reason why verifying the peer's certificate failed, which is not in OpenSSL's error queue.
  private func withVerification(_ error: TLSError) -> TLSError {
    let result = unsafe SSL_get_verify_result(ssl)
    guard result != Int(X509_V_OK), let text = unsafe X509_verify_cert_error_string(result) else { return error }
    return unsafe TLSError(operation: error.operation, reason: "\(error.reason) (\(String(cString: text)))")
  }

  // MARK: Reading and writing

  /// Appends received data until none is left or about `limit` bytes were read. The work on records without data is
  /// limited, too: beyond that limit it returns `wouldBlock` although the descriptor is still ready, and epoll reports
  /// it again.
  package func read(into buffer: inout ByteBuffer, limit: Int = 262_144) -> ReadResult {
    var total = 0
    var allowed = TLS.Limits.spareReads
    unsafe upmc_ssl_allow_reads(ssl, Int32(allowed))
    while total < limit {
      ErrorQueue.clear()
      let count = unsafe buffer.write(reserving: TLS.Limits.recordBytes) { free in
        let count = unsafe SSL_read(ssl, free.baseAddress, Int32(clamping: free.count))
        return (written: max(0, Int(count)), outcome: count)
      }
      if count > 0 {
        total += Int(count)
        // Data earns as many further reads as it would have filled.
        let earned = TLS.Limits.spareReads + (total + TLS.Limits.readAheadBytes - 1) / TLS.Limits.readAheadBytes
        unsafe upmc_ssl_allow_reads(ssl, upmc_ssl_reads_left(ssl) + Int32(clamping: earned - allowed))
        allowed = earned
        continue
      }
      switch outcome(count, "read") {
      case .wait(let readiness): return .wouldBlock(until: readiness)
      case .end: return .endOfStream
      case .failure(let error): return .failed(error)
      }
    }
    return .moreWaiting
  }

  /// Writes and consumes as much of `buffer` as the socket accepts.
  ///
  /// After `wouldBlock` the caller may append to the buffer but must not change its front.
  package func write(_ buffer: inout ByteBuffer) -> WriteResult {
    while !buffer.isEmpty {
      ErrorQueue.clear()
      let count = unsafe buffer.withUnsafeReadable { readable in
        unsafe SSL_write(ssl, readable.baseAddress, Int32(clamping: readable.count))
      }
      if count > 0 {
        buffer.consume(Int(count))
        continue
      }
      switch outcome(count, "write") {
      case .wait(let readiness): return .wouldBlock(until: readiness)
      case .end: return .failed(TLSError(operation: "write", reason: "the peer closed the connection"))
      case .failure(let error): return .failed(error)
      }
    }
    return .complete
  }

  /// Writes as much of `bytes[start...]` as the socket accepts and adds it to `sent`. After `wouldBlock` the next write
  /// must begin with the unsent rest.
  package func write(_ bytes: [UInt8], from start: Int, sent: inout Int) -> WriteResult {
    while start + sent < bytes.count {
      ErrorQueue.clear()
      let count = unsafe bytes.withUnsafeBytes { raw in
        // Safe: the rest of the array, valid during the call.
        unsafe SSL_write(ssl, raw.baseAddress! + start + sent, Int32(clamping: raw.count - start - sent))
      }
      if count > 0 {
        sent += Int(count)
        continue
      }
      switch outcome(count, "write") {
      case .wait(let readiness): return .wouldBlock(until: readiness)
      case .end: return .failed(TLSError(operation: "write", reason: "the peer closed the connection"))
      case .failure(let error): return .failed(error)
      }
    }
    return .complete
  }

  /// Sends close_notify if the socket accepts it, without waiting for the peer's.
  package func sendCloseNotify() {
    guard !isBroken, unsafe SSL_is_init_finished(ssl) == 1 else { return }
    ErrorQueue.clear()
    unsafe _ = SSL_shutdown(ssl)
    ErrorQueue.clear()
  }

  package var remoteAddress: SocketAddress? { socket.remoteAddress }

  /// The number of bytes sent that the peer's kernel has not acknowledged.
  package var unacknowledgedBytes: Int { socket.unacknowledgedBytes }

  /// Shuts down our sending side; we can still read. Call `sendCloseNotify` first.
  package func shutdownWrite() {
    socket.shutdownWrite()
  }

  /// Makes closing send a TCP reset, for fault injection and tests.
  package func resetOnClose() {
    socket.resetOnClose()
  }

  /// Enables detection of dead peers; see `Socket.keepAlive`.
  package func keepAlive(idle: Duration, unacknowledged: Duration) {
    socket.keepAlive(idle: idle, unacknowledged: unacknowledged)
  }

  private enum Outcome {
    case wait(Readiness)
    case end
    case failure(TLSError)
  }

  /// Interprets a result by which an OpenSSL call reports that it did not succeed.
  private func outcome(_ code: Int32, _ operation: String) -> Outcome {
    let systemCode = errno
    switch unsafe SSL_get_error(ssl, code) {
    case SSL_ERROR_WANT_READ: return .wait(.readable)
    case SSL_ERROR_WANT_WRITE: return .wait(.writable)
    case SSL_ERROR_ZERO_RETURN: return .end
    case SSL_ERROR_SYSCALL:
      isBroken = true
      let reason = systemCode == 0 ? "the peer closed the connection" : unsafe String(cString: strerror(systemCode))
      return .failure(.drained(operation, else: reason))
    default:
      isBroken = true
      return .failure(.drained(operation))
    }
  }

  // MARK: Negotiated parameters

  /// The protocol negotiated by ALPN; nil if none.
  package var negotiatedProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(ssl, &name, &count)
    guard let name = unsafe name, count > 0 else { return nil }
    // Safe: the name belongs to the stream and has `count` bytes.
    return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  /// The version of the protocol, for example `TLSv1.3`.
  package var version: String { unsafe String(cString: SSL_get_version(ssl)) }

  /// The peer's certificate; nil if it presented none, or one that cannot be parsed.
  package var peerCertificate: CertificateInfo? {
    guard let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return nil }
    return try? unsafe CertificateInfo(reading: certificate)
  }

  /// The server name that the client requested (SNI); only on servers.
  package var requestedServerName: String? {
    guard let name = unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return nil }
    return unsafe String(cString: name)
  }
}
