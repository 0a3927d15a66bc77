/// PostgreSQL's five-character error code. A struct, not an enum: a new server may send codes that we do not know.
/// Source: PostgreSQL documentation, appendix A.
package struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: String

  package init(rawValue: String) {
    self.rawValue = rawValue
  }

  package var description: String { rawValue }

  /// The first two characters, which identify the class of errors, for example `23` for constraint violations.
  package var errorClass: String { String(rawValue.prefix(2)) }

  package static let protocolViolation = SQLState(rawValue: "08P01")
  package static let featureNotSupported = SQLState(rawValue: "0A000")
  package static let characterNotInRepertoire = SQLState(rawValue: "22021")
  package static let foreignKeyViolation = SQLState(rawValue: "23503")
  package static let uniqueViolation = SQLState(rawValue: "23505")
  package static let activeTransaction = SQLState(rawValue: "25001")
  package static let readOnlyTransaction = SQLState(rawValue: "25006")
  package static let inFailedTransaction = SQLState(rawValue: "25P02")
  package static let idleInTransactionTimeout = SQLState(rawValue: "25P03")
  package static let invalidStatementName = SQLState(rawValue: "26000")
  /// No entry of `pg_hba.conf` lets the client in, or the role does not exist or may not log in.
  package static let invalidAuthorization = SQLState(rawValue: "28000")
  package static let invalidPassword = SQLState(rawValue: "28P01")
  package static let unknownDatabase = SQLState(rawValue: "3D000")
  package static let serializationFailure = SQLState(rawValue: "40001")
  package static let deadlockDetected = SQLState(rawValue: "40P01")
  package static let insufficientPrivilege = SQLState(rawValue: "42501")
  package static let syntaxError = SQLState(rawValue: "42601")
  package static let undefinedColumn = SQLState(rawValue: "42703")
  package static let undefinedTable = SQLState(rawValue: "42P01")
  package static let diskFull = SQLState(rawValue: "53100")
  package static let tooManyConnections = SQLState(rawValue: "53300")
  package static let objectInUse = SQLState(rawValue: "55006")
  package static let lockNotAvailable = SQLState(rawValue: "55P03")
  /// A statement was cancelled, or ran longer than `statement_timeout`.
  package static let queryCanceled = SQLState(rawValue: "57014")
  /// The server is shutting down at its administrator's command.
  package static let adminShutdown = SQLState(rawValue: "57P01")
  /// The server is restarting after a crash of one of its processes.
  package static let crashShutdown = SQLState(rawValue: "57P02")
  /// The server is starting up or shutting down, and accepts no sessions.
  package static let cannotConnectNow = SQLState(rawValue: "57P03")
}
