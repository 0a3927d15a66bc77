internal import COpenSSL
internal import Crypto
internal import Glibc
package import Reactor

/// A TLS connection over a socket. Non-blocking; confined to its thread. Owns the socket and closes it at its end.
@safe
package final class TLSStream {
  package enum Handshake {
    case complete
    /// Call again when the descriptor is ready for this.
    case incomplete(until: Readiness)
    case failed(TLSError)
  }

  package enum ReadResult {
    /// All that has arrived is in the buffer; call again when the descriptor is ready for this.
    case wouldBlock(until: Readiness)
    /// The limit is reached and more may be waiting inside: epoll will not say so, call again.
    case moreWaiting
    /// The peer said goodbye properly (close_notify).
    case endOfStream
    /// Connection lost; also an end without close_notify.
    case failed(TLSError)
  }

  package enum WriteResult {
    /// The buffer is empty now.
    case complete
    case wouldBlock(until: Readiness)
    case failed(TLSError)
  }

  let ssl: OpaquePointer
  private let socket: Socket
  /// OpenSSL's callbacks read it.
  private let context: TLSContext
  /// After a fatal error OpenSSL forbids further calls but `SSL_free`, also the farewell.
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

  /// The client's side, over a socket whose connect has succeeded.
  /// - Parameter serverName: the host name or IP literal that the certificate must be for.
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

  /// The server's side, over an accepted socket.
  package convenience init(accepted socket: consuming Socket, context: TLSContext) throws(TLSError) {
    try self.init(socket, context)
    unsafe SSL_set_accept_state(ssl)
  }

  deinit {
    unsafe SSL_free(ssl)
  }

  /// For registration with an event loop. Deregister before the stream ends.
  package var descriptor: Int32 { socket.descriptor }

  // MARK: Handshake

  /// Goes on with the handshake as far as the socket allows, or a bounded part of what has come; `incomplete` covers both
  /// cases.
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

  /// Adds why the peer's certificate was not believed, which OpenSSL's queue does not say.
  private func withVerification(_ error: TLSError) -> TLSError {
    let result = unsafe SSL_get_verify_result(ssl)
    guard result != Int(X509_V_OK), let text = unsafe X509_verify_cert_error_string(result) else { return error }
    return unsafe TLSError(operation: error.operation, reason: "\(error.reason) (\(String(cString: text)))")
  }

  // MARK: Reading and writing

  /// Appends what has arrived, until nothing is left or `limit` bytes (roughly) were read. What the peer sends beside data
  /// is bounded as well: then it says `wouldBlock` although the descriptor is ready, and will be told so again.
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
        // Data earns further reads, as many as it would have filled.
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

  /// Writes and consumes as much of `buffer` as the socket takes.
  ///
  /// After `wouldBlock` more may be appended to the buffer, but its front must stay as it is.
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

  /// Writes as much of `bytes[start...]` as the socket takes, and counts it in `sent`. After `wouldBlock` the next write
  /// must begin with what was left.
  package func write(_ bytes: [UInt8], from start: Int, sent: inout Int) -> WriteResult {
    while start + sent < bytes.count {
      ErrorQueue.clear()
      let count = unsafe bytes.withUnsafeBytes { raw in
        // Safe: the rest of the array, for the length of the call.
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

  /// Sends close_notify as far as the socket takes it, without waiting for the peer's.
  package func sendCloseNotify() {
    guard !isBroken, unsafe SSL_is_init_finished(ssl) == 1 else { return }
    ErrorQueue.clear()
    unsafe _ = SSL_shutdown(ssl)
    ErrorQueue.clear()
  }

  package var remoteAddress: SocketAddress? { socket.remoteAddress }

  /// Bytes that the kernel has taken and the peer's has not.
  package var unacknowledgedBytes: Int { socket.unacknowledgedBytes }

  /// The peer reads the end of the stream; we can still read. Call `sendCloseNotify` first.
  package func shutdownWrite() {
    socket.shutdownWrite()
  }

  /// Makes the end of this stream send a TCP reset: for faults and tests.
  package func resetOnClose() {
    socket.resetOnClose()
  }

  /// Finds dead peers: see `Socket.keepAlive`.
  package func keepAlive(idle: Duration, unacknowledged: Duration) {
    socket.keepAlive(idle: idle, unacknowledged: unacknowledged)
  }

  private enum Outcome {
    case wait(Readiness)
    case end
    case failure(TLSError)
  }

  /// What OpenSSL means by a result that is not success.
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

  // MARK: What the handshake agreed on

  /// The protocol that ALPN agreed on; nil without.
  package var negotiatedProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(ssl, &name, &count)
    guard let name = unsafe name, count > 0 else { return nil }
    // Safe: the name belongs to the stream and has `count` bytes.
    return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  /// For example `TLSv1.3`.
  package var version: String { unsafe String(cString: SSL_get_version(ssl)) }

  /// Nil when the peer showed none (or one that cannot be read).
  package var peerCertificate: CertificateInfo? {
    guard let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return nil }
    return try? unsafe CertificateInfo(reading: certificate)
  }

  /// The name the client asked for (SNI); on the server's side.
  package var requestedServerName: String? {
    guard let name = unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return nil }
    return unsafe String(cString: name)
  }
}
