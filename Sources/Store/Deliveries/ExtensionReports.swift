package import Domain
internal import Postgres

/// Determines whether an app's notification service extension confirms the alerts that start it.
package enum ExtensionReports {
  package struct Found: Equatable, Sendable {
    /// Number of alerts found that Apple has accepted and that start the extension; at most the requested number.
    package let alerts: Int64
    /// Number of these alerts with a receipt.
    package let confirmed: Int64
  }

  private static let lookStatement = Statement(
    "extension-reports",
    """
    SELECT count(*), count(*) FILTER (WHERE CASE
        WHEN a.block IS NULL THEN delivery_confirmed(a.seqno, a.device, a.user_key, false) IS NOT NULL
        ELSE EXISTS (SELECT FROM block_confirmed(a.seqno, a.block, a.place, false)) END)
    FROM (
      SELECT l.* FROM (
        SELECT o.* FROM (
          SELECT m.seqno FROM (
            -- However few of them have alerts, no more are looked through than this.
            SELECT * FROM messages WHERE app = $1 ORDER BY seqno DESC LIMIT 10000) m
          JOIN apps a ON a.app = m.app
          WHERE (request->'alert' IS NOT NULL OR request->>'alerts' = 'true')
            AND coalesce(request->>'pushType', 'alert') = 'alert'
            AND coalesce((request->>'mutableContent')::boolean,
              a.extension OR request->'media' IS NOT NULL OR request->'mediaUrl' IS NOT NULL)
            -- Of what goes out right now nobody can have heard much.
            AND m.created_at < now() - interval '1 minute'
          ORDER BY m.seqno DESC LIMIT 2000) m
        CROSS JOIN LATERAL (
          (SELECT o.seqno, o.device, o.user_key, NULL::integer AS block, NULL::integer AS place FROM outcomes o
            WHERE o.seqno = m.seqno AND o.status = \(OutcomeStatus.accepted.sql)
              AND o.at < now() - interval '1 minute' LIMIT 4000)
          UNION ALL
          (SELECT b.seqno, e.device, e.user_key, b.block, e.place FROM (
              SELECT b.*, s.states FROM blocks b JOIN block_states s ON s.seqno = b.seqno AND s.block = b.block
              WHERE b.seqno = m.seqno AND s.accepted_at < now() - interval '1 minute' LIMIT 2) b
            CROSS JOIN LATERAL block_entries(b.devices_count, b.devices, b.user_keys) e
            WHERE get_byte(b.states, e.place) = 1)) o
        -- So an app that has no iPhones is looked at for no longer than this.
        LIMIT 20000) l
      JOIN devices d ON d.device = l.device AND d.network = 1 LIMIT $2) a
    """)

  /// Counts the app's latest iOS alerts that start its extension, excluding those of the last minute. Searches the
  /// newest messages only, and a limited number of their deliveries, so it can find fewer alerts than there are.
  package static func look(_ app: App.Number, atMost alerts: Int64) -> Query<Found> {
    Query(one: lookStatement, app, alerts) { Found(alerts: $0.int64(), confirmed: $0.int64()) }
  }
}
