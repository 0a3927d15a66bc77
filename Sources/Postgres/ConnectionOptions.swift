internal import Reactor

/// Options of a session.
package struct ConnectionOptions: Sendable {
  /// Shown in `pg_stat_activity`; at most 63 bytes.
  package var applicationName = "upmc"
  /// Connect timeout for each host of the URL.
  package var connectTimeout: Duration = .seconds(5)
  /// The server cancels a statement that runs longer (57014). Nil: the server's own setting.
  package var statementTimeout: Duration?
  /// The server ends a session that leaves a transaction idle for longer: its machine has vanished, and its locks block
  /// others. Nil: the server's own setting.
  package var idleInTransactionTimeout: Duration? = Postgres.Limits.idleInTransaction
  /// The server gives up waiting for a lock after this time (55P03). Nil: the server's own setting.
  package var lockTimeout: Duration?
  /// After this long without an answer another session probes whether the server answers at all; if it does not, the
  /// connection is lost. Nil: wait for as long as the kernel considers the connection alive. For blocking connections.
  package var silence: Duration?
  /// Plans statements for tables that have grown, however empty they are at the moment. For sessions that only ever do
  /// look-ups: their statements are prepared once, perhaps at a quiet moment, and kept.
  package var readsByIndex = false
  /// Lets another thread cancel what runs. Each connection needs its own.
  package var canceller: Canceller?

  package init() {}

  /// One statement that configures a fresh session. Not start-up `options`: a pooler in between refuses those.
  var settingsSQL: String {
    let wanted: [(String, Duration?)] = [
      ("statement_timeout", statementTimeout),
      ("idle_in_transaction_session_timeout", idleInTransactionTimeout),
      ("lock_timeout", lockTimeout),
    ]
    let limits = wanted.compactMap { name, duration in
      duration.map { (name, "\(max(1, $0.nanoseconds / 1_000_000))") }
    }
    // A machine that vanishes says nothing: the server has to probe, also while it works for that client. On a Unix
    // socket there is no network to probe, and the server ignores these settings.
    let lives = [
      ("tcp_keepalives_idle", "\(Postgres.Limits.keepAliveIdleSeconds)"),
      ("tcp_keepalives_interval", "\(Postgres.Limits.keepAliveIntervalSeconds)"),
      ("tcp_keepalives_count", "\(Postgres.Limits.keepAliveProbes)"),
      ("tcp_user_timeout", "\(Postgres.Limits.unacknowledgedMilliseconds)"),
      ("client_connection_check_interval", "\(Postgres.Limits.clientCheckMilliseconds)"),
    ]
    // Compiling a plan takes longer than any of our statements gains from it.
    let settings = [("jit", "off")] + (readsByIndex ? [("enable_seqscan", "off")] : []) + lives + limits
    return "SELECT " + settings.map { "set_config('\($0)', '\($1)', false)" }.joined(separator: ", ")
  }
}
