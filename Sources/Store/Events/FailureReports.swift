package import Domain
package import Postgres

/// Reports of whom a message could not reach: one for each end of a message whose app asks for `deliveries.failed`.
///
/// ```
///   message ends ──► report, in its commit ──► page, event and place in one commit, again and again ──► gone
///   reopened ──► a report that is not through ends there; the next one begins behind that time
/// ```
/// Nothing is written while a message is sent: a failure is in its history anyway, and the end of the message is the
/// moment from which no failure of it changes. A message that is reopened, because refusals were our own fault, has
/// another end; its second report has what failed since.
package enum FailureReports {
  private static let takeStatement = Statement(
    "failure-reports-take",
    """
    SELECT f.report, f.seqno, f.since, f.upto, f.place, coalesce(\(HistoryRanges.isKept), false)
    FROM failure_reports f LEFT JOIN messages m ON m.seqno = f.seqno
    WHERE f.place IS NOT NULL ORDER BY f.report LIMIT 1 FOR UPDATE OF f SKIP LOCKED
    """)

  private static let moveStatement = Statement(
    "failure-reports-move", "UPDATE failure_reports SET place = $2 WHERE report = $1")

  private static let endStatement = Statement(
    "failure-reports-end",
    """
    WITH ended AS (DELETE FROM failure_reports WHERE report = $1 AND upto IS NULL)
    -- One of a reopened message stays, for the next one to begin there.
    UPDATE failure_reports SET place = NULL WHERE report = $1 AND upto IS NOT NULL
    """)

  /// What may be left: reports of messages that are never reopened any more.
  static let pruneStatement = Statement(
    "failure-reports-prune",
    """
    DELETE FROM failure_reports WHERE report IN (
      SELECT report FROM failure_reports WHERE place IS NULL AND upto < now() - interval '3 days' LIMIT $1)
    """)

  /// Rows of deliveries that a step looks at.
  private static let window = 10_000

  /// Tells the next page of the first report that no other node works on, within a transaction. Returns false when
  /// there is none.
  package static func step(on connection: Connection) throws(PostgresError) -> Bool {
    let taken = try connection.run(takeStatement).decodeFirst { row in
      (
        report: row.int64(), seqno: row.seqno(), since: row.optionalTimestamp() ?? .min,
        upto: row.optionalTimestamp() ?? .max, place: row.text(), hasHistory: row.bool()
      )
    }
    guard let (report, seqno, since, upto, reached, hasHistory) = taken else { return false }
    var parameters = Parameters()
    parameters.append(report)
    // Without its history nothing can be told.
    guard hasHistory else {
      _ = try connection.run(endStatement, parameters)
      return true
    }
    let limit = RecipientEvents.mostRecipients
    let place = DeliveryPages.Place(cursor: reached) ?? .start
    let (found, rest) = try DeliveryPages.failures(
      of: seqno, after: place, reason: nil, window: window, limit: limit, on: connection)
    let failed = found.filter { $0.at > since && $0.at <= upto && told.contains($0.status) }
    try RecipientEvents.add(
      .deliveriesFailed, of: seqno,
      failed.map {
        RecipientEvents.Recipient(
          device: $0.device, userKey: $0.userKey, at: $0.at, failure: ($0.status, $0.reason))
      }, on: connection)
    guard let next = found.count == limit ? found.last?.place : rest else {
      _ = try connection.run(endStatement, parameters)
      return true
    }
    parameters.append(next.cursor)
    _ = try connection.run(moveStatement, parameters)
    return true
  }

  /// Cancelling is the sender's own doing.
  private static let told: Set<OutcomeStatus> = [.rejected, .expired, .skipped]

  private static let setAsideStatement = Statement(
    "failure-reports-set-aside",
    """
    UPDATE failure_reports SET place = NULL, upto = coalesce(upto, clock_timestamp()) WHERE report IN (
      SELECT report FROM failure_reports WHERE place IS NOT NULL ORDER BY report LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING seqno
    """)

  /// Gives the first report up, because it cannot be told. Returns its message.
  package static func setAside() -> Query<Seqno?> {
    Query(first: setAsideStatement) { $0.seqno() }
  }
}
