/// An operator's tasks besides running the server: diagnosis, backup and restore.
///
/// ```
///   upmc doctor ──► Doctor: configuration ─► machine ─► listeners ─► database ─► master key ─► apps ─► push networks
///                              │ each check makes a Finding: what, where, remedy
///                              └ a check that fails ends those that depend on it, never the others
/// ```
///
/// **The doctor changes nothing** except what serving would change at that moment: it may mint the provider token that
/// all nodes share. It uses the server's own configuration, senders and credential stores, so it meets what the server
/// would meet. It probes the push networks with a token that no device has: a response of "bad token" proves that
/// everything else was accepted.
///
/// **Failure**: a failed check is a finding like any other. Exit status 1 means that something keeps UPMC from doing
/// its work; a warning can wait until morning.
package enum Maintenance {
  /// Thresholds and limits of this module.
  package enum Limits {
    /// Minimum limit of open files for a server that devices connect to: each connection takes one, and 256 are
    /// reserved for other uses.
    package static let descriptors = 4_096
    /// Free space on the database's disk, in bytes, below which it may fill up within hours.
    static let leastRoomBytes = 1 << 30
    /// Free space on the database's disk, in bytes, below which it may fill up within days.
    static let goodRoomBytes = 10 << 30
    /// Clock difference to a push network, in seconds, above which the doctor warns. Networks report whole seconds.
    static let clockWarningSeconds: Int64 = 5
    /// Clock difference to a push network, in seconds, above which the doctor reports a failure: networks reject
    /// provider tokens by their time.
    static let clockFailureSeconds: Int64 = 300
    /// Remaining validity of a certificate, in days, below which the doctor warns.
    package static let certificateDays: Int64 = 30
    /// Database connections that a node needs: for event loops, threads, lane workers, and some for the operator.
    static let connectionsOfNode: Int64 = 27
    /// Number of SEQNOs with an existing partition below which the doctor reports it.
    package static let seqnosLeft: Int64 = 100_000
    /// Age of an open snapshot, in seconds, above which dead rows accumulate.
    static let snapshotSeconds: Int64 = 3_600
    /// Seconds for which a transaction may be idle while it holds locks. Our own sessions are ended earlier.
    package static let idleSeconds: Int64 = 60
    /// Minutes for which receipts may stay in their log; nodes fold them after ten.
    package static let unfoldedMinutes: Int64 = 30
    /// Hours for which a closed range may wait to be dropped before the doctor reports it.
    static let dropHours: Int64 = 24
    /// Seconds for which an event may wait for delivery before the doctor reports it.
    static let webhookSeconds: Int64 = 900
    /// Timeout of a request to the public address in seconds.
    static let publicSeconds = 5
    /// A trusted block whose prefix has at most this many bits trusts practically everyone.
    static let proxyBits = 4
    /// Statement timeout of the database checks in seconds.
    package static let databaseSeconds = 10
  }
}
