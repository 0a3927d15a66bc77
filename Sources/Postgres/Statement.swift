/// A SQL statement under a name. Each session prepares it once, on first use, unless its text is generated.
///
/// The name is unique in the program: a name always stands for the same SQL text.
package struct Statement: Sendable, Hashable {
  package let name: String
  package let sql: String
  /// Whether a session prepares the statement under its name and keeps it until it ends. False for generated texts,
  /// which are unlimited in number: each use is parsed and planned with its own values, and nothing is kept.
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
