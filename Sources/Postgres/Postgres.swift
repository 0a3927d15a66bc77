/// PostgreSQL through libpq: values in binary, statements prepared once, errors with their SQLSTATE.
///
/// Two connections, one for each kind of thread:
///
/// - `Connection` blocks. For threads that work sequentially, such as those of console requests, of the dispatcher and
///   of webhooks.
/// - `PipelinedConnection` does not block, except while it resolves a host name. It lives in an `EventLoop` and carries
///   one *submission* at a time: several statements and one synchronisation point, sent and answered in one round trip.
///
/// ```
///   Parameters ─┐                                ┌─► Rows (one per statement)
///   Statement  ─┴─► Connection / Pipelined… ─────┤
///                        │  owns                 └─► PostgresError (SQLSTATE, constraint)
///                        ▼
///                     Session ── libpq ── PostgreSQL
/// ```
///
/// **Life of a pipelined connection** (`PipelineStateMachine` decides, `PipelinedConnection` acts):
///
/// ```
///   waiting ──► connecting ──► settling ──► idle ◄──► running
///      ▲            │ failed       │         ▲           │ left a transaction open
///      └────────────┴──────────────┴──── lost└── rollingBack
/// ```
///
/// Invariants:
/// - A submission is one transaction, unless it leaves one open for the next submission: the server commits at the
///   synchronisation point or rolls everything back. Its completion runs exactly once, on the loop's thread, never
///   inside `submit`.
/// - Values travel only as parameters. Text with U+0000, which PostgreSQL cannot store, is refused before anything is
///   sent.
/// - A statement is prepared on its first use in a session, with the parameter types of that use, unless its `isKept`
///   is false.
///
/// Failure: a server error ends the submission (or the call) and the connection stays usable. A lost connection ends
/// whatever was in flight with `isConnectionLost`: whether that was committed is then *unknown*, so a caller that
/// repeats it must be idempotent. A pipelined connection then reconnects automatically, with growing pauses; a blocking
/// one reconnects at its next use.
package enum Postgres {
  /// Limits of this module.
  package enum Limits {
    /// First pause before reconnecting: too short for a person to notice, but long enough for a server to close its
    /// sockets.
    static let reconnectPauseMinimum: Duration = .milliseconds(50)
    /// Maximum pause before reconnecting, and hence roughly the longest time for which a database that has returned
    /// goes unnoticed.
    static let reconnectPauseMaximum: Duration = .seconds(5)
    /// Maximum parameters of one statement: the protocol has a 16-bit count (`Bind`, PostgreSQL 15 documentation 55.7).
    static let parametersPerStatement = 65_535
    /// Maximum length of a name in bytes: the server stores 64 including the terminator (NAMEDATALEN) and silently
    /// truncates longer ones.
    package static let nameBytes = 63
    /// COPY data buffered before it is passed to libpq, in bytes: large enough to avoid a call per row.
    static let copyChunkBytes = 64 * 1024
    /// Idle time before the first TCP keepalive probe, in seconds (`tcp(7)`, TCP_KEEPIDLE).
    static let keepAliveIdleSeconds = 15
    /// Interval between keepalive probes, in seconds (TCP_KEEPINTVL).
    static let keepAliveIntervalSeconds = 5
    /// Unanswered keepalive probes after which the connection is lost (TCP_KEEPCNT).
    static let keepAliveProbes = 3
    /// Interval at which the server checks, during a long statement, that its client is still connected, in
    /// milliseconds.
    static let clientCheckMilliseconds = 5_000
    /// Time for which a transaction may be idle before the server ends its session: the duration of a node's lease,
    /// after which other nodes take over its work.
    static let idleInTransaction: Duration = .seconds(10)
    /// Timeout for a connection that only checks whether the server responds.
    package static let probe: Duration = .seconds(2)
    /// Time in milliseconds for which sent bytes can stay unacknowledged before the connection counts as lost
    /// (TCP_USER_TIMEOUT).
    static let unacknowledgedMilliseconds = 15_000
  }
}
