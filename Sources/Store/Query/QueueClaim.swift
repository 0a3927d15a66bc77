package import Postgres

/// Claims of due rows of a queue. A row that cannot be claimed because of itself is dropped, so that the others are
/// claimed.
///
/// ```
///   several ──► fails: half of them are tried, down to one
///   one     ──► fails: it is locked, then claimed by its key ──► fails: it is dropped
/// ```
extension Connection {
  /// Claims at most `limit` rows, and returns them. If that fails because of a row's data, claims fewer; empty if a row
  /// was dropped. Call this outside of transactions.
  /// - Parameters:
  ///   - take: claims at most a number of due rows; with a key, only that row.
  ///   - lock: locks the row to claim first, and returns its key; nil if there is none.
  ///   - drop: takes the row that fails out of the queue; false if somebody else has changed or locked it by now.
  ///   - onDrop: called after a row was dropped, with its key and the reason.
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
    // Lock one row before it is claimed, so that it is known which one fails. That may be another one than has failed
    // before: one that another node has just unlocked, for example.
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
