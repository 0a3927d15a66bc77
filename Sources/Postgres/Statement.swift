/// One SQL statement under a name. Each session prepares it once, on first use, unless its text is made for the occasion.
///
/// The name is unique in the program: one name always stands for the same SQL text.
package struct Statement: Sendable, Hashable {
  package let name: String
  package let sql: String
  /// Whether a session prepares it under its name and keeps it until its end. False for texts of which there is no end:
  /// each use is parsed and planned, with the values at hand, and nothing of it stays.
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
