import Crypto
import Domain
import HTTPClient
import HTTPServer
import Operations
import Postgres
import Reactor
import TestTier
import Testing
import Time

@testable import API

/// The second factor: setting it up, signing in with it, what is refused, and what the audit log says of it.
@Suite(.slow) struct SecondFactorTests {
  private let path = "/v1/admin/session/second-factor"

  /// The code that an authenticator app shows now.
  private func code(_ secret: String, _ world: AdminWorld) throws -> String {
    let bytes = try bytes(secret)
    return TimeBasedCode.code(of: bytes, step: TimeBasedCode.step(at: try ConsoleVisitor.now(world).seconds))
  }

  /// The first code of a new secret, with the password that it takes.
  private func first(
    _ secret: String, _ world: AdminWorld, password: String = ConsoleVisitor.password
  ) throws -> String {
    #"{"code":"\#(try code(secret, world))","password":"\#(password)"}"#
  }

  /// Sets up a factor. Returns its secret and recovery codes.
  private func enrol(_ kim: ConsoleVisitor) throws -> (secret: String, codes: [String]) {
    let begun = try kim.call("POST", path)
    let secret = try #require(begun.values(of: "secret").first, "\(begun.text)")
    let confirmed = try kim.call("PUT", path, try first(secret, kim.world))
    try #require(confirmed.status == 200, "\(confirmed.text)")
    let codes = confirmed.text.matches(of: /[a-z2-7]{4}(?:-[a-z2-7]{4}){3}/).map { String($0.0) }
    try forgetSteps(kim.world)
    return (secret, codes)
  }

  /// As if another half minute had passed: codes may be used again.
  private func forgetSteps(_ world: AdminWorld) throws {
    try world.connection.script("UPDATE accounts SET factor_step = 0")
  }

  @Test func `an authenticator app is set up by its QR code's address and a first code`() throws {
    let world = try AdminWorld()
    let kim = try ConsoleVisitor.make(in: world)
    #expect(try kim.call("GET", path).text == #"{"on":false,"needed":false,"recoveryCodesLeft":0}"#)
    let begun = try kim.call("POST", path)
    let secret = try #require(begun.values(of: "secret").first)
    #expect(secret.count == 32)
    #expect(
      begun.text.contains(
        "otpauth://totp/UPMC:kim?secret=\(secret)&issuer=UPMC&algorithm=SHA1&digits=6&period=30"))
    // Nothing is in force before a code of it was typed.
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), world).status == 201)
    let mistyped = try kim.call("PUT", path, #"{"code":"000000x","password":"\#(ConsoleVisitor.password)"}"#)
    #expect(mistyped.isProblem(.invalidField) && mistyped.text.contains("/code"))
    let elsewhere = try ConsoleVisitor(try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), world), world)
    let confirmed = try kim.call("PUT", path, try first(secret, world))
    #expect(confirmed.status == 200)
    #expect(Set(confirmed.text.matches(of: /[a-z2-7]{4}(?:-[a-z2-7]{4}){3}/).map { $0.0 }).count == 10)
    #expect(try kim.call("GET", path).text == #"{"on":true,"needed":false,"recoveryCodesLeft":10}"#)
    #expect(try elsewhere.call("GET", "/v1/admin/session").isProblem(.badCredential), "other sessions end")
    #expect(try world.audited("account.second-factor") == ["kim"])
    let stored = try world.connection.run(
      Statement("test-stored", "SELECT encode(factor, 'escape') FROM accounts"))
    #expect(!stored.text(0, 0).contains(secret))
  }

  @Test func `a session alone sets up no second factor, and guessing the password is slowed down`() throws {
    let world = try AdminWorld()
    let kim = try ConsoleVisitor.make(in: world)
    let secret = try #require(try kim.call("POST", path).values(of: "secret").first)
    let alone = try kim.call("PUT", path, #"{"code":"\#(try code(secret, world))"}"#)
    #expect(alone.isProblem(.invalidField) && alone.text.contains("/password"))
    for _ in 1...6 {
      let answer = try kim.call("PUT", path, try first(secret, world, password: "wrong password"))
      #expect(answer.isProblem(.invalidField) && answer.text.contains("/password"))
    }
    #expect(try world.audited("session.refuse") == Array(repeating: #"kim {"reason":"current-password"}"#, count: 6))
    try world.connection.script(
      "UPDATE sign_in_failures SET next_at = now() + interval '1 minute' WHERE next_at IS NOT NULL")
    #expect(try kim.call("PUT", path, try first(secret, world)).isProblem(.tooManyAttempts))
    #expect(try kim.call("GET", path).values(of: "on") == ["false"])
    try world.connection.script("UPDATE sign_in_failures SET next_at = now() - interval '1 minute'")
    #expect(try kim.call("PUT", path, try first(secret, world)).status == 200)
  }

  @Test func `a sign-in link stands in for the password for ten minutes`() throws {
    let world = try AdminWorld()
    _ = try ConsoleVisitor.make(in: world)
    let link = try ConsoleAccounts.link(1, by: .commandLine, on: world.connection, now: ConsoleVisitor.now(world))
    let kim = try ConsoleVisitor(try ConsoleVisitor.post(#"{"link":"\#(link.token)"}"#, world), world)
    let secret = try #require(try kim.call("POST", path).values(of: "secret").first)
    let password = "/v1/admin/session/password"
    try world.connection.script("UPDATE sessions SET created_at = created_at - interval '601 seconds'")
    let late = try kim.call("PUT", path, #"{"code":"\#(try code(secret, world))"}"#)
    #expect(late.isProblem(.forbidden) && late.text.contains("with the password or another link"), "\(late.text)")
    #expect(try kim.call("PUT", password, #"{"new":"another long sentence"}"#).isProblem(.forbidden))
    let guessed = try kim.call("PUT", password, #"{"new":"another long sentence","current":"wrong password"}"#)
    #expect(guessed.isProblem(.invalidField) && guessed.text.contains("/current"))
    try world.connection.script("UPDATE sessions SET created_at = created_at + interval '601 seconds'")
    #expect(try kim.call("PUT", path, #"{"code":"\#(try code(secret, world))"}"#).status == 200)
    #expect(try kim.call("PUT", password, #"{"new":"another long sentence"}"#).status == 204)
  }

  @Test func `nobody makes the link that stands in for the password of the session they have`() throws {
    let world = try AdminWorld()
    let kim = try ConsoleVisitor.make(in: world)
    _ = try ConsoleVisitor.make("lee", in: world)
    let own = try kim.call("POST", "/v1/admin/accounts/1/link")
    #expect(own.isProblem(.conflict), "\(own.text)")
    #expect(try kim.call("POST", "/v1/admin/accounts/2/link").status == 201)
    #expect(try world.audited("account.link") == ["lee"])
  }

  @Test func `the password alone is asked for the code, and nothing is used up or counted`() throws {
    let world = try AdminWorld()
    let (secret, _) = try enrol(try ConsoleVisitor.make(in: world))
    for _ in 1...8 {
      let asked = try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), world)
      #expect(asked.isProblem(.secondFactorNeeded) && asked.header("set-cookie") == nil)
    }
    let right = try code(secret, world)
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: right), world).status == 201)
    #expect(try world.audited("session.sign-in").last == #"kim {"method":"password","secondFactor":"app"}"#)
    // Whoever has watched it types it too late.
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: right), world).isProblem(.badCredential))
    #expect(try world.audited("session.refuse").last == #"kim {"reason":"code"}"#)
    try forgetSteps(world)
    let next = try code(secret, world)
    let spaced = next.prefix(3) + " " + next.suffix(3)
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: String(spaced)), world).status == 201)
  }

  @Test func `a code is accepted one step early and late, and no further`() throws {
    let world = try AdminWorld()
    let kim = try ConsoleVisitor.make(in: world)
    let (secret, _) = try enrol(kim)
    for (steps, isRight) in [(-3, false), (3, false), (0, true)] as [(Int64, Bool)] {
      try forgetSteps(world)
      let bytes = try bytes(secret)
      // Each attempt takes its time, and a step has half a minute.
      let now = try ConsoleVisitor.now(world)
      let code = TimeBasedCode.code(of: bytes, step: TimeBasedCode.step(at: now.seconds) + steps)
      let answer = try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: code), world)
      #expect((answer.status == 201) == isRight, "\(steps)")
    }
  }

  private func bytes(_ secret: String) throws -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var (bytes, bits, count) = ([UInt8](), 0, 0)
    for letter in secret {
      bits = bits << 5 | (try #require(alphabet.firstIndex(of: letter)))
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }

  @Test func `wrong codes are counted with wrong passwords, on the same counters`() throws {
    let world = try AdminWorld(isBehindProxy: true)
    let home = "203.0.113.7"
    let kim = try ConsoleVisitor.make(from: home, in: world)
    let begun = try kim.call("POST", path, from: home)
    let secret = try #require(begun.values(of: "secret").first)
    _ = try kim.call("PUT", path, try first(secret, world), from: home)
    try forgetSteps(world)
    let stranger = "198.51.100.9"
    for _ in 1...3 {
      let answer = try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: "abcd-efgh"), from: stranger, world)
      #expect(answer.isProblem(.badCredential))
    }
    for _ in 1...2 {
      let answer = try ConsoleVisitor.post(#"{"login":"kim","password":"wrong"}"#, from: stranger, world)
      #expect(answer.isProblem(.badCredential))
    }
    let refused = try code(secret, world)
    #expect(
      try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: refused), from: stranger, world)
        .isProblem(.tooManyAttempts))
    let right = try code(secret, world)
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: right), from: home, world).status == 201)
  }

  @Test func `each recovery code works once, and new ones void the old`() throws {
    let world = try AdminWorld()
    let (secret, codes) = try enrol(try ConsoleVisitor.make(in: world))
    try #require(codes.count == 10)
    let first = try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: codes[0].uppercased()), world)
    let kim = try ConsoleVisitor(first, world)
    #expect(
      try world.audited("session.sign-in").last
        == #"kim {"method":"password","secondFactor":"recovery-code","recoveryCodesLeft":9}"#)
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: codes[0]), world).isProblem(.badCredential))
    let renewed = try kim.call("POST", "\(path)/recovery-codes", #"{"code":"\#(try code(secret, world))"}"#)
    #expect(renewed.status == 201 && !renewed.text.contains(codes[1]))
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: codes[1]), world).isProblem(.badCredential))
    let rows = try world.connection.run(
      Statement("test-codes", "SELECT count(*), bool_and(length(sha256) = 32) FROM recovery_codes"))
    #expect(rows.int64(0, 0) == 10 && rows.bool(0, 1))
    #expect(try world.audited("account.recovery-codes") == ["kim"])
  }

  @Test func `a link does not go round the second factor, and a wrong code does not use it up`() throws {
    let world = try AdminWorld()
    let (secret, _) = try enrol(try ConsoleVisitor.make(in: world))
    let link = try ConsoleAccounts.link(
      1, by: .commandLine, on: world.connection, now: ConsoleVisitor.now(world))
    #expect(try ConsoleVisitor.post(#"{"link":"\#(link.token)"}"#, world).isProblem(.secondFactorNeeded))
    #expect(try ConsoleVisitor.post(#"{"link":"\#(link.token)","code":"abcd"}"#, world).isProblem(.badCredential))
    let right = try code(secret, world)
    #expect(try ConsoleVisitor.post(#"{"link":"\#(link.token)","code":"\#(right)"}"#, world).status == 201)
    try forgetSteps(world)
    #expect(
      try ConsoleVisitor.post(#"{"link":"\#(link.token)","code":"\#(right)"}"#, world).isProblem(.badCredential))
  }

  @Test func `a factor is replaced and removed with one of its codes only`() throws {
    let world = try AdminWorld()
    let kim = try ConsoleVisitor.make(in: world)
    let (secret, codes) = try enrol(kim)
    let begun = try kim.call("POST", path)
    let newer = try #require(begun.values(of: "secret").first)
    let unproved = try kim.call("PUT", path, #"{"code":"\#(try code(newer, world))"}"#)
    #expect(unproved.isProblem(.invalidField) && unproved.text.contains("/present"))
    let replaced = try kim.call(
      "PUT", path, #"{"code":"\#(try code(newer, world))","present":"\#(codes[0])"}"#)
    #expect(replaced.status == 200)
    try forgetSteps(world)
    #expect(
      try ConsoleVisitor.post(ConsoleVisitor.proof("kim", code: try code(secret, world)), world)
        .isProblem(.badCredential))
    #expect(try kim.call("POST", "\(path)/removal", #"{"code":"abcd"}"#).isProblem(.invalidField))
    try forgetSteps(world)
    #expect(try kim.call("POST", "\(path)/removal", #"{"code":"\#(try code(newer, world))"}"#).status == 204)
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), world).status == 201)
    #expect(try world.audited("account.second-factor-off") == ["kim"])
  }

  @Test func `another administrator resets a lost factor, and nobody their own`() throws {
    let world = try AdminWorld()
    let kim = try ConsoleVisitor.make("kim", .operator, in: world)
    _ = try enrol(kim)
    let lee = try ConsoleVisitor.make("lee", in: world)
    let before = try lee.call("GET", "/v1/admin/accounts")
    #expect(before.values(of: "hasSecondFactor") == ["true", "false"])
    #expect(try lee.call("DELETE", "/v1/admin/accounts/2/second-factor").isProblem(.conflict))
    #expect(try kim.call("DELETE", "/v1/admin/accounts/1/second-factor").isProblem(.forbidden))
    #expect(try lee.call("DELETE", "/v1/admin/accounts/1/second-factor").status == 200)
    #expect(try kim.call("GET", "/v1/admin/session").isProblem(.badCredential), "its sessions end")
    #expect(try ConsoleVisitor.post(ConsoleVisitor.proof("kim"), world).status == 201)
    let audit = try world.connection.run(
      Statement("test-reset", "SELECT actor, object FROM audit_log WHERE action = 'account.second-factor-reset'"))
    #expect(audit.count == 1 && audit.text(0, 0) == "lee" && audit.text(0, 1) == "kim")
  }

  @Test func `where a role needs one, a session without it may only set it up`() throws {
    var policy = ConsolePolicy()
    policy.secondFactor = [.admin]
    let world = try AdminWorld(policy: policy)
    let kim = try ConsoleVisitor.make(in: world)
    #expect(try kim.call("GET", "/v1/admin/session").values(of: "needsSecondFactor") == ["true"])
    for endpoint in Endpoint.ofAdmin where endpoint.pathParameters.isEmpty {
      guard case .permission = endpoint.access else { continue }
      let answer = try kim.call(endpoint.method.rawValue, endpoint.pattern, "{}")
      #expect(answer.isProblem(.forbidden), "\(endpoint.id): \(answer.text)")
    }
    let (secret, _) = try enrol(kim)
    #expect(try kim.call("GET", "/v1/admin/messages").status == 200)
    #expect(try kim.call("GET", "/v1/admin/session").values(of: "needsSecondFactor") == ["false"])
    let kept = try kim.call("POST", "\(path)/removal", #"{"code":"\#(try code(secret, world))"}"#)
    #expect(kept.isProblem(.conflict))
    // Another role, and programs, do without.
    let park = try ConsoleVisitor.make("park", .viewer, in: world)
    #expect(try park.call("GET", "/v1/admin/messages").status == 200)
    #expect(try world.call("GET", "/v1/admin/messages", key: try world.key(.admin)).status == 200)
  }
}
