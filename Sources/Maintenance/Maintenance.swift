/// An operator's tasks besides serving: diagnosing faults, backing up and restoring.
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
  /// Limits of this module, with unit and reason.
  package enum Limits {
    /// Open files required by a server that faces devices: each connection takes one, and 256 are reserved for the
    /// rest.
    package static let descriptors = 4_096
    /// Free bytes on the database's disk: below the first value it may stop within hours, below the second within days.
    package static let leastRoomBytes = 1 << 30
    package static let goodRoomBytes = 10 << 30
    /// Clock difference to a push network at which the doctor warns or fails, in seconds; networks report whole seconds
    /// and reject provider tokens by their time.
    package static let clockWarningSeconds: Int64 = 5
    package static let clockFailureSeconds: Int64 = 300
    /// Days before a certificate's end from which the doctor warns.
    package static let certificateDays: Int64 = 30
    /// Database connections needed by a node: loops, threads, lane workers, and some for the operator.
    package static let connectionsOfNode: Int64 = 27
    /// Remaining SEQNOs with a partition below which the doctor reports it.
    package static let seqnosLeft: Int64 = 100_000
    /// Seconds after which an open snapshot makes dead rows pile up.
    package static let snapshotSeconds: Int64 = 3_600
    /// Seconds a transaction may idle while holding its locks. Our own sessions are ended earlier.
    package static let idleSeconds: Int64 = 60
    /// Minutes that receipts may stay in their log; nodes fold it after ten.
    package static let unfoldedMinutes: Int64 = 30
    /// Hours that a closed range may wait to be dropped before the doctor reports it.
    package static let dropHours: Int64 = 24
    /// Seconds that an event may wait for delivery.
    package static let webhookSeconds: Int64 = 900
    /// The oldest PostgreSQL version that supports the schema (NULLS NOT DISTINCT).
    package static let postgresVersion: Int64 = 150_000
    /// Timeout for a request to the public address, in seconds.
    package static let publicSeconds = 5
    /// A trusted block with at most this many prefix bits trusts practically anyone.
    package static let proxyBits = 4
    /// Statement timeout of the database checks, in seconds.
    package static let databaseSeconds = 10
  }
}
