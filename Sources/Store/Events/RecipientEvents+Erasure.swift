internal import Domain
package import Postgres

/// Removes erased persons from the events about recipients that are still stored. No index leads from a person to these
/// events. If no webhook takes them, there are hundreds of thousands, each with up to 500 recipients, so they are
/// searched page by page.
///
/// ```
///   erasure ──► first page searched at once ──► if there are more: `event_erasures` ──► page by page to the end
/// ```
extension RecipientEvents {
  /// Number of events searched in one step: with 500 recipients each, a fraction of a second.
  private static let searchedAtOnce: Int64 = 500
  /// Maximum number of persons searched for in one step, because each event is searched for each of them.
  private static let personsAtOnce = 50

  private static let forgetStatement = Statement(
    "recipient-events-forget",
    """
    WITH page AS MATERIALIZED (
      -- Do not read the texts of other apps' events.
      SELECT event, app, CASE WHEN app = ANY($1) THEN data::text END AS words FROM events
      WHERE event > $3 AND event_kind IN ('deliveries.received', 'deliveries.read', 'deliveries.failed')
      ORDER BY event LIMIT $4)
    , hits AS MATERIALIZED (
      SELECT p.event, array_agg(substr(g.user_key, 2)) AS uids
      FROM page p JOIN unnest($1::integer[], $2::text[]) AS g(app, user_key) ON g.app = p.app
      WHERE position(to_json(substr(g.user_key, 2))::text IN p.words) > 0 GROUP BY p.event)
    , changed AS (
      UPDATE events e SET data = json_build_object(
        'seqno', e.data->'seqno', 'reference', e.data->'reference', 'recipients', (
          SELECT json_agg(CASE WHEN r.value->>'clientUid' = ANY(h.uids)
            THEN jsonb_set(r.value::jsonb, '{clientUid}', 'null')::json ELSE r.value END ORDER BY r.place)
          FROM json_array_elements(e.data->'recipients') WITH ORDINALITY AS r(value, place)))
      FROM hits h WHERE e.event = h.event)
    SELECT CASE WHEN count(*) = $4 THEN max(event) END FROM page
    """)

  /// Replaces the CUIDs of erased persons by null in the next page of events after `event`. Returns the last event of
  /// the page; nil if there are no more.
  private static func forget(
    _ users: [Users.Key], after event: Int64, on connection: Connection
  ) throws(PostgresError) -> Int64? {
    var parameters = Users.keys(users)
    parameters.append(event)
    parameters.append(searchedAtOnce)
    return try connection.run(forgetStatement, parameters).decodeOne { $0.optionalInt64() }
  }

  private static let laterStatement = Statement(
    "recipient-events-forget-later",
    """
    INSERT INTO event_erasures (app, user_key, upto_event)
    SELECT app, user_key, $3::bigint FROM unnest($1, $2) AS t(app, user_key)
    WHERE EXISTS (SELECT FROM events
      WHERE event > $3 AND event_kind IN ('deliveries.received', 'deliveries.read', 'deliveries.failed'))
    ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET upto_event = least(event_erasures.upto_event, excluded.upto_event)
    """)

  /// Leaves it to `forgetNext` to search all events after `event` for the persons.
  static func forgetLater(_ users: [Users.Key], after event: Int64 = 0) -> Query<Void> {
    var parameters = Users.keys(users)
    parameters.append(event)
    return Query(laterStatement, parameters) { _ in }
  }

  /// Removes an erased person from the oldest events, and leaves the others to `forgetNext`. Call it within the
  /// transaction that erases the person.
  static func forget(_ user: Users.Key, on connection: Connection) throws(PostgresError) {
    guard let last = try forget([user], after: 0, on: connection) else { return }
    try connection.run(forgetLater([user], after: last))
  }

  // MARK: Steps

  private static let takeStatement = Statement(
    "recipient-events-erasures",
    """
    SELECT app, user_key, upto_event FROM event_erasures
    -- The persons furthest behind, so that they catch up with the others.
    WHERE upto_event = (SELECT min(upto_event) FROM event_erasures)
    ORDER BY app, user_key LIMIT $1 FOR UPDATE SKIP LOCKED
    """)

  private static let moveStatement = Statement(
    "recipient-events-erasures-move",
    """
    UPDATE event_erasures e SET upto_event = $3 FROM unnest($1, $2) AS t(app, user_key)
    WHERE e.app = t.app AND e.user_key = t.user_key
    """)

  private static let endStatement = Statement(
    "recipient-events-erasures-end",
    """
    DELETE FROM event_erasures e USING unnest($1, $2) AS t(app, user_key)
    WHERE e.app = t.app AND e.user_key = t.user_key
    """)

  /// Removes some erased persons from the next page of events. Call it within a transaction. Returns false, without
  /// changes, if no person is left to search for, or if other nodes are searching for them.
  package static func forgetNext(on connection: Connection) throws(PostgresError) -> Bool {
    var most = Parameters()
    most.append(personsAtOnce)
    let taken = try connection.run(takeStatement, most).decode {
      (user: Users.Key(app: $0.int32(), userKey: $0.userKey()), upto: $0.int64())
    }
    guard let upto = taken.first?.upto else { return false }
    let users = taken.map(\.user)
    var parameters = Users.keys(users)
    guard let last = try forget(users, after: upto, on: connection) else {
      _ = try connection.run(endStatement, parameters)
      return true
    }
    parameters.append(last)
    _ = try connection.run(moveStatement, parameters)
    return true
  }
}
