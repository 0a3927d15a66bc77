import Domain
import JSON
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// Sending in a world of devices.
extension BatchWorld {
  /// - Parameter members: of the request beside `appId` and `audience`.
  func request(_ audience: String, _ members: String = #""alert":"hi""#, appID: String = "com.example.bank") -> [UInt8]
  {
    Array("{\"appId\":\"\(appID)\",\"audience\":\(audience),\(members)}".utf8)
  }

  func send(_ body: [UInt8], key: String? = nil, by caller: Caller = .commandLine) throws(Problem) -> SendAnswer {
    try SendService.send(
      SendRequest(body: body, idempotencyKey: key, caller: caller), on: connection, now: now)
  }

  /// The JSON of the answer.
  func sent(_ body: [UInt8], key: String? = nil) throws -> String {
    String(decoding: try send(body, key: key).json, as: UTF8.self)
  }

  func sendProblem(_ body: [UInt8], key: String? = nil, by caller: Caller = .commandLine) -> Problem? {
    do throws(Problem) {
      _ = try send(body, key: key, by: caller)
      return nil
    } catch {
      return error
    }
  }

  /// Three devices of two users, and a guest.
  func populate() throws {
    try run(registration("phone", psid: "aa", user: "kim"), registration("pad", psid: "bb"))
    try run(registration("pad", psid: "bb", user: "kim"), registration("other", psid: "cc", user: "lee"))
    try run(registration("guest", psid: "dd"))
    now += .microseconds(1)
  }
}

@Suite struct SendServiceTests {
  let world: BatchWorld

  init() throws {
    world = try BatchWorld()
    try world.populate()
  }

  // MARK: Audiences

  @Test(arguments: [
    (#"{"all":true}"#, 4, "[]"), (#"{"members":true}"#, 3, "[]"), (#"{"members":false}"#, 1, "[]"),
    (#"{"clientUids":["kim"]}"#, 2, "[]"),
    (#"{"clientUids":["kim","nobody","lee","ni\"x"]}"#, 3, #"["nobody","ni\"x"]"#),
    (#"{"clientUids":["nobody"]}"#, 0, #"["nobody"]"#), (#"{"psids":["AA","bb","ee"]}"#, 2, #"["ee"]"#),
    (#"{"devices":["00000000-0000-8000-8000-000000000000"]}"#, 0, #"["00000000-0000-8000-8000-000000000000"]"#),
    (#"{"groups":[99]}"#, 0, #"["99"]"#), (#"{"segment":{"not":{"groups":["99"]}}}"#, 4, #"["99"]"#),
    (#"{"segment":{"any":[{"groups":["98"]},{"not":{"all":[{"groups":[99,"98"]}]}}]}}"#, 4, #"["98","99"]"#),
  ])
  func `every form of audience is counted, and who is unknown is named`(
    audience: String, targeted: Int, unknown: String
  ) throws {
    #expect(
      try world.sent(world.request(audience))
        == "{\"seqno\":\"1\",\"state\":\"queued\",\"targeted\":\(targeted),\"unknown\":\(unknown)}")
  }

  @Test func `devices are found by their ids`() throws {
    let answer = try world.sent(
      world.request("{\"devices\":[\"\(world.device("phone"))\",\"\(world.device("guest"))\"]}"))
    #expect(answer.contains(#""targeted":2,"unknown":[]"#))
  }

  @Test func `a group reaches the groups below it, and a device counts once`() throws {
    let top = try group("top", parent: nil)
    let below = try group("below", parent: top)
    try world.run(.join(world.claim("phone"), group: top), .join(world.claim("guest"), group: below))
    try world.run(.join(world.claim("pad"), group: below))
    world.now += .microseconds(1)
    #expect(try world.sent(world.request("{\"groups\":[\(top)]}")).contains(#""targeted":3,"unknown":[]"#))
    #expect(try world.sent(world.request("{\"groups\":[\(below)]}")).contains(#""targeted":3"#))
    #expect(
      try world.sent(world.request("{\"groups\":[\(top),\(below),77]}")).contains(#""targeted":3,"unknown":["77"]"#))
  }

  @Test func `a group of another app is unknown`() throws {
    let other = try world.connection.run(
      Apps.create(appID: "b", name: "b", clientKey: "b", timeZone: "UTC", identity: .open))
    let foreign = try world.connection.run(Groups.create(app: other.app.number, name: "g", parent: nil))
    #expect(
      try world.sent(world.request("{\"groups\":[\(foreign)]}")).contains("\"targeted\":0,\"unknown\":[\"\(foreign)\"]")
    )
    let own = try group("own", parent: nil)
    #expect(
      try world.sent(world.request("{\"segment\":{\"not\":{\"groups\":[\(foreign),\(own)]}}}")).contains(
        "\"unknown\":[\"\(foreign)\"]"))
  }

  @Test func `unregistered devices are nobody's`() throws {
    try world.run(.unregister(world.claim("phone")), .unregister(world.claim("other")))
    #expect(try world.sent(world.request(#"{"all":true}"#)).contains(#""targeted":2"#))
    #expect(
      try world.sent(world.request(#"{"clientUids":["kim","lee"]}"#)).contains(#""targeted":1,"unknown":["lee"]"#))
    #expect(try world.sent(world.request(#"{"psids":["aa"]}"#)).contains(#""targeted":0,"unknown":["aa"]"#))
  }

  private func group(_ name: String, parent: Int64?) throws -> Int64 {
    try Administration.createGroup(
      Administration.NewGroup(appID: "com.example.bank", name: name, parent: parent), by: .commandLine,
      on: world.connection
    ).groupSeq
  }

  // MARK: What is stored

  @Test func `the message is stored as it was asked for, and announced`() throws {
    let listener = try TestDatabase.connect(to: world.databaseURL)
    try listener.listen(SendService.channel)
    let body = world.request(#"{"clientUids":["kim"]}"#, #""alert":"hi","lane":"urgent","expiresIn":"PT10M""#)
    _ = try world.send(body, by: Caller(role: .sender, app: nil, apiKey: 7))
    let message = try #require(try world.connection.run(Messages.find(1)))
    #expect(message.request == body)
    #expect(message.lane == .urgent)
    #expect(message.state == .queued)
    #expect(message.expiresAt == world.now + .seconds(600))
    #expect(try world.count("SELECT api_key::bigint FROM messages") == 7)
    let notification = try listener.notifications(waitingAtMost: .patience).first
    #expect(notification?.channel == "upmc_messages")
    #expect(notification?.payload == "1")
  }

  @Test func `numbers count up over all sends`() throws {
    for number in 1...3 {
      #expect(try world.sent(world.request(#"{"all":true}"#)).hasPrefix("{\"seqno\":\"\(number)\""))
    }
  }

  // MARK: Idempotency

  @Test func `the same key and body give the same answer and one message`() throws {
    let body = world.request(#"{"clientUids":["kim","nobody"]}"#)
    let first = try world.sent(body, key: "k")
    #expect(try world.sent(body, key: "k") == first)
    #expect(try world.count("SELECT count(*) FROM messages") == 1)
  }

  @Test func `the same key with another body is a conflict`() throws {
    _ = try world.send(world.request(#"{"all":true}"#), key: "k")
    let problem = world.sendProblem(world.request(#"{"members":true}"#), key: "k")
    #expect(problem?.code == .idempotencyConflict)
    #expect(problem?.detail.contains("message 1") == true)
    #expect(try world.count("SELECT count(*) FROM messages") == 1)
  }

  @Test func `a send that finds its key taken when it is stored leaves no page, and keeps no file for longer`() throws {
    _ = try world.send(world.request(#"{"all":true}"#), key: "k")
    let hosting = ContentHosting(publicURL: "https://u")
    let picture = try UploadService.upload(
      UploadService.Request(
        appID: "com.example.bank", contentType: nil, body: ByteSource([0xFF, 0xD8, 0xFF, 0xE0]), expiresIn: nil,
        caller: .commandLine, hosting: hosting), on: world.connection, now: world.now
    ).upload
    let csv = try CSVUploads.store(
      ByteSource(Array("kim,Kim\n".utf8)), of: "com.example.bank", skipsFaults: false, by: .commandLine,
      on: world.connection, now: world.now
    ).csv
    let ext = String(repeating: "x", count: 5_000)
    let body = world.request("{\"csv\":\"\(csv)\"}", "\"alert\":\"hi\",\"media\":\"\(picture)\",\"ext\":\"\(ext)\"")
    let message = try MessageRequest(json: body)
    let audience = try ResolvedAudience(message.audience, of: world.app.number, on: world.connection, now: world.now)
    let end = world.now + .seconds(message.expiresInSeconds)
    let plan = try HostingPlan(
      message, audience, world.app, hosting, on: world.connection, now: world.now, expiresAt: end)
    func create(key: String) throws(Problem) -> Seqno? {
      let new = Messages.New(
        app: world.app.number, lane: message.lane, request: String(decoding: body, as: UTF8.self), requestSHA256: [],
        idempotencyKey: key, apiKey: nil, targeted: 1, unknownEntries: "[]", keepsHistory: true,
        now: world.now, expiresAt: end)
      let request = SendRequest(body: body, idempotencyKey: key, caller: .commandLine, hosting: hosting)
      return try SendService.create(new, message, plan, by: request, on: world.connection)
    }
    func files() throws -> [Int64] {
      try [
        "SELECT count(*) FROM hosted_files", "SELECT sum(extract(epoch FROM expires_at))::bigint FROM hosted_files",
        "SELECT sum(extract(epoch FROM expires_at))::bigint FROM csv_audiences",
      ].map { try world.count($0) }
    }
    let before = try files()
    #expect(try create(key: "k") == nil)
    #expect(try files() == before)
    #expect(try create(key: "l") != nil)
    let after = try files()
    #expect(zip(after, before).allSatisfy { $0 > $1 }, "\(after)")
  }

  @Test func `keys of two apps have nothing to do with each other`() throws {
    _ = try world.connection.run(Apps.create(appID: "b", name: "b", clientKey: "b", timeZone: "UTC", identity: .open))
    _ = try world.send(world.request(#"{"all":true}"#), key: "k")
    #expect(try world.sent(world.request(#"{"all":true}"#, appID: "b"), key: "k").contains(#""seqno":"2""#))
  }

  @Test func `keys have 1 to 128 bytes`() throws {
    let body = world.request(#"{"all":true}"#)
    #expect(world.sendProblem(body, key: "")?.code == .invalidField)
    #expect(world.sendProblem(body, key: String(repeating: "k", count: 129))?.code == .invalidField)
    #expect(world.sendProblem(body, key: String(repeating: "k", count: 128)) == nil)
  }

  // MARK: Refusals

  @Test func `an unknown app is refused with what to do`() {
    let problem = world.sendProblem(world.request(#"{"all":true}"#, appID: "nope"))
    #expect(problem?.code == .unknownApp)
    #expect(problem?.detail.contains("upmc app create nope") == true)
  }

  @Test func `a caller for another app, or one who only looks, is refused`() {
    let body = world.request(#"{"all":true}"#)
    let foreign = Caller(role: .admin, app: world.app.number + 1, apiKey: 1)
    #expect(world.sendProblem(body, by: foreign)?.code == .forbidden)
    #expect(world.sendProblem(body, by: Caller(role: .viewer, app: nil, apiKey: 1))?.code == .forbidden)
    #expect(world.sendProblem(body, by: Caller(role: .sender, app: world.app.number, apiKey: 1)) == nil)
  }

  @Test func `nothing of a refused send is stored`() throws {
    _ = world.sendProblem(Array("{}".utf8))
    _ = world.sendProblem(world.request(#"{"all":true}"#, #""alert":"hi","badge":{"set":0}"#))
    _ = world.sendProblem(world.request(#"{"all":true}"#, "\"alert\":\"\(String(repeating: "x", count: 4000))\""))
    #expect(try world.count("SELECT count(*) FROM messages") == 0)
  }

  @Test func `a lost database is said, and the next send works`() throws {
    let killer = try TestDatabase.connect(to: world.databaseURL)
    var parameters = Parameters()
    parameters.append(world.connection.backendPID)
    // In a transaction the loss cannot be hidden.
    do {
      _ = try world.connection.commit { () throws(PostgresError) in
        try killer.run(Statement("kill", "SELECT pg_terminate_backend($1)"), parameters)
        return try world.connection.run(Apps.all())
      }
      Issue.record("the connection survived")
    } catch {
      #expect(error.code == .databaseAway)
    }
    #expect(world.sendProblem(world.request(#"{"all":true}"#)) == nil)
  }
}
