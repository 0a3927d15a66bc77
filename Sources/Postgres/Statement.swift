/// One SQL statement under a name. Each session prepares it once, on first use.
///
/// The name is unique in the program: one name always stands for the same SQL text.
package struct Statement: Sendable, Hashable {
  package let name: String
  package let sql: String

  package init(_ name: String, _ sql: String) {
    precondition(!name.isEmpty, "a prepared statement needs a name")
    precondition(name.utf8.count <= Postgres.Limits.nameBytes, "the server would cut the name \(name)")
    self.name = name
    self.sql = sql
  }

  package static let begin = Statement("begin", "BEGIN")
  package static let commit = Statement("commit", "COMMIT")
  package static let rollback = Statement("rollback", "ROLLBACK")
}
