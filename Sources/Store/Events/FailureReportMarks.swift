internal import Domain

/// SQL for the statements that end or reopen a message: starts and closes reports of failures (`FailureReports`).
enum FailureReportMarks {
  /// SQL after a CTE `done` with messages that have just ended: starts the reports of those whose app has an active
  /// webhook for `deliveries.failed`. A report covers the failures since the message was last reopened.
  static let begin = """
    reported AS (
      INSERT INTO failure_reports (seqno, since)
      SELECT d.seqno, (SELECT max(upto) FROM failure_reports f WHERE f.seqno = d.seqno) FROM done d
      WHERE d.app IN \(EventKind.deliveriesFailed.listeners)
    )
    """

  /// SQL after a CTE `reopened` with messages that have just been reopened: closes their open reports. For apps with an
  /// active webhook for `deliveries.failed`, also records the time of reopening, at which the next report starts.
  static let halt = """
    halted AS (
      UPDATE failure_reports f SET upto = clock_timestamp() FROM reopened r WHERE f.seqno = r.seqno AND f.upto IS NULL
    ), noted AS (
      INSERT INTO failure_reports (seqno, upto, place) SELECT seqno, clock_timestamp(), NULL FROM reopened
      WHERE app IN \(EventKind.deliveriesFailed.listeners)
    )
    """
}
