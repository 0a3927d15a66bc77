package import Domain
internal import Postgres

/// The totals of messages.
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

  /// Returns a message's funnel, with its reasons as a JSON object.
  package static func find(_ seqno: Int64) -> Query<(found: Found, reasons: String)?> {
    Query(findStatement, seqno) { rows in
      guard rows.count == 1 else { return nil }
      var funnel = Funnel(
        seqno: seqno, state: MessageState(rawValue: rows.int16(0, 1)) ?? .queued, targeted: rows.optionalInt64(0, 2))
      funnel.accepted = rows.int64(0, 4)
      funnel.rejected = rows.int64(0, 5)
      funnel.expired = rows.int64(0, 6)
      funnel.cancelled = rows.int64(0, 7)
      funnel.skipped = rows.int64(0, 8)
      funnel.received = rows.int64(0, 9)
      funnel.read = rows.int64(0, 10)
      funnel.unknown = rows.int64(0, 11)
      funnel.resent = rows.int64(0, 12)
      funnel.stateReason = rows.optionalText(0, 14)
      funnel.resendOf = rows.optionalInt64(0, 15)
      funnel.dueAt = rows.optionalTimestamp(0, 16)
      funnel.reference = rows.optionalText(0, 17)
      funnel.origin = rows.optionalText(0, 18)
      funnel.appID = rows.text(0, 19)
      funnel.createdAt = rows.timestampMicroseconds(0, 20)
      funnel.alert = rows.optionalText(0, 21)
      funnel.isConfidential = rows.bool(0, 22)
      return (Found(app: rows.int32(0, 0), isKept: rows.bool(0, 3), funnel: funnel), rows.text(0, 13))
    }
  }
}
