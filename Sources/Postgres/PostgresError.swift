/// An error reported by PostgreSQL, by the connection to it, or by this module.
///
/// `description` is safe to log: it leaves out messages of the error classes that quote row data. `message` and
/// `detail` may quote values such as tokens and names: show them only where such data may be seen.
package struct PostgresError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Origin: Sendable {
    /// The server reported the error.
    case server
    /// The server could not be reached, refused the connection, or the connection was lost.
    case connection
    /// This module rejected the call, usually before sending anything. Two exceptions: a transaction rejected at its
    /// end is rolled back; a statement other than COPY in `copyIn` has been run.
    case refusal
  }

  package let origin: Origin
  /// The server's error code, or the code that it would report for a call that this module has rejected. Nil if the
  /// connection was lost, if the server did not answer, and for rejections without a matching code.
  package let sqlState: SQLState?
  /// The primary message. For errors of the classes 22, 23 and P0 it may contain row data.
  package let message: String
  /// The server's detail message, which often contains row data; nil if there is none.
  package var detail: String?
  /// The server's hint; nil if there is none.
  package var hint: String?
  /// Name of the violated constraint; nil if the error concerns none.
  package var constraint: String?
  package var table: String?
  package var column: String?
  /// Position of the error in the SQL text, in characters, starting at 1; nil if the server reports none.
  package var position: Int?
  /// Name of the statement that failed; nil if unknown, or for SQL text without a name.
  package var statement: String?
  /// True if the connection was lost while waiting for the result of a COMMIT, or of a statement outside a transaction
  /// other than BEGIN that does not begin with SELECT: it may have been committed. Set only by the methods `run`,
  /// `transaction` and `withTransaction` of a `Connection`. If the server itself reported the loss (`isFatal`), only a
  /// COMMIT is in doubt.
  package var mayBeCommitted = false
  /// True if the server closed the connection with this error.
  package var isFatal = false

  /// True if the prepared statement no longer matches the schema, or the server has discarded it: prepare it in a new
  /// session.
  var isStaleStatement = false

  package init(origin: Origin, sqlState: SQLState? = nil, message: String) {
    self.origin = origin
    self.sqlState = sqlState
    self.message = message
  }

  /// True if the connection is lost, or the server is shutting down or no longer accepts writes, so that a new session
  /// is needed. Unless `needsAnotherServer` is true, the statement in flight may have been committed or not.
  package var isConnectionLost: Bool {
    if origin == .connection || isFatal { return true }
    guard origin == .server, let sqlState else { return false }
    return sqlState.errorClass == "08" || Self.endings.contains(sqlState) || needsAnotherServer
  }

  /// True if the server accepts no writes, because it is (or has become) a standby, or is set to read-only. Nothing was
  /// written, and this session cannot write; a new session finds the primary if the URL names several hosts.
  package var needsAnotherServer: Bool {
    origin == .server && sqlState == .readOnlyTransaction
  }

  /// True if the same transaction may succeed when retried: it was rolled back because of a deadlock or a serialization
  /// conflict.
  package var isRetryable: Bool {
    sqlState == .deadlockDetected || sqlState == .serializationFailure
  }

  /// True if the request's data caused the error, so that a retry would fail again: data exceptions, violated
  /// constraints, exceeded program limits.
  package var isOwnFault: Bool {
    guard !isConnectionLost, let sqlState else { return false }
    // Rejected before sending: a text that PostgreSQL cannot store.
    if origin == .refusal { return sqlState.errorClass == "22" }
    return Self.classesOfOwnFaults.contains(sqlState.errorClass)
  }

  private static let classesOfOwnFaults: Set<String> = ["22", "23", "54"]

  package var description: String {
    guard let sqlState, origin != .connection else { return message }
    var text = "PostgreSQL error \(sqlState)"
    if let statement { text += " in \(statement)" }
    if let constraint { text += ", constraint \(constraint)" }
    if let table { text += ", table \(table)" }
    if let column { text += ", column \(column)" }
    return Self.classesWithData.contains(sqlState.errorClass) ? text : "\(text): \(message)"
  }

  private static let endings: Set<SQLState> = [.adminShutdown, .crashShutdown, .cannotConnectNow]
  /// Error classes whose messages quote values: data exceptions, constraint violations and errors raised by our own
  /// functions.
  private static let classesWithData: Set<String> = ["22", "23", "P0"]
}

extension PostgresError {
  static func connection(_ message: String) -> PostgresError {
    PostgresError(origin: .connection, message: message)
  }

  /// Returns the error for a session that was not opened.
  /// - Parameter text: libpq's verbose message.
  static func connecting(failed text: String) -> PostgresError {
    let failure = ConnectFailure(text)
    return PostgresError(origin: .connection, sqlState: failure.sqlState, message: failure.message)
  }

  static func lost(_ reason: String = "") -> PostgresError {
    let suffix = reason.isEmpty ? "" : ": \(reason)"
    return PostgresError(origin: .connection, message: "the connection to PostgreSQL was lost\(suffix)")
  }

  /// The error that the server would report for a text with U+0000, thrown without sending the text.
  static let containsNUL = PostgresError(
    origin: .refusal, sqlState: .characterNotInRepertoire,
    message: "text contains U+0000, which PostgreSQL cannot store")

  /// Returns a copy with `statement` as the name of the failed statement; nil removes the name.
  func naming(_ statement: String?) -> PostgresError {
    var copy = self
    copy.statement = statement
    return copy
  }
}

/// The reason why a session was not opened, read from libpq's verbose message, the only place where libpq gives the
/// server's code.
/// Source: `pqBuildErrorMessage3` in `fe-protocol3.c` of libpq.
///
/// ```
///   connection to server at "10.0.0.1", port 5432 failed: FATAL:  28P01: password authentication failed for user "u"
///   LOCATION:  auth_failed, auth.c:326
/// ```
struct ConnectFailure {
  /// The code of the last host that gave one. A code ends the attempt, unless the host is starting or stopping (57P03);
  /// only after that code can another host's failure follow. PgBouncer gives one code (08P01) for everything that it
  /// refuses; then this is the code that PostgreSQL would give, if the words show it.
  let sqlState: SQLState?
  /// The message on one line, in libpq's words without the verbose parts.
  let message: String

  init(_ text: String) {
    var state: SQLState?
    var kept: [Substring] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("LOCATION:") {
      var words = line.split(whereSeparator: \.isWhitespace)
      let place = words.indices.dropFirst().first { Self.isCode(words[$0]) && words[$0 - 1].last == ":" }
      if let place { state = SQLState(rawValue: String(words.remove(at: place).dropLast())) }
      kept += words
    }
    message = kept.joined(separator: " ")
    // libpq's own error, without a code: the server asked for a password, and neither the URL nor a PGPASSFILE has one.
    if state == nil, message.contains("no password supplied") { state = .invalidPassword }
    if state == .protocolViolation { state = Self.poolerState(message) ?? state }
    sqlState = state
  }

  /// Returns PostgreSQL's code for a pooler's refusal; nil for anything else, including an unreachable database and too
  /// many connections. Source: the messages of PgBouncer 1.18, in `client.c`.
  private static func poolerState(_ message: String) -> SQLState? {
    if message.contains("no such database") { return .unknownDatabase }
    if message.contains("no such user") || message.contains("authentication failed") { return .invalidPassword }
    return message.contains("login rejected") ? .invalidAuthorization : nil
  }

  /// Five digits and capitals before a colon. At least one is a digit, which distinguishes a code from a severity
  /// (`FATAL:`).
  private static func isCode(_ word: Substring) -> Bool {
    guard word.utf8.count == 6, word.last == ":" else { return false }
    let code = word.utf8.dropLast()
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return code.allSatisfy { digits.contains($0) || capitals.contains($0) } && code.contains { digits.contains($0) }
  }
}
