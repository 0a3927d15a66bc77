internal import Domain
package import Postgres

/// Taking erased persons out of deliveries to devices that are not theirs any more.
///
/// No index leads from a person to those: a device has one user at a time, and only its deliveries say whom it had before.
/// So an erasure is remembered, and the janitor looks through the messages of that time, a part at a time; then the
/// person's name is gone from here too.
package enum Erasures {
  private static let addStatement = Statement(
    "erasures-add",
    """
    INSERT INTO erasures (app, user_key, upto_seqno)
    SELECT $1, $2, coalesce(max(seqno), 0) FROM messages
    ON CONFLICT (app, user_key) DO UPDATE SET after_seqno = 0, upto_seqno = excluded.upto_seqno, asked_at = now()
    """)

  /// Remembers a person, in the transaction that erases the rest.
  static func add(_ user: Users.Key, on connection: Connection) throws(PostgresError) {
    var parameters = Parameters()
    parameters.append(user.app)
    parameters.append(text: user.userKey.text)
    _ = try connection.run(addStatement, parameters)
  }

  private static let nextStatement = Statement(
    "erasures-next",
    """
    SELECT app, user_key, after_seqno, upto_seqno FROM erasures ORDER BY asked_at LIMIT 1 FOR UPDATE SKIP LOCKED
    """)

  private static let partStatement = Statement(
    "erasures-part",
    """
    -- As many messages as have some deliveries together, and always one.
    SELECT coalesce(max(seqno) FILTER (WHERE before < $3), $2) FROM (
      SELECT seqno, sum(coalesce(targeted, 0) + 1) OVER (ORDER BY seqno ROWS UNBOUNDED PRECEDING)
        - coalesce(targeted, 0) - 1 AS before
      FROM (SELECT seqno, targeted FROM messages WHERE seqno > $1 AND seqno <= $2 ORDER BY seqno LIMIT 100000) m) s
    """)

  private static let takeOutStatement = Statement(
    "erasures-take-out",
    """
    UPDATE outcomes o SET user_key = 'g' || o.device FROM messages m
    WHERE o.seqno > $3 AND o.seqno <= $4 AND o.user_key = $2 AND o.status <> 6
      AND m.seqno = o.seqno AND m.app = $1
    """)

  private static let moveStatement = Statement(
    "erasures-move", "UPDATE erasures SET after_seqno = $3 WHERE app = $1 AND user_key = $2")
  private static let doneStatement = Statement(
    "erasures-done", "DELETE FROM erasures WHERE app = $1 AND user_key = $2")

  /// Goes on with the oldest erasure by about so many deliveries, within a transaction. False when there is none, or when
  /// other nodes are at all of them.
  package static func step(deliveries: Int, on connection: Connection) throws(PostgresError) -> Bool {
    let next = try connection.run(nextStatement)
    guard next.count == 1 else { return false }
    let (after, upto) = (next.int64(0, 2), next.int64(0, 3))
    var range = Parameters()
    range.append(after)
    range.append(upto)
    range.append(deliveries)
    let end = try connection.run(partStatement, range).int64(0, 0)
    var person = Parameters()
    person.append(next.int32(0, 0))
    person.append(text: next.text(0, 1))
    var part = person
    part.append(after)
    part.append(end)
    _ = try connection.run(takeOutStatement, part)
    guard end < upto else {
      _ = try connection.run(doneStatement, person)
      return true
    }
    person.append(end)
    _ = try connection.run(moveStatement, person)
    return true
  }
}
