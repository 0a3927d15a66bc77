package import Domain
package import Postgres
internal import Time

/// Reports of the recipients that a message failed to reach: one report each time a message ends, if an active webhook
/// of its app subscribes to `deliveries.failed`.
///
/// ```
///   message ends ──► report, in the same commit ──► events and place of each page in one commit ──► deleted
///   reopened ──► an unfinished report is closed at that time, and the next one covers what comes later
/// ```
/// No events are written while a message is being sent: the message's history contains the failures anyway, and the
/// failures no longer change once the message has ended. A message that is reopened, because refusals were our own
/// fault, ends once more; its next report covers the failures since the reopening.
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

  /// Deletes at most `$1` finished reports and marks of a reopening (`FailureReportMarks.halt`) that are over three
  /// days old. Their messages can no longer be reopened.
  static let pruneStatement = Statement(
    "failure-reports-prune",
    """
    DELETE FROM failure_reports WHERE report IN (
      SELECT report FROM failure_reports WHERE place IS NULL AND upto < now() - interval '3 days' LIMIT $1)
    """)

  /// Maximum number of deliveries with rows that a step examines. Deliveries in blocks are not limited.
  private static let window = 10_000

  /// Writes the events for the next page of the oldest unfinished report that no other transaction has locked, and
  /// stores how far the report is. Finishes the report after its last page, or without events if the message's history
  /// is no longer kept. Call this within a transaction.
  /// - Returns: false if there is no such report; true if another step can be useful.
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
    // Without the message's history, the failures are unknown.
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

  /// The outcomes that are reported. Cancelled deliveries are not, because the sender caused them.
  private static let told: Set<OutcomeStatus> = [.rejected, .expired, .skipped]

  private static let setAsideStatement = Statement(
    "failure-reports-set-aside",
    """
    UPDATE failure_reports SET place = NULL, upto = coalesce(upto, clock_timestamp()) WHERE report IN (
      SELECT report FROM failure_reports WHERE place IS NOT NULL ORDER BY report LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING seqno
    """)

  /// Finishes the oldest unfinished report that is not locked, because writing its events fails: the remaining failures
  /// are never reported. Returns the message's SEQNO; nil if there is no such report.
  package static func setAside() -> Query<Seqno?> {
    Query(first: setAsideStatement) { $0.seqno() }
  }
}
