internal import Reactor

/// Options of a session.
package struct ConnectionOptions: Sendable {
  /// Name of the session in `pg_stat_activity`; at most 63 bytes.
  package var applicationName = "upmc"
  /// Connect timeout for each host in the URL.
  package var connectTimeout: Duration = .seconds(5)
  /// The server cancels a statement that runs longer than this (57014). Nil for the server's own setting.
  package var statementTimeout: Duration?
  /// The server ends a session whose transaction is idle for longer than this, because its client has probably vanished
  /// and its locks block others. Nil for the server's own setting.
  package var idleInTransactionTimeout: Duration? = Postgres.Limits.idleInTransaction
  /// The server gives up waiting for a lock after this time (55P03). Nil for the server's own setting.
  package var lockTimeout: Duration?
  /// If a statement has no answer for this long, a second connection checks whether the server responds; if it does
  /// not, the connection is treated as lost. Nil to wait for as long as TCP considers the connection alive. Only for
  /// blocking connections.
  package var silence: Duration?
  /// True to disable sequential scans when statements are planned. For sessions that only look up rows by index: their
  /// statements are planned once, perhaps while a table is empty, and the plan is kept as the table grows.
  package var readsByIndex = false
  /// Lets another thread cancel the running statement. Each connection needs its own canceller.
  package var canceller: Canceller?

  package init() {}

  /// A statement that configures a new session. Not passed as start-up `options`, which connection poolers reject.
  var settingsSQL: String {
    let wanted: [(String, Duration?)] = [
      ("statement_timeout", statementTimeout),
      ("idle_in_transaction_session_timeout", idleInTransactionTimeout),
      ("lock_timeout", lockTimeout),
    ]
    let limits = wanted.compactMap { name, duration in
      duration.map { (name, "\(max(1, $0.nanoseconds / 1_000_000))") }
    }
    // If the client's machine vanishes, only TCP probes reveal it to the server, even while it works for that client.
    // The server ignores these settings for Unix sockets, which need no probes.
    let lives = [
      ("tcp_keepalives_idle", "\(Postgres.Limits.keepAliveIdleSeconds)"),
      ("tcp_keepalives_interval", "\(Postgres.Limits.keepAliveIntervalSeconds)"),
      ("tcp_keepalives_count", "\(Postgres.Limits.keepAliveProbes)"),
      ("tcp_user_timeout", "\(Postgres.Limits.unacknowledgedMilliseconds)"),
      ("client_connection_check_interval", "\(Postgres.Limits.clientCheckMilliseconds)"),
    ]
    // JIT compilation of a plan takes longer than it saves for any of our statements.
    let settings = [("jit", "off")] + (readsByIndex ? [("enable_seqscan", "off")] : []) + lives + limits
    return "SELECT " + settings.map { "set_config('\($0)', '\($1)', false)" }.joined(separator: ", ")
  }
}
