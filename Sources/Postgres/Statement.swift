/// A named SQL statement. Each session prepares it on first use, unless `isKept` is false.
///
/// Names are unique in the program: a session traps if a name is prepared with two SQL texts.
package struct Statement: Sendable, Hashable {
  package let name: String
  package let sql: String
  /// True if sessions keep the statement prepared. False for generated SQL, of which there may be any number of texts:
  /// each use is parsed and planned anew.
  package let isKept: Bool

  package init(_ name: String, _ sql: String, isKept: Bool = true) {
    precondition(!name.isEmpty, "a prepared statement needs a name")
    precondition(name.utf8.count <= Postgres.Limits.nameBytes, "the server would cut the name \(name)")
    self.name = name
    self.sql = sql
    self.isKept = isKept
  }

  package static let begin = Statement("begin", "BEGIN")
  package static let commit = Statement("commit", "COMMIT")
  package static let rollback = Statement("rollback", "ROLLBACK")
}
