import Domain
import Postgres
import Store
import TestSupport
import Testing

/// Removing what is stored of a deleted app: every table is looked at, as the database itself names them.
@Suite struct AppPurgeTests {
  /// What may name an app that is gone.
  private static let kept: Set<String> = ["audit_log", "app_purges"]

  private let connection: Connection

  init() throws {
    connection = try TestDatabase.make().connect()
    for name in ["bank", "shop"] {
      _ = try connection.run(
        Apps.create(appID: "com.example.\(name)", name: "", clientKey: name, timeZone: "UTC", identity: .open))
    }
    for app in [1, 2] { try connection.script(Self.rows(of: app)) }
  }

  @Test func `nothing of a deleted app is left in any table, and its neighbour has everything`() throws {
    let before = try counts(of: 2)
    #expect(before.filter { $0.value == 0 }.map(\.key) == [], "every table that can name an app has a row")
    let hanging = try hangingCounts(of: 2)
    #expect(hanging.filter { $0.value == 0 }.map(\.key) == [])
    try beginPurge()
    // A delivery is on its way.
    try connection.script(
      """
      INSERT INTO claims (seqno, node, devices, user_keys) VALUES (1001, gen_random_uuid(), '{}', '{}')
      """)
    #expect(try finishPurge(atMost: 3) == nil)
    #expect(try number("SELECT count(*) FROM devices WHERE app = 1") > 0)
    try connection.script("DELETE FROM claims WHERE seqno = 1001")
    #expect(try finishPurge(atMost: 3)?.appID == "com.example.bank")
    #expect(try counts(of: 1).filter { $0.value > 0 && !Self.kept.contains($0.key) }.map(\.key) == [])
    #expect(try hangingCounts(of: 1).filter { $0.value > 0 }.map(\.key) == [])
    #expect(try counts(of: 2) == before)
    #expect(try hangingCounts(of: 2) == hanging)
    #expect(try connection.run(AppPurge.begin()) == nil)
    #expect(try connection.run(Apps.find(appID: "com.example.bank")) == nil)
    #expect(try connection.run(Apps.find(appID: "com.example.shop")) != nil)
    // Neither is its key turned into one for all apps, nor its account.
    #expect(try number("SELECT count(*) FROM api_keys WHERE app IS NULL") == 0)
    #expect(try number("SELECT count(*) FROM accounts WHERE app IS NULL") == 0)
  }

  @Test func `a removal that breaks off at every portion goes on where it stopped`() throws {
    try beginPurge()
    var ended: AppPurge.Step?
    var broken = 0
    while ended == nil {
      // A node that is killed leaves its transaction undone.
      struct Killed: Error {}
      do {
        try connection.withTransaction {
          _ = try AppPurge.step(atMost: 2, restSeconds: 0, on: connection)
          throw Killed()
        }
      } catch is Killed { broken += 1 }
      let before = try number("SELECT removed FROM app_purges")
      let step = try step(atMost: 2)
      #expect(try number("SELECT removed FROM app_purges") >= before)
      if case .ended? = step { ended = step }
      try #require(broken < 2_000)
    }
    #expect(try counts(of: 1).filter { $0.value > 0 && !Self.kept.contains($0.key) }.isEmpty)
  }

  @Test func `what is written behind the removal is found by its next round`() throws {
    try beginPurge()
    while try number("SELECT count(*) FROM messages WHERE app = 1") > 0 { _ = try step(atMost: 100) }
    try connection.script(
      """
      INSERT INTO devices (device, bound_at, registered_at, created_at, app, network, environment, state, user_key, psid,
        device_id)
      VALUES ('00000000-0000-0000-0000-000000000001', now(), now(), now(), 1, 1, 1, 1, 'ulate', 'ff', 'late')
      """)
    #expect(try finishPurge(atMost: 100) != nil)
    #expect(try number("SELECT count(*) FROM devices WHERE app = 1") == 0)
  }

  @Test func `the id of a deleted app is never used again, its number in the audit log still names it`() throws {
    try beginPurge()
    _ = try finishPurge(atMost: 100)
    #expect {
      _ = try connection.run(
        Apps.create(appID: "com.example.bank", name: "", clientKey: "x", timeZone: "UTC", identity: .open))
    } throws: { ($0 as? PostgresError)?.constraint == "app_purges_app_id_is_unique" }
    let entries = try connection.run(
      AuditLog.list(AuditLog.Filter(), before: .max, window: 10, bytes: 1_000_000, limit: 10)
    ).records
    #expect(entries.contains { $0.appID == "com.example.bank" })
  }

  @Test func `an app comes back within its grace as it was, and not after it`() throws {
    try connection.script("UPDATE apps SET paused_reason = 'its key' WHERE app = 1")
    let before = try counts(of: 1)
    #expect(try connection.run(AppDeletions.ask(1, graceDays: 30, reason: "deleted")))
    #expect(try !connection.run(AppDeletions.ask(1, graceDays: 30, reason: "deleted")))
    #expect(try connection.run(AppPurge.begin()) == nil)
    try connection.run(AppPauses.resume(1))
    #expect(try connection.run(AppPauses.reason(of: 1)) == "deleted")
    #expect(try connection.run(AppDeletions.withdraw(1)))
    #expect(try connection.run(AppPauses.reason(of: 1)) == "its key")
    #expect(try counts(of: 1) == before)
    #expect(try connection.run(Apps.find(appID: "com.example.bank"))?.app.deletion == nil)
    try beginPurge()
    #expect(try !connection.run(AppDeletions.withdraw(1)))
    #expect(try connection.run(Apps.find(appID: "com.example.bank"))?.app.state == "purging")
  }

  @Test func `the nodes have time to see that a removal has begun`() throws {
    try beginPurge()
    let step = try connection.withTransaction { try AppPurge.step(atMost: 9, restSeconds: 3600, on: connection) }
    #expect(step == .waiting)
    #expect(try number("SELECT count(*) FROM credentials WHERE app = 1") == 1)
  }

  // MARK: Steps

  private func beginPurge() throws {
    #expect(try connection.run(AppDeletions.ask(1, graceDays: 0, reason: "deleted")))
    #expect(try connection.run(AppPurge.begin())?.appID == "com.example.bank")
  }

  private func step(atMost limit: Int) throws -> AppPurge.Step? {
    try connection.withTransaction { try AppPurge.step(atMost: limit, restSeconds: 0, on: connection) }
  }

  /// Returns the app that was removed; nil if the removal waits for something.
  private func finishPurge(atMost limit: Int) throws -> (app: App.Number, appID: String)? {
    for _ in 0..<5_000 {
      switch try step(atMost: limit) {
      case .removed?: continue
      case .ended(let app, let appID, _)?: return (app, appID)
      case .waiting?, nil: return nil
      }
    }
    Issue.record("the removal does not end")
    return nil
  }

  // MARK: Every table

  private func number(_ select: String) throws -> Int64 {
    try connection.run(Statement("test-\(select.hashValue)", select)).int64(0, 0)
  }

  private func tables(with column: String) throws -> [String] {
    let rows = try connection.run(
      Statement(
        "test tables with \(column)",
        """
        SELECT c.table_name::text FROM information_schema.columns c
        JOIN information_schema.tables t ON t.table_name = c.table_name AND t.table_schema = c.table_schema
        JOIN pg_class k ON k.relname = c.table_name
        WHERE c.table_schema = 'public' AND c.column_name = '\(column)' AND t.table_type = 'BASE TABLE'
          AND NOT k.relispartition
        ORDER BY 1
        """))
    return rows.map { rows.text($0, 0) }
  }

  /// Rows of each table with a column `app`.
  private func counts(of app: Int) throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for table in try tables(with: "app") where table != "app_purges" {
      counts[table] = try number("SELECT count(*) FROM \(table) WHERE app = \(app)")
    }
    return counts
  }

  /// Rows of each table that names messages, devices and other things of an app, by the numbers that the tests give them.
  private func hangingCounts(of app: Int) throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    let apps = Set(try tables(with: "app"))
    for table in try tables(with: "seqno") where !["claims", "erasure_walk"].contains(table) {
      counts["\(table).seqno"] = try number(
        "SELECT count(*) FROM \(table) WHERE seqno BETWEEN \(app)000 AND \(app)999")
    }
    for (column, value) in [
      ("device", "'\(Self.device(app))'"), ("csv", "\(app)"), ("import", "\(app)"), ("channel", "\(app)"),
      ("event", "\(app)"), ("account", "\(app)"), ("name", "'file\(app)'"),
    ] {
      for table in try tables(with: column) where !apps.contains(table) || column == "device" {
        // Tables of the server: without anything of an app.
        if ["delivery_tables", "time_zones", "erasure_walk", "upmc_migrations"].contains(table) { continue }
        if column == "name", table != "hosted_parts" { continue }
        if column == "device", !["devices", "device_send_meters", "psids", "former_psids"].contains(table) { continue }
        counts["\(table).\(column)"] = try number("SELECT count(*) FROM \(table) WHERE \(column) = \(value)")
      }
    }
    return counts
  }

  private static func device(_ app: Int) -> String { "00000000-0000-0000-0000-00000000000\(app + 1)" }

  /// One row or more in every table that can have something of an app.
  private static func rows(of app: Int) -> String {
    let (n, device, seqno) = (app, device(app), app * 1000 + 1)
    return """
      INSERT INTO credentials (app, network, kind, public_part, sealed) VALUES (\(n), 1, 'apns-key', '{}', '');
      INSERT INTO api_keys (sha256, role, app) VALUES ('\\x0\(n)', 'sender', \(n));
      INSERT INTO accounts (login, name, role, app) VALUES ('kim\(n)', 'Kim', 'admin', \(n));
      INSERT INTO account_holders (account, holder, at, made) VALUES (\(n), 'unix kim', now(), true);
      INSERT INTO recovery_codes (account, sha256) VALUES (\(n), '');
      INSERT INTO sessions (sha256, account, created_at, used_at, idle_until, ends_at, origin, method)
      VALUES ('\\x0\(n)', \(n), now(), now(), now(), now(), '', 'password');
      INSERT INTO sign_in_links (sha256, account, ends_at) VALUES ('\\x0\(n)', \(n), now());
      INSERT INTO sign_in_places (account, place, seen_at) VALUES (\(n), '', now());
      INSERT INTO audit_log (app, actor, role, origin, request_id, action, object)
      VALUES (\(n), 'kim', 'admin', '', '', 'app.create', 'a');
      INSERT INTO audit_readings (reader, list, app, hour) VALUES ('kim', 'users', \(n), now());
      INSERT INTO devices (device, bound_at, registered_at, created_at, app, network, environment, state, user_key, psid,
        device_id)
      SELECT CASE i WHEN 0 THEN '\(device)' ELSE gen_random_uuid() END, now(), now(), now(), \(n), 1, 1, 1 + i % 3, 'ukim',
        'aa' || i, 'd' || i FROM generate_series(0, 6) i;
      INSERT INTO device_send_meters (device, window_began, sent) VALUES ('\(device)', now(), 1);
      INSERT INTO psids (device, bound_at, app, network, kind, psid) VALUES ('\(device)', now(), \(n), 1, 1, 'aa');
      INSERT INTO former_psids (device, ended_at, app, psid) VALUES ('\(device)', now(), \(n), 'bb');
      INSERT INTO former_users (device, ended_at, app, user_key) VALUES ('\(device)', now(), \(n), 'ulee')
      ON CONFLICT DO NOTHING;
      INSERT INTO vouchers (app, user_key, expires_at) VALUES (\(n), 'ukim', now());
      INSERT INTO identity_refusals (app, day, writer) VALUES (\(n), current_date, 1);
      INSERT INTO device_notices (app, device, kind, user_key, created_at) VALUES (\(n), '\(device)', 1, 'ukim', now());
      INSERT INTO users (app, user_key) SELECT \(n), 'u' || i FROM generate_series(1, 9) i;
      INSERT INTO badge_ledger (seqno, app, increment, user_key) VALUES (\(seqno), \(n), 1, 'ukim');
      INSERT INTO badge_syncs (app, user_key, due_at) VALUES (\(n), 'ukim', now());
      INSERT INTO groups (app, name) VALUES (\(n), 'top');
      INSERT INTO groups (app, name, parent) SELECT \(n), 'below', groupseq FROM groups WHERE app = \(n);
      INSERT INTO groups (app, name, parent) SELECT \(n), 'lowest', groupseq FROM groups WHERE app = \(n) AND name = 'below';
      INSERT INTO group_members (groupseq, joined_at, app, user_key) VALUES (\(n), now(), \(n), 'ukim');
      INSERT INTO segments (app, name, conditions, created_at, updated_at) VALUES (\(n), 's', '{}', now(), now());
      INSERT INTO csv_audiences (app, sha256, lines, bytes, created_at, expires_at)
      VALUES (\(n), '', 1, 1, now(), now());
      INSERT INTO csv_lines (csv, user_key, name) SELECT \(n), 'u' || i, '' FROM generate_series(1, 5) i;
      INSERT INTO erasures (app, user_key, upto_seqno) VALUES (\(n), 'ukim', 1);
      INSERT INTO event_erasures (app, user_key, upto_event) VALUES (\(n), 'ukim', 1);
      INSERT INTO erasure_rests (seqno, device, app, user_key) VALUES (\(seqno), '\(device)', \(n), 'ukim');
      INSERT INTO schedules (app, unit, first_local, is_local, last_day) VALUES (\(n), 'day', now(), false, current_date);
      INSERT INTO messages (seqno, app, state, lane, request, targeted, created_at, expires_at, finished_at, planned)
      SELECT \(n)000 + i, \(n), CASE WHEN i > 7 THEN 4 ELSE 2 END, 1, '{}', 1, now(), now(),
        CASE WHEN i > 7 THEN now() END, true FROM generate_series(1, 9) i;
      INSERT INTO messages (seqno, app, state, lane, request, created_at, expires_at, due_at, held, asked_by)
      VALUES (\(n)100, \(n), 0, 1, '{}', now(), now(), now() + interval '1 day', 2, 'unix kim');
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT \(seqno), gen_random_uuid(), now(), 1, 1, 'ukim' FROM generate_series(1, 7);
      INSERT INTO row_receipts (seqno, device, at) VALUES (\(seqno), '\(device)', now());
      INSERT INTO row_reads (seqno, device, at) VALUES (\(seqno), '\(device)', now());
      INSERT INTO message_totals (seqno, writer) VALUES (\(seqno), 1);
      INSERT INTO reason_totals (seqno, count, writer, reason) VALUES (\(seqno), 1, 1, 'gone');
      INSERT INTO blocks (seqno, block, devices_count, devices, user_keys)
      SELECT \(seqno), i, 0, '', '' FROM generate_series(1, 4) i;
      INSERT INTO block_states (seqno, block, states) VALUES (\(seqno), 1, '');
      INSERT INTO block_confirmations (seqno, sent_at, block, is_read, minutes) VALUES (\(seqno), now(), 1, true, '');
      INSERT INTO waits (seqno, due_at, at, block, reason, places) VALUES (\(seqno), now(), now(), 1, 'x', '{}');
      INSERT INTO confirmation_log (seqno, entries) VALUES (\(seqno), '');
      INSERT INTO shards (seqno, shard, targeted) VALUES (\(seqno), 0, 0);
      INSERT INTO gates (seqno) VALUES (\(seqno));
      INSERT INTO waves (seqno, wave, due_at, zones) VALUES (\(seqno), 1, now(), '{}');
      INSERT INTO fallbacks (seqno, due_at, app, user_key) VALUES (\(seqno), now(), \(n), 'ukim');
      INSERT INTO failure_reports (seqno) VALUES (\(seqno));
      INSERT INTO inbox_messages (seqno, sent_at, ends_at, app, send_date, request)
      VALUES (\(seqno), now(), now(), \(n), '', '{}');
      INSERT INTO inbox_entries (seqno, ends_at, app, user_key) VALUES (\(seqno), now(), \(n), 'ukim');
      INSERT INTO approvals (app, request, request_sha256, unknown_entries, account, requested_by, requested_at, ends_at, seqno)
      VALUES (\(n), '{}', '', '[]', 0, 'kim', now(), now(), \(seqno));
      INSERT INTO approval_loosenings (app, by, was) VALUES (\(n), 'unix kim', 1);
      INSERT INTO saved_messages (app, kind, name, message, updated_by) VALUES (\(n), 1, 't', '{}', 'kim');
      INSERT INTO test_recipients (app, place, group_name, user_key) VALUES (\(n), 0, 't', 'ukim');
      INSERT INTO hosted_files (name, app, suffix, type, bytes, part_bytes, sha256, created_at, expires_at)
      VALUES ('file\(n)', \(n), '.jpg', 'image/jpeg', 1, 1, '', now(), now());
      INSERT INTO hosted_parts (name, part, body) VALUES ('file\(n)', 0, 'x');
      INSERT INTO channels (app, environment, storage, apns_channel, name) VALUES (\(n), 1, 0, 'c', 'c');
      INSERT INTO channel_updates (channel, version, is_superseded, key, sha256) VALUES (\(n), 1, false, 'k', '');
      INSERT INTO webhooks (app, url, sealed, kinds, created_at) VALUES (\(n), 'https://x', '', '{x}', now());
      INSERT INTO events (at, app, event_kind, data) VALUES (now(), \(n), 'x', '{}');
      INSERT INTO event_deliveries (event, due_at, webhook) VALUES (\(n), now(), \(n));
      INSERT INTO statistics_minutes (at, app, writer, network, lane, app_version, reason) VALUES (now(), \(n), 1, 0, 0, '', '');
      INSERT INTO statistics_hours SELECT at, 0, 0, 0, 0, 0, 0, 0, 0, 0, app, network, lane, '', '' FROM statistics_minutes
      WHERE app = \(n);
      INSERT INTO statistics_days SELECT * FROM statistics_hours WHERE app = \(n);
      INSERT INTO imports (app, kind, skips_errors, created_by) VALUES (\(n), 1, false, 'kim');
      INSERT INTO import_errors (import, line, text, error) VALUES (\(n), 1, 'x', 'x');
      INSERT INTO import_parts (import, part, lines) VALUES (\(n), 1, 'x');
      """
  }
}
