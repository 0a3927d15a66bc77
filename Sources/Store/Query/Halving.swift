package import Postgres

/// Work on many due rows in one transaction that one row's own data must not hold up.
///
/// ```
///   several ──► fails: half of them, down to one
///   one     ──► fails: given up or postponed, so that the others have their turn
/// ```
package enum Halving {
  /// Works on at most `limit` rows. If that fails because of a row's data, works on half as many; if it fails with one
  /// row, calls `giveUp` and returns its answer. Call this outside of transactions.
  /// - Parameters:
  ///   - work: takes up at most a number of rows and works on them in a transaction of its own. Sets the key to that of
  ///     the first row that it has taken up, also if it fails afterwards; nil while it has none.
  ///   - giveUp: called with the key of the failing row and the reason.
  /// - Throws: what `work` throws, unless the data of a row is at fault; also if it is, but there was no row.
  package static func run<Key, Answer, Failure: Error>(
    atMost limit: Int, _ work: (_ limit: Int, _ first: inout Key?) throws(Failure) -> Answer,
    giveUp: (Key, PostgresError) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    var first: Key?
    do throws(Failure) {
      return try work(limit, &first)
    } catch {
      guard let fault = error as? PostgresError, fault.isOwnFault else { throw error }
      if limit > 1 { return try run(atMost: limit / 2, work, giveUp: giveUp) }
      guard let first else { throw error }
      return try giveUp(first, fault)
    }
  }
}
