internal import Postgres

/// The bound of what waits for a webhook that takes nothing.
///
/// A webhook that fails backs off and is then asked with one event at a time, so most of its events are never tried and
/// would wait for ever, as those of a webhook that is switched off would. After a week they are given up like events
/// whose attempts are used up: counted, listed with the reason, replayed on demand, and deleted with their events.
extension EventDeliveries {
  /// Days after which a delivery that is due and is not attempted is given up, and for which one that was given up is
  /// kept at least, however old its event is.
  package static let patienceDays = 7

  private static let giveUpOverdueStatement = Statement(
    "event-deliveries-give-up-overdue",
    """
    WITH RECURSIVE told AS (
      (SELECT webhook FROM event_deliveries WHERE state = \(Events.State.waiting.sql) ORDER BY webhook LIMIT 1)
      UNION ALL
      SELECT n.webhook FROM told t, LATERAL (
        SELECT d.webhook FROM event_deliveries d WHERE d.state = \(Events.State.waiting.sql) AND d.webhook > t.webhook
        ORDER BY d.webhook LIMIT 1) n)
    UPDATE event_deliveries SET state = \(Events.State.dead.sql), ended_at = clock_timestamp(),
      reason = 'it waited for \(patienceDays) days: the webhook was off or did not answer'
    WHERE (event, webhook) IN (
      SELECT d.event, d.webhook
      FROM told t JOIN event_deliveries d ON d.webhook = t.webhook AND d.state = \(Events.State.waiting.sql)
        -- Not by the time of the event: one that is replayed is old. While one is attempted, this is still to come.
        AND d.due_at < now() - interval '\(patienceDays) days'
      LIMIT $1 FOR UPDATE OF d SKIP LOCKED)
    """)

  /// Gives up at most `limit` deliveries, to webhooks that are switched on or off, that have been due for
  /// `patienceDays` days, and returns their number. Skips locked rows.
  package static func giveUpOverdue(atMost limit: Int) -> Query<Int> {
    Query(giveUpOverdueStatement, limit) { $0.affected }
  }
}
