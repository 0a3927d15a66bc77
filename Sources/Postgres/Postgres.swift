/// PostgreSQL through libpq: values in binary, statements prepared once, errors with their SQLSTATE.
///
/// Two connections, one for each kind of thread:
///
/// - `Connection` blocks. For threads that go straight line: console requests, planner, claimer, janitor, migrator.
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
/// - A submission is one transaction: the server commits at the synchronisation point or rolls everything back.
///   Its completion runs exactly once, on the loop's thread, never inside `submit`.
/// - Values travel as parameters only. Text with U+0000, which PostgreSQL cannot store, is refused before anything
///   is sent.
/// - A statement is prepared on its first use in a session, with the types of the parameters of that use.
///
/// Failure: an error of the server ends the submission (or the call) and the connection stays usable. A lost connection
/// ends whatever was under way with `isConnectionLost`: whether that was committed is then *unknown*, so whoever
/// repeats it must be idempotent. A pipelined connection then reconnects by itself, with growing pauses; a blocking one
/// reconnects at its next use.
package enum Postgres {
  /// Numbers of this module: unit, reason, source.
  package enum Limits {
    /// First pause before connecting again: shorter than a person notices, longer than a server needs to hang up.
    package static let reconnectPauseMinimum: Duration = .milliseconds(50)
    /// Longest pause before connecting again: a database that is back is found within this time.
    package static let reconnectPauseMaximum: Duration = .seconds(5)
    /// Parameters of one statement: the protocol counts them in 16 bits (`Bind`, PostgreSQL 15 documentation 55.7).
    package static let parametersPerStatement = 65_535
    /// Bytes of a name: the server keeps 64 with the terminator (NAMEDATALEN) and cuts the rest without a word.
    package static let nameBytes = 63
    /// Bytes gathered before COPY data goes to libpq: large enough to make a call per row rare.
    package static let copyChunkBytes = 64 * 1024
    /// Nothing to acknowledge for this long → the kernel probes the peer (`tcp(7)`, TCP_KEEPIDLE), seconds.
    package static let keepAliveIdleSeconds = 15
    /// Between probes, seconds (TCP_KEEPINTVL).
    package static let keepAliveIntervalSeconds = 5
    /// Probes without answer after which the connection is lost (TCP_KEEPCNT).
    package static let keepAliveProbes = 3
    /// How often the server looks whether the client of a long statement is still there, milliseconds.
    package static let clientCheckMilliseconds = 5_000
    /// How long a transaction may wait for its next statement: as long as a node's lease, for then others take over what
    /// it held.
    package static let idleInTransaction: Duration = .seconds(10)
    /// How long a session that only tries whether the server answers may take.
    package static let probe: Duration = .seconds(2)
    /// Sent bytes that stay unacknowledged this long mean a lost connection (TCP_USER_TIMEOUT), milliseconds.
    package static let unacknowledgedMilliseconds = 15_000
  }
}
