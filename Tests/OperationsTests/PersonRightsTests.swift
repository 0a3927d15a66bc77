import Domain
import Operations
import Postgres
import Store
import TestSupport
import Testing

@Suite struct PersonRightsTests {
  private let connection: Connection

  init() throws {
    connection = try TestDatabase.make().connect()
    _ = try Administration.createApp("a", name: "a", timeZone: "UTC", identity: .open, by: .commandLine, on: connection)
    try connection.script(
      """
      INSERT INTO users (app, user_key, name, badge) VALUES (1, 'ukim', 'Kim Secret', 3), (1, 'ulee', 'Lee', 1);
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, model, bound_at,
        registered_at, created_at)
      SELECT ('00000000-0000-8000-8000-00000000000' || n)::uuid, 1, CASE WHEN n < 3 THEN 'ukim' ELSE 'ulee' END, 1, 1, 1,
        repeat(n::text, 64), 'phone' || n, 'iPhone', now(), now(), now() FROM generate_series(1, 3) n;
      INSERT INTO psids (app, psid, network, kind, device, bound_at) SELECT app, psid, 1, 1, device, now() FROM devices;
      INSERT INTO former_psids (app, psid, device, ended_at) SELECT 1, 'former', device, now() FROM devices;
      INSERT INTO groups (app, name) VALUES (1, 'g');
      INSERT INTO group_members (app, user_key, groupseq, joined_at) VALUES (1, 'ukim', 1, now()), (1, 'ulee', 1, now());
      INSERT INTO messages (app, state, lane, request, request_sha256, created_at, expires_at, frozen_at, finished_at,
        targeted, planned)
      VALUES (1, 4, 1, '{}', '\\x00', now(), now(), now(), now(), 3, true);
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key) SELECT 1, device, now(), 1, 1, user_key FROM devices;
      INSERT INTO badge_ledger (app, user_key, seqno, increment) VALUES (1, 'ukim', 1, 1), (1, 'ulee', 1, 1);
      INSERT INTO inbox_messages (seqno, app, sent_at, ends_at, send_date, request)
      VALUES (1, 1, now(), now() + interval '9 days', '2026112109', '{"alert":"in the inbox"}');
      INSERT INTO inbox_entries (app, user_key, seqno, ends_at, filled)
      VALUES (1, 'ukim', 1, now() + interval '9 days', '["Kim Secret"]'), (1, 'ulee', 1, now() + interval '9 days', NULL)
      """)
  }

  private func rows(mentioning text: String) throws -> [String] {
    let tables = [
      "users", "devices", "psids", "former_psids", "group_members", "outcomes", "badge_ledger", "inbox_entries",
      "audit_log", "vouchers", "csv_lines", "test_recipients", "former_users", "fallbacks", "events", "import_errors",
    ]
    return try tables.filter { table in
      try connection.run(
        Statement("test-\(table)-\(text)", "SELECT count(*) FROM \(table) t WHERE t::text LIKE '%\(text)%'")
      ).int64(0, 0) > 0
    }
  }

  @Test func `an export holds everything about a person and nothing of others, and no whole token`() throws {
    let export = String(
      decoding: try PersonRights.export("kim", of: "a", phones: nil, by: .commandLine, on: connection).json,
      as: UTF8.self)
    for part in [
      "Kim Secret", "phone1", "phone2", #""groups":[{"groupseq":1"#, #""increment":1"#, #""seqno":1"#, "in the inbox",
    ] {
      #expect(export.contains(part), "\(part)")
    }
    #expect(!export.contains("Lee") && !export.contains("phone3") && !export.contains("111111111"))
    #expect(try rows(mentioning: "user.export") == ["audit_log"])
  }

  @Test func `an erased person is in no table any more; others and the numbers of messages stay`() throws {
    #expect(try PersonRights.erase("kim", of: "a", by: .commandLine, on: connection).devices == 2)
    for trace in ["ukim", "Kim Secret", "phone1", "phone2", "1111111111", "2222222222"] {
      #expect(try rows(mentioning: trace) == [], "\(trace)")
    }
    #expect(try rows(mentioning: "ulee").count == 6)
    #expect(try rows(mentioning: "phone3") == ["devices"])
    let left = try connection.run(
      Statement("test-left", "SELECT count(*), (SELECT count(*) FROM devices WHERE state = 1) FROM outcomes"))
    #expect(left.int64(0, 0) == 3 && left.int64(0, 1) == 1)
    #expect(throws: Problem.self) { try PersonRights.erase("kim", of: "a", by: .commandLine, on: connection) }
  }

  @Test(arguments: [
    "INSERT INTO vouchers (app, user_key, expires_at) VALUES (1, 'upark', now())",
    """
    INSERT INTO csv_audiences (app, sha256, lines, bytes, created_at, expires_at) VALUES (1, '', 1, 1, now(), now());
    INSERT INTO csv_lines (csv, user_key, name) VALUES (1, 'upark', 'Park')
    """,
    "INSERT INTO test_recipients (app, place, group_name, user_key) VALUES (1, 0, 'QA', 'upark')",
    "INSERT INTO group_members (app, user_key, groupseq, joined_at) VALUES (1, 'upark', 1, now())",
    "INSERT INTO badge_ledger (app, user_key, seqno, increment) VALUES (1, 'upark', 1, 1)",
    "INSERT INTO inbox_entries (app, user_key, seqno, ends_at) VALUES (1, 'upark', 1, now())",
    "INSERT INTO former_users (device, app, user_key, ended_at) SELECT device, 1, 'upark', now() FROM devices",
    "INSERT INTO fallbacks (seqno, app, user_key, due_at) VALUES (1, 1, 'upark', now())",
    "INSERT INTO events (app, event_kind, at, data) VALUES (1, 'sms.requested', now(), '{\"clientUid\":\"park\"}')",
    """
    INSERT INTO imports (app, kind, skips_errors, created_by) VALUES (1, 1, true, 'somebody');
    INSERT INTO import_errors (import, line, text, error) VALUES (1, 2, 'park,Park', 'x')
    """,
  ])
  func `a person without a device and a name is erased from wherever there is a trace`(sql: String) throws {
    try connection.script(sql)
    #expect(try PersonRights.erase("park", of: "a", by: .commandLine, on: connection).devices == 0)
    #expect(try rows(mentioning: "park") == [])
    #expect(throws: Problem.self) { try PersonRights.erase("park", of: "a", by: .commandLine, on: connection) }
  }

  @Test func `a person whose devices have used up the numbers of their keys is erased`() throws {
    try connection.script("UPDATE devices SET auth_epoch = 32767")
    #expect(try PersonRights.erase("kim", of: "a", by: .commandLine, on: connection).devices == 2)
    let rows = try connection.run(Statement("test-epochs", "SELECT count(*) FROM devices WHERE auth_epoch = -32768"))
    #expect(rows.int64(0, 0) == 2)
  }

  @Test func `among very many messages the older ones are searched afterwards, and no message is forgotten`() throws {
    try connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, frozen_at,
        finished_at, targeted, planned)
      SELECT n, 1, 4, 1, '{}', '\\x00', now(), now(), now(), now(), 0, true FROM generate_series(2, 10001) n;
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT 10001, device, at, status, attempts, user_key FROM outcomes;
      SELECT setval('messages_seqno_seq', 10001)
      """)
    #expect(try PersonRights.erase("kim", of: "a", by: .commandLine, on: connection).devices == 2)
    func named() throws -> [Int64] {
      let rows = try connection.run(
        Statement("test-named", "SELECT DISTINCT seqno FROM outcomes WHERE user_key = 'ukim' ORDER BY seqno"))
      return rows.map { rows.int64($0, 0) }
    }
    #expect(try named() == [1])
    for _ in 0..<5 {
      _ = try connection.withTransaction { try Erasures.step(deliveries: 1_000, on: connection) }
    }
    #expect(try named() == [])
  }

  @Test func `of the wrong lines of imports those go that name the person, not those with longer words`() throws {
    try connection.script(
      """
      INSERT INTO imports (app, kind, skips_errors, created_by) VALUES (1, 1, true, 'somebody');
      INSERT INTO import_errors (import, line, text, error) VALUES (1, 2, '"park",Park', 'x'), (1, 3, 'parker,P', 'x'),
        (1, 4, 'Park,''park', 'x'), (1, 5, 'lee,"spark"', 'x'), (1, 6, 'Park ,\tpark ', 'x'), (1, 7, ' park', 'x')
      """)
    _ = try PersonRights.erase("park", of: "a", by: .commandLine, on: connection)
    let left = try connection.run(
      Statement("test-wrong-lines", "SELECT string_agg(line::text, ' ' ORDER BY line) FROM import_errors"))
    #expect(left.text(0, 0) == "3 5")
  }
}
