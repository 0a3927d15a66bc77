import Domain
import HTTPClient
import HTTPServer
import Operations
import Postgres
import Reactor
import TestTier
import Testing

@testable import API

/// Who reaches the console from where, where one is signed in, passwords, and ends of API keys.
@Suite(.slow) struct ConsoleAccessTests {
  @Test func `an address that is not on the list neither signs in nor works, and programs do not care`() throws {
    var policy = ConsolePolicy()
    policy.addresses = [try #require(IPBlock("203.0.113.0/24")), try #require(IPBlock("2001:db8:1::/48"))]
    let world = try AdminWorld(isBehindProxy: true, policy: policy)
    let home = "203.0.113.7"
    let kim = try ConsoleVisitor.make(from: home, in: world)
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), from: "2001:db8:1::7", world).status == 201)
    let refused = try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), from: "198.51.100.9", world)
    #expect(refused.isProblem(.forbidden) && refused.text.contains("UPMC_CONSOLE_ADDRESSES"))
    // A cookie that was carried elsewhere.
    #expect(try kim.call("GET", "/v1/admin/messages", from: "198.51.100.9").isProblem(.forbidden))
    #expect(try kim.call("GET", "/v1/admin/messages", from: home).status == 200)
    let key = try world.key(.viewer)
    #expect(
      try world.call("GET", "/v1/admin/messages", key: key, headers: [("X-Forwarded-For", "198.51.100.9")]).status
        == 200)
    #expect(try world.audited("session.refuse").first == #"unknown login {"reason":"address"}"#)
  }

  @Test func `one sees where one is signed in, and signs out there`() throws {
    let world = try AdminWorld(isBehindProxy: true)
    let kim = try ConsoleVisitor.make(from: "203.0.113.7", in: world)
    let phone = try ConsoleVisitor(
      try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), from: "198.51.100.9", world), world)
    let lee = try ConsoleVisitor.make("lee", from: "203.0.113.8", in: world)
    let list = try kim.call("GET", "/v1/admin/sessions")
    #expect(list.values(of: "origin") == ["203.0.113.7", "198.51.100.9"] && list.values(of: "by").count == 2)
    #expect(list.values(of: "current") == ["true", "false"])
    let numbers = list.values(of: "sessionId")
    #expect(try lee.call("DELETE", "/v1/admin/sessions/\(numbers[1])").isProblem(.notFound), "not one's own")
    #expect(try phone.call("GET", "/v1/admin/session").status == 200)
    #expect(try kim.call("DELETE", "/v1/admin/sessions/\(numbers[1])").status == 204)
    #expect(try phone.call("GET", "/v1/admin/session").isProblem(.badCredential))
    let other = try ConsoleVisitor(try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), world), world)
    #expect(try kim.call("DELETE", "/v1/admin/sessions").status == 204)
    #expect(try other.call("GET", "/v1/admin/session").isProblem(.badCredential))
    #expect(try kim.call("GET", "/v1/admin/session").status == 200)
    #expect(try world.audited("session.end").count == 1)
    #expect(try world.audited("session.end-others") == [#"kim {"ended":1}"#])
  }

  @Test func `a password that everybody guesses first is refused, with the rule`() throws {
    let world = try AdminWorld()
    let kim = try ConsoleVisitor.make("minsu.kim", in: world)
    func choose(_ new: String, current: String = ConsoleVisitor.password) throws -> HTTPResponse {
      try kim.call("PUT", "/v1/admin/session/password", #"{"new":"\#(new)","current":"\#(current)"}"#)
    }
    let short = try choose("elevenchars")
    #expect(short.isProblem(.invalidField) && short.text.contains("at least 12 characters"))
    for guessed in ["Password1234!", "minsukim2026!!", "aaaaaaaaaaaaaa"] {
      let answer = try choose(guessed)
      #expect(answer.isProblem(.invalidField) && answer.text.contains("first that are guessed"), "\(guessed)")
    }
    #expect(try choose("좋은 말은 아무리 해도 모자라지 않다").status == 204)
  }

  @Test func `guessing the present password in a session that was left open is slowed down`() throws {
    let world = try AdminWorld()
    let kim = try ConsoleVisitor.make(in: world)
    func choose(_ current: String) throws -> HTTPResponse {
      try kim.call(
        "PUT", "/v1/admin/session/password", #"{"new":"another long sentence","current":"\#(current)"}"#)
    }
    for _ in 1...6 { #expect(try choose("wrong password").isProblem(.invalidField)) }
    // Whoever has found the session is not its owner, and the log says that somebody tried.
    #expect(try world.audited("session.refuse") == Array(repeating: #"kim {"reason":"current-password"}"#, count: 6))
    try world.connection.script(
      "UPDATE sign_in_failures SET next_at = now() + interval '1 minute' WHERE next_at IS NOT NULL")
    #expect(try choose(ConsoleVisitor.password).isProblem(.tooManyAttempts))
  }

  @Test func `access and the settings of apps are only changed soon after signing in`() throws {
    #expect(
      Set(Endpoint.all.filter(\.needsFreshSignIn).map(\.id)) == [
        "createAccount", "changeAccount", "linkAccount", "resetSecondFactor", "createAPIKey", "setCredential",
        "deleteCredential", "createWebhook", "changeWebhook", "changeApp", "replaceClientKey", "endFormerClientKey",
      ])
    let world = try AdminWorld()
    let kim = try ConsoleVisitor.make(in: world)
    let key = #"{"role":"viewer","name":"CRM"}"#
    #expect(try kim.call("POST", "/v1/admin/api-keys", key).status == 201)
    try world.connection.script("UPDATE sessions SET created_at = created_at - interval '901 seconds'")
    for endpoint in Endpoint.all where endpoint.needsFreshSignIn {
      let path = endpoint.pattern.replacing("{accountId}", with: "2").replacing("{webhookId}", with: "1")
        .replacing("{appId}", with: "com.example.bank")
      let answer = try kim.call(endpoint.method.rawValue, path, "{}")
      #expect(answer.isProblem(.freshSignInNeeded), "\(endpoint.id): \(answer.text)")
    }
    // Looking, and ending what a key opens, never wait for a password.
    #expect(try kim.call("GET", "/v1/admin/accounts").status == 200)
    #expect(try kim.call("DELETE", "/v1/admin/api-keys/1").status == 200)
    // A program has nothing else to show than its key.
    let program = try world.key(.admin, app: nil)
    #expect(try world.call("POST", "/v1/admin/api-keys", key: program, key).status == 201)
    // The former session ends, so that the token of whoever has stolen it opens nothing.
    let again = try ConsoleVisitor(
      try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), cookie: kim.cookie, world), world)
    #expect(try again.call("POST", "/v1/admin/api-keys", key).status == 201)
    #expect(try kim.call("GET", "/v1/admin/session").isProblem(.badCredential))
  }

  @Test func `a key ends by itself, says so before, and tells its last use`() throws {
    let world = try AdminWorld()
    let admin = try world.key(.admin, app: nil)
    let made = try world.call(
      "POST", "/v1/admin/api-keys", key: admin,
      #"{"role":"viewer","name":"CRM","expiresAt":"2099-12-31T00:00:00+09:00"}"#)
    #expect(made.status == 201 && made.values(of: "apiKeyId") == ["2"])
    #expect(made.values(of: "expiresAt") == ["2099-12-30T15:00:00.000Z"])
    let key = try #require(made.values(of: "apiKey").first)
    let past = try world.call(
      "POST", "/v1/admin/api-keys", key: admin, #"{"role":"viewer","expiresAt":"2020-01-01T00:00:00Z"}"#)
    #expect(past.isProblem(.invalidField) && past.text.contains("/expiresAt"))
    #expect(try world.call("GET", "/v1/admin/messages", key: key).status == 200)
    try world.catalog.writeUses(world.connection)
    let list = try world.call("GET", "/v1/admin/api-keys", key: admin)
    let minute = try world.connection.run(
      Statement("test-minute", "SELECT used_at = date_trunc('minute', used_at) FROM api_keys WHERE api_key = 2"))
    #expect(minute.bool(0, 0))
    #expect(list.values(of: "lastUsedAt").count == 2 && !list.text.contains(#""lastUsedAt":null"#))
    try world.connection.script("UPDATE api_keys SET ends_at = now() WHERE api_key = 2")
    #expect(try world.call("GET", "/v1/admin/messages", key: key).isProblem(.badCredential))
    #expect(
      try world.audited("api-key.create").last
        == #"2 {"role":"viewer","name":"CRM","appId":null,"expiresAt":"2099-12-30T15:00:00.000Z"}"#)
  }

  @Test func `a list of an app's keys shows those of all apps too`() throws {
    let world = try AdminWorld()
    let admin = try world.key(.admin, app: nil)
    let narrow = try world.key(.admin)
    for key in [admin, narrow] {
      let list = try world.call("GET", "/v1/admin/api-keys?appId=com.example.bank", key: key)
      #expect(list.values(of: "apiKeyId") == ["1", "2"])
    }
    #expect(try world.call("DELETE", "/v1/admin/api-keys/1", key: narrow).isProblem(.notFound))
  }
}
