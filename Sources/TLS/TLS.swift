internal import Glibc

/// TLS on OpenSSL 3: contexts, streams over a non-blocking socket, and certificates.
///
/// ```
///   TLSIdentity (PEM or .p12) ─┐
///   Trust (system, files)  ────┴─► TLSContext ─► TLSStream ── handshake ─► open ── closeNotify ─► closed
///                                  (shared)      (one thread)     │          │
///                                                                 └─ failed ◄┘   socket closes with the stream
/// ```
///
/// A `TLSContext` is immutable and may be shared by all threads; certificates are reloaded by making a new one.
/// A `TLSStream` owns its socket and belongs to one thread; its methods never block and say what to wait for.
///
/// Invariants: every call into OpenSSL that can leave errors behind starts with an empty error queue, so an error always
/// speaks of its own call. A stream is read until OpenSSL wants more bytes: what it holds decrypted inside is invisible
/// to epoll.
///
/// Failure: everything a peer or a file can cause is a value (`TLSError`, or a case of a result), with OpenSSL's own
/// words; nothing traps.
package enum TLS {
  /// Numbers of this module: unit, reason, source.
  package enum Limits {
    /// Bytes of plain text in one TLS record (RFC 8446 §5.1): more room than this is never filled by one read.
    static let recordBytes = 16_384
    /// Bytes OpenSSL reads from the socket in one go: several records per system call when the peer is fast.
    static let readAheadBytes = 65_536
    /// Errors reported of one failed call; OpenSSL's queue keeps 16.
    static let reportedErrors = 16
    /// Rounds of hashing that the passphrase of an uploaded file may ask for, all its parts together. OpenSSL
    /// derives each key a few times over (to weigh it, to try an empty passphrase in two ways, to open it), and each round
    /// takes up to a microsecond: a few seconds at worst. The most that usual tools ask for is three times 600,000 (NSS); OpenSSL asks for three times 2,048.
    package static let derivationRounds = 2_000_000
    /// Reads of the socket in one call, beside those that data has earned: one for each `readAheadBytes` that came, or a
    /// part of them. So what a peer sends that is no data (NewSessionTicket, KeyUpdate, HelloRequest) is read 64 KB at a
    /// time, 128 KB behind a byte of data; 64 KB of KeyUpdate take some 25 ms.
    static let spareReads = 1
    /// Life of a certificate made here, in days: below the 398 days that some clients accept at most.
    static let certificateDays: Int64 = 397
  }

  /// OpenSSL's socket BIO uses plain `write`, which raises SIGPIPE when the peer is gone; so the process must ignore it.
  static let ignoreBrokenPipe: Void = {
    signal(SIGPIPE, SIG_IGN)
  }()
}
