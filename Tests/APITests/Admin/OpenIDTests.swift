import Crypto
import Domain
import HTTPClient
import Operations
import Postgres
import Synchronization
import TestTier
import Testing

@testable import API

/// Signing in at an identity provider: what it takes, what is refused, and what the audit log says.
@Suite(.slow) struct OpenIDTests {
  private let provider = TestIdentityProvider()
  private let world: AdminWorld

  init() throws {
    let openID = OpenIDProvider(TestIdentityProvider.settings, calls: provider)
    world = try AdminWorld(identityProvider: openID)
  }

  private let path = "/v1/admin/session/openid"

  /// A browser on its way back from the provider.
  private struct Way {
    let cookie: String
    let state: String
  }

  private func begin() throws -> Way {
    let begun = try ConsoleVisitor.post("", to: path, world)
    let url = try #require(begun.values(of: "url").first, "\(begun.text)")
    let query = TestIdentityProvider.fields(try #require(url.split(separator: "?").last))
    provider.authorize(query)
    return Way(cookie: try ConsoleVisitor.cookie(begun), state: try #require(query["state"]))
  }

  private func finish(_ way: Way, code: String = "good") throws -> HTTPResponse {
    try ConsoleVisitor.post(
      #"{"code":"\#(code)","state":"\#(way.state)"}"#, to: "\(path)/answer", cookie: way.cookie, world)
  }

  private func signIn() throws -> HTTPResponse { try finish(try begin()) }

  private func refusals() throws -> [String] { try world.audited("session.refuse") }

  @Test func `the address asks for a code with state, nonce and PKCE, and the cookie stays out of scripts' reach`()
    throws
  {
    let begun = try ConsoleVisitor.post("", to: path, world)
    let url = try #require(begun.values(of: "url").first)
    #expect(url.hasPrefix("https://login.example.com/authorize?"))
    let query = TestIdentityProvider.fields(try #require(url.split(separator: "?").last))
    #expect(
      query["response_type"] == "code" && query["client_id"] == "upmc" && query["code_challenge_method"] == "S256")
    #expect(query["redirect_uri"] == "https://push.example.com/" && query["scope"] == "openid profile email")
    #expect([query["state"], query["nonce"], query["code_challenge"]].allSatisfy { $0?.count == 43 })
    #expect(Set([query["state"], query["nonce"], query["code_challenge"]]).count == 3)
    let cookie = try #require(begun.header("set-cookie"))
    for part in ["upmc_openid=", "HttpOnly", "SameSite=Strict", "Max-Age=600"] { #expect(cookie.contains(part)) }
    #expect(
      try world.call("GET", "\(path.dropLast(6))methods").text
        == #"{"password":true,"identityProvider":"Example Bank"}"#)
  }

  @Test(arguments: ["RS256", "ES256"])
  func `whoever comes back gets an account with the role and app of the claims`(_ algorithm: String) throws {
    provider.change { $0.algorithm = algorithm }
    let jung = try ConsoleVisitor(try signIn(), world)
    let session = try jung.call("GET", "/v1/admin/session")
    #expect(session.values(of: "login") == ["jung@example.com"] && session.values(of: "role") == ["operator"])
    #expect(session.values(of: "appId") == ["com.example.bank"] && session.values(of: "signedInBy") == ["openid"])
    #expect(session.values(of: "needsPassword") == ["false"])
    #expect(try jung.call("GET", "/v1/admin/audit").isProblem(.forbidden))
    #expect(try world.audited("session.sign-in") == [#"jung@example.com {"method":"openid"}"#])
    #expect(
      try world.audited("account.create")
        == [#"jung@example.com {"name":"Jung Hana","role":"operator","appId":"com.example.bank"}"#])
    let again = try ConsoleVisitor(try signIn(), world)
    #expect(try again.call("GET", "/v1/admin/session").status == 200)
    #expect(try world.audited("account.create").count == 1)
    // It has no password, and no link makes one.
    let chosen = try again.call("PUT", "/v1/admin/session/password", #"{"new":"correct horse battery"}"#)
    #expect(chosen.isProblem(.forbidden))
    #expect(throws: Problem.self) {
      try ConsoleAccounts.link(1, by: .commandLine, on: world.connection, now: ConsoleVisitor.now(world))
    }
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: String
    let make: @Sendable (inout TestIdentityProvider.State) -> Void
    var testDescription: String { name }
  }

  static let faults: [Fault] = [
    Fault(name: "wrong nonce", reason: "id-token-nonce") { $0.changes["nonce"] = "\"other\"" },
    Fault(name: "no nonce", reason: "id-token-nonce") { $0.changes["nonce"] = .some(nil) },
    Fault(name: "expired", reason: "id-token-expired") { $0.changes["exp"] = "\(TestIdentityProvider.seconds() - 90)" },
    Fault(name: "no end", reason: "id-token-expired") { $0.changes["exp"] = .some(nil) },
    Fault(name: "issued in the future", reason: "id-token-time") {
      $0.changes["iat"] = "\(TestIdentityProvider.seconds() + 3_000)"
    },
    Fault(name: "issued long ago", reason: "id-token-time") {
      $0.changes["iat"] = "\(TestIdentityProvider.seconds() - 700)"
    },
    Fault(name: "not valid yet", reason: "id-token-time") {
      $0.changes["nbf"] = "\(TestIdentityProvider.seconds() + 3_000)"
    },
    Fault(name: "other audience", reason: "id-token-audience") { $0.changes["aud"] = "\"crm\"" },
    Fault(name: "several audiences, no party", reason: "id-token-audience") {
      $0.changes["aud"] = #"["upmc","crm"]"#
    },
    Fault(name: "other party", reason: "id-token-audience") { $0.changes["azp"] = "\"crm\"" },
    Fault(name: "other issuer", reason: "id-token-issuer") { $0.changes["iss"] = "\"https://evil.example.com\"" },
    Fault(name: "no subject", reason: "subject") { $0.changes["sub"] = .some(nil) },
    Fault(name: "lost login claim", reason: "login-claim") { $0.changes["email"] = .some(nil) },
    Fault(name: "unverified address", reason: "login-claim") { $0.changes["email_verified"] = "false" },
    Fault(name: "unverified address, said as a text", reason: "login-claim") {
      $0.changes["email_verified"] = "\"False\""
    },
    Fault(name: "lost role claim", reason: "role-claim") { $0.changes["groups"] = .some(nil) },
    Fault(name: "groups without a role", reason: "role-claim") { $0.changes["groups"] = #"["everybody"]"# },
    Fault(name: "lost app claim", reason: "app-claim") { $0.changes["apps"] = .some(nil) },
    Fault(name: "unknown app", reason: "app-claim") { $0.changes["apps"] = #"["com.example.other"]"# },
    Fault(name: "two apps", reason: "app-claim") { $0.changes["apps"] = #"["com.example.bank","b"]"# },
    Fault(name: "alg none", reason: "id-token-algorithm") { state in
      state.algorithm = "none"
      state.spoils = { "\($0)." }
    },
    Fault(name: "alg HS256 with the public key", reason: "id-token-algorithm") { state in
      state.algorithm = "HS256"
      let key = SymmetricKey(state.rsa.publicKey.der)
      state.spoils = { "\($0).\(Base64URL.encode(HMAC.authenticationCode(for: Array($0.utf8), using: key)))" }
    },
    Fault(name: "no signature", reason: "id-token-signature") { $0.spoils = { "\($0)." } },
    Fault(name: "another key's signature", reason: "id-token-signature") { state in
      let key = RSA.PrivateKey()
      state.spoils = { "\($0).\(Base64URL.encode(key.signature(for: Array($0.utf8))))" }
    },
    Fault(name: "ES256 by RSA's key id in DER", reason: "id-token-signature") { state in
      state.algorithm = "ES256"
      let key = state.p256
      state.spoils = { "\($0).\(Base64URL.encode(key.derSignature(for: Array($0.utf8))))" }
    },
    Fault(name: "no token", reason: "id-token") { $0.spoils = { _ in "x" } },
  ]

  @Test(arguments: faults) func `a faulty answer opens nothing and is audited`(_ fault: Fault) throws {
    provider.change(fault.make)
    let answer = try signIn()
    #expect([401, 403].contains(answer.status) && answer.header("set-cookie") == nil, "\(answer.text)")
    #expect(try refusals() == [#"unknown login {"reason":"\#(fault.reason)"}"#])
    let rows = try world.connection.run(Statement("test-none", "SELECT count(*) FROM accounts"))
    #expect(rows.int64(0, 0) == 0)
  }

  @Test func `clocks may differ by a minute`() throws {
    provider.change { $0.changes["exp"] = "\(TestIdentityProvider.seconds() - 30)" }
    #expect(try signIn().status == 201)
  }

  @Test func `an answer belongs to the browser that asked, and works with its own code only`() throws {
    let (kim, lee) = (try begin(), try begin())
    #expect(try finish(Way(cookie: kim.cookie, state: lee.state)).isProblem(.badCredential))
    #expect(try finish(Way(cookie: "upmc_openid=AAAA", state: lee.state)).isProblem(.badCredential))
    #expect(try finish(lee, code: "forged").isProblem(.badCredential))
    // Another sign-in's verifier does not fit the challenge that the provider knows.
    #expect(try finish(kim).isProblem(.badCredential))
    #expect(
      try refusals() == ["state", "state", "code", "code"].map { #"unknown login {"reason":"\#($0)"}"# })
    #expect(try finish(lee).status == 201)
  }

  @Test func `a rotated key is read at once, and unknown ones do not make the keys be read again and again`() throws {
    #expect(try signIn().status == 201)
    provider.change { state in
      state.rsa = RSA.PrivateKey()
      state.keyID = "k2"
    }
    #expect(try signIn().status == 201)
    #expect(provider.state.withLock { $0.keyReadings } == 2)
    let key = RSA.PrivateKey()
    provider.change { state in
      state.keyID = "unknown"
      state.spoils = { "\($0).\(Base64URL.encode(key.signature(for: Array($0.utf8))))" }
    }
    for _ in 1...3 { #expect(try signIn().isProblem(.badCredential)) }
    #expect(provider.state.withLock { $0.keyReadings } == 2)
  }

  @Test func `whoever loses the role at the provider is signed out everywhere`() throws {
    let jung = try ConsoleVisitor(try signIn(), world)
    provider.change { $0.changes["groups"] = "[]" }
    #expect(try signIn().isProblem(.forbidden))
    #expect(try jung.call("GET", "/v1/admin/session").isProblem(.badCredential))
    #expect(try refusals() == [#"jung@example.com {"reason":"role-claim"}"#])
  }

  @Test func `another role at the provider is another role here, from the next sign-in`() throws {
    let jung = try ConsoleVisitor(try signIn(), world)
    provider.change { state in
      state.changes["groups"] = #"["push-staff","push-admins"]"#
      state.changes["apps"] = #""*""#
    }
    let now = try ConsoleVisitor(try signIn(), world)
    #expect(try now.call("GET", "/v1/admin/session").values(of: "role") == ["admin"])
    #expect(try jung.call("GET", "/v1/admin/session").isProblem(.badCredential))
    #expect(
      try world.audited("account.change")
        == [#"jung@example.com {"name":"Jung Hana","role":"admin","appId":null}"#])
  }

  @Test func `a name at the provider takes over no account that is here already`() throws {
    _ = try ConsoleVisitor.make("jung@example.com", in: world)
    #expect(try signIn().isProblem(.conflict))
    #expect(try refusals() == [#"unknown login {"reason":"login-taken"}"#])
  }

  @Test func `a disabled account stays closed`() throws {
    #expect(try signIn().status == 201)
    try world.connection.script("UPDATE accounts SET disabled_at = now()")
    #expect(try signIn().isProblem(.badCredential))
  }

  @Test func `a provider that is away, or is another, is no way in`() throws {
    provider.change { $0.isAway = true }
    #expect(try ConsoleVisitor.post("", to: path, world).isProblem(.identityProviderAway))
    provider.change { state in
      state.isAway = false
      state.describedIssuer = "https://evil.example.com"
    }
    #expect(try ConsoleVisitor.post("", to: path, world).isProblem(.identityProviderAway))
  }

  @Test func `without a provider there is nothing to begin, and passwords may be off`() throws {
    let plain = try AdminWorld()
    #expect(try ConsoleVisitor.post("", to: path, plain).isProblem(.notConfigured))
    var policy = ConsolePolicy()
    policy.takesPasswords = false
    let closed = try AdminWorld(
      policy: policy, identityProvider: OpenIDProvider(TestIdentityProvider.settings, calls: provider))
    let link = try ConsoleAccounts.create(
      "kim", name: "Kim", role: .admin, appID: nil, by: .commandLine, on: closed.connection,
      now: ConsoleVisitor.now(closed))
    // For emergencies.
    #expect(try ConsoleVisitor.post(#"{"link":"\#(link.token)"}"#, closed).status == 201)
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), closed).isProblem(.forbidden))
    #expect(try closed.audited("session.refuse") == [#"unknown login {"reason":"passwords-off"}"#])
  }
}
