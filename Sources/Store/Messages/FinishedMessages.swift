package import Postgres
package import Time

/// Test data: inserts the rows that finished direct sends leave in `messages` and `message_totals`, but no deliveries,
/// to measure what months of history cost.
package enum FinishedMessages {
  /// Inserts completed urgent messages of app 1 with these SEQNOs, each with one accepted delivery in its totals. Then
  /// makes numbering continue after the last of these SEQNOs, and creates missing partitions.
  /// - Parameters:
  ///   - ended: returns the time at which the message with a SEQNO was created and ended.
  ///   - request: the request of every message, as JSON.
  package static func copy(
    _ numbers: ClosedRange<Int64>, endedAt ended: (Int64) -> Timestamp, request: String, on connection: Connection
  ) throws(PostgresError) {
    try connection.copyIn(
      """
      COPY messages (seqno, app, state, lane, request, targeted, created_at, expires_at, frozen_at,
        planned, finished_at) FROM STDIN (FORMAT binary)
      """
    ) { (rows) throws(PostgresError) in
      for number in numbers {
        let at = ended(number)
        try rows.beginRow(columns: 11)
        rows.append(number)
        rows.append(Int32(1))
        rows.append(Int16(4))
        rows.append(Int16(0))
        rows.append(text: request)
        rows.append(Int64(1))
        rows.append(at)
        rows.append(at + .seconds(86_400))
        rows.append(at)
        rows.append(true)
        rows.append(at)
      }
    }
    try connection.copyIn("COPY message_totals (seqno, writer, accepted) FROM STDIN (FORMAT binary)") {
      (rows) throws(PostgresError) in
      for number in numbers {
        try rows.beginRow(columns: 3)
        rows.append(number)
        rows.append(Int32(1))
        rows.append(Int32(1))
      }
    }
    try connection.script("SELECT setval('messages_seqno_seq', \(numbers.upperBound))")
    while try connection.run(Nodes.extendRanges(width: Store.Limits.partitionSeqnos)) != nil {}
  }
}
