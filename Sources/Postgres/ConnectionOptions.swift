internal import Reactor

/// Options of a connection, which apply to each of its sessions.
package struct ConnectionOptions: Sendable {
  /// Name of the session in `pg_stat_activity`, at most 63 bytes, unless the URL has an `application_name`.
  package var applicationName = "upmc"
  /// Connect timeout for each host in the URL. The sum applies to the whole attempt, so one host can use all of it.
  package var connectTimeout: Duration = .seconds(5)
  /// Time after which the server cancels a running statement (57014); nil for the server's own setting.
  package var statementTimeout: Duration?
  /// Time for which a transaction may be idle before the server ends its session, because its client has probably
  /// vanished and its locks block others. Nil for the server's own setting.
  package var idleInTransactionTimeout: Duration? = Postgres.Limits.idleInTransaction
  /// Time after which the server gives up waiting for a lock (55P03); nil for the server's own setting.
  package var lockTimeout: Duration?
  /// Time without an answer to a statement after which a second connection checks whether the server responds; if it
  /// does not, the connection is treated as lost; otherwise the wait continues. Nil to wait for as long as TCP
  /// considers the connection alive. Only for blocking connections.
  package var silence: Duration?
  /// True to plan sequential scans only where no index can be used. For sessions that only look up rows by index: their
  /// statements are planned once, perhaps while a table is empty, and the plan is kept as the table grows.
  package var readsByIndex = false
  /// Lets another thread cancel the running statement; nil if that is not needed. Each connection needs its own
  /// canceller. Only for blocking connections.
  package var canceller: Canceller?

  package init() {}

  /// A statement that configures a new session. The settings are not passed as start-up `options`, which connection
  /// poolers reject.
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
