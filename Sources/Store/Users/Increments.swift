internal import Domain
package import Postgres

/// Increments that messages have added to badge counts, taken back and added again within a transaction.
///
/// ```
///   +1 by a message ──► counted ──┬─ every delivery ends negative ──► −1 ── they are deferred again after all ──► +1
///                                 └─ the count is set (5) ──► not counted any more: nothing is taken back
/// ```
/// Numbers, not clocks, decide whether a count was set after an increment: setting it records the highest SEQNO
/// assigned so far (`users.set_seqno`), so the increments of messages with higher SEQNOs were added afterwards. A
/// message with a lower SEQNO can also be counted afterwards, because it was scheduled or is claimed in waves: then its
/// ledger entry records the `set_seqno` at that time. Counts and entries are written under the user's lock, so their
/// order is certain.
///
/// A count stays within 0…1000, so adding or taking back an increment can change the count by less. The ledger records
/// the actual amount, and only that is taken back or added again.
///
/// Decision 014.
package enum Increments {
  /// Records deliveries that ended negative. When all of a message's deliveries to a user have ended negative,
  /// subtracts the message's increment from the user's count, unless the user has read the message, or the count was
  /// set after the increment.
  /// - Parameter negatives: number of these deliveries for each user and message.
  package static func revoke(
    _ negatives: [Ledger.Key: Int32], on connection: Connection
  ) throws(PostgresError) {
    try move(try connection.run(Ledger.addNegatives(negatives.map { ($0.key, $0.value) })), sign: -1, connection)
  }

  /// Records that deliveries that had ended negative are deferred again. If the increment of their message had been
  /// taken back, adds it to the user's count again, under the conditions of `revoke`. Ignores messages without a ledger
  /// entry.
  /// - Parameter negatives: number of these deliveries for each user and message.
  package static func restore(
    _ negatives: [Ledger.Key: Int32], on connection: Connection
  ) throws(PostgresError) {
    try move(try connection.run(Ledger.restore(negatives.map { ($0.key, $0.value) })), sign: 1, connection)
  }

  private static func move(_ moves: [Ledger.Move], sign: Int16, _ connection: Connection) throws(PostgresError) {
    guard !moves.isEmpty else { return }
    let before = try connection.run(Users.lock(Set(moves.map(\.key.user))))
    var after: [Users.Key: Int16] = [:]
    var short: [(key: Ledger.Key, increment: Int16)] = []
    for move in moves {
      let user = move.key.user
      guard let count = before[user], move.isIn(count) else { continue }
      let present = after[user] ?? count.badge
      let next = BadgeCount.add(sign * move.increment, to: present)
      if abs(next - present) != move.increment { short.append((move.key, abs(next - present))) }
      after[user] = next
    }
    if !short.isEmpty { try connection.run(Ledger.noteMoved(short)) }
    guard !after.isEmpty else { return }
    try connection.run(Users.saveCounts(after.map { ($0.key, $0.value) }))
  }

  // MARK: Batches

  private static let addStatement = Statement(
    "increments-add",
    """
    INSERT INTO users (app, user_key, badge)
    SELECT app, user_key, $3 FROM unnest($1, $2) AS t(app, user_key) ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET badge = users.badge + excluded.badge
    -- Those without room for all of it are locked and left as they are.
    WHERE users.badge + excluded.badge <= $4
    RETURNING app, user_key, badge, set_seqno
    """)

  /// Makes PostgreSQL use index scans for the rest of the transaction, which lock rows in key order. A bitmap scan
  /// locks them in the table's order, so that two transactions could deadlock.
  private static let inOrderStatement = Statement(
    "increments-in-order", "SELECT set_config('enable_bitmapscan', 'off', true)")

  private static let addInRangeStatement = Statement(
    "increments-add-in-range",
    """
    UPDATE users SET badge = badge + $5
    WHERE app = $1 AND user_key >= $3 AND user_key <= $4 AND badge + $5 <= $6
      -- A hashed subplan, in a generic plan too.
      AND (user_key IN (SELECT unnest($2))) IS TRUE
      -- Evaluated once: where most users in the range are no recipients, looking each up is cheaper.
      AND (SELECT count(*) FROM (
        SELECT FROM users WHERE app = $1 AND user_key >= $3 AND user_key <= $4 LIMIT 2 * cardinality($2) + 1) found)
        <= 2 * cardinality($2)
    RETURNING app, user_key, badge, set_seqno
    """)

  /// Adds a message's increment to users' counts, in key order, creating missing users. Returns the new counts and, for
  /// users whose counts have no room for the whole increment, what was added instead (possibly 0). The caller must
  /// record these smaller increments in the ledger.
  /// - Parameters:
  ///   - claims: the users and the message; no user may occur twice.
  ///   - areNeighbours: whether the users belong to one app and are close together in key order. The existing counts
  ///     are then updated by one range scan, at half the cost of looking up each user. Turns off bitmap scans for the
  ///     rest of the transaction.
  package static func add(
    _ increment: Int16, by claims: [Ledger.Key], areNeighbours: Bool, on connection: Connection
  ) throws(PostgresError) -> (counts: [Users.Key: Users.Count], short: [(key: Ledger.Key, increment: Int16)]) {
    var counts = areNeighbours ? try addInRange(increment, to: claims.map(\.user), on: connection) : [:]
    let others = claims.filter { counts[$0.user] == nil }
    guard !others.isEmpty else { return (counts, []) }
    var parameters = Users.keys(others.map(\.user))
    parameters.append(increment)
    parameters.append(Domain.Limits.badgeCount.upperBound)
    counts.merge(try connection.run(Query(addStatement, parameters, read: Users.counts))) { _, new in new }
    let full = others.filter { counts[$0.user] == nil }
    guard !full.isEmpty else { return (counts, []) }
    let before = try connection.run(Users.lock(full.map(\.user)))
    var short: [(key: Ledger.Key, increment: Int16)] = []
    for key in full {
      guard var count = before[key.user] else { continue }
      let after = BadgeCount.add(increment, to: count.badge)
      short.append((key, after - count.badge))
      count.badge = after
      counts[key.user] = count
    }
    try connection.run(Users.saveCounts(full.compactMap { key in counts[key.user].map { (key.user, $0.badge) } }))
    return (counts, short)
  }

  private static func addInRange(
    _ increment: Int16, to users: [Users.Key], on connection: Connection
  ) throws(PostgresError) -> [Users.Key: Users.Count] {
    let keys = users.map(\.userKey)
    guard let app = users.first?.app, let lowest = keys.min(), let highest = keys.max() else { return [:] }
    var column = TextColumn()
    for key in keys { column.append(key.text) }
    try connection.run(Query(inOrderStatement) { _ in })
    return try connection.run(
      Query(
        addInRangeStatement, app, column, lowest.text, highest.text, increment, Domain.Limits.badgeCount.upperBound,
        read: Users.counts))
  }
}
