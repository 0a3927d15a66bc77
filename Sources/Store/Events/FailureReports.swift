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

  /// An unfinished report, locked by the transaction that has read it.
  package struct Report: Sendable {
    let number: Int64
    package let seqno: Seqno
    let since: Timestamp
    let upto: Timestamp
    /// How far the report is: a cursor of `DeliveryPages`.
    let place: String
    /// False if the message's history is no longer kept.
    let hasHistory: Bool
  }

  /// Locks and returns the oldest unfinished report that no other transaction has locked; nil if there is none. Call
  /// this within a transaction.
  package static func take() -> Query<Report?> {
    Query(first: takeStatement) { row in
      Report(
        number: row.int64(), seqno: row.seqno(), since: row.optionalTimestamp() ?? .min,
        upto: row.optionalTimestamp() ?? .max, place: row.text(), hasHistory: row.bool())
    }
  }

  /// Writes the events for the next page of a report, and stores how far the report is. Finishes the report after its
  /// last page, or without events if the message's history is no longer kept. Call this in the transaction that has
  /// taken the report.
  package static func tell(_ report: Report, on connection: Connection) throws(PostgresError) {
    // Without the message's history, the failures are unknown.
    guard report.hasHistory else {
      _ = try connection.run(endStatement, Parameters(report.number))
      return
    }
    let limit = RecipientEvents.mostRecipients
    let place = DeliveryPages.Place(cursor: report.place) ?? .start
    let (found, rest) = try DeliveryPages.failures(
      of: report.seqno, after: place, reason: nil, window: window, limit: limit, on: connection)
    let failed = found.filter { $0.at > report.since && $0.at <= report.upto && told.contains($0.status) }
    try RecipientEvents.add(
      .deliveriesFailed, of: report.seqno,
      failed.map {
        RecipientEvents.Recipient(
          device: $0.device, userKey: $0.userKey, at: $0.at, failure: ($0.status, $0.reason))
      }, on: connection)
    guard let next = found.count == limit ? found.last?.place : rest else {
      _ = try connection.run(endStatement, Parameters(report.number))
      return
    }
    _ = try connection.run(moveStatement, Parameters(report.number, next.cursor))
  }

  /// The outcomes that are reported. Cancelled deliveries are not, because the sender caused them.
  private static let told: Set<OutcomeStatus> = [.rejected, .expired, .skipped]

  private static let setAsideStatement = Statement(
    "failure-reports-set-aside",
    """
    UPDATE failure_reports SET place = NULL, upto = coalesce(upto, clock_timestamp()) WHERE report IN (
      -- Only as far as it was then: somebody else may have told more since.
      SELECT report FROM failure_reports WHERE report = $1 AND place = $2 FOR UPDATE SKIP LOCKED)
    RETURNING report
    """)

  /// Finishes a report because writing its events fails: the remaining failures are never reported. Returns false,
  /// changing nothing, if somebody else has finished it or told more of it since it was taken, or has locked it.
  package static func setAside(_ report: Report) -> Query<Bool> {
    Query(setAsideStatement, report.number, report.place) { $0.count == 1 }
  }
}
