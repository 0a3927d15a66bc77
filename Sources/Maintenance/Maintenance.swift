/// What the operator of a server does beside serving: find what is wrong, take a copy away, and bring it back.
///
/// ```
///   upmc doctor ──► Doctor: configuration ─► machine ─► doors ─► database ─► master key ─► apps ─► push networks
///                              │ each look makes a Finding: what, where, how to mend
///                              └ a look that cannot go on ends those that stand on it, never the others
/// ```
///
/// **The doctor changes nothing** but what serving would change in the same moment: it may mint the provider token that all
/// nodes share. It uses the server's own configuration, senders and keepers, so it meets what the server would meet. It
/// asks the networks with a token that nobody has: whoever calls the token bad has taken all the rest.
///
/// **Failure**: a look that fails is a finding like any other. Exit status 1 means that something keeps UPMC from doing its
/// work; a warning may wait until the morning.
package enum Maintenance {
  /// Numbers of this module: unit, reason.
  package enum Limits {
    /// Open files below which a server that faces devices runs out: a connection is one, and 256 are kept for the rest.
    package static let descriptors = 4_096
    /// Bytes free where the database lies: below the first it may stop within hours, below the second within days.
    package static let leastRoomBytes = 1 << 30
    package static let goodRoomBytes = 10 << 30
    /// Seconds of difference to a push network's clock, which says whole ones: provider tokens are refused.
    package static let clockWarningSeconds: Int64 = 5
    package static let clockFailureSeconds: Int64 = 300
    /// Days before a certificate ends that the doctor speaks of it.
    package static let certificateDays: Int64 = 30
    /// Connections to the database that a node needs: loops, threads, crews, and some for the operator.
    package static let connectionsOfNode: Int64 = 27
    /// SEQNOs without a partition begin when so few are left.
    package static let seqnosLeft: Int64 = 100_000
    /// Seconds that a snapshot may be kept before rows that are done with pile up behind it.
    package static let snapshotSeconds: Int64 = 3_600
    /// Seconds that a transaction may do nothing, with whatever it has locked. Sessions of ours end before that.
    package static let idleSeconds: Int64 = 60
    /// Minutes that receipts may be in their log: nodes fold it after ten.
    package static let unfoldedMinutes: Int64 = 30
    /// Hours that a closed range may wait to be dropped before the doctor speaks of it.
    package static let dropHours: Int64 = 24
    /// Seconds that an event may wait.
    package static let webhookSeconds: Int64 = 900
    /// The oldest PostgreSQL with what the schema uses (NULLS NOT DISTINCT).
    package static let postgresVersion: Int64 = 150_000
    /// Seconds for whoever answers at the public address.
    package static let publicSeconds = 5
    /// A block of proxies with so few bits that are its own is anybody.
    package static let proxyBits = 4
    /// Seconds for the database to answer a look.
    package static let databaseSeconds = 10
  }
}
