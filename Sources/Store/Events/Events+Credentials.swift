internal import Domain
internal import Postgres

/// Events for expiring credentials; only certificates expire.
extension Events {
  private static let expiringStatement = Statement(
    "events-credential-expiring",
    """
    WITH made AS (
      INSERT INTO events (app, event_kind, at, subject, data)
      SELECT c.app, '\(EventKind.credentialExpiring.rawValue)', clock_timestamp(),
        -- Another certificate begins anew.
        c.network || ' ' || extract(epoch FROM c.updated_at)::bigint || ' ' || w.days,
        json_build_object('pnsId', \(PushNetwork.pnsID(of: "c.network")), 'credential', c.kind,
          'endsAt', c.public_part->>'endsAt', 'days', w.days)
      FROM credentials c, LATERAL (
        SELECT min(days) AS days FROM unnest(ARRAY[30, 7, 1]) days
        WHERE (c.public_part->>'endsAt')::timestamptz < clock_timestamp() + make_interval(days => days)) w
      WHERE w.days IS NOT NULL
        -- Without anybody who hears it, it is told later, when there is.
        AND c.app IN \(EventKind.credentialExpiring.listeners)
      ON CONFLICT (app, event_kind, subject) WHERE subject IS NOT NULL DO NOTHING
      RETURNING event, app, event_kind)
    \(Events.tell)
    """)

  /// Writes the events of certificates that expire within 30 days, 7 days or a day: one event per certificate and
  /// threshold, however often this is called. Thresholds that were passed between two calls have one event together,
  /// that of the shortest; an expired certificate counts as expiring within a day. Writes nothing for apps without an
  /// active webhook that subscribes.
  package static func credentialsExpiring() -> Query<Void> {
    Query(expiringStatement) { _ in }
  }
}
