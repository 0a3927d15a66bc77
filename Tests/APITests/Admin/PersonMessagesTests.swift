import Domain
import HTTPClient
import Operations
import Postgres
import Store
import TestSupport
import Testing

@testable import API

/// What was sent to one person, over HTTP, on rows that are there as sends leave them.
@Suite struct PersonMessagesTests {
  private let world: AdminWorld
  private let viewer: String
  private static let path = "/v1/admin/users/kim01/messages?appId=com.example.bank"
  private static let phone = "00000000-0000-8000-8000-000000000001"
  private static let tablet = "00000000-0000-8000-8000-000000000002"

  init() throws {
    world = try AdminWorld()
    viewer = try world.key(.viewer)
    try world.connection.script(
      """
      INSERT INTO users (app, user_key, name) VALUES (1, 'ukim01', 'Kim'), (1, 'ulee02', 'Lee');
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT t.device::uuid, 1, t.key, 1, 1, 1, t.device, t.device, now(), now(), now()
      FROM (VALUES ('\(Self.phone)', 'ukim01'), ('\(Self.tablet)', 'ukim01'),
        ('00000000-0000-8000-8000-000000000003', 'ulee02')) AS t(device, key)
      """)
  }

  /// Messages 1 … n of the app, made as many days ago as is said.
  private func add(_ seqno: Int, _ request: String, days: Int = 0, finished: Bool = true) throws {
    try world.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, finished_at)
      SELECT \(seqno), 1, \(finished ? 6 : 2), 2, '\(request)', '', now() - interval '\(days) days', now(),
        \(finished ? "now()" : "NULL")
      """)
  }

  private func deliver(
    _ seqno: Int, to user: String = "ukim01", on device: String, _ status: Int, reason: String? = nil
  )
    throws
  {
    try world.connection.script(
      """
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key, reason)
      VALUES (\(seqno), '\(device)', '2026-11-21T09:30:00Z', \(status), 1, '\(user)', \(reason.map { "'\($0)'" } ?? "NULL"))
      """)
  }

  private func get(_ target: String = path, key: String? = nil) throws -> HTTPResponse {
    try world.call("GET", target, key: key ?? viewer, type: nil)
  }

  @Test func `each message with its outcome, receipt and read on each device, the newest first`() throws {
    try add(1, #"{"alert":{"title":"Old","body":"secret body"},"sender":"CRM"}"#)
    try deliver(1, on: Self.phone, 1)
    try deliver(1, on: Self.tablet, 2, reason: "Unregistered")
    try deliver(1, to: "ulee02", on: "00000000-0000-8000-8000-000000000003", 1)
    try add(2, #"{"alert":"for lee only"}"#)
    try deliver(2, to: "ulee02", on: "00000000-0000-8000-8000-000000000003", 1)
    try add(3, #"{"alert":{"title":"New","body":"b"},"kind":"ad"}"#, finished: false)
    try world.connection.script(
      """
      INSERT INTO row_receipts VALUES (1, '\(Self.phone)', '2026-11-21T09:30:01Z');
      INSERT INTO row_reads VALUES (1, '\(Self.phone)', '2026-11-21T09:30:02Z');
      INSERT INTO fallbacks (seqno, user_key, app, due_at, decision, decided_at)
        VALUES (1, 'ukim01', 1, '2026-11-21T09:40:00Z', 1, '2026-11-21T09:30:01Z');
      INSERT INTO claims (seqno, node, devices, user_keys)
        VALUES (3, gen_random_uuid(), '{\(Self.tablet)}', '{ukim01}')
      """)
    let page = try get()
    #expect(page.status == 200, "\(page.text)")
    #expect(page.values(of: "seqno") == ["3", "1"])
    #expect(page.values(of: "title") == ["New", "Old"] && page.values(of: "sender") == ["admin", "CRM"])
    #expect(page.values(of: "kind") == ["ad", "notice"])
    #expect(page.values(of: "device") == [Self.tablet, Self.phone, Self.tablet])
    #expect(page.values(of: "status") == ["pending", "accepted", "rejected"])
    #expect(
      page.text.contains(
        #""status":"accepted","reason":null,"attempts":1,"at":"2026-11-21T09:30:00.000Z","#
          + #""receivedAt":"2026-11-21T09:30:01.000Z","readAt":"2026-11-21T09:30:02.000Z""#), "\(page.text)")
    #expect(page.text.contains(#""reason":"Unregistered""#))
    #expect(
      page.text.contains(
        #""fallback":{"state":"confirmed","dueAt":"2026-11-21T09:40:00.000Z","decidedAt":"2026-11-21T09:30:01.000Z"}"#))
    #expect(!page.text.contains("secret body") && page.text.hasSuffix(#""nextCursor":null}"#))
  }

  @Test func `of a confidential message its kind and time, to nobody what it says`() throws {
    try add(1, #"{"alert":{"title":"Code 123456","body":"b"},"confidential":true,"sender":"OTP"}"#)
    try deliver(1, on: Self.phone, 1)
    for role in [Role.viewer, .operator, .admin] {
      let page = try get(key: world.key(role))
      #expect(page.values(of: "seqno") == ["1"] && page.values(of: "sender") == ["OTP"])
      #expect(page.text.contains(#""title":null,"confidential":true"#) && !page.text.contains("123456"))
    }
  }

  @Test func `of a request too large for a list nothing is said of what it says`() throws {
    try add(1, "{}")
    // What cannot be compressed, or the row would be small.
    try world.connection.script(
      """
      UPDATE messages SET request = (SELECT json_build_object('kind', 'ad', 'sender', 'CRM', 'audience', json_agg(u))
        FROM (SELECT gen_random_uuid() AS u FROM generate_series(1, 4000)) t)
      """)
    try deliver(1, on: Self.phone, 1)
    let page = try get()
    #expect(page.values(of: "seqno") == ["1"])
    #expect(page.text.contains(#""kind":null,"sender":null,"title":null,"#), "\(page.text)")
  }

  @Test func `it is walked page by page, each message once, and ends after 90 days`() throws {
    for seqno in 1...9 {
      try add(seqno, #"{"alert":"x"}"#, days: seqno < 3 ? 91 : 1)
      if seqno != 5 { try deliver(seqno, on: Self.phone, 1) }
    }
    var found: [String] = []
    var cursor: String?
    repeat {
      let page = try get(Self.path + "&limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
      found += page.values(of: "seqno")
      cursor = page.values(of: "nextCursor").last
    } while cursor != nil
    #expect(found == ["9", "8", "7", "6", "4", "3"])
    #expect(try get(Self.path + "&cursor=x").isProblem(.invalidField))
  }

  @Test func `who has many devices is found a few messages at a time, each once`() throws {
    try world.connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT ('00000000-0000-8000-9000-' || lpad(n::text, 12, '0'))::uuid, 1, 'ukim01', 1, 1, 1, 'p' || n, 'd' || n, now(),
        now(), now()
      FROM generate_series(1, 198) n;
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, finished_at)
      SELECT n, 1, 6, 2, '{}', '', now(), now(), now() FROM generate_series(1, 160) n
      """)
    for seqno in [2, 5, 80, 160] { try deliver(seqno, on: Self.phone, 1) }
    // 15,000 places a page: 75 messages on 200 devices.
    var (found, pages): ([String], [Int]) = ([], [])
    var cursor: String?
    repeat {
      let page = try get(Self.path + (cursor.map { "&cursor=\($0)" } ?? ""))
      found += page.values(of: "seqno")
      pages.append(page.values(of: "seqno").count)
      cursor = page.values(of: "nextCursor").last
    } while cursor != nil
    #expect(found == ["160", "80", "5", "2"] && pages == [1, 1, 2])
  }

  @Test func `a message whose deliveries are dropped is absent, and what another got on the same device`() throws {
    try add(1, #"{"alert":"x","dbIn":false}"#)
    try add(2, #"{"alert":"x"}"#)
    try deliver(2, to: "ulee02", on: Self.phone, 1)
    let page = try get()
    #expect(page.status == 200 && page.values(of: "seqno").isEmpty)
  }

  @Test func `whoever may look up people sees it, and leaves a trace`() throws {
    #expect(try get(key: world.key(.sender)).isProblem(.forbidden))
    #expect(try get("/v1/admin/users/nobody/messages?appId=com.example.bank").isProblem(.unknownUser))
    _ = try get()
    _ = try get()
    let rows = try world.connection.run(
      Statement("test-person-readings", "SELECT object FROM audit_log WHERE action = 'people.read'"))
    #expect(rows.map { rows.text($0, 0) } == ["user-messages"])
  }

  @Test func `a search reads the places of the person's devices and no others, by the plan for anybody`() throws {
    let connection = world.connection
    try connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, finished_at)
      SELECT n, 1, 6, 2, '{}', '', now(), now(), now() FROM generate_series(1, 500) n;
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT n, ('00000000-0000-8000-9000-' || lpad(m::text, 12, '0'))::uuid, now(), 1, 1, 'u' || m
      FROM generate_series(1, 500) n, generate_series(1, 100) m;
      ANALYZE messages, outcomes;
      SET plan_cache_mode = force_generic_plan
      """)
    let user = UserKey(clientUID: "kim01")
    let devices = try [Self.phone, Self.tablet].map { try #require(DeviceID($0)) }
    let messages = try connection.run(PersonMessages.recent(of: 1, before: .max, since: 0, limit: 400))
    #expect(messages.map(\.seqno.number) == (101...500).reversed().map { Int64($0) })
    #expect(try connection.run(PersonMessages.find(messages, for: user, on: devices)).isEmpty)
    let list = "{\(messages.map { String($0.seqno) }.joined(separator: ","))}"
    let plan = try connection.run(
      Statement(
        "test-explain-person",
        """
        EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) EXECUTE "person-messages-find"(
          '\(list)', '{\(Self.phone),\(Self.tablet)}', 'ukim01', '{}')
        """))
    let story = (0..<plan.count).map { plan.text($0, 0) }.joined(separator: "\n")
    #expect(
      !story.contains("Seq Scan on outcomes")
        && story.contains("Index Cond: ((seqno = s.seqno) AND (device = d.device))"), "\(story)")
  }
}
