package import Domain
internal import Postgres

/// Reads the funnel of a message: its totals, and the data about the message that reports show with them.
package enum Funnels {
  package struct Found: Sendable {
    package let app: App.Number
    /// False if the delivery history is not kept any more.
    package let isKept: Bool
    package let funnel: Funnel
  }

  private static let findStatement = Statement(
    "funnels-find",
    """
    SELECT m.app, m.state, m.targeted, \(HistoryRanges.isKept),
      coalesce(sum(t.accepted), 0)::bigint, coalesce(sum(t.rejected), 0)::bigint, coalesce(sum(t.expired), 0)::bigint,
      coalesce(sum(t.cancelled), 0)::bigint, coalesce(sum(t.skipped), 0)::bigint,
      coalesce(sum(t.received), 0)::bigint + min(u.received), coalesce(sum(t.read), 0)::bigint + min(u.read),
      coalesce(sum(t.unknown), 0)::bigint, coalesce(sum(t.resent), 0)::bigint,
      -- In the same statement, so that it is one snapshot with the totals.
      (SELECT coalesce(json_object_agg(reason, total), '{}')::text FROM (
        SELECT reason, sum(count)::bigint AS total FROM reason_totals r WHERE r.seqno = m.seqno GROUP BY reason
        -- What was given back counts no longer.
        HAVING sum(count) <> 0) reasons),
      m.state_reason, m.resend_of, m.due_at, m.request->>'reference', m.request->>'from',
      (SELECT app_id FROM apps a WHERE a.app = m.app), m.created_at,
      CASE WHEN pg_column_size(m.request) < 65536 AND m.request->>'confidential' IS DISTINCT FROM 'true'
        THEN (m.request->'alert')::text END,
      coalesce((m.request->>'confidential')::boolean, false)
    FROM messages m CROSS JOIN LATERAL unfolded_confirmations(m.seqno) u
    LEFT JOIN message_totals t ON t.seqno = m.seqno
    WHERE m.seqno = $1 GROUP BY m.seqno
    """)

  /// Returns a message's funnel, and as `reasons` a JSON object with the number of deliveries for each reason; nil if
  /// the message does not exist. Confirmations that are not folded yet are included.
  package static func find(_ seqno: Seqno) -> Query<(found: Found, reasons: String)?> {
    Query(first: findStatement, seqno) { row in
      let app = row.int32()
      var funnel = Funnel(
        seqno: seqno, state: MessageState(rawValue: row.int16()) ?? .queued, targeted: row.optionalInt64())
      let isKept = row.bool()
      funnel.readTotals(&row)
      funnel.unknown = row.int64()
      funnel.resent = row.int64()
      let unknownEntries = row.text()
      funnel.stateReason = row.optionalText()
      funnel.resendOf = row.optionalSeqno()
      funnel.dueAt = row.optionalTimestamp()
      funnel.reference = row.optionalText()
      funnel.origin = row.optionalText()
      funnel.appID = row.text()
      funnel.createdAt = row.timestamp()
      funnel.alert = row.optionalText()
      funnel.isConfidential = row.bool()
      return (Found(app: app, isKept: isKept, funnel: funnel), unknownEntries)
    }
  }
}

extension Funnel {
  /// Decodes seven columns with a message's totals: accepted, rejected, expired, cancelled, skipped, received and read.
  mutating func readTotals(_ row: inout RowReader) {
    accepted = row.int64()
    rejected = row.int64()
    expired = row.int64()
    cancelled = row.int64()
    skipped = row.int64()
    received = row.int64()
    read = row.int64()
  }
}
