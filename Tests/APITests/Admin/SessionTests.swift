import Domain
import HTTPClient
import Operations
import Postgres
import TestTier
import Testing
import Time

@testable import API

/// Signing in as browsers do: a cookie, a CSRF token, and everything that somebody else might try.
@Suite(.slow) struct SessionTests {
  private let world: AdminWorld
  private let password = "correct horse battery"

  init() throws {
    world = try AdminWorld()
  }

  /// A browser's side: the cookie it holds, the token its page knows.
  private struct Browser {
    var cookie: String
    var csrf: String
  }

  private func signIn(_ body: String, cookie: String? = nil) throws -> HTTPResponse {
    let headers = cookie.map { [(name: "Cookie", value: $0)] } ?? []
    return try world.call("POST", "/v1/admin/session", headers: headers, body)
  }

  private func browser(_ response: HTTPResponse) throws -> Browser {
    let header = try #require(response.header("set-cookie"))
    return Browser(
      cookie: String(header.prefix { $0 != ";" }), csrf: try #require(response.values(of: "csrfToken").first))
  }

  private func call(
    _ browser: Browser, _ method: String, _ target: String, csrf: String? = nil, _ body: String = ""
  ) throws -> HTTPResponse {
    var headers = [(name: "Cookie", value: browser.cookie)]
    if let csrf { headers.append((name: "X-CSRF-Token", value: csrf)) }
    return try world.call(method, target, headers: headers, body)
  }

  /// An account with a password, made as an administrator and its owner do.
  private func account(_ login: String = "kim", role: Role = .admin, app: String? = nil) throws -> Browser {
    let link = try ConsoleAccounts.create(
      login, name: "Kim", role: role, appID: app, by: .commandLine, on: world.connection, now: now())
    let first = try browser(try signIn(#"{"link":"\#(link.token)"}"#))
    let chosen = try call(first, "PUT", "/v1/admin/session/password", csrf: first.csrf, #"{"new":"\#(password)"}"#)
    try #require(chosen.status == 204, "\(chosen.text)")
    return try browser(try signIn(#"{"login":"\#(login)","password":"\#(password)"}"#))
  }

  private func now() throws -> Timestamp {
    try world.connection.run(Statement("test-now", "SELECT now()")).timestamp(0, 0)
  }

  @Test func `over HTTPS only the cookie counts that no other host can have set`() throws {
    let world = try AdminWorld(isSecure: true)
    let link = try ConsoleAccounts.create(
      "kim", name: "Kim", role: .operator, appID: nil, by: .commandLine, on: world.connection, now: now())
    let response = try world.call("POST", "/v1/admin/session", #"{"link":"\#(link.token)"}"#)
    let header = try #require(response.header("set-cookie"))
    #expect(header.hasPrefix("__Host-upmc_session=") && header.contains("; Secure") && header.contains("Path=/;"))
    let cookie = String(header.prefix { $0 != ";" })
    #expect(try world.call("GET", "/v1/admin/session", headers: [("Cookie", cookie)]).status == 200)
    let planted = String(cookie.dropFirst("__Host-".count))
    #expect(try world.call("GET", "/v1/admin/session", headers: [("Cookie", planted)]).isProblem(.noCredential))
  }

  @Test func `a link opens an account once; the cookie is out of reach of scripts and other sites`() throws {
    let link = try ConsoleAccounts.create(
      "Kim@Example.com", name: "Kim", role: .operator, appID: nil, by: .commandLine, on: world.connection, now: now())
    let response = try signIn(#"{"link":"\#(link.token)"}"#)
    #expect(response.status == 201 && response.values(of: "needsPassword") == ["true"])
    let cookie = try #require(response.header("set-cookie"))
    for part in ["upmc_session=", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
      #expect(cookie.contains(part), "\(part)")
    }
    #expect(!response.text.contains(try browser(response).cookie.dropFirst(13)))
    #expect(try signIn(#"{"link":"\#(link.token)"}"#).isProblem(.badCredential))
    let former = try ConsoleAccounts.link(1, by: .commandLine, on: world.connection, now: now())
    _ = try ConsoleAccounts.link(1, by: .commandLine, on: world.connection, now: now())
    #expect(try signIn(#"{"link":"\#(former.token)"}"#).isProblem(.badCredential), "a newer one was made")
    let late = try ConsoleAccounts.link(1, by: .commandLine, on: world.connection, now: now() - .seconds(3_601))
    #expect(try signIn(#"{"link":"\#(late.token)"}"#).isProblem(.badCredential))
    #expect(try signIn(#"{"login":"kim@example.com","password":""}"#).isProblem(.invalidField))
    #expect(try signIn("{}").isProblem(.invalidField))
  }

  @Test func `a session does what its role allows, and changes need the CSRF token`() throws {
    let kim = try account(role: .operator, app: "com.example.bank")
    #expect(try call(kim, "GET", "/v1/admin/messages").status == 200)
    #expect(try call(kim, "GET", "/v1/admin/audit").isProblem(.forbidden))
    let group = #"{"appId":"com.example.bank","name":"g"}"#
    for csrf in [nil, "", "wrong", String(kim.csrf.dropLast())] {
      #expect(try call(kim, "POST", "/v1/admin/groups", csrf: csrf, group).isProblem(.forbidden), "\(csrf ?? "none")")
    }
    #expect(try call(kim, "POST", "/v1/admin/groups", csrf: kim.csrf, group).status == 201)
    let audit = try world.connection.run(
      Statement("test-audit", "SELECT actor, account, api_key FROM audit_log WHERE action = 'group.create'"))
    #expect(audit.count == 1 && audit.text(0, 0) == "kim" && audit.int32(0, 1) == 1 && audit.isNull(0, 2))
    // A page that has lost it asks for it.
    #expect(try call(kim, "GET", "/v1/admin/session").values(of: "csrfToken") == [kim.csrf])
  }

  @Test func `nobody can plant a session, and signing in again ends the former one`() throws {
    let kim = try account()
    let body = #"{"login":"kim","password":"\#(password)"}"#
    let planted = try browser(try signIn(body, cookie: "upmc_session=planted"))
    #expect(planted.cookie != "upmc_session=planted")
    let stranger = Browser(cookie: "upmc_session=planted", csrf: "")
    #expect(try call(stranger, "GET", "/v1/admin/session").isProblem(.badCredential))
    let again = try browser(try signIn(body, cookie: kim.cookie))
    #expect(again.cookie != kim.cookie)
    #expect(try call(kim, "GET", "/v1/admin/session").isProblem(.badCredential))
    #expect(try call(again, "GET", "/v1/admin/session").status == 200)
  }

  @Test func `a link never turns somebody's page into another account's unasked`() throws {
    let kim = try account()
    let trap = try ConsoleAccounts.create(
      "mallory", name: "M", role: .viewer, appID: nil, by: .commandLine, on: world.connection, now: now())
    let body = #"{"link":"\#(trap.token)"}"#
    let asked = try signIn(body, cookie: kim.cookie)
    #expect(asked.isProblem(.conflict) && asked.text.contains("signed in as kim") && asked.header("set-cookie") == nil)
    #expect(try call(kim, "GET", "/v1/admin/session").values(of: "login") == ["kim"])
    // Asked, and willing; the link was not used up by the question.
    let there = try signIn(#"{"link":"\#(trap.token)","replace":true}"#, cookie: kim.cookie)
    #expect(there.status == 201 && there.values(of: "login") == ["mallory"])
    #expect(try call(kim, "GET", "/v1/admin/session").isProblem(.badCredential))
    // One's own link needs no question.
    let own = try ConsoleAccounts.link(2, by: .commandLine, on: world.connection, now: now())
    #expect(try signIn(#"{"link":"\#(own.token)"}"#, cookie: try browser(there).cookie).status == 201)
  }

  @Test func `signing out, a new password, another role and disabling end sessions`() throws {
    let kim = try account()
    #expect(try call(kim, "DELETE", "/v1/admin/session").isProblem(.forbidden))
    #expect(try call(kim, "DELETE", "/v1/admin/session", csrf: kim.csrf).status == 204)
    #expect(try call(kim, "GET", "/v1/admin/session").isProblem(.badCredential))
    let lee = try account("lee")
    let path = "/v1/admin/session/password"
    #expect(try call(lee, "PUT", path, csrf: lee.csrf, #"{"new":"another password"}"#).isProblem(.invalidField))
    let change = #"{"new":"another password","current":"\#(password)"}"#
    #expect(try call(lee, "PUT", path, csrf: lee.csrf, #"{"new":"short","current":"\#(password)"}"#).status == 400)
    #expect(try call(lee, "PUT", path, csrf: lee.csrf, change).status == 204)
    #expect(try call(lee, "GET", "/v1/admin/session").isProblem(.badCredential))
    let admin = try world.key(.admin, app: nil)
    let park = try account("park")
    #expect(try world.call("PATCH", "/v1/admin/accounts/3", key: admin, #"{"role":"viewer"}"#).status == 200)
    #expect(try call(park, "GET", "/v1/admin/session").isProblem(.badCredential))
    #expect(try world.call("PATCH", "/v1/admin/accounts/3", key: admin, #"{"disabled":true}"#).status == 200)
    #expect(try signIn(#"{"login":"park","password":"\#(password)"}"#).isProblem(.badCredential))
    #expect(try world.call("POST", "/v1/admin/accounts/3/link", key: admin, type: nil).isProblem(.notFound))
    #expect(
      try world.call("POST", "/v1/admin/accounts", key: admin, #"{"login":"KIM","name":"k","role":"viewer"}"#)
        .isProblem(.conflict))
  }

  @Test func `a session that is not used for long, or that is old, is over`() throws {
    let kim = try account()
    try world.connection.script("UPDATE sessions SET idle_until = now() - interval '1 second'")
    #expect(try call(kim, "GET", "/v1/admin/session").isProblem(.badCredential))
    let again = try browser(try signIn(#"{"login":"kim","password":"\#(password)"}"#))
    try world.connection.script("UPDATE sessions SET ends_at = now() - interval '1 second'")
    #expect(try call(again, "GET", "/v1/admin/session").isProblem(.badCredential))
  }

  @Test func `neither passwords nor tokens are stored as they are`() throws {
    let kim = try account()
    let dump = try world.connection.run(
      Statement(
        "test-dump",
        """
        SELECT (SELECT string_agg(t::text, ' ') FROM sessions t) || (SELECT string_agg(t::text, ' ') FROM accounts t)
          || coalesce((SELECT string_agg(t::text, ' ') FROM sign_in_links t), '')
          || (SELECT string_agg(t::text, ' ') FROM audit_log t)
        """)
    ).text(0, 0)
    #expect(!dump.contains(password) && !dump.contains(kim.cookie.dropFirst(13)) && !dump.contains(kim.csrf))
    let token = Array(kim.cookie.dropFirst(13).utf8).map { String($0, radix: 16) }.joined()
    #expect(!dump.contains(token))
  }
}
