internal import Domain
internal import Postgres

/// Events for expiring credentials; only certificates expire.
extension Events {
  private static let expiringStatement = Statement(
    "events-credential-expiring",
    """
    WITH made AS (
      INSERT INTO events (app, event_kind, at, subject, data)
      SELECT c.app, 'credential.expiring', clock_timestamp(),
        -- Another certificate begins anew.
        c.network || ' ' || extract(epoch FROM c.updated_at)::bigint || ' ' || w.days,
        json_build_object('pnsId', CASE c.network WHEN 1 THEN 'APNS' ELSE 'FCM' END, 'credential', c.kind,
          'endsAt', c.public_part->>'endsAt', 'days', w.days)
      FROM credentials c, LATERAL (
        SELECT min(days) AS days FROM unnest(ARRAY[30, 7, 1]) days
        WHERE (c.public_part->>'endsAt')::timestamptz < clock_timestamp() + make_interval(days => days)) w
      WHERE w.days IS NOT NULL
        -- Without anybody who hears it, it is told later, when there is.
        AND c.app IN (SELECT app FROM webhooks WHERE active AND 'credential.expiring' = ANY(kinds))
      ON CONFLICT (app, event_kind, subject) WHERE subject IS NOT NULL DO NOTHING
      RETURNING event, app)
    INSERT INTO event_deliveries (event, webhook, due_at)
    SELECT m.event, w.webhook, clock_timestamp() FROM made m
    JOIN webhooks w ON w.app = m.app AND w.active AND 'credential.expiring' = ANY(w.kinds)
    """)

  /// Writes the events of certificates that expire within 30 days, 7 days or a day: one event per certificate and
  /// threshold, however often this is called. Thresholds that were passed between two calls have one event together,
  /// that of the shortest; an expired certificate counts as expiring within a day. Writes nothing for apps without an
  /// active webhook that subscribes.
  package static func credentialsExpiring() -> Query<Void> {
    Query(expiringStatement) { _ in }
  }
}
