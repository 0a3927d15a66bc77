import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

@Suite struct StoredUploadServiceTests {
  private let world: BatchWorld
  private let hosting = ContentHosting(publicURL: "https://u")

  init() throws {
    world = try BatchWorld()
    try world.populate()
  }

  private func upload() throws -> String {
    let body: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 600)
    return try UploadService.upload(
      UploadService.Request(
        appID: "com.example.bank", contentType: nil, body: ByteSource(body), expiresIn: nil, caller: .commandLine,
        hosting: hosting), on: world.connection, now: world.now
    ).upload
  }

  private func media(_ limit: String? = nil, _ cursor: String? = nil) throws -> ItemPage<StoredUploadService.Media> {
    try StoredUploadService.media(
      of: "com.example.bank", PageRequest(limit: limit, cursor: cursor), hosting: hosting, by: .commandLine,
      on: world.connection, now: world.now)
  }

  private func code(_ body: () throws(Problem) -> Void) -> Problem.Code? {
    do throws(Problem) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  private func deleteMedia(_ name: String, by caller: Caller = .commandLine) throws(Problem) {
    try StoredUploadService.deleteMedia(name, of: "com.example.bank", by: caller, on: world.connection)
  }

  @Test func `media are listed newest first, page by page, without those that have expired`() throws {
    var names: [String] = []
    for _ in 0..<5 {
      names.append(try upload())
      world.now += .milliseconds(1)
    }
    try world.connection.script("UPDATE hosted_files SET expires_at = created_at WHERE name = '\(names[2])'")
    var seen: [String] = []
    var cursor: String?
    repeat {
      let page = try media("2", cursor)
      seen += page.items.map(\.found.name)
      cursor = page.nextCursor
    } while cursor != nil
    #expect(seen == [4, 3, 1, 0].map { names[$0] })
    let json = String(decoding: try media("1").json, as: UTF8.self)
    #expect(json.contains("\"url\":\"https://u/m/\(names[4]).jpg\",\"path\":\"/m/\(names[4]).jpg\""), "\(json)")
    #expect(json.contains(#""bytes":604"#))
    #expect(code { () throws(Problem) in _ = try page("elsewhere") } == .invalidField)
  }

  @Test func `an app's stored uploads are shown beside the limits`() throws {
    _ = try upload()
    try world.connection.script(
      """
      INSERT INTO csv_audiences (app, sha256, lines, bytes, created_at, expires_at)
      VALUES (1, 'a', 1, 5, now(), now()), (1, 'b', 1, 2000000, now(), now() + interval '1 day')
      """)
    let use = try StorageUse.of("com.example.bank", by: .commandLine, on: world.connection)
    #expect(use.mediaBytes == Int64(Operations.Limits.partBytes))
    // One that has expired is there until it is deleted.
    #expect(use.audienceBytes == Int64(Operations.Limits.leastAudienceBytes) + 2_000_000 && use.importParts == 0)
    let json = String(decoding: use.json, as: UTF8.self)
    #expect(json.contains(#""mediaLimit":21474836480,"#) && json.contains(#""importPartsLimit":2048}"#), "\(json)")
  }

  private func page(_ cursor: String) throws(Problem) -> ItemPage<StoredUploadService.Media> {
    try StoredUploadService.media(
      of: "com.example.bank", try PageRequest(cursor: cursor), hosting: hosting, by: .commandLine,
      on: world.connection, now: world.now)
  }

  @Test func `a file is deleted with its parts, unless an open message shows it`() throws {
    let (shown, free) = (try upload(), try upload())
    guard case .accepted(let message) = try world.send(world.request(#"{"all":true}"#)) else {
      Issue.record("not sent")
      return
    }
    try world.connection.script(
      "UPDATE messages SET request = jsonb_set(request::jsonb, '{media}', '\"\(shown)\"')::json")
    #expect(code { () throws(Problem) in try deleteMedia(shown) } == .conflict)
    try deleteMedia(free)
    #expect(code { () throws(Problem) in try deleteMedia(free) } == .unknownUpload)
    #expect(try world.count("SELECT count(DISTINCT name) FROM hosted_parts") == 1)
    try world.connection.script("UPDATE messages SET state = 4, finished_at = now() WHERE seqno = \(message.seqno)")
    try deleteMedia(shown)
    #expect(try media().items.isEmpty)
    #expect(try world.count("SELECT count(*) FROM hosted_parts") == 0)
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE action = 'upload.delete'") == 2)
  }

  private func message(showing name: String) throws -> MessageRequest {
    let json = #"{"appId":"com.example.bank","audience":{"all":true},"alert":"hi","media":"\#(name)"}"#
    return try MessageRequest(json: Array(json.utf8))
  }

  private func plan(_ message: MessageRequest) throws -> HostingPlan {
    let audience = try ResolvedAudience(message.audience, of: world.app.number, on: world.connection, now: world.now)
    return try HostingPlan(message, audience, world.app, hosting, on: world.connection, now: world.now)
  }

  /// An upload that lives as long as a message shows it, and one that does not.
  @Test(arguments: [0, -1])
  func `a file is not deleted while a message that shows it is being stored`(_ days: Int) throws {
    let name = try upload()
    try world.connection.script("UPDATE hosted_files SET expires_at = expires_at + interval '\(days) days'")
    let plan = try plan(message(showing: name))
    let sender = try TestDatabase.connect(to: world.databaseURL)
    try sender.script("BEGIN")
    #expect(try plan.holdUpload(on: sender))
    try world.connection.script("SET lock_timeout = '10ms'")
    #expect(code { () throws(Problem) in try deleteMedia(name) } == .busy)
    try sender.script("ROLLBACK")
    try deleteMedia(name)
    // Deleted since it was planned.
    #expect(try !plan.holdUpload(on: world.connection))
  }

  @Test func `a message does not go out with a file that was deleted since it was planned`() throws {
    let name = try upload()
    let message = try message(showing: name)
    let plan = try plan(message)
    try deleteMedia(name)
    let new = Messages.New(
      app: world.app.number, lane: .normal, request: "{}", requestSHA256: [], idempotencyKey: nil, apiKey: nil,
      targeted: nil, unknownEntries: "[]", keepsHistory: true, now: world.now, expiresAt: world.now + .seconds(60))
    let request = SendRequest(body: [], idempotencyKey: nil, caller: .commandLine, hosting: hosting)
    #expect(
      code { () throws(Problem) in
        _ = try SendService.create(new, message, plan, by: request, on: world.connection)
      } == .impossible)
    #expect(try world.count("SELECT count(*) FROM messages") == 0)
  }

  @Test func `a page of a message is no upload`() throws {
    try world.connection.script("UPDATE hosted_files SET suffix = '_ext.html' WHERE name = '\(try upload())'")
    #expect(try media().items.isEmpty)
    let name = try #require(
      try world.connection.run(Statement("test-name", "SELECT name FROM hosted_files")).optionalText(0, 0))
    #expect(code { () throws(Problem) in try deleteMedia(name) } == .unknownUpload)
  }

  @Test(arguments: ["\"N\"", "N", "N.0", "Ne0"])
  func `an audience file goes with its lines, unless an open message goes to it`(written: String) throws {
    func store(_ text: String) throws -> Int64 {
      try CSVUploads.store(
        ByteSource(Array(text.utf8)), of: "com.example.bank", skipsFaults: false, by: .commandLine,
        on: world.connection, now: world.now
      ).csv
    }
    func delete(_ csv: Int64) throws(Problem) {
      try StoredUploadService.deleteFile(csv, of: "com.example.bank", by: .commandLine, on: world.connection)
    }
    let (used, free) = (try store("kim,Kim\n"), try store("lee,Lee\nkim,Kim\n"))
    let number = written.split(separator: "N", omittingEmptySubsequences: false).joined(separator: String(used))
    let sent = try world.send(world.request("{\"csv\":\(number)}"))
    guard case .accepted = sent else {
      Issue.record("not sent")
      return
    }
    let list = try StoredUploadService.files(
      of: "com.example.bank", PageRequest(), by: .commandLine, on: world.connection, now: world.now)
    #expect(list.items.map(\.found.csv) == [free, used] && list.items.map(\.found.lines) == [2, 1])
    #expect(code { () throws(Problem) in try delete(used) } == .conflict)
    try delete(free)
    #expect(try world.count("SELECT count(*) FROM csv_lines") == 1)
    #expect(code { () throws(Problem) in try delete(free) } == .unknownUpload)
  }

  @Test func `only those who manage content delete it`() throws {
    let name = try upload()
    for role in [Role.sender, .viewer] {
      let caller = Caller(role: role, app: nil, apiKey: 1)
      #expect(code { () throws(Problem) in try deleteMedia(name, by: caller) } == .forbidden)
    }
    #expect(
      code { () throws(Problem) in try deleteMedia(name, by: Caller(role: .operator, app: world.app.number, apiKey: 1))
      }
        == nil)
  }
}
