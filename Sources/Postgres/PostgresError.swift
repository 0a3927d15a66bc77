/// Why PostgreSQL, or the connection to it, did not do what was asked.
///
/// `description` is fit for any log: it names code, constraint and table but no row data. `message` and `detail` may
/// quote values (tokens, names): show them only where such data may be seen.
package struct PostgresError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Origin: Sendable {
    /// The server answered with an error.
    case server
    /// There is no connection (any more): unreachable, refused, or lost.
    case connection
    /// This module refused before sending anything.
    case refusal
  }

  package let origin: Origin
  /// Nil if the server did not answer: connection errors.
  package let sqlState: SQLState?
  /// The primary message. May contain data for errors of classes 22, 23 and P0.
  package let message: String
  /// The server's detail message; often contains data.
  package var detail: String?
  /// The server's hint.
  package var hint: String?
  /// The violated constraint, by its name in the schema.
  package var constraint: String?
  package var table: String?
  package var column: String?
  /// Position of the error in the SQL text, in characters, from 1.
  package var position: Int?
  /// The prepared statement that failed.
  package var statement: String?
  /// The connection was lost while the answer to a COMMIT, or to a statement that is its own transaction, was
  /// outstanding.
  package var mayBeCommitted = false
  /// The server closed the connection with this error.
  package var isFatal = false

  /// The prepared statement no longer fits the schema, or the server has forgotten it: prepare it in a fresh session.
  var isStaleStatement = false

  package init(origin: Origin, sqlState: SQLState? = nil, message: String) {
    self.origin = origin
    self.sqlState = sqlState
    self.message = message
  }

  /// There is no connection. What was in flight may or may not have been committed.
  package var isConnectionLost: Bool {
    if origin == .connection || isFatal { return true }
    guard origin == .server, let sqlState else { return false }
    return sqlState.errorClass == "08" || Self.endings.contains(sqlState) || needsAnotherServer
  }

  /// This server accepts no writes (any more): it is a standby now, or was set to read only. Nothing was written, and
  /// this session never will; a new one finds the server that does, if the URL names several.
  package var needsAnotherServer: Bool {
    origin == .server && sqlState == .readOnlyTransaction
  }

  /// The same transaction may succeed if retried: it was the victim of a deadlock or a serialization conflict, and
  /// nothing of it remains.
  package var isRetryable: Bool {
    sqlState == .deadlockDetected || sqlState == .serializationFailure
  }

  /// The same would fail again whenever it is retried, through the fault of the request and not of the database: data
  /// exceptions, violated constraints, program limits exceeded.
  package var isOwnFault: Bool {
    guard !isConnectionLost, let sqlState else { return false }
    // Refused before anything was sent: a text that no database accepts.
    if origin == .refusal { return sqlState.errorClass == "22" }
    return Self.classesOfOwnFaults.contains(sqlState.errorClass)
  }

  private static let classesOfOwnFaults: Set<String> = ["22", "23", "54"]

  package var description: String {
    guard let sqlState else { return message }
    var text = "PostgreSQL error \(sqlState)"
    if let statement { text += " in \(statement)" }
    if let constraint { text += ", constraint \(constraint)" }
    if let table { text += ", table \(table)" }
    if let column { text += ", column \(column)" }
    return Self.classesWithData.contains(sqlState.errorClass) ? text : "\(text): \(message)"
  }

  private static let endings: Set<SQLState> = [.adminShutdown, .crashShutdown, .cannotConnectNow]
  /// Data exceptions, constraint violations and errors raised by our own functions quote values in their messages.
  private static let classesWithData: Set<String> = ["22", "23", "P0"]
}

extension PostgresError {
  static func connection(_ message: String) -> PostgresError {
    PostgresError(origin: .connection, message: message)
  }

  static func lost(_ reason: String = "") -> PostgresError {
    let suffix = reason.isEmpty ? "" : ": \(reason)"
    return PostgresError(origin: .connection, message: "the connection to PostgreSQL was lost\(suffix)")
  }

  /// The error that the server would return, without asking it.
  static let containsNUL = PostgresError(
    origin: .refusal, sqlState: .characterNotInRepertoire,
    message: "text contains U+0000, which PostgreSQL cannot store")

  /// The same error with the name of the failed statement.
  func naming(_ statement: String?) -> PostgresError {
    var copy = self
    copy.statement = statement
    return copy
  }
}
