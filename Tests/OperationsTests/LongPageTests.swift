import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// Lists whose items have long texts: no page of them, however many items are asked for, is longer than it must be.
@Suite struct LongPageTests {
  private let database: TestDatabase
  private let connection: Connection
  private let appID = "com.example.bank"
  private let now: Timestamp = 1_800_000_000_000_000

  init() throws {
    database = try TestDatabase.make()
    connection = try database.connect()
    _ = try Administration.createApp(
      appID, name: "Bank", timeZone: "Asia/Seoul", by: .commandLine, on: connection)
  }

  /// The numbers of items on each page.
  private func pages<Item: JSONAnswer>(_ list: (PageRequest) throws -> ItemPage<Item>) throws -> [Int] {
    var sizes: [Int] = []
    var cursor: String?
    repeat {
      let page = try list(try PageRequest(limit: "1000", cursor: cursor))
      sizes.append(page.items.count)
      cursor = page.nextCursor
    } while cursor != nil
    return sizes
  }

  @Test func `a page of long drafts ends early, in their list and in the audit log`() throws {
    let draft = SavedMessageService.New(
      name: "long", message: Array(#"{"note":"\#(String(repeating: "x", count: 60_000))"}"#.utf8))
    for _ in 1...20 {
      _ = try SavedMessageService.create(draft, .draft, of: appID, by: .commandLine, on: connection)
    }
    let drafts = try pages { page in
      try SavedMessageService.list(.draft, of: appID, page, by: .commandLine, on: connection)
    }
    #expect(drafts == [18, 2])
    let entries = try pages { page in
      try AuditTrail.list(AuditTrail.Question(), page, by: .commandLine, on: connection)
    }
    // One of them is the app's.
    #expect(entries == [18, 3])
    let ofApp = try pages { page in
      try AuditTrail.list(AuditTrail.Question(appID: appID, action: "draft"), page, by: .commandLine, on: connection)
    }
    #expect(ofApp == [18, 2])
    // The export adds its own entry before it reads.
    var export = try CSVExport.audit(AuditTrail.Question(), by: .commandLine, on: connection)
    var (pieces, lines) = (0, 0)
    while let piece = try export.next(on: connection) {
      #expect(piece.count < 2_000_000)
      pieces += 1
      lines += piece.count { $0 == 10 }
    }
    #expect(pieces >= 2 && lines == 1 + 22)
  }

  @Test func `a page of events that name many recipients ends early`() throws {
    try connection.script(
      """
      INSERT INTO webhooks (app, url, sealed, kinds, created_at)
      VALUES (1, 'https://a.example', '', '{deliveries.failed}', now());
      INSERT INTO events (app, event_kind, at, data)
      SELECT 1, 'deliveries.failed', now(), json_build_object('recipients', repeat('x', 60000))
      FROM generate_series(1, 20);
      INSERT INTO event_deliveries (event, due_at, webhook) SELECT event, now(), 1 FROM events
      """)
    let events = try pages { page in
      try EventService.list("1", state: nil, page, by: .commandLine, on: connection)
    }
    #expect(events == [18, 2])
  }

  @Test func `a page of long segments ends early, and none is longer than it may be`() throws {
    func segment(_ name: String, _ conditions: String) -> SegmentService.New {
      var new = SegmentService.New()
      (new.appID, new.name, new.conditions) = (appID, name, Array(conditions.utf8))
      return new
    }
    let users = (0..<1_000).map { "\"\($0)\(String(repeating: "u", count: 200))\"" }.joined(separator: ",")
    for number in 1...8 {
      _ = try SegmentService.create(
        segment("long \(number)", "{\"clientUids\":[\(users)]}"), by: .commandLine, on: connection, now: now)
    }
    let segments = try pages { page in try SegmentService.list(appID, page, by: .commandLine, on: connection) }
    #expect(segments == [6, 2])
    let longer = segment("longer", "{\"clientUids\":[\(users)],\"not\":{\"clientUids\":[\(users)]}}")
    do throws(Problem) {
      _ = try SegmentService.create(longer, by: .commandLine, on: connection, now: now)
      Issue.record("it is stored")
    } catch {
      #expect(error.code == .impossible && error.fields.map(\.pointer) == ["/conditions"])
    }
  }
}
