internal import Glibc

/// Implements TLS on OpenSSL 3: contexts, streams over a non-blocking socket, and certificates.
///
/// ```
///   TLSIdentity (PEM or .p12) ─┐
///   Trust (system, files)  ────┴─► TLSContext ─► TLSStream ── handshake ─► open ── close_notify ─► closed
///                                  (shared)      (one thread)     │          │
///                                                                 └─ failed ◄┘   socket closes with the stream
/// ```
///
/// A `TLSContext` is immutable and may be shared by all threads; reload certificates by making a new one. A `TLSStream`
/// owns its socket and belongs to one thread; its methods never block and report which readiness to wait for.
///
/// Invariants: every OpenSSL call that can leave errors behind starts with an empty error queue, so an error always
/// belongs to its own call. A stream is read until OpenSSL wants more bytes, because epoll does not see what OpenSSL
/// has already decrypted.
///
/// Failure: everything a peer or a file can cause is a value (`TLSError`, or a case of a result) with OpenSSL's own
/// text; nothing traps.
package enum TLS {
  /// Limits of this module.
  package enum Limits {
    /// Maximum plaintext of a TLS record in bytes (RFC 8446 §5.1), and hence of a single `SSL_read`.
    static let recordBytes = 16_384
    /// The number of bytes that OpenSSL reads from the socket at once: several records per system call when the peer is
    /// fast.
    static let readAheadBytes = 65_536
    /// Maximum number of errors reported for one failed call; OpenSSL's queue holds 16.
    static let reportedErrors = 16
    /// Maximum hashing rounds for the passphrase of an uploaded file, over all its parts. OpenSSL derives each key
    /// several times (to count the cost, to try an empty passphrase in two ways, to open it), and each round takes up
    /// to a microsecond: a few seconds at worst. The most that common tools use is three times 600,000 (NSS); OpenSSL
    /// uses three times 2,048.
    static let derivationRounds = 2_000_000
    /// The number of socket reads allowed in one call in addition to those earned by data: each `readAheadBytes` of
    /// data, or part of it, earns one. Records without data (NewSessionTicket, KeyUpdate, HelloRequest) are therefore
    /// read 64 KB at a time, or 128 KB after a byte of data; processing 64 KB of KeyUpdate takes about 25 ms.
    static let spareReads = 1
    /// The validity of a certificate issued here, in days: below the maximum of 398 days that some clients accept.
    static let certificateDays: Int64 = 397
  }

  /// Makes the process ignore SIGPIPE, which OpenSSL's socket BIO would raise by writing to a closed connection.
  static let ignoreBrokenPipe: Void = {
    signal(SIGPIPE, SIG_IGN)
  }()
}
