import TestSupport
import Testing

@testable import Postgres

@Suite struct ConnectFailureTests {
  private static let refused = """
    connection to server at "10.0.0.1", port 5432 failed: FATAL:  28P01: password authentication failed for user "upmc"
    LOCATION:  auth_failed, auth.c:326

    """

  @Test func `the code is read and removed from the message`() {
    let failure = ConnectFailure(Self.refused)
    #expect(failure.sqlState == .invalidPassword)
    #expect(failure.message.hasPrefix(#"connection to server at "10.0.0.1", port 5432 failed: FATAL: password auth"#))
    #expect(failure.message.hasSuffix(#"authentication failed for user "upmc""#), "\(failure.message)")
  }

  @Test func `the last code of several hosts counts`() {
    let away = "connection to server at \"10.0.0.2\", port 5432 failed: Connection refused\n\tIs the server running?\n"
    #expect(ConnectFailure(away).sqlState == nil)
    #expect(ConnectFailure(away + Self.refused).sqlState == .invalidPassword)
    let starting =
      "connection to server at \"10.0.0.3\", port 5432 failed: FATAL:  57P03: the database system is starting up\n"
    #expect(ConnectFailure(starting + away).sqlState == .cannotConnectNow)
    #expect(ConnectFailure(starting + Self.refused).sqlState == .invalidPassword)
  }

  @Test(arguments: ["FATAL:", "ERROR: FATAL: no code", "failed: AB1DE: later AB1D: x", "", ":", "a\n\nb"])
  func `words that only look like a code are not taken for one`(text: String) {
    let isOne = text.contains("AB1DE:")
    #expect((ConnectFailure(text).sqlState != nil) == isOne)
  }

  /// What PgBouncer says with the code 08P01, and PostgreSQL's code for it.
  private static let pooler: [(String, SQLState)] = [
    ("password authentication failed", .invalidPassword), ("SASL authentication failed", .invalidPassword),
    ("no such user: upmc", .invalidPassword), ("no such database: nowhere", .unknownDatabase),
    ("login rejected", .invalidAuthorization),
    ("no more connections allowed (max_client_conn)", .protocolViolation),
    ("server login has been failing, try again later (server_login_retry)", .protocolViolation),
    ("client_login_timeout (server down)", .protocolViolation),
  ]

  @Test(arguments: pooler)
  func `a pooler's single code is told apart by the message`(words: String, state: SQLState) {
    let text = "connection to server at \"10.0.0.1\", port 6432 failed: FATAL:  08P01: \(words)\n"
    #expect(ConnectFailure(text).sqlState == state)
    // The same words with another code come from PostgreSQL itself.
    #expect(ConnectFailure(text.replacing("08P01", with: "57P03")).sqlState == .cannotConnectNow)
  }

  @Test func `a missing password counts as a wrong one`() {
    let text = "connection to server on socket \"/run/.s.PGSQL.5432\" failed: fe_sendauth: no password supplied\n"
    #expect(ConnectFailure(text).sqlState == .invalidPassword)
  }

  @Test func `a refusal has the server's code, and stays a connection error with the same message`() throws {
    let error = try #require(throws: PostgresError.self) {
      _ = try Connection(TestCluster.shared.url(database: "nowhere"))
    }
    #expect(error.sqlState == .unknownDatabase && error.origin == .connection && error.isConnectionLost)
    #expect(error.description.hasSuffix(#"FATAL: database "nowhere" does not exist"#), "\(error)")
  }
}
