import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

@Suite struct PayloadSizeTests {
  let world: BatchWorld

  init() throws {
    world = try BatchWorld()
    try world.populate()
  }

  /// A request whose text has so many bytes, and then what is given.
  private func body(_ bytes: Int, _ text: String = "", audience: String = #"{"all":true}"#) -> [UInt8] {
    world.request(audience, "\"alert\":\"\(String(repeating: "x", count: bytes))\(text)\"")
  }

  /// Bytes that the payload has beside its text, measured by the refusal.
  private func refusedBytes(_ body: [UInt8]) throws -> Int {
    let detail = try #require(world.sendProblem(body)).detail
    let number = try #require(detail.firstMatch(of: #/would have (\d+) bytes/#)).1
    return try #require(Int(number))
  }

  private func name(_ installation: String, user: String, name: String) throws {
    try world.run(.setUser(world.claim(installation), .init(clientUID: user, name: "")))
    // As an operator's import renames: a device cannot.
    let key = Users.Key(app: world.app.number, userKey: UserKey(clientUID: user))
    _ = try world.connection.run(Users.name([(key, Users.Said(name: name, phone: nil))], renames: true))
    world.now += .microseconds(1)
  }

  @Test func `4096 bytes are accepted, one more is refused with its count`() throws {
    let rest = try refusedBytes(body(4096)) - 4096
    #expect(world.sendProblem(body(4096 - rest)) == nil)
    let problem = try #require(world.sendProblem(body(4096 - rest + 1)))
    #expect(problem.code == .payloadTooLarge)
    #expect(problem.code.status == 422)
    #expect(problem.detail.contains("every recipient would have 4097 bytes"))
    #expect(problem.detail.contains("by 1 bytes"))
  }

  @Test func `the recipient with the longest name decides, and is named`() throws {
    try name("other", user: "lee", name: String(repeating: "n", count: 200))
    let rest = try refusedBytes(body(4096)) - 4096
    // 200 bytes of name fit exactly …
    #expect(world.sendProblem(body(4096 - rest - 200, "%CNAME%")) == nil)
    // … 201 do not, although nobody else comes near.
    let problem = try #require(world.sendProblem(body(4096 - rest - 199, "%CNAME%")))
    #expect(problem.detail.hasPrefix("The payload for lee would have 4097 bytes"))
    // Those without the long name can have it.
    #expect(world.sendProblem(body(4096 - rest - 199, "%CNAME%", audience: #"{"clientUids":["kim"]}"#)) == nil)
  }

  @Test func `names are measured as JSON writes them`() throws {
    try name("other", user: "lee", name: String(repeating: "\"", count: 100) + "\n\u{1}")
    let rest = try refusedBytes(body(4096)) - 4096
    #expect(world.sendProblem(body(4096 - rest - 208, "%CNAME%")) == nil)
    #expect(world.sendProblem(body(4096 - rest - 207, "%CNAME%"))?.detail.contains("4097 bytes") == true)
  }

  @Test(arguments: [#"{"all":true}"#, #"{"members":true}"#, #"{"clientUids":["kim","lee"]}"#, #"{"psids":["cc"]}"#])
  func `every form of audience is searched`(audience: String) throws {
    try name("other", user: "lee", name: String(repeating: "n", count: 256))
    #expect(world.sendProblem(body(3800, "%CNAME%", audience: audience))?.detail.contains("lee") == true)
  }

  @Test func `groups are searched with those below them`() throws {
    try name("other", user: "lee", name: String(repeating: "n", count: 256))
    let top = try world.connection.run(Groups.create(app: world.app.number, name: "top", parent: nil))
    let below = try world.connection.run(Groups.create(app: world.app.number, name: "below", parent: top))
    try world.run(.join(world.claim("other"), group: below))
    #expect(world.sendProblem(body(3800, "%CNAME%", audience: "{\"groups\":[\(top)]}"))?.detail.contains("lee") == true)
  }

  @Test func `an audience that is too large to be searched in time is not refused`() throws {
    try name("other", user: "lee", name: String(repeating: "n", count: 256))
    let message = try MessageRequest(json: body(3800, "%CNAME%"))
    let audience = try ResolvedAudience(message.audience, of: world.app.number, on: world.connection, now: world.now)
    func isSearched(within milliseconds: Int) throws -> Bool {
      try PayloadSize(message).check(audience, of: world.app.number, on: world.connection, within: milliseconds)
    }
    let other = try TestDatabase.connect(to: world.databaseURL)
    // A search takes until the lock ends, as if it read tens of millions of names.
    try other.script("BEGIN; LOCK TABLE users")
    #expect(try !isSearched(within: 50))
    try other.script("ROLLBACK")
    #expect(throws: Problem.self) { try isSearched(within: 60_000) }
  }

  @Test func `guests fill the CUID with GUEST`() throws {
    let rest = try refusedBytes(body(4096)) - 4096
    let guests = #"{"members":false}"#
    #expect(world.sendProblem(body(4096 - rest - 5, "%CUID%", audience: guests)) == nil)
    #expect(world.sendProblem(body(4096 - rest - 4, "%CUID%", audience: guests))?.detail.contains("GUEST") == true)
  }

  @Test func `an audience of nobody is refused only for what everybody would get`() {
    let nobody = #"{"clientUids":["nobody"]}"#
    #expect(world.sendProblem(body(3800, "%CNAME%%CUID%", audience: nobody)) == nil)
    #expect(world.sendProblem(body(4050, "%CNAME%", audience: nobody))?.code == .payloadTooLarge)
  }
}

/// A message in several languages is as large as the largest that somebody really gets.
@Suite struct PayloadLanguageSizeTests {
  let world: BatchWorld

  init() throws {
    world = try BatchWorld()
    try world.populate()
    try world.connection.script("UPDATE devices SET locale = 'ko-KR' WHERE user_key = 'ukim'")
  }

  private func problem(_ audience: String, ko: Int, en: Int, text: String = "%CNAME%") -> Problem? {
    func filler(_ bytes: Int) -> String { String(repeating: "x", count: bytes) + text }
    return world.sendProblem(
      world.request(audience, #""alert":"hi","translations":{"ko":"\#(filler(ko))","en":"\#(filler(en))"}"#))
  }

  @Test(arguments: [#"{"all":true}"#, #"{"clientUids":["kim"]}"#, #"{"members":true}"#])
  func `a language that somebody's device asks for counts, one that nobody asks for does not`(audience: String) throws {
    let korean = try #require(problem(audience, ko: 3868, en: 10))
    #expect(korean.code == .payloadTooLarge)
    #expect(korean.detail.contains("The payload for kim"))
    #expect(problem(audience, ko: 10, en: 3800) == nil)
  }

  @Test func `groups are searched by the languages of their members`() throws {
    let group = try world.connection.run(Groups.create(app: world.app.number, name: "g", parent: nil))
    #expect(problem("{\"groups\":[\(group)]}", ko: 3868, en: 10) == nil)
    let kim = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    try world.connection.run(Groups.join([Groups.Membership(user: kim, group: group)], at: world.now))
    #expect(problem("{\"groups\":[\(group)]}", ko: 3868, en: 10)?.detail.contains("kim") == true)
    #expect(problem("{\"groups\":[\(group)]}", ko: 10, en: 3868) == nil)
  }

  @Test func `a text that is too large by itself is refused even if nobody speaks it`() {
    #expect(problem(#"{"all":true}"#, ko: 10, en: 4096, text: "")?.code == .payloadTooLarge)
  }
}
