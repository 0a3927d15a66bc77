import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// Sign-ins that were proved while what opens the account was changed, as on another node.
@Suite struct SessionStartTests {
  @Test(arguments: [
    ("name = 'Kim Minsu'", true), ("password = 'new', salt = 'new'", false), ("factor = NULL", false),
    ("disabled_at = now()", false),
  ])
  func `no session begins by what was proved before a new password, a reset factor or disabling`(
    change: String, isBegun: Bool
  ) throws {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    let now: Timestamp = 1_800_000_000_000_000
    _ = try ConsoleAccounts.create(
      "kim", name: "Kim", role: .admin, appID: nil, by: .commandLine, on: connection, now: now)
    try connection.script("UPDATE accounts SET password = 'old', salt = 'old', factor = 'sealed'")
    let proved = try #require(try connection.run(Accounts.find(login: "kim")))
    try connection.script("UPDATE accounts SET \(change)")
    let start = SessionStart(
      former: nil, throttle: SignInThrottle(origin: "203.0.113.7", now: now), requestID: "test")
    let session = try? start.begin(proved, .password, factor: .app, ConsolePolicy(), on: connection)
    #expect((session != nil) == isBegun)
    let sessions = try connection.run(Statement("test-sessions", "SELECT count(*) FROM sessions"))
    #expect(sessions.int64(0, 0) == (isBegun ? 1 : 0))
  }
}
