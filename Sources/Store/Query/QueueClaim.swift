package import Postgres

/// Claims due rows of a queue. Drops a row whose own data makes the claim fail, so that the others are claimed.
///
/// ```
///   several ──► fails: try half of them, down to one
///   one     ──► fails: lock it, then claim it by its key ──► fails: drop it
/// ```
extension Connection {
  /// Claims at most `limit` rows, and returns them. If that fails because of a row's data, claims fewer; empty if a row
  /// was dropped. Call this outside of transactions.
  /// - Parameters:
  ///   - take: claims at most a number of due rows; with a key, only that row.
  ///   - lock: locks the row to claim first, and returns its key; nil if there is none.
  ///   - drop: removes the failing row from the queue; false if another transaction has changed or locked it.
  ///   - onDrop: called with the key and the reason after a row was dropped.
  package func claim<Key, Row>(
    atMost limit: Int, take: (Key?, Int) -> Query<[Row]>, lock: Query<Key?>,
    drop: (Key, PostgresError) -> Query<Bool>, onDrop: (Key, PostgresError) -> Void
  ) throws(PostgresError) -> [Row] {
    do throws(PostgresError) {
      return try run(take(nil, limit))
    } catch {
      guard error.isOwnFault else { throw error }
    }
    // Bisect to find the faulty row, so that the others are claimed.
    if limit > 1 { return try claim(atMost: limit / 2, take: take, lock: lock, drop: drop, onDrop: onDrop) }
    // Lock one row before claiming it, to know which one fails. It may not be the one that failed before, for example
    // because another node has just unlocked it.
    var locked: Key?
    do throws(PostgresError) {
      return try transaction { () throws(PostgresError) -> [Row] in
        locked = try run(lock)
        guard let key = locked else { return [] }
        return try run(take(key, 1))
      }
    } catch {
      guard error.isOwnFault, let key = locked else { throw error }
      if try run(drop(key, error)) { onDrop(key, error) }
      return []
    }
  }
}
