internal import Domain
package import Postgres
package import Time

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
