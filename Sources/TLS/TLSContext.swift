internal import COpenSSL
internal import Crypto

/// The settings of TLS connections: trust, identity and protocols. Immutable, so any thread may share it. To reload
/// certificates, create a new one; existing connections keep the context they started with.
@safe
package final class TLSContext: Sendable {
  /// The certificate authorities that are trusted.
  package struct Trust: Sendable {
    /// True to trust the operating system's trust store.
    package var systemAuthorities: Bool
    /// The additional authorities, as paths of PEM files.
    package var files: [String]
    /// The additional authorities, as PEM text.
    package var pems: [String]

    package init(systemAuthorities: Bool = true, files: [String] = [], pems: [String] = []) {
      self.systemAuthorities = systemAuthorities
      self.files = files
      self.pems = pems
    }
  }

  /// The handling of client certificates by a server. Clients without one are always served.
  package enum ClientCertificates: Sendable {
    case ignored
    /// The server requests a certificate. One that is presented must chain to the given authorities.
    case requested(Trust)
    /// The server requests a certificate and accepts any (the owner checks `TLSStream.peerCertificate`).
    case requestedAny
  }

  /// The native context, configured in `init` and only read afterwards; OpenSSL allows all threads to share such a
  /// context.
  nonisolated(unsafe) let context: OpaquePointer
  /// The names that OpenSSL's ALPN callback uses. Kept alive by this object, which each stream keeps alive.
  private let protocols: ProtocolList

  private init(method: OpaquePointer?, protocols names: [String]) throws(TLSError) {
    TLS.ignoreBrokenPipe
    ErrorQueue.clear()
    guard let made = unsafe SSL_CTX_new(method) else { throw .drained("make TLS context") }
    unsafe context = made
    protocols = ProtocolList(names)
    guard unsafe upmc_ssl_ctx_require_tls12(context) == 1,
      // RFC 9113 appendix A forbids everything else below TLS 1.3.
      unsafe SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
    else { throw .drained("make TLS context") }
    unsafe upmc_ssl_ctx_set_safe_options(context)
    // A buffer may move between a write that would block and its retry, and may be written in part.
    unsafe upmc_ssl_ctx_set_mode(
      context, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS))
    unsafe upmc_ssl_ctx_no_session_cache(context)
    unsafe upmc_ssl_ctx_read_ahead(context)
    unsafe SSL_CTX_set_default_read_buffer_len(context, TLS.Limits.readAheadBytes)
  }

  deinit {
    unsafe SSL_CTX_free(context)
  }

  /// Creates a context for clients: TLS 1.2 or later; verifies the certificate chain and the host name (or IP address).
  /// - Parameter protocols: ALPN protocol names to offer, in this order; empty to omit ALPN.
  package static func client(
    trust: Trust = Trust(), protocols: [String] = ["h2"], identity: TLSIdentity? = nil
  ) throws(TLSError) -> TLSContext {
    let made = try unsafe TLSContext(method: TLS_client_method(), protocols: protocols)
    unsafe SSL_CTX_set_verify(made.context, SSL_VERIFY_PEER, nil)
    try made.trust(trust)
    if let identity { try made.use(identity) }
    let wire = made.protocols.wire
    // Unlike the others, this call returns 0 for success.
    guard unsafe wire.isEmpty || SSL_CTX_set_alpn_protos(made.context, wire, UInt32(wire.count)) == 0 else {
      throw .drained("offer protocols")
    }
    return made
  }

  /// Creates a context that accepts any certificate, for checking whether a server on this machine responds. TLS 1.2 or
  /// later.
  /// - Parameter protocols: ALPN protocol names to offer, in this order.
  package static func unverifiedClient(protocols: [String]) throws(TLSError) -> TLSContext {
    let made = try client(trust: Trust(systemAuthorities: false), protocols: protocols)
    unsafe SSL_CTX_set_verify(made.context, SSL_VERIFY_NONE, nil)
    return made
  }

  /// Creates a context for servers. A client without ALPN is accepted; one that offers only other protocols is refused.
  package static func server(
    identity: TLSIdentity, protocols: [String] = ["h2"], clientCertificates: ClientCertificates = .ignored
  ) throws(TLSError) -> TLSContext {
    let made = try unsafe TLSContext(method: TLS_server_method(), protocols: protocols)
    try made.use(identity)
    switch clientCertificates {
    case .ignored:
      unsafe SSL_CTX_set_verify(made.context, SSL_VERIFY_NONE, nil)
    case .requested(let trust):
      unsafe SSL_CTX_set_verify(made.context, SSL_VERIFY_PEER, nil)
      try made.trust(trust)
      // Disable session resumption, because a resumed session would have to include the client's certificate.
      unsafe _ = SSL_CTX_set_num_tickets(made.context, 0)
    case .requestedAny:
      unsafe SSL_CTX_set_verify(made.context, SSL_VERIFY_PEER, { _, _ in 1 })
      unsafe _ = SSL_CTX_set_num_tickets(made.context, 0)
    }
    unsafe SSL_CTX_set_alpn_select_cb(
      made.context, selectProtocol, Unmanaged.passUnretained(made.protocols).toOpaque())
    return made
  }

  private func trust(_ trust: Trust) throws(TLSError) {
    ErrorQueue.clear()
    if trust.systemAuthorities, unsafe SSL_CTX_set_default_verify_paths(context) != 1 {
      throw .drained("load system authorities")
    }
    for file in trust.files where unsafe SSL_CTX_load_verify_file(context, file) != 1 {
      throw .drained("load authorities from \(file)")
    }
    for pem in trust.pems {
      try PEM.eachCertificate(pem) { certificate throws(TLSError) in
        // The store adds its own reference.
        guard unsafe X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.pointer) == 1 else {
          throw .drained("add authority")
        }
      }
    }
  }

  private func use(_ identity: TLSIdentity) throws(TLSError) {
    let key = try PEM.privateKey(identity.privateKeyPEM)
    var isLeaf = true
    try PEM.eachCertificate(identity.certificateChainPEM) { certificate throws(TLSError) in
      if isLeaf {
        guard unsafe SSL_CTX_use_certificate(context, certificate.pointer) == 1 else {
          throw .drained("use certificate")
        }
      } else {
        // The context takes over this additional reference; the caller releases its own.
        unsafe X509_up_ref(certificate.pointer)
        guard unsafe upmc_ssl_ctx_add_chain_certificate(context, certificate.pointer) == 1 else {
          throw .drained("use certificate chain")
        }
      }
      isLeaf = false
    }
    guard unsafe SSL_CTX_use_PrivateKey(context, key.pointer) == 1,
      unsafe SSL_CTX_check_private_key(context) == 1
    else { throw .drained("use private key") }
  }
}

/// The protocol names in ALPN's wire format, each preceded by its length (RFC 7301 §3.1).
private final class ProtocolList: Sendable {
  let wire: [UInt8]

  init(_ names: [String]) {
    wire = names.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8.prefix(255)) }
  }

  /// Returns the range within `offered` (in wire format) of the first of our protocols that the peer offers; nil if
  /// none.
  func choose(from offered: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    var own = wire[...]
    while let count = own.first {
      let name = own.dropFirst().prefix(Int(count))
      own = own.dropFirst(Int(count) + 1)
      var index = 0
      while index < offered.count {
        let range = unsafe index + 1..<index + 1 + Int(offered[index])
        guard range.upperBound <= offered.count else { break }
        if unsafe offered[range].elementsEqual(name) { return range }
        index = range.upperBound
      }
    }
    return nil
  }
}

/// The ALPN callback of OpenSSL, which selects one of the client's protocols. Not called if the client offers none.
private let selectProtocol:
  @convention(c) (
    OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?,
    UInt32, UnsafeMutableRawPointer?
  ) -> Int32 = { _, chosen, chosenCount, offered, offeredCount, argument in
    guard let chosen = unsafe chosen, let chosenCount = unsafe chosenCount, let offered = unsafe offered,
      let argument = unsafe argument
    else { return SSL_TLSEXT_ERR_NOACK }
    // Safe: the list belongs to the context, and each stream keeps the context alive.
    let list = unsafe Unmanaged<ProtocolList>.fromOpaque(argument).takeUnretainedValue()
    let names = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
    guard let range = unsafe list.choose(from: names) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    // The result points into the client's list, which OpenSSL keeps until it has copied the choice.
    unsafe chosen.pointee = offered + range.lowerBound
    unsafe chosenCount.pointee = UInt8(range.count)
    return SSL_TLSEXT_ERR_OK
  }
