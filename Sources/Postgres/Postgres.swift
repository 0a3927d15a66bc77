/// PostgreSQL through libpq: values in binary, statements prepared once, errors with their SQLSTATE.
///
/// Two connections, one for each kind of thread:
///
/// - `Connection` blocks. For threads that run sequentially: console requests, planner, claimer, janitor, migrator.
/// - `PipelinedConnection` never blocks. It lives in an `EventLoop` and carries one *submission* at a time: several
///   prepared statements and one synchronisation point, sent and answered in one round trip.
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
/// - A submission is one transaction: the server commits at the synchronisation point or rolls everything back. Its
///   completion runs exactly once, on the loop's thread, never inside `submit`.
/// - Values travel only as parameters. Text with U+0000, which PostgreSQL cannot store, is refused before anything is
///   sent.
/// - A statement is prepared on its first use in a session, with the parameter types of that use.
///
/// Failure: a server error ends the submission (or the call) and the connection stays usable. A lost connection ends
/// whatever was in flight with `isConnectionLost`: whether that was committed is then *unknown*, so a caller that
/// repeats it must be idempotent. A pipelined connection then reconnects by itself, with growing pauses; a blocking one
/// reconnects at its next use.
package enum Postgres {
  /// Limits of this module, with unit, reason and source.
  package enum Limits {
    /// First pause before reconnecting: shorter than a person notices, longer than a server needs to hang up.
    package static let reconnectPauseMinimum: Duration = .milliseconds(50)
    /// Maximum pause before reconnecting: a database that returns is found within this time.
    package static let reconnectPauseMaximum: Duration = .seconds(5)
    /// Maximum parameters of one statement: the protocol counts them in 16 bits (`Bind`, PostgreSQL 15 documentation
    /// 55.7).
    package static let parametersPerStatement = 65_535
    /// Maximum bytes of a name: the server keeps 64 with the terminator (NAMEDATALEN) and silently truncates the rest.
    package static let nameBytes = 63
    /// Bytes of COPY data buffered before they go to libpq: large enough to make a call per row rare.
    package static let copyChunkBytes = 64 * 1024
    /// Idle time after which the kernel probes the peer (`tcp(7)`, TCP_KEEPIDLE), in seconds.
    package static let keepAliveIdleSeconds = 15
    /// Interval between probes, in seconds (TCP_KEEPINTVL).
    package static let keepAliveIntervalSeconds = 5
    /// Unanswered probes after which the connection is lost (TCP_KEEPCNT).
    package static let keepAliveProbes = 3
    /// How often the server checks during a long statement whether its client still exists, in milliseconds.
    package static let clientCheckMilliseconds = 5_000
    /// How long a transaction may wait for its next statement: as long as a node's lease, because others then take over
    /// what it held.
    package static let idleInTransaction: Duration = .seconds(10)
    /// Timeout of a session that only probes whether the server answers.
    package static let probe: Duration = .seconds(2)
    /// How long sent bytes may stay unacknowledged before the connection is lost (TCP_USER_TIMEOUT), in milliseconds.
    package static let unacknowledgedMilliseconds = 15_000
  }
}
