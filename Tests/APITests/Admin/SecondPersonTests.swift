import Domain
import Operations
import Postgres
import Reactor
import Store
import Time
import Tracing
import Testing

@testable import API

/// Nobody is their own second person, by whatever account.
@Suite struct SecondPersonTests {
  private let world: AdminWorld
  private let admin: Caller

  init() throws {
    world = try AdminWorld()
    try world.connection.script(
      """
      UPDATE apps SET approval_above = 2;
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'ukim', 1, 1, 1, 'ab' || n, 'd' || n,
        now(), now(), now() FROM generate_series(1, 3) n
      """)
    admin = try Self.caller(
      ConsoleAccounts.create(
        "admin@example.com", name: "A", role: .admin, appID: nil, by: .commandLine, on: world.connection, now: Self.now),
      "admin@example.com", .admin)
    // As if it had been so for months.
    try world.connection.script("UPDATE accounts SET created_at = now() - interval '100 days'")
  }

  private static var now: Timestamp { SystemClock().wallTime }

  private static func caller(_ link: ConsoleAccounts.Link, _ login: String, _ role: Role = .operator) -> Caller {
    Caller(role: role, app: nil, apiKey: nil, account: link.account, name: login)
  }

  private func account(_ login: String, _ role: Role = .operator, by maker: Caller, daysAgo: Int = 0) throws -> Caller {
    let link = try ConsoleAccounts.create(
      login, name: login, role: role, appID: nil, by: maker, on: world.connection, now: Self.now)
    try world.connection.script(
      """
      UPDATE accounts SET created_at = created_at - interval '\(daysAgo) days' WHERE account = \(link.account);
      UPDATE account_holders SET at = at - interval '\(daysAgo) days' WHERE account = \(link.account)
      """)
    return Self.caller(link, login, role)
  }

  private func ask(_ caller: Caller) throws -> Approvals.Number {
    let answer = try SendService.send(
      SendRequest(body: Array(AdminWorld.send.utf8), idempotencyKey: nil, caller: caller), on: world.connection,
      now: Self.now)
    guard case .waiting(let waiting) = answer else { throw Problem(.conflict, "it was accepted") }
    return waiting.approval
  }

  /// What is said to whoever tries; nil: it goes out.
  private func refusal(_ number: Approvals.Number, _ caller: Caller) throws -> String? {
    do throws(Problem) {
      _ = try ApprovalService.approve(
        number, hosting: ContentHosting(publicURL: nil), by: caller, on: world.connection, now: Self.now)
      return nil
    } catch {
      guard error.code == .forbidden else { throw error }
      return error.detail
    }
  }

  @Test func `the message has the trace of whoever asked, not of whoever approved`() throws {
    let admin = Caller.commandLine(of: "root")
    let (kim, lee) = (
      try account("kim@example.com", by: admin, daysAgo: 9), try account("lee@example.com", by: admin, daysAgo: 9)
    )
    let trace = try #require(TraceContext(traceHigh: 1, traceLow: 2, span: 3, isSampled: true))
    let answer = try SendService.send(
      SendRequest(body: Array(AdminWorld.send.utf8), idempotencyKey: nil, caller: kim, trace: trace),
      on: world.connection, now: Self.now)
    guard case .waiting(let waiting) = answer else { throw Problem(.conflict, "it was accepted") }
    #expect(try refusal(waiting.approval, lee) == nil)
    let rows = try world.connection.run(Statement("test-traces", "SELECT trace FROM messages"))
    #expect(rows.count == 1 && TraceContext(stored: rows.bytes(0, 0)) == trace)
  }

  @Test func `an account that is younger than the request approves nothing`() throws {
    let number = try ask(admin)
    let new = try account("new@example.com", by: .commandLine)
    #expect(try refusal(number, new)?.contains("younger than the request") == true)
    let old = try account("old@example.com", by: .commandLine, daysAgo: 1)
    #expect(try refusal(number, old) == nil)
  }

  @Test func `an account that whoever asks has made approves nothing of theirs, however old it is`() throws {
    let puppet = try account("puppet@example.com", by: admin, daysAgo: 300)
    #expect(try refusal(ask(admin), puppet)?.contains("given a sign-in link, by admin@example.com") == true)
  }

  @Test func `nor one that a made account has made`() throws {
    let puppet = try account("puppet@example.com", .admin, by: admin, daysAgo: 300)
    let grandchild = try account("grandchild@example.com", by: puppet, daysAgo: 300)
    #expect(try refusal(ask(admin), grandchild)?.contains("given a sign-in link") == true)
  }

  @Test func `nor one that an API key of theirs has made`() throws {
    _ = try Administration.createKey(.admin, appID: nil, name: "k", by: admin, on: world.connection)
    let key = Caller(role: .admin, app: nil, apiKey: 1, name: "k")
    let puppet = try account("puppet@example.com", by: key, daysAgo: 300)
    #expect(try refusal(ask(admin), puppet)?.contains("given a sign-in link") == true)
    // Nor one that was made with a key that this key has made.
    _ = try Administration.createKey(.admin, appID: nil, name: "k2", by: key, on: world.connection)
    let second = try account(
      "second@example.com", by: Caller(role: .admin, app: nil, apiKey: 2, name: "k2"), daysAgo: 300)
    #expect(try refusal(ask(admin), second)?.contains("given a sign-in link") == true)
  }

  @Test func `nor one that they have made a link for, before or after they asked`() throws {
    let lee = try account("lee@example.com", by: .commandLine, daysAgo: 300)
    let number = try ask(admin)
    _ = try ConsoleAccounts.link(try #require(lee.account), by: admin, on: world.connection, now: Self.now)
    #expect(try refusal(number, lee)?.contains("given a sign-in link") == true)
    #expect(try refusal(ask(admin), lee)?.contains("given a sign-in link") == true)
    try world.connection.script("UPDATE account_holders SET at = now() - interval '91 days'")
    #expect(try refusal(number, lee) == nil)
  }

  @Test func `an administrator approves for those whose accounts it made, but not for one that it made just now`()
    throws
  {
    let puppet = try account("puppet@example.com", by: admin)
    #expect(try refusal(ask(puppet), admin)?.contains("a few days before") == true)
    let clerk = try account("clerk@example.com", by: admin, daysAgo: 8)
    #expect(try refusal(ask(clerk), admin) == nil)
    _ = try ConsoleAccounts.link(try #require(clerk.account), by: admin, on: world.connection, now: Self.now)
    #expect(try refusal(ask(clerk), admin)?.contains("a few days before") == true)
  }

  @Test func `the command line and an account are one person by name and by creation`() throws {
    let here = Caller.commandLine(of: "kim")
    let kim = try account("KIM@example.com", by: .commandLine, daysAgo: 300)
    #expect(try refusal(ask(kim), here)?.contains("second person") == true)
    #expect(try refusal(ask(here), kim)?.contains("second person") == true)
    let made = try account("made@example.com", by: here, daysAgo: 300)
    #expect(try refusal(ask(here), made)?.contains("given a sign-in link, by command line (kim)") == true)
    let justMade = try account("just@example.com", by: here)
    #expect(try refusal(ask(justMade), here)?.contains("a few days before") == true)
    #expect(try refusal(ask(here), .commandLine(of: "lee")) == nil)
  }

  @Test func `what an account of another app's asks for its owner may not send any more`() throws {
    let kim = try account("kim@example.com", by: .commandLine, daysAgo: 9)
    let number = try ask(kim)
    let other = try Administration.createApp(
      "com.example.other", name: "O", timeZone: "UTC", by: .commandLine, on: world.connection)
    _ = other
    try world.connection.script("UPDATE accounts SET app = 2 WHERE login = 'kim@example.com'")
    #expect(throws: Problem.self) { try refusal(number, admin) }
  }
}
