import Domain
import Foundation
import HTTPClient
import Operations
import Postgres
import Synchronization
import Testing

@testable import API

/// A second person for large messages.
@Suite struct ApprovalTests {
  private let world: AdminWorld
  private let kim: Browser
  private let lee: Browser

  init() throws {
    world = try AdminWorld()
    _ = try world.connection.run(
      Statement(
        "test-devices",
        """
        INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
          created_at)
        SELECT ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'ukim', 1, 1, 1, 'ab' || n, 'd' || n,
          now(), now(), now() FROM generate_series(1, 3) n
        """))
    kim = try Browser(world, "kim@example.com", .operator)
    lee = try Browser(world, "lee@example.com", .operator)
    let change = try world.call(
      "PATCH", "/v1/admin/apps/com.example.bank", key: try world.key(.admin), #"{"approvalAbove":2}"#)
    try #require(change.status == 200 && change.text.contains(#""approvalAbove":2"#), "\(change.text)")
  }

  /// Somebody who has signed in.
  struct Browser {
    let world: AdminWorld
    let cookie: String
    let csrf: String

    init(_ world: AdminWorld, _ login: String, _ role: Role) throws {
      self.world = world
      let now = try world.connection.run(Statement("test-now", "SELECT now()")).timestamp(0, 0)
      let link = try ConsoleAccounts.create(
        login, name: login, role: role, appID: nil, by: .commandLine, on: world.connection, now: now)
      let session = try world.call("POST", "/v1/admin/session", #"{"link":"\#(link.token)"}"#)
      cookie = String(try #require(session.header("set-cookie")).prefix { $0 != ";" })
      csrf = try #require(session.values(of: "csrfToken").first)
    }

    func call(_ method: String, _ target: String, key: String? = nil, _ body: String = "") throws -> HTTPResponse {
      var headers = [(name: "Cookie", value: cookie), (name: "X-CSRF-Token", value: csrf)]
      if let key { headers.append((name: "Idempotency-Key", value: key)) }
      return try world.call(method, "/v1/admin/\(target)", headers: headers, body)
    }
  }

  private func count(_ table: String) throws -> Int64 {
    try world.connection.run(Statement("test-count-\(table)", "SELECT count(*) FROM \(table)")).int64(0, 0)
  }

  private func actions() throws -> [String] {
    let rows = try world.connection.run(
      Statement(
        "test-actions",
        "SELECT action || ' ' || actor FROM audit_log WHERE action LIKE 'approval%' OR action LIKE 'message%' ORDER BY entry"
      ))
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  @Test func `a message for more devices waits until somebody else approves it`() throws {
    let asked = try kim.call("POST", "messages", key: "k", AdminWorld.send)
    #expect(asked.status == 202)
    #expect(
      asked.text == """
        {"seqno":null,"state":"waiting-for-approval","approvalId":"1","targeted":3,"because":"size","sentWithinHour":0,\
        "unknown":[]}
        """)
    #expect(try count("messages") == 0 && world.committed.count.load(ordering: .relaxed) == 0)
    #expect(try kim.call("POST", "messages", key: "k", AdminWorld.send).text == asked.text)
    #expect(try count("approvals") == 1)
    let own = try kim.call("POST", "approvals/1/approve")
    #expect(own.isProblem(.forbidden) && own.text.contains("second person"), "\(own.text)")
    let key = try world.key(.admin)
    #expect(try world.call("POST", "/v1/admin/approvals/1/approve", key: key, type: nil).isProblem(.forbidden))
    #expect(try count("messages") == 0)
    let approved = try lee.call("POST", "approvals/1/approve")
    #expect(approved.status == 202)
    #expect(approved.text == #"{"seqno":"1","state":"queued","targeted":3,"unknown":[]}"#)
    #expect(world.committed.count.load(ordering: .relaxed) == 1)
    #expect(try lee.call("POST", "approvals/1/approve").text == approved.text)
    #expect(try kim.call("POST", "messages", key: "k", AdminWorld.send).text == approved.text)
    #expect(try count("messages") == 1)
    let shown = try kim.call("GET", "approvals/1")
    #expect(shown.values(of: "state") == ["approved"] && shown.values(of: "decidedBy") == ["lee@example.com"])
    #expect(shown.values(of: "requestedBy") == ["kim@example.com"] && shown.values(of: "seqno") == ["1"])
    #expect(shown.text.contains(#""message":\#(AdminWorld.send)"#))
    #expect(
      try actions() == [
        "approval.request kim@example.com", "message.send kim@example.com", "approval.approve lee@example.com",
      ])
  }

  @Test func `up to the size, from API keys, and tried out, nobody is asked`() throws {
    _ = try world.call("PATCH", "/v1/admin/apps/com.example.bank", key: try world.key(.admin), #"{"approvalAbove":3}"#)
    #expect(try kim.call("POST", "messages", AdminWorld.send).values(of: "seqno") == ["1"])
    _ = try world.call("PATCH", "/v1/admin/apps/com.example.bank", key: try world.key(.admin), #"{"approvalAbove":1}"#)
    let key = try world.key(.sender)
    #expect(try world.call("POST", "/v1/admin/messages", key: key, AdminWorld.send).values(of: "seqno") == ["2"])
    let dry = String(AdminWorld.send.dropLast()) + #","dryRun":true}"#
    #expect(try kim.call("POST", "messages", dry).values(of: "state") == ["dry-run"])
    #expect(try kim.call("POST", "messages", AdminWorld.send).values(of: "approvalId") == ["1"])
    for off in ["0", "null"] {
      let change = try world.call(
        "PATCH", "/v1/admin/apps/com.example.bank", key: try world.key(.admin), #"{"approvalAbove":\#(off)}"#)
      #expect(change.text.contains(#""approvalAbove":null"#), "\(change.text)")
    }
    #expect(try kim.call("POST", "messages", AdminWorld.send).values(of: "seqno") == ["3"])
  }

  @Test func `a scheduled message is replaced together with the approval that the new one needs, or not at all`() throws
  {
    let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
    let scheduled = String(AdminWorld.send.dropLast()) + #","sendAt":"\#(tomorrow)"}"#
    let key = try world.key(.admin)
    func old(_ body: String) throws -> String {
      try #require(try world.call("POST", "/v1/admin/messages", key: key, body).values(of: "seqno").first)
    }
    let begun = try old(AdminWorld.send)
    #expect(try kim.call("PUT", "messages/\(begun)", scheduled).isProblem(.wrongState))
    #expect(try count("approvals") == 0)
    let waits = try old(scheduled)
    #expect(try kim.call("PUT", "messages/\(waits)", scheduled).values(of: "approvalId") == ["1"])
    #expect(try world.call("GET", "/v1/admin/messages/\(waits)", key: key).values(of: "state") == ["cancelled"])
    #expect(try kim.call("PUT", "messages/\(waits)", scheduled).isProblem(.wrongState))
    #expect(try count("approvals") == 1)
  }

  @Test func `what was rejected never goes out, and whoever asked learns why`() throws {
    _ = try kim.call("POST", "messages", key: "k", AdminWorld.send)
    let rejected = try lee.call("POST", "approvals/1/reject", #"{"reason":"The price is wrong."}"#)
    #expect(rejected.status == 200 && rejected.values(of: "reason") == ["The price is wrong."], "\(rejected.text)")
    #expect(try lee.call("POST", "approvals/1/approve").isProblem(.conflict))
    #expect(try lee.call("POST", "approvals/1/reject", "{}").isProblem(.conflict))
    #expect(try kim.call("POST", "messages", key: "k", AdminWorld.send).isProblem(.conflict))
    #expect(try count("messages") == 0)
    #expect(try actions() == ["approval.request kim@example.com", "approval.reject lee@example.com"])
    // Whoever asked may take it back.
    _ = try kim.call("POST", "messages", AdminWorld.send)
    #expect(try kim.call("POST", "approvals/2/reject", "{}").values(of: "decidedBy") == ["kim@example.com"])
  }

  @Test func `what nobody decided in time, or whose sender may not send any more, does not go out`() throws {
    _ = try kim.call("POST", "messages", key: "k", AdminWorld.send)
    _ = try kim.call("POST", "messages", AdminWorld.send)
    try world.connection.script("UPDATE approvals SET ends_at = now() WHERE approval = 1")
    let late = try kim.call("POST", "messages", key: "k", AdminWorld.send)
    #expect(late.isProblem(.conflict) && late.text.contains("was not approved in time"), "\(late.text)")
    #expect(try lee.call("POST", "approvals/1/approve").isProblem(.conflict))
    try world.connection.script("UPDATE accounts SET role = 'viewer' WHERE login = 'kim@example.com'")
    let gone = try lee.call("POST", "approvals/2/approve")
    #expect(gone.isProblem(.conflict) && gone.text.contains("may not send any more"), "\(gone.text)")
    #expect(try count("messages") == 0)
    func listed(_ query: String) throws -> [String] {
      try lee.call("GET", "approvals?\(query)").values(of: "approvalId")
    }
    #expect(try listed("state=waiting") == ["2"])
    #expect(try listed("state=expired") == ["1"])
    #expect(try listed("") == ["2", "1"])
    #expect(try listed("limit=1&appId=com.example.bank") == ["2"])
    #expect(try listed("cursor=\(PageRequest.cursor(behind: "2"))") == ["1"])
    #expect(try lee.call("GET", "approvals?state=done").isProblem(.invalidField))
  }

  @Test func `a page of approvals ends when their requests are large, and the next goes on behind it`() throws {
    try world.connection.script(
      """
      INSERT INTO approvals (app, request, request_sha256, unknown_entries, account, requested_by, requested_at,
        ends_at)
      SELECT 1, json_build_object('alert', w.words), '', '[]', 1, 'kim', now(), now() + interval '1 day'
      FROM generate_series(1, 5) n, (SELECT repeat('x', 600000) AS words) w
      """)
    var (pages, cursor): ([[String]], String?) = ([], nil)
    repeat {
      let page = try lee.call("GET", "approvals" + (cursor.map { "?cursor=\($0)" } ?? ""))
      try #require(page.status == 200)
      pages.append(page.values(of: "approvalId"))
      cursor = page.values(of: "nextCursor").last
    } while cursor != nil && pages.count < 9
    #expect(pages == [["5", "4"], ["3", "2"], ["1"]])
  }

  @Test func `the second person decides on what it has seen`() throws {
    let key = try world.key(.admin)
    _ = try world.call(
      "POST", "/v1/admin/templates", key: key,
      #"{"appId":"com.example.bank","name":"n","message":{"alert":"as it was"}}"#)
    _ = try kim.call("POST", "messages", #"{"appId":"com.example.bank","audience":{"all":true},"template":"1"}"#)
    _ = try world.call("PUT", "/v1/admin/templates/1", key: key, #"{"name":"n","message":{"alert":"changed"}}"#)
    #expect(try lee.call("GET", "approvals/1").text.contains(#""alert":"as it was""#))
    #expect(try lee.call("POST", "approvals/1/approve").status == 202)
    let stored = try world.connection.run(Statement("test-request", "SELECT request::text FROM messages")).text(0, 0)
    #expect(stored.contains("as it was"))
  }

  @Test func `a message is sent again to many with a second person too`() throws {
    let key = try world.key(.admin)
    _ = try world.call("POST", "/v1/admin/messages", key: key, AdminWorld.send)
    _ = try world.call("POST", "/v1/admin/messages/1/cancel", key: key, type: nil)
    try world.connection.script(
      """
      INSERT INTO outcomes (seqno, device, user_key, status, reason, attempts, at)
      SELECT 1, device, user_key, 2, 'x', 1, now() FROM devices
      """)
    let asked = try kim.call("POST", "messages/1/resend", #"{"to":"failed"}"#)
    #expect(asked.values(of: "state") == ["waiting-for-approval"], "\(asked.text)")
    let approved = try lee.call("POST", "approvals/1/approve")
    #expect(approved.values(of: "resendOf") == ["1"] && approved.values(of: "seqno") == ["2"], "\(approved.text)")
  }
}
