internal import Postgres

/// The limit on how long events wait for a webhook that takes none.
///
/// While a webhook fails, the server backs off and tries one event at a time, so most events are never tried and would
/// wait for ever; so would those of a webhook that is switched off. After a week they are given up like events whose
/// attempts are used up: counted, listed with the reason, replayed on demand, and deleted with their events.
extension EventDeliveries {
  /// Days after which a delivery that is due but not attempted is given up. Also the minimum number of days for which a
  /// delivery that was given up is kept, however old its event is.
  package static let patienceDays = 7

  private static let giveUpOverdueStatement = Statement(
    "event-deliveries-give-up-overdue",
    """
    WITH RECURSIVE awaited AS (
      (SELECT webhook FROM event_deliveries WHERE state = \(Events.State.waiting.sql) ORDER BY webhook LIMIT 1)
      UNION ALL
      SELECT n.webhook FROM awaited t, LATERAL (
        SELECT d.webhook FROM event_deliveries d WHERE d.state = \(Events.State.waiting.sql) AND d.webhook > t.webhook
        ORDER BY d.webhook LIMIT 1) n)
    UPDATE event_deliveries SET state = \(Events.State.dead.sql), ended_at = clock_timestamp(),
      reason = 'it waited for \(patienceDays) days: the webhook was off or did not answer'
    WHERE (event, webhook) IN (
      SELECT d.event, d.webhook
      FROM awaited t
      -- Those of a deleted webhook are about to go (`Retention`).
      JOIN webhooks w ON w.webhook = t.webhook
      JOIN event_deliveries d ON d.webhook = t.webhook AND d.state = \(Events.State.waiting.sql)
        -- Not by the time of the event, which is old if it is replayed. During an attempt, `due_at` is in the future.
        AND d.due_at < now() - interval '\(patienceDays) days'
      LIMIT $1 FOR UPDATE OF d SKIP LOCKED)
    """)

  /// Gives up at most `limit` deliveries that have been due for `patienceDays` days, whether their webhooks are
  /// switched on or off, and returns their number. Skips locked rows, and deliveries to deleted webhooks.
  package static func giveUpOverdue(atMost limit: Int) -> Query<Int> {
    Query(giveUpOverdueStatement, limit) { $0.affected }
  }
}
