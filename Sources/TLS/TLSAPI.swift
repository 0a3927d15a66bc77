// The shape of this module, with bodies to follow; this file disappears when they are there.
package import Reactor

/// TLS failed: at which step, and everything that OpenSSL had to say about it.
package struct TLSError: Error, CustomStringConvertible, Sendable {
  /// The step, for example `handshake` or `load certificate`.
  package let operation: String
  /// OpenSSL's error queue, oldest first, or our own reason.
  package let reason: String
  package var description: String { "\(operation): \(reason)" }
}

/// A certificate chain and its private key, in PEM.
package struct TLSIdentity: Sendable {
  /// Leaf first, then intermediates.
  package let certificateChainPEM: String
  package let privateKeyPEM: String

  package init(certificateChainPEM: String, privateKeyPEM: String) throws(TLSError) { fatalError() }
  /// Reads both from files.
  package init(certificateFile: String, privateKeyFile: String) throws(TLSError) { fatalError() }
  /// Opens a PKCS#12 archive (`.p12`), also one with old ciphers (legacy provider).
  package init(pkcs12: [UInt8], passphrase: String) throws(TLSError) { fatalError() }
  package func certificate() throws(TLSError) -> CertificateInfo { fatalError() }
}

/// What a certificate says about itself.
package struct CertificateInfo: Sendable, Equatable {
  /// For example `UID=com.example.app, CN=Apple Push Services: com.example.app`.
  package let subject: String
  package let commonName: String?
  /// Attribute UID of the subject: the bundle identifier in a push certificate.
  package let userID: String?
  /// Seconds since 1970.
  package let notBefore: Int64
  package let notAfter: Int64
  /// Topics of extension 1.2.840.113635.100.6.3.6.
  package let topics: [String]
}

/// Settings of TLS connections: whom we trust, who we are, what we speak. Immutable, so any thread may share it;
/// to reload certificates make a new one (connections keep the one they began with).
package final class TLSContext: Sendable {
  /// Whose signatures are believed.
  package struct Trust: Sendable {
    package var systemAuthorities = true
    /// Further authorities: paths of PEM files.
    package var files: [String] = []
    /// Further authorities: PEM text.
    package var pems: [String] = []
    package init(systemAuthorities: Bool = true, files: [String] = [], pems: [String] = []) {}
  }
  /// Whether a server asks its clients for certificates. A client without one is served all the same.
  package enum ClientCertificates: Sendable {
    case ignored
    /// Asked for; the chain must lead to `Trust` when one is shown.
    case requested(Trust)
    /// Asked for; any is taken (the handler looks at `peerCertificate`).
    case requestedAny
  }
  /// For connecting: TLS 1.2 or later, verifies the chain and the host name (or IP address).
  package static func client(
    trust: Trust = Trust(), protocols: [String] = ["h2"], identity: TLSIdentity? = nil
  ) throws(TLSError) -> TLSContext { fatalError() }
  /// For accepting. A client without ALPN is accepted; one that offers only other protocols is refused.
  package static func server(
    identity: TLSIdentity, protocols: [String] = ["h2"], clientCertificates: ClientCertificates = .ignored
  ) throws(TLSError) -> TLSContext { fatalError() }
}

/// A TLS connection over a socket; non-blocking. Confined to its thread. Owns the socket and closes it at its end.
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
  /// - Parameter serverName: host name or IP literal that the certificate must be for.
  package init(connecting socket: consuming Socket, context: TLSContext, serverName: String) throws(TLSError) { fatalError() }
  package init(accepted socket: consuming Socket, context: TLSContext) throws(TLSError) { fatalError() }
  package var descriptor: Int32 { fatalError() }
  package func handshake() -> Handshake { fatalError() }
  /// Appends what has arrived, at most about `limit` bytes.
  package func read(into buffer: inout ByteBuffer, limit: Int = 262_144) -> ReadResult { fatalError() }
  /// Writes and consumes as much of `buffer` as the socket takes.
  package func write(_ buffer: inout ByteBuffer) -> WriteResult { fatalError() }
  /// Sends close_notify, best effort, without waiting for the peer's.
  package func sendCloseNotify() { fatalError() }
  /// Makes the end of this stream send a TCP reset (tests, faults).
  package func resetOnClose() { fatalError() }
  /// What ALPN agreed on; nil without.
  package var negotiatedProtocol: String? { fatalError() }
  package var peerCertificate: CertificateInfo? { fatalError() }
  /// The name the client asked for (SNI); server side.
  package var requestedServerName: String? { fatalError() }
}

/// A certificate authority made on the spot (EC P-256): for the simulator at its start, and for tests.
package final class CertificateAuthority {
  package init(commonName: String = "UPMC test authority") throws(TLSError) { fatalError() }
  /// What clients must trust.
  package var certificatePEM: String { fatalError() }
  /// A server certificate for these DNS names and IP literals.
  package func issueServer(
    names: [String] = ["localhost", "127.0.0.1", "::1"], notBefore: Int64? = nil, notAfter: Int64? = nil
  ) throws(TLSError) -> TLSIdentity { fatalError() }
  /// A client certificate as Apple's push certificates look: UID, CN and the topics extension.
  package func issuePushClient(bundleID: String, topics: [String]) throws(TLSError) -> TLSIdentity { fatalError() }
}
