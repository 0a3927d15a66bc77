internal import Postgres

/// What messages leave behind that nobody needs once they are over: gates, waves, shards, schedules, and the minutes of
/// devices that sent. The messages and their numbers stay.
package enum Retention {
  /// A flood may give deliveries back, which opens a message again; a little later than the longest-lived of those.
  private static let ended = """
    (SELECT FROM messages m WHERE m.seqno = t.seqno AND m.finished_at < now() - interval '2 days')
    """

  private static let gatesStatement = Statement(
    "retention-gates",
    "DELETE FROM gates WHERE seqno IN (SELECT seqno FROM gates t WHERE EXISTS \(ended) LIMIT $1)")

  private static let wavesStatement = Statement(
    "retention-waves",
    "DELETE FROM waves WHERE seqno IN (SELECT seqno FROM waves t WHERE EXISTS \(ended) LIMIT $1)")

  private static let shardsStatement = Statement(
    "retention-shards",
    "DELETE FROM shards WHERE seqno IN (SELECT seqno FROM shards t WHERE EXISTS \(ended) LIMIT $1)")

  private static let schedulesStatement = Statement(
    "retention-schedules",
    """
    DELETE FROM schedules WHERE schedule IN (
      SELECT schedule FROM schedules s
      -- Begun in the transaction that makes its first message.
      WHERE s.created_at < now() - interval '2 days' AND NOT EXISTS (
        -- As long as it goes on there is a message that waits for its time.
        SELECT FROM messages m WHERE m.schedule = s.schedule
          AND (m.finished_at IS NULL OR m.finished_at > now() - interval '2 days'))
      LIMIT $1)
    """)

  /// Minutes of devices that are long over. Skips those that are being counted: a writer takes them in order of their
  /// key, and this does not.
  private static let metersStatement = Statement(
    "retention-device-send-meters",
    """
    DELETE FROM device_send_meters WHERE device IN (
      SELECT device FROM device_send_meters WHERE window_began < now() - interval '1 hour' LIMIT $1
      FOR UPDATE SKIP LOCKED)
    """)

  /// Removes a part of what is left of messages that are long over; at most so many rows of each kind.
  package static func prune(atMost limit: Int) -> [Query<Void>] {
    var parameters = Parameters()
    parameters.append(limit)
    return [
      gatesStatement, wavesStatement, shardsStatement, schedulesStatement, metersStatement, Fallbacks.pruneStatement,
      Events.pruneStatement,
    ].map { statement in
      Query(statement, parameters) { _ in }
    }
  }
}
