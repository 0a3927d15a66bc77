package import Domain
package import Postgres
package import Time

/// Writes outcomes of deliveries that have rows of their own, and the totals that count all outcomes. Decision 008.
package enum Outcomes {
  package struct Record: Sendable {
    package let seqno: Seqno
    package let device: DeviceID
    package let userKey: UserKey
    package let status: OutcomeStatus
    package let attempts: Tries
    package let reason: String?
    /// When a deferred delivery is due; nil for a final outcome.
    package let dueAt: Timestamp?

    package init(
      seqno: Seqno, device: DeviceID, userKey: UserKey, status: OutcomeStatus, attempts: Tries, reason: String?,
      dueAt: Timestamp?
    ) {
      self.seqno = seqno
      self.device = device
      self.userKey = userKey
      self.status = status
      self.attempts = attempts
      self.reason = reason
      self.dueAt = dueAt
    }

    /// Number of tries as stored: negative for a deferral if an earlier try may have arrived. For a final outcome, this
    /// doubt does not matter any more and is not stored.
    var storedAttempts: Int16 { status.isFinal ? attempts.count : attempts.stored }
  }

  private static let writeStatement = Statement(
    "outcomes-write",
    """
    INSERT INTO outcomes (seqno, device, user_key, status, attempts, reason, due_at, at)
    SELECT *, $8 FROM unnest($1, $2, $3, $4, $5, $6, $7) AS t(seqno, device, user_key, status, attempts, reason, due_at)
    ORDER BY seqno, device
    ON CONFLICT (seqno, device) DO UPDATE SET
      status = excluded.status, attempts = excluded.attempts, reason = excluded.reason, due_at = excluded.due_at,
      at = excluded.at
    -- The first final outcome wins, whoever writes it.
    WHERE outcomes.status = \(OutcomeStatus.deferred.sql)
      -- Only what is in progress is deferred: what waits already was deferred by whoever held it last.
      AND (excluded.status <> \(OutcomeStatus.deferred.sql) OR outcomes.due_at IS NULL)
    RETURNING seqno, device
    """)

  /// Writes outcomes and deferrals. Returns the indexes of those that took effect, in any order: the others belong to
  /// deliveries that have a final outcome already, which remains, or are deferred already and not in progress. Fails if
  /// two records belong to the same delivery.
  package static func write(_ records: [Record], at now: Timestamp) -> Query<[Int]> {
    var seqnos = Int64Column()
    var devices = UUIDColumn()
    var keys = TextColumn()
    var statuses = Int16Column()
    var attempts = Int16Column()
    var reasons = TextColumn()
    var dues = TimestampColumn()
    var positions: [Confirmations.Delivery: Int] = [:]
    for (index, record) in records.enumerated() {
      seqnos.append(record.seqno)
      devices.append(record.device)
      keys.append(record.userKey.text)
      statuses.append(record.status.rawValue)
      attempts.append(record.storedAttempts)
      reasons.append(record.reason)
      dues.append(record.dueAt)
      positions[Confirmations.Delivery(seqno: record.seqno, device: record.device)] = index
    }
    var parameters = Parameters(unnesting: seqnos, devices, keys, statuses, attempts, reasons, dues)
    parameters.append(now)
    return Query(writeStatement, parameters) { rows in
      rows.decode { positions[Confirmations.Delivery(seqno: $0.seqno(), device: $0.device())] }.compactMap { $0 }
    }
  }

  /// The amounts that a writer adds to a message's totals.
  package struct Increase: Sendable {
    package var accepted: Int64 = 0
    package var rejected: Int64 = 0
    package var expired: Int64 = 0
    package var cancelled: Int64 = 0
    package var skipped: Int64 = 0
    package var unknown: Int64 = 0
    package var resent: Int64 = 0
    package var reasons: [String: Int64] = [:]

    package init() {}

    /// Adds one outcome that took effect, and its reason if there is one. A deferral is not counted.
    package mutating func count(_ status: OutcomeStatus, reason: String?) {
      switch status {
      case .accepted: accepted += 1
      case .rejected: rejected += 1
      case .expired: expired += 1
      case .cancelled: cancelled += 1
      case .skipped: skipped += 1
      case .deferred: return
      }
      if let reason { reasons[reason, default: 0] += 1 }
    }
  }

  private static let totalsInsertion = """
    INSERT INTO message_totals AS t (seqno, writer, accepted, rejected, expired, cancelled, skipped, unknown, resent)
    -- What nothing was counted in is not there: most rows are a single send's, and as small as what they count.
    SELECT seqno, $9, a, r, e, c, s, u, n
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) AS more(seqno, a, r, e, c, s, u, n) ORDER BY seqno
    ON CONFLICT (seqno, writer) DO UPDATE SET
      accepted = coalesce(t.accepted, 0) + coalesce(excluded.accepted, 0),
      rejected = coalesce(t.rejected, 0) + coalesce(excluded.rejected, 0),
      expired = coalesce(t.expired, 0) + coalesce(excluded.expired, 0),
      cancelled = coalesce(t.cancelled, 0) + coalesce(excluded.cancelled, 0),
      skipped = coalesce(t.skipped, 0) + coalesce(excluded.skipped, 0),
      unknown = coalesce(t.unknown, 0) + coalesce(excluded.unknown, 0),
      resent = coalesce(t.resent, 0) + coalesce(excluded.resent, 0)
    """

  private static let totalsStatement = Statement("outcomes-totals", totalsInsertion)
  /// Adds totals and statistics in one statement, so that statistics need no additional round trip.
  private static let totalsAndStatisticsStatement = Statement(
    "outcomes-totals-and-statistics", "WITH by_minute AS (\(Statistics.insertion(after: 9)))\n\(totalsInsertion)")

  private static let reasonsStatement = Statement(
    "outcomes-reasons",
    """
    INSERT INTO reason_totals (seqno, reason, writer, count)
    SELECT seqno, reason, $4, count FROM unnest($1, $2, $3) AS t(seqno, reason, count)
    ORDER BY seqno, reason COLLATE "C"
    ON CONFLICT (seqno, reason, writer) DO UPDATE SET count = reason_totals.count + excluded.count
    """)

  /// Returns the queries that add to the totals of messages, to be run in the transaction that writes the counted
  /// outcomes.
  /// - Parameters:
  ///   - statistics: counts of the same deliveries, added to the statistics of the minute of `now`; empty for none.
  ///   - writer: number of the writer, which has its own rows of totals, so that writers do not wait for each other.
  package static func add(
    _ increases: [Seqno: Increase], statistics: Statistics.Tally = Statistics.Tally(), writer: Int32,
    at now: Timestamp = .zero
  ) -> [Query<Void>] {
    var seqnos = Int64Column()
    var columns = [Int64Column](repeating: Int64Column(), count: 7)
    var reasonSeqnos = Int64Column()
    var reasons = TextColumn()
    var counts = Int64Column()
    for (seqno, more) in increases.sorted(by: { $0.key < $1.key }) {
      seqnos.append(seqno)
      for (index, value) in [
        more.accepted, more.rejected, more.expired, more.cancelled, more.skipped, more.unknown, more.resent,
      ].enumerated() { columns[index].append(value == 0 ? nil : value) }
      for (reason, count) in more.reasons {
        reasonSeqnos.append(seqno)
        reasons.append(reason)
        counts.append(count)
      }
    }
    var parameters = Parameters()
    parameters.append(unnested: seqnos)
    for column in columns { parameters.append(unnested: column) }
    parameters.append(writer)
    if !statistics.isEmpty { Statistics.append(statistics, writer: writer, at: now, to: &parameters) }
    let statement = statistics.isEmpty ? totalsStatement : totalsAndStatisticsStatement
    var queries = [Query<Void>(statement, parameters) { _ in }]
    if counts.count > 0 {
      var parameters = Parameters()
      parameters.append(reasonSeqnos)
      parameters.append(reasons)
      parameters.append(counts)
      parameters.append(writer)
      queries.append(Query<Void>(reasonsStatement, parameters) { _ in })
    }
    return queries
  }
}

/// Fast path for writing first outcomes.
extension Outcomes {
  private static let copyCommand = """
    COPY outcomes (seqno, device, user_key, status, attempts, reason, due_at, at) FROM STDIN (FORMAT binary)
    """

  /// Adds outcomes of deliveries that have no row yet. COPY writes one WAL record per page of rows, so a row costs less
  /// than half of what it costs in `write`.
  ///
  /// Throws `uniqueViolation` if one of the deliveries has a row after all; the transaction is then aborted, and the
  /// caller must use `write` in a new one. No delivery may occur twice, because `write` fails then too.
  package static func copy(_ records: [Record], at now: Timestamp, _ connection: Connection) throws(PostgresError) {
    // In key order like all writers, so that concurrent writers wait for each other instead of deadlocking.
    let ordered = records.sorted { ($0.seqno, $0.device) < ($1.seqno, $1.device) }
    try connection.copyIn(copyCommand) { (rows) throws(PostgresError) in
      for record in ordered {
        try rows.beginRow(columns: 8)
        rows.append(record.seqno)
        rows.append(device: record.device)
        rows.append(text: record.userKey.text)
        rows.append(record.status.rawValue)
        rows.append(record.storedAttempts)
        rows.append(text: record.reason)
        rows.append(record.dueAt)
        rows.append(now)
      }
    }
  }
}
