import Foundation
import Postgres
import Reactor
import Store
import TestSupport
import Testing

/// After months: a million messages are over, and whatever is done again and again reads none of them.
@Suite(.serialized) struct LookTests {
  private static let messages = 1_000_000
  /// Pages and rows that one statement may look at. All messages are some 25,000 pages.
  private static let (mostPages, mostRows) = (1_000, 2_500)

  /// Messages of months with their totals and what they left behind; among the oldest some that are paused, reserved and
  /// still being sent.
  private static func age(_ database: TestDatabase) throws {
    let connection = try database.connect()
    try connection.script(
      """
      -- No look-ups of their app: there is one.
      SET session_replication_role = replica;
      INSERT INTO messages (app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at,
        planned, finished_at)
      SELECT 1, 4, n % 3, '{}', '', 1, t, t + interval '1 day', t, true, t
      FROM generate_series(1, \(messages)) n, LATERAL (SELECT now() - interval '2 seconds' * (\(messages) - n) AS t) at;
      INSERT INTO message_totals (seqno, writer, accepted) SELECT n, 1, 1 FROM generate_series(1, \(messages)) n;
      UPDATE messages SET state = 3, state_reason = 'Set aside: long ago', finished_at = NULL WHERE seqno IN (100, 101);
      UPDATE messages SET state = 0, due_at = now() + interval '1 day', planned = false, frozen_at = NULL,
        finished_at = NULL WHERE seqno IN (102, 103);
      UPDATE messages SET state = 2, due_at = created_at, targeted = 2, finished_at = NULL,
        expires_at = now() + interval '1 day' WHERE seqno IN (104, 105, 106);
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key)
      SELECT n, gen_random_uuid(), now(), now() + interval '1 day', 6, 1, 'u1' FROM generate_series(104, 106) n;
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT n, gen_random_uuid(), now(), 1, 1, 'u1' FROM generate_series(\(messages) - 19999, \(messages)) n;
      INSERT INTO events (app, event_kind, at, data)
      SELECT 1, 'message.finished', now() - interval '1 day', '{}' FROM generate_series(1, 20000);
      INSERT INTO webhooks (app, url, sealed, kinds, active, created_at)
      VALUES (1, 'https://bank.example', '', '{message.finished}', false, now());
      INSERT INTO event_deliveries (event, webhook, state, due_at, ended_at)
      SELECT n, 1, 1, now() - interval '1 day', now() - interval '1 day' FROM generate_series(1, 20000) n;
      INSERT INTO fallbacks (seqno, user_key, app, due_at, decision, decided_at)
      SELECT n, 'u1', 1, now() - interval '1 day', 1, now() - interval '1 day' FROM generate_series(1000, 20999) n;
      """)
    try connection.script("VACUUM ANALYZE")
  }

  /// Something of everything, so that there is something to look for.
  private func work(_ world: World) throws {
    for (index, user) in ["kim", "lee", "park"].enumerated() {
      try world.register("d\(index)", token: World.token("a\(index)"), user: user)
    }
    let code = try world.sendCode(#","badge":{"increment":1},"sms":true,"fallback":{"after":"PT1S"}"#)
    try world.expectDelivered(code)
    #expect(try world.receipt(code, World.token("a0")).status == 200)
    #expect(try world.read(code, World.token("a0")).status == 200)
    let all = try world.send(#"{"all":true}"#, #","canary":{"devices":1,"wait":"PT1S","maxRejectedPercent":50}"#)
    let slow = try world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    _ = try world.send(#"{"all":true}"#, #","window":{"from":"00:00","to":"23:59","zone":"device"}"#)
    #expect(try world.control("pause", slow).status == 200)
    #expect(try world.control("cancel", slow).status == 200)
    _ = try world.finished(all)
    _ = try world.finished(slow)
  }

  /// Words of statements of every thread that repeats: of its last and rarest looks.
  private static let looks = [
    "FROM nodes", "extend_seqno_ranges", "FROM event_deliveries", "badge_syncs", "FROM fallbacks f", "hosted_files",
    "erasure_rests", "begin_seqno_range", "statistics_progress", "m.lane = l.lane", "WHERE node = $1", "UPDATE waves",
    "FROM gates g", "vouchers", "device_notices", "FROM shards t", "former_psids",
  ]

  @Test func `no statement reads more than its answer, among a million messages that are over`() throws {
    var log: PlanLog?
    let world = try World(prepare: { database in
      try Self.age(database)
      log = try PlanLog(of: database)
    })
    try work(world)
    let plans = try #require(log)
    // Those that are made every few seconds have been made.
    let seen = try poll("not all threads have looked") {
      let entries = try plans.entries()
      return Self.looks.allSatisfy { look in entries.contains { $0.sql.contains(look) } } ? entries : nil
    }
    #expect(Set(seen.map(\.sql)).count > 100, "few statements were explained: \(Set(seen.map(\.sql)).count)")
    // What a function does is explained statement by statement.
    let dear = seen.filter { entry in
      !entry.parts.isEmpty && (entry.blocks > Self.mostPages || entry.rows > Self.mostRows + 2 * entry.answer)
    }
    for entry in Dictionary(grouping: dear, by: \.sql).compactMap(\.value.first) {
      Issue.record(
        "\(entry.rows) rows and \(entry.blocks) pages for \(entry.answer): \(entry.sql)\n\(entry.parts.joined(separator: "\n"))"
      )
    }
    try expectPlans(world.database)
  }

  // MARK: Those that did not run

  /// Statements that may read all messages, and why.
  private static let whole = [
    "invariants-sum": "the doctor is asked about all messages", "invariants-accepted": "the doctor, too",
    "invariants-badge": "the doctor, too", "invariants-waiting": "the doctor, too",
    "app-purge-stop": "once for each app that is deleted, by the app's index where there are several",
    "app-purge-seqnos": "the same: with one app alone its index bounds nothing",
    "extension-reports": "the newest ten thousand of an app: with one app alone its own index bounds nothing",
  ]

  private func expectPlans(_ database: TestDatabase) throws {
    let connection = try database.connect()
    try connection.script(
      "LOAD 'auto_explain'; SET auto_explain.log_min_duration = -1; SET plan_cache_mode = force_generic_plan")
    let columns = try StoreStatements.columns(connection)
    let statements = try StoreStatements.all()
    let known = Set(statements.map(\.name))
    var unplanned: [String] = []
    var planned = 0
    for (name, sql) in statements where !StoreStatements.elsewhere.contains(name) {
      do {
        try connection.script("PREPARE \"\(name)\"\(StoreStatements.typeList(name, sql, columns)) AS \(sql)")
        let count = try connection.run(
          Statement(
            "count",
            "SELECT coalesce(cardinality(parameter_types), 0)::bigint FROM pg_prepared_statements WHERE name = '\(name)'",
            isKept: false)
        ).int64(0, 0)
        let values = Array(repeating: "NULL", count: Int(count)).joined(separator: ", ")
        let plan = try connection.run(
          Statement("explain", "EXPLAIN EXECUTE \"\(name)\"\(count > 0 ? "(\(values))" : "")", isKept: false))
        planned += 1
        let lines = plan.map { plan.text($0, 0) }
        let walks = Self.walks(lines)
        if !walks.isEmpty, Self.whole[name] == nil {
          Issue.record("\(name) reads a table of months: \(walks)\n\(lines.joined(separator: "\n"))")
        }
      } catch {
        unplanned.append("\(name): \(error.message)")
      }
    }
    for name in Self.whole.keys { #expect(known.contains(name), "\(name) is no statement any more") }
    #expect(planned > 300 && unplanned.count < 20, "\(planned) planned, not these: \(unplanned)")
  }

  /// Looks at messages or totals that no condition of an index bounds.
  private static func walks(_ lines: [String]) -> [String] {
    lines.indices.filter { index in
      let line = lines[index]
      if line.contains("Seq Scan on messages ") || line.contains("Seq Scan on message_totals ") { return true }
      guard
        line.contains("using messages_pkey") || line.contains("using messages_by_app")
          || line.contains("using message_totals_pkey")
      else { return false }
      return !(index + 1 < lines.count && lines[index + 1].contains("Index Cond"))
    }.map { lines[$0].trimmingCharacters(in: .whitespaces) }
  }
}
