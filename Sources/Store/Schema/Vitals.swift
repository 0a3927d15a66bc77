package import Domain
internal import Postgres

/// Queries for metrics and readiness: the backlog and the state of the database. All are cheap except `size`.
package enum Vitals {
  /// Counts of the messages in one lane and state.
  package struct Waiting: Sendable {
    package let lane: String
    package let state: String
    package let count: Int64
    /// Seconds since the earliest due time of these messages; a message without a due time counts from its creation.
    /// Negative if none is due yet.
    package let oldestSeconds: Double
    /// The lowest SEQNO of these messages.
    package let first: Seqno
  }

  /// Maximum number of rows that a query counts, because the exact number beyond that is of no use.
  package static let countedMessages = 20_000

  private static let waitingStatement = Statement(
    "vitals-waiting",
    """
    SELECT lane, state, count(*), extract(epoch FROM now() - min(coalesce(due_at, created_at)))::float8, min(seqno)
    FROM (
      -- Each along an index of its own, which holds nothing that is over.
      (SELECT seqno, lane, state, due_at, created_at FROM messages
        WHERE state = \(MessageState.scheduled.sql) ORDER BY due_at LIMIT $1)
      UNION ALL
      (SELECT seqno, lane, state, due_at, created_at FROM messages WHERE state = \(MessageState.paused.sql)
        ORDER BY seqno LIMIT $1)
      UNION ALL
      (SELECT o.* FROM unnest($2::smallint[], $3::bigint[]) AS l(lane, start) CROSS JOIN LATERAL (
        SELECT seqno, lane, state, due_at, created_at FROM messages m
        WHERE m.lane = l.lane AND m.state IN (\(MessageState.queued.sql), \(MessageState.sending.sql))
          AND m.seqno >= l.start ORDER BY m.seqno LIMIT $1) o)) m
    GROUP BY lane, state
    """)

  /// Counts scheduled, queued, sending and paused messages by lane and state. Of scheduled messages, of paused ones,
  /// and of those that are queued or sending in one lane, counts at most `countedMessages`. Lanes and states without
  /// messages are omitted.
  /// - Parameter starts: by lane, a SEQNO below which no message is queued or being sent; a lane without an entry is
  ///   read from the beginning.
  package static func waiting(from starts: [Lane: Seqno] = [:]) -> Query<[Waiting]> {
    var parameters = Parameters()
    parameters.append(Int64(countedMessages))
    parameters.append(Int16Column(Lane.allCases))
    var column = Int64Column()
    for lane in Lane.allCases { column.append(starts[lane] ?? .zero) }
    parameters.append(column)
    return Query(waitingStatement, parameters) { rows in
      rows.decode { row in
        Waiting(
          lane: Lane(rawValue: row.int16())?.name ?? "unknown",
          state: MessageState(rawValue: row.int16())?.name ?? "unknown", count: row.int64(),
          oldestSeconds: row.double(), first: row.seqno())
      }
    }
  }

  package struct Snapshot: Sendable {
    /// Number of deferred deliveries that have been due for more than a minute, without those that wait for their
    /// message's pace. Counts at most 20,000 that have rows, and those of at most 100 rows of `waits`, each of which
    /// stands for many in a block. Reads at most 50,000 that have rows, so it can miss some if more wait for a pace.
    package let overdue: Int64
    /// Number of claims, of all nodes, that still lack outcomes, counted up to 20,000.
    package let claims: Int64
    package let nodes: Int64
    package let pausedApps: Int64
    /// Number of messages that were paused because a release could not handle them, counted up to 20,000.
    package let setAside: Int64
    /// Number of unused SEQNOs that have partitions.
    package let seqnosLeft: Int64
    package let schemaVersion: Int64
    /// The lowest number of a claim that still lacks outcomes; nil if there is none.
    package let firstClaim: ClaimID?
    /// Size in bytes of the log of receipts and reads that have not been folded yet.
    package let confirmationLogBytes: Int64
  }

  /// SQL condition: the message of delivery `d` has no pace.
  private static let hasNoPace = """
    (SELECT 1 FROM gates g WHERE g.seqno = d.seqno AND g.pace_devices IS NOT NULL LIMIT 1) IS NULL
    """

  private static let snapshotStatement = Statement(
    "vitals-snapshot",
    """
    SELECT
      (SELECT count(*) FROM
        (SELECT FROM (
          -- Millions may wait for a pace: do not read them all every few seconds.
          SELECT seqno FROM outcomes WHERE status = \(OutcomeStatus.deferred.sql)
            AND due_at < now() - interval '1 minute' LIMIT 50000) d
        WHERE \(hasNoPace) LIMIT 20000) o)
        + coalesce((SELECT sum(cardinality(places)) FROM
          (SELECT places FROM waits d WHERE due_at < now() - interval '1 minute' AND \(hasNoPace) LIMIT 100) w),
          0)::bigint,
      (SELECT count(*) FROM (SELECT FROM claims WHERE claim >= $1 ORDER BY claim LIMIT 20000) c),
      (SELECT count(*) FROM nodes WHERE alive_until > now()),
      (SELECT count(*) FROM apps WHERE paused_reason IS NOT NULL AND purge_after IS NULL),
      (SELECT count(*) FROM (SELECT FROM messages m WHERE \(Controls.isSetAside) LIMIT 20000) m),
      coalesce((SELECT max(upto_seqno) FROM seqno_ranges), 0)
        - coalesce((SELECT last_value FROM pg_sequences
                    WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq'), 0),
      (SELECT max(version)::bigint FROM upmc_migrations),
      (SELECT min(claim) FROM claims WHERE claim >= $1),
      pg_relation_size('confirmation_log')
    """)

  /// Returns counts of the pending work, and the state of nodes, SEQNOs and schema.
  /// - Parameter start: a claim number below which there are no claims; 0 if unknown.
  package static func snapshot(claimsFrom start: ClaimID = .zero) -> Query<Snapshot> {
    Query(one: snapshotStatement, start) { row in
      Snapshot(
        overdue: row.int64(), claims: row.int64(), nodes: row.int64(), pausedApps: row.int64(),
        setAside: row.int64(), seqnosLeft: row.int64(), schemaVersion: row.int64(),
        firstClaim: row.optionalInt64().map { ClaimID($0) }, confirmationLogBytes: row.int64())
    }
  }

  /// Counts of the event deliveries to all webhooks.
  package struct Webhooks: Sendable {
    /// Number of waiting deliveries, counted up to `countedMessages`.
    package let waiting: Int64
    /// Number of deliveries that were given up, counted up to `countedMessages`.
    package let dead: Int64
    /// Age of the oldest event that waits for an active webhook, in seconds; 0 if there is none.
    package let oldestSeconds: Double
  }

  private static let webhooksStatement = Statement(
    "vitals-webhooks",
    """
    SELECT
      -- Of the webhooks that there are: those of a deleted one may be there for hours, and nobody can replay them.
      (SELECT count(*) FROM (SELECT FROM webhooks w CROSS JOIN LATERAL (
        SELECT FROM event_deliveries d WHERE d.webhook = w.webhook AND d.state = \(Events.State.waiting.sql) LIMIT $1) d
        LIMIT $1) c),
      (SELECT count(*) FROM (SELECT FROM webhooks w CROSS JOIN LATERAL (
        SELECT FROM event_deliveries d WHERE d.webhook = w.webhook AND d.state = \(Events.State.dead.sql) LIMIT $1) d
        LIMIT $1) c),
      -- Of each active webhook the first of those that are due soonest: events are numbered as they happen.
      coalesce((SELECT extract(epoch FROM now() - min(e.at))::float8 FROM webhooks w, LATERAL (
        SELECT min(event) AS event FROM (
          SELECT event FROM event_deliveries d WHERE d.webhook = w.webhook
            AND d.state = \(Events.State.waiting.sql) ORDER BY due_at LIMIT $1) d) f
        JOIN events e ON e.event = f.event WHERE w.active), 0)
    """)

  package static func webhooks() -> Query<Webhooks> {
    Query(one: webhooksStatement, Int64(countedMessages)) { row in
      Webhooks(waiting: row.int64(), dead: row.int64(), oldestSeconds: max(0, row.double()))
    }
  }

  /// Ages in the retained delivery history.
  package struct History: Sendable {
    /// Age of the oldest message in ranges that are not closed, in seconds; 0 if there is none.
    package let oldestSeconds: Double
    /// How long the oldest closed range has been waiting to be dropped, in seconds; 0 if there is none.
    package let dropWaitingSeconds: Double
  }

  private static let historyStatement = Statement(
    "vitals-history",
    """
    SELECT
      coalesce(extract(epoch FROM now() - (
        SELECT created_at FROM messages WHERE seqno >= (
          SELECT min(from_seqno) FROM seqno_ranges WHERE closed_at IS NULL) ORDER BY seqno LIMIT 1)), 0)::float8,
      coalesce((SELECT extract(epoch FROM now() - min(closed_at)) FROM seqno_ranges WHERE dropped_at IS NULL), 0)::float8
    """)

  package static func history() -> Query<History> {
    Query(one: historyStatement) {
      History(oldestSeconds: max(0, $0.double()), dropWaitingSeconds: max(0, $0.double()))
    }
  }

  private static let sizeStatement = Statement("vitals-size", "SELECT pg_database_size(current_database())")

  /// Returns the size of the database in bytes. PostgreSQL examines every file for this, so do not call it every
  /// second.
  package static func size() -> Query<Int64> {
    Query(one: sizeStatement) { $0.int64() }
  }
}
