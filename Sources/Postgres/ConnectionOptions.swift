internal import Reactor

/// How a session is to behave.
package struct ConnectionOptions: Sendable {
  /// Shown in `pg_stat_activity`; at most 63 bytes.
  package var applicationName = "upmc"
  /// How long connecting may take, for each host of the URL.
  package var connectTimeout: Duration = .seconds(5)
  /// The server cancels a statement that runs longer (57014). Absent: the server's own setting.
  package var statementTimeout: Duration?
  /// The server ends a session that leaves a transaction idle for longer: its machine has vanished, and what it locked
  /// keeps others waiting. Absent: the server's own setting.
  package var idleInTransactionTimeout: Duration? = Postgres.Limits.idleInTransaction
  /// The server gives up waiting for a lock after this time (55P03). Absent: the server's own setting.
  package var lockTimeout: Duration?
  /// After so long without an answer it is tried whether the server answers at all, by another session: if it does not, the
  /// connection is lost. Absent: an answer is waited for as long as the kernel believes in the connection. For blocking
  /// connections.
  package var silence: Duration?
  /// Statements are planned for tables that have grown, however empty they are at the moment. For sessions that only ever
  /// look things up: their statements are prepared once, in a quiet moment perhaps, and kept.
  package var readsByIndex = false
  /// Lets another thread cancel what runs. For one connection only.
  package var canceller: Canceller?

  package init() {}

  /// One statement that makes a fresh session as wanted. Not start-up `options`: a pooler in between refuses those.
  var settingsSQL: String {
    let wanted: [(String, Duration?)] = [
      ("statement_timeout", statementTimeout),
      ("idle_in_transaction_session_timeout", idleInTransactionTimeout),
      ("lock_timeout", lockTimeout),
    ]
    let limits = wanted.compactMap { name, duration in
      duration.map { (name, "\(max(1, $0.nanoseconds / 1_000_000))") }
    }
    // A machine that vanishes says nothing: the server has to ask, also while it works for it. Without a network (a Unix
    // socket) it has nobody to ask and takes no notice.
    let lives = [
      ("tcp_keepalives_idle", "\(Postgres.Limits.keepAliveIdleSeconds)"),
      ("tcp_keepalives_interval", "\(Postgres.Limits.keepAliveIntervalSeconds)"),
      ("tcp_keepalives_count", "\(Postgres.Limits.keepAliveProbes)"),
      ("tcp_user_timeout", "\(Postgres.Limits.unacknowledgedMilliseconds)"),
      ("client_connection_check_interval", "\(Postgres.Limits.clientCheckMilliseconds)"),
    ]
    // Compiling a plan takes longer than any of our statements gains by it.
    let settings = [("jit", "off")] + (readsByIndex ? [("enable_seqscan", "off")] : []) + lives + limits
    return "SELECT " + settings.map { "set_config('\($0)', '\($1)', false)" }.joined(separator: ", ")
  }
}
