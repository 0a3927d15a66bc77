internal import Domain
package import Postgres

/// What messages added to counts, taken back and given again within a transaction.
///
/// ```
///   +1 by a message ──► in the count ──┬─ every delivery ends negative ──► −1 ── they wait again after all ──► +1
///                                      └─ the count is set (5) ──► not in it any more: nothing is taken back
/// ```
/// Whether a set came after an increment is told by numbers, and not by clocks: a set notes a number that no message had
/// got before (`users.set_seqno`), so the increments of younger messages came later. An older message may count after a
/// set too (it was scheduled, or its claims come in waves): then its ledger notes the set it came after. Both are written
/// behind the user's lock, so there is one order.
package enum Increments {
  /// Deliveries have ended negative: of users for whom all of a message's deliveries have, its increment is taken back.
  package static func takeBack(
    _ negatives: [Ledger.Key: Int16], on connection: Connection
  ) throws(PostgresError) {
    try move(try connection.run(Ledger.addNegatives(negatives.map { ($0.key, $0.value) })), sign: -1, connection)
  }

  /// Deliveries that had ended negative wait again: what had been taken back for them is added again.
  package static func giveBack(
    _ negatives: [Ledger.Key: Int16], on connection: Connection
  ) throws(PostgresError) {
    try move(try connection.run(Ledger.giveBack(negatives.map { ($0.key, $0.value) })), sign: 1, connection)
  }

  private static func move(_ moves: [Ledger.Move], sign: Int16, _ connection: Connection) throws(PostgresError) {
    guard !moves.isEmpty else { return }
    let before = try connection.run(Users.lock(Set(moves.map(\.key.user))))
    var after: [Users.Key: Int16] = [:]
    for move in moves {
      let user = move.key.user
      guard let count = before[user], move.isIn(count) else { continue }
      after[user] = BadgeCount.add(sign * move.increment, to: after[user] ?? count.badge)
    }
    guard !after.isEmpty else { return }
    try connection.run(Users.saveCounts(after.map { ($0.key, $0.value) }))
  }
}
