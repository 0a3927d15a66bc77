import Domain
import Foundation
import HTTPClient
import Operations
import Postgres
import Testing

@testable import API

/// Campaigns, single sends and tests apart; a message as a record, and in another's place; people by name.
@Suite struct MessagePurposeTests {
  let world: AdminWorld
  let admin: String

  init() throws {
    world = try AdminWorld()
    admin = try world.key(.admin, app: nil)
    try world.connection.script(
      """
      INSERT INTO users (app, user_key, name) VALUES (1, 'ukim', '김하늘'), (1, 'ulee', '이서연'), (1, 'upark', '김민준');
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, key, 1, 1, 1, repeat('0' || n, 32), 'd' || n,
        now(), now(), now()
      FROM unnest(ARRAY['ukim', 'ulee', 'upark']) WITH ORDINALITY AS t(key, n)
      """)
  }

  private func get(_ target: String) throws -> HTTPResponse {
    try world.call("GET", target, key: admin, type: nil)
  }

  private func send(_ audience: String, _ more: String = "") throws -> String {
    let sent = try world.call(
      "POST", "/v1/admin/messages", key: admin,
      #"{"appId":"com.example.bank","audience":\#(audience),"alert":"Hello"\#(more)}"#)
    return try #require(sent.values(of: "seqno").first, "\(sent.text)")
  }

  private static let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
  private static let (day, lastDay) = (String(tomorrow.prefix(10)), "2099-12-31")

  @Test func `campaigns, single sends and tests are listed apart, and what is open of each`() throws {
    let campaign = try send(#"{"all":true}"#)
    let later = try send(#"{"members":true}"#, #","sendAt":"\#(Self.tomorrow)","sender":"MKT""#)
    let single = try send(#"{"clientUids":["kim"]}"#)
    let test = try send(#"{"clientUids":["kim"]}"#, #","test":true,"lane":"urgent""#)
    func list(_ query: String) throws -> [String] { try get("/v1/admin/messages?\(query)").values(of: "seqno") }
    #expect(try list("purpose=campaign") == [later, campaign])
    #expect(try list("purpose=single") == [single])
    #expect(try list("purpose=test") == [test])
    #expect(try list("") == [test, single, later, campaign])
    #expect(try list("state=open") == [test, single, later, campaign])
    #expect(try list("state=scheduled") == [later])
    #expect(try list("state=scheduled&purpose=campaign&appId=com.example.bank") == [later])
    #expect(try list("state=queued&lane=urgent") == [test])
    #expect(try list("sender=MKT") == [later])
    #expect(try list("sender=admin&purpose=single") == [single])
    // What is urgent is confidential here: what it says is found by nobody.
    #expect(try list("text=hell") == [single, later, campaign])
    #expect(try list("text=%25").isEmpty)
    #expect(try get("/v1/admin/messages?purpose=x").isProblem(.invalidField))
    let refused = try world.call(
      "POST", "/v1/admin/messages", key: admin,
      #"{"appId":"com.example.bank","audience":{"all":true},"alert":"x","test":true}"#)
    #expect(refused.isProblem(.impossible))
  }

  @Test func `open messages are found among those that are over, page by page`() throws {
    try world.connection.script(
      """
      INSERT INTO messages (app, state, lane, purpose, request, request_sha256, created_at, expires_at, due_at, finished_at)
      SELECT 1, CASE WHEN n % 5000 = 0 THEN n / 5000 % 4 ELSE 4 END, n % 3, 1, '{}', '', now(), now(), now(),
        CASE WHEN n % 5000 <> 0 THEN now() END
      FROM generate_series(1, 40000) n
      """)
    var found: [String] = []
    var cursor: String?
    repeat {
      let page = try get("/v1/admin/messages?state=open&limit=3\(cursor.map { "&cursor=\($0)" } ?? "")")
      found += page.values(of: "seqno")
      cursor = page.values(of: "nextCursor").last
    } while cursor != nil
    #expect(found == (1...8).reversed().map { String($0 * 5000) })
  }

  @Test func `a record says who asked, what for, and what holds it back`() throws {
    let seqno = try send(
      #"{"members":true}"#,
      #","localTime":"\#(Self.day)T23:00","repeat":{"every":"month","until":"\#(Self.lastDay)"},"pace":{"perSecond":5}"#
    )
    let record = try get("/v1/admin/messages/\(seqno)/request")
    #expect(record.status == 200)
    #expect(record.text.contains(#""purpose":"campaign""#) && record.text.contains(#""pace":{"perSecond":5}"#))
    #expect(record.text.contains(#""every":"month","until":"\#(Self.lastDay)","occurrence":0,"ended":false"#))
    #expect(record.text.contains(#""message":{"appId":"com.example.bank","audience":{"members":true}"#))
    #expect(record.values(of: "reason") == ["time"])
    try world.connection.script("UPDATE apps SET paused_reason = 'Why'")
    #expect(try get("/v1/admin/messages/\(seqno)/request").values(of: "reason") == ["app-paused", "time"])
    #expect(try get("/v1/admin/messages/999/request").isProblem(.unknownMessage))
    _ = try world.call("POST", "/v1/admin/apps", key: admin, #"{"appId":"com.example.card","name":"Card"}"#)
    let foreign = try world.key(.admin, app: "com.example.card")
    #expect(
      try world.call("GET", "/v1/admin/messages/\(seqno)/request", key: foreign, type: nil).isProblem(.unknownMessage))
  }

  @Test func `a scheduled message is replaced, both or neither`() throws {
    let old = try send(#"{"all":true}"#, #","sendAt":"\#(Self.tomorrow)""#)
    func replace(_ seqno: String, _ body: String) throws -> HTTPResponse {
      try world.call("PUT", "/v1/admin/messages/\(seqno)", key: admin, body)
    }
    let body = #"{"appId":"com.example.bank","audience":{"members":true},"alert":"New","sendAt":"\#(Self.tomorrow)"}"#
    #expect(try replace(old, body.replacing("members", with: "nobody")).status >= 400)
    #expect(try get("/v1/admin/messages/\(old)").values(of: "state") == ["scheduled"])
    let made = try replace(old, body)
    #expect(made.status == 202, "\(made.text)")
    #expect(try get("/v1/admin/messages/\(old)").values(of: "state") == ["cancelled"])
    let new = try #require(made.values(of: "seqno").first)
    let entries = try world.connection.run(
      Statement("test-entries", "SELECT action || ' ' || object FROM audit_log WHERE action LIKE 'message.%'"))
    let lines = (0..<entries.count).map { entries.text($0, 0) }
    #expect(lines.suffix(2).sorted() == ["message.cancel \(old)", "message.send \(new)"], "\(lines)")
    #expect(try get("/v1/admin/messages/\(new)").values(of: "state") == ["scheduled"])
    // It is over: there is nothing to put another one in the place of.
    #expect(try replace(old, body).isProblem(.wrongState))
    #expect(try replace("999", body).isProblem(.unknownMessage))
    let begun = try send(#"{"all":true}"#)
    #expect(try replace(begun, body).isProblem(.wrongState))
    #expect(try get("/v1/admin/messages?limit=100").values(of: "seqno").count == 3)
  }

  @Test func `a key that was used for another request cancels nothing`() throws {
    let body = #"{"appId":"com.example.bank","audience":{"all":true},"alert":"A","sendAt":"\#(Self.tomorrow)"}"#
    func call(_ method: String, _ target: String, _ key: String) throws -> HTTPResponse {
      try world.call(
        method, "/v1/admin/messages\(target)", key: admin, headers: [(name: "Idempotency-Key", value: key)], body)
    }
    func state(_ seqno: String) throws -> [String] { try get("/v1/admin/messages/\(seqno)").values(of: "state") }
    let first = try #require(try call("POST", "", "k").values(of: "seqno").first)
    #expect(try call("PUT", "/\(first)", "k").isProblem(.idempotencyConflict))
    #expect(try state(first) == ["scheduled"])
    // Repeated, it is the same; for the new message it is another request.
    let second = try #require(try call("PUT", "/\(first)", "l").values(of: "seqno").first)
    #expect(try call("PUT", "/\(first)", "l").values(of: "seqno") == [second])
    #expect(try call("PUT", "/\(second)", "l").isProblem(.idempotencyConflict))
    #expect(try state(first) == ["cancelled"] && state(second) == ["scheduled"])
  }

  @Test func `people are found by how their name begins, page by page`() throws {
    let path = "/v1/admin/users?appId=com.example.bank&limit=1&name=%EA%B9%80"
    let first = try get(path)
    #expect(first.values(of: "clientName") == ["김민준"])
    let cursor = try #require(
      first.values(of: "nextCursor").last?.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    #expect(try get("\(path)&cursor=\(cursor)").values(of: "clientName") == ["김하늘"])
    #expect(try get("\(path)&prefix=kim").isProblem(.invalidField))
    #expect(try get("\(path)&cursor=x").isProblem(.invalidField))
  }

  @Test func `people of all apps are found at once, and only of those that the caller reaches`() throws {
    _ = try Administration.createApp(
      "com.example.card", name: "Card", timeZone: "Asia/Seoul", identity: .open, by: .commandLine,
      on: world.connection)
    try world.connection.script(
      """
      INSERT INTO users (app, user_key, name) SELECT app, 'ukim' || n, '김' || n FROM apps, generate_series(1, 9) n
        WHERE app_id = 'com.example.card'
      """)
    let path = "/v1/admin/users"
    let found = try get("\(path)?prefix=kim&limit=3")
    #expect(found.values(of: "clientUid") == ["kim", "kim1", "kim2"])
    #expect(found.values(of: "appId") == ["com.example.bank", "com.example.card", "com.example.card"])
    #expect(found.values(of: "nextCursor").isEmpty)
    let named = try get("\(path)?name=%EA%B9%80&limit=100")
    #expect(Set(named.values(of: "appId")) == ["com.example.bank", "com.example.card"])
    #expect(named.values(of: "clientName").count == 11)
    let own = try world.call(
      "GET", "\(path)?prefix=kim&limit=3", key: try world.key(.admin, app: "com.example.bank"), type: nil)
    #expect(own.values(of: "clientUid") == ["kim"])
    #expect(try get(path).isProblem(.impossible))
    #expect(try get("\(path)?prefix=kim&name=x").isProblem(.impossible))
    #expect(try get("\(path)?prefix=kim&cursor=a2lt").isProblem(.impossible))
  }

  @Test func `tests that were cancelled or refused are outside the statistics, as all tests are`() throws {
    func statistics() throws -> [Int] {
      let report = try get("/v1/admin/statistics?appId=com.example.bank&by=hour").text
      let total = report.components(separatedBy: "\"total\":").last ?? ""
      return ["rejected", "cancelled", "skipped", "accepted"].map { name in
        let part = total.components(separatedBy: "\"\(name)\":").dropFirst().first ?? "-1"
        return Int(part.prefix { $0.isNumber || $0 == "-" }) ?? -1
      }
    }
    let before = try statistics()
    #expect(before == [0, 0, 0, 0])
    let test = try send(#"{"clientUids":["kim"]}"#, #","test":true,"sendAt":"\#(Self.tomorrow)""#)
    let cancelled = try world.call("POST", "/v1/admin/messages/\(test)/cancel", key: admin, "")
    #expect(cancelled.status == 200, "\(cancelled.text)")
    #expect(try statistics() == before)
  }

  @Test func `messages are listed that were at work in a time, by when they ended`() throws {
    try world.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, purpose, request, request_sha256, created_at, expires_at, finished_at)
      VALUES (1, 1, 4, 1, 0, '{}', '', '2026-03-01T00:00Z', now(), '2026-03-01T01:00Z'),
        (2, 1, 4, 1, 0, '{}', '', '2026-03-01T14:00Z', now(), '2026-03-01T16:00Z'),
        (3, 1, 4, 1, 0, '{}', '', '2026-03-02T16:00Z', now(), '2026-03-02T17:00Z')
      """)
    // The second of March, in Seoul.
    let day = "activeFrom=2026-03-01T15:00:00Z&to=2026-03-02T15:00:00Z"
    #expect(try get("/v1/admin/messages?\(day)").values(of: "seqno") == ["2"])
    #expect(try get("/v1/admin/messages?activeFrom=x").isProblem(.invalidField))
  }
}
