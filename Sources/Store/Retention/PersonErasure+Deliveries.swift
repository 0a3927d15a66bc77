internal import Domain
internal import Postgres

/// The deliveries in the export of a person's data.
///
/// No index leads from a person to deliveries, so the export searches every message whose history is kept: a page at a
/// time, newest first, because one statement over ten million messages would exceed the statement timeout.
extension PersonErasure {
  /// Maximum number of deliveries in an export.
  private static let exportedDeliveries = 10_000
  /// Number of messages searched by one statement, which takes some tenths of a second.
  private static let exportedMessages = 20_000

  private static let pageStatement = Statement(
    "person-export-page",
    """
    SELECT min(seqno) FROM (
      SELECT seqno FROM messages WHERE app = $1 AND seqno < $2
        -- Only totals are left of earlier messages.
        AND seqno >= coalesce((SELECT min(from_seqno) FROM seqno_ranges WHERE dropped_at IS NULL), 0)
      ORDER BY seqno DESC LIMIT $3) m
    """)

  private static let pageDeliveriesStatement = Statement(
    "person-export-deliveries",
    """
    -- Few messages have blocks.
    WITH campaigns AS MATERIALIZED (SELECT DISTINCT seqno FROM blocks WHERE seqno >= $3 AND seqno < $4)
    SELECT row_to_json(t)::text FROM (
      SELECT seqno, device, status, reason, at, delivery_confirmed(seqno, device, $2, false) AS received_at,
        delivery_confirmed(seqno, device, $2, true) AS read_at
      FROM (
        SELECT o.seqno, o.device, o.status, o.reason, o.at
        FROM messages m CROSS JOIN devices d
          -- Looked up one by one: with a plain join, a plan may read all deliveries of these messages.
          CROSS JOIN LATERAL (
            SELECT * FROM outcomes o WHERE o.seqno = m.seqno AND o.device = d.device AND o.user_key = $2 LIMIT 1) o
        WHERE m.app = $1 AND m.seqno >= $3 AND m.seqno < $4
          AND d.app = $1 AND d.user_key = $2 AND d.state = \(Devices.State.active.sql)
        UNION ALL
        SELECT m.seqno, b.device, b.status, b.reason, b.at
        FROM campaigns JOIN messages m USING (seqno) CROSS JOIN LATERAL block_deliveries(m.seqno, $2) b
        WHERE m.app = $1 AND m.seqno >= $3 AND m.seqno < $4
          AND (b.status <> \(OutcomeStatus.deferred.sql) OR b.due_at IS NOT NULL)
        ORDER BY seqno DESC LIMIT $5) d) t
    """)

  /// Returns the user's newest 10,000 deliveries, newest first. Runs a few statements for each 20,000 messages whose
  /// history is kept, and opens no transaction.
  static func deliveries(of user: Users.Key, on connection: Connection) throws(PostgresError) -> Part {
    var found: [String] = []
    var end = Seqno.max
    while found.count < exportedDeliveries {
      let page = try connection.run(pageStatement, Parameters(user.app, end, exportedMessages))
      guard let start = page.decodeOne({ $0.optionalSeqno() }) else { break }
      let rest = exportedDeliveries - found.count
      let rows = try connection.run(
        pageDeliveriesStatement, Parameters(user.app, user.userKey.text, start, end, rest))
      found += rows.decode { $0.text() }
      end = start
    }
    return Part(name: "deliveries", rows: "[\(found.joined(separator: ",\n"))]")
  }
}
