import Domain
import HTTPClient
import Operations
import Postgres
import Store
import TestTier
import Testing
import Time

@testable import API

/// Guessing at the console's sign-in, from behind a proxy as in production: who is slowed down, who is not, and what is known
/// of it afterwards.
@Suite(.slow) struct SignInTests {
  private let world: AdminWorld
  private let password = "correct horse battery"
  private let home = "203.0.113.7"

  init() throws {
    world = try AdminWorld(isBehindProxy: true)
    let link = try ConsoleAccounts.create(
      "kim", name: "Kim", role: .admin, appID: nil, by: .commandLine, on: world.connection, now: now())
    let first = try post(#"{"link":"\#(link.token)"}"#, from: home)
    let cookie = String(try #require(first.header("set-cookie")).prefix { $0 != ";" })
    let csrf = try #require(first.values(of: "csrfToken").first)
    let chosen = try world.call(
      "PUT", "/v1/admin/session/password", headers: [("Cookie", cookie), ("X-CSRF-Token", csrf)],
      #"{"new":"\#(password)"}"#)
    try #require(chosen.status == 204)
  }

  private func now() throws -> Timestamp {
    try world.connection.run(Statement("test-now", "SELECT now()")).timestamp(0, 0)
  }

  private func post(_ body: String, from client: String) throws -> HTTPResponse {
    try world.call("POST", "/v1/admin/session", headers: [("X-Forwarded-For", client)], body)
  }

  private func right(from client: String) throws -> HTTPResponse {
    try post(#"{"login":"kim","password":"\#(password)"}"#, from: client)
  }

  private func wrong(_ login: String, from client: String) throws -> HTTPResponse {
    try post(#"{"login":"\#(login)","password":"wrong"}"#, from: client)
  }

  /// What the log says of refused sign-ins, one line each.
  private func refusals() throws -> [String] {
    let rows = try world.connection.run(
      Statement(
        "test-refusals",
        """
        SELECT object || ' ' || (after->>'reason') || ' ' || origin FROM audit_log
        WHERE action = 'session.refuse' ORDER BY entry
        """))
    return rows.map { rows.text($0, 0) }
  }

  @Test func `whoever comes through the proxy is named by the log and the session`() throws {
    #expect(try right(from: home).status == 201)
    let origins = try world.connection.run(
      Statement(
        "test-origins",
        "SELECT s.origin, l.origin FROM sessions s, audit_log l WHERE l.action = 'session.sign-in' ORDER BY entry DESC")
    )
    #expect(origins.text(0, 0) == home && origins.text(0, 1) == home)
  }

  @Test func `one client's wrong passwords lock out neither the others nor links`() throws {
    for number in 0..<21 { _ = try wrong("login\(number)", from: "198.51.100.9") }
    let limited = try right(from: "198.51.100.9")
    #expect(limited.isProblem(.tooManyAttempts) && limited.header("retry-after") == "900")
    #expect(try right(from: home).status == 201)
    let link = try ConsoleAccounts.link(1, by: .commandLine, on: world.connection, now: now())
    #expect(try post(#"{"link":"\#(link.token)"}"#, from: "198.51.100.9").status == 201)
  }

  @Test func `five wrong passwords of an address close its own way to that login`() throws {
    for _ in 1...5 { #expect(try wrong("kim", from: "198.51.100.9").isProblem(.badCredential)) }
    #expect(try right(from: "198.51.100.9").isProblem(.tooManyAttempts))
    #expect(try wrong("lee", from: "198.51.100.9").isProblem(.badCredential))
    #expect(try right(from: home).status == 201)
    try world.connection.script("UPDATE sign_in_failures SET until = now() - interval '1 second'")
    #expect(try right(from: "198.51.100.9").status == 201)
  }

  @Test func `the addresses of one IPv6 network count as one`() throws {
    for number in 1...5 { #expect(try wrong("kim", from: "2001:db8:1:2::\(number)").isProblem(.badCredential)) }
    #expect(try right(from: "2001:db8:1:2:ffff::1").isProblem(.tooManyAttempts))
    #expect(try right(from: "2001:db8:1:3::1").status == 201)
  }

  @Test func `a login that is guessed from everywhere stays open where its owner usually is`() throws {
    for number in 1...20 { #expect(try wrong("kim", from: "192.0.2.\(number)").isProblem(.badCredential)) }
    // One turn for strangers, then they wait for the next one, and longer each time.
    #expect(try wrong("kim", from: "192.0.2.31").isProblem(.badCredential))
    let turns = try world.connection.run(
      Statement("test-turns", "SELECT count(*) FROM sign_in_failures WHERE failures = 21 AND next_at IS NOT NULL"))
    #expect(turns.int64(0, 0) == 1)
    try world.connection.script("UPDATE sign_in_failures SET next_at = now() + interval '1 minute' WHERE failures = 21")
    let slowed = try right(from: "192.0.2.32")
    #expect(slowed.isProblem(.tooManyAttempts))
    #expect(slowed.header("retry-after").flatMap { Int($0) }.map { (1...30).contains($0) } == true)
    #expect(try right(from: home).status == 201)
  }

  @Test func `guessing in the owner's own office slows the owner down, and locks nobody out`() throws {
    for _ in 1...12 { _ = try wrong("kim", from: home) }
    try world.connection.script(
      "UPDATE sign_in_failures SET next_at = now() + interval '1 minute' WHERE next_at IS NOT NULL")
    let slowed = try right(from: home)
    #expect(slowed.isProblem(.tooManyAttempts))
    #expect(slowed.header("retry-after").flatMap { Int($0) }.map { (1...30).contains($0) } == true)
    try world.connection.script("UPDATE sign_in_failures SET next_at = now()")
    #expect(try right(from: home).status == 201)
  }

  @Test func `a success does not wash an address clean of what it tried at other logins`() throws {
    for number in 0..<20 { #expect(try wrong("login\(number)", from: home).isProblem(.badCredential)) }
    try world.connection.script("UPDATE sign_in_failures SET failures = failures - 1 WHERE failures = 20")
    #expect(try right(from: home).status == 201)
    #expect(try wrong("other", from: home).isProblem(.badCredential))
    #expect(try wrong("another", from: home).isProblem(.tooManyAttempts))
  }

  @Test func `failures leave their entry: of known logins by name, of others without it`() throws {
    _ = try wrong("kim", from: "198.51.100.9")
    _ = try wrong("my password by mistake", from: "198.51.100.9")
    _ = try post(#"{"link":"guess"}"#, from: "198.51.100.10")
    try world.connection.script("UPDATE accounts SET disabled_at = now()")
    #expect(try right(from: home).isProblem(.badCredential))
    #expect(
      try refusals() == [
        "kim password 198.51.100.9", "unknown login password 198.51.100.9", "unknown login link 198.51.100.10",
        "kim disabled \(home)",
      ])
  }

  @Test func `nobody fills the log with failures`() throws {
    for _ in 0..<60 { _ = try post(#"{"link":"guess"}"#, from: "198.51.100.9") }
    #expect(try refusals().count == 21)
    try world.connection.script("UPDATE sign_in_failures SET failures = 1000 WHERE failures = 21")
    _ = try post(#"{"link":"guess"}"#, from: "198.51.100.11")
    #expect(try refusals().count == 21)
  }
}
