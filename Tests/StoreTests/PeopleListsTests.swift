import Domain
import Postgres
import TestSupport
import Testing

@testable import Store

/// Lists of people read what they show, however many others there are.
@Suite struct PeopleListsTests {
  @Test func `a user's devices are read from where they stand in the index, by the plan for any user`() throws {
    let connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO users (app, user_key) SELECT 1, 'uuser' || lpad(n::text, 6, '0') FROM generate_series(1, 30000) n;
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT gen_random_uuid(), 1, 'uuser' || lpad(n::text, 6, '0'), 1, 1, 1, 'p' || n, 'd' || n, now(), now(), now()
      FROM generate_series(1, 30000) n;
      VACUUM ANALYZE devices, users;
      SET plan_cache_mode = force_generic_plan
      """)
    let from = "uuser025000"
    let first = DeviceID(high: 0, low: 0)
    let found = try connection.run(
      PeopleLists.devices(of: 1, after: ("", first), from: from, upto: from + "\u{1}", limit: 10))
    #expect(found.map(\.record.userKey.text) == [from])
    let next = try connection.run(
      PeopleLists.devices(of: 1, after: (from, found[0].record.device), from: "", upto: "\u{7F}", limit: 2))
    #expect(next.map(\.record.userKey.text) == ["uuser025001", "uuser025002"])
    let plan = try connection.run(
      Statement(
        "test-explain",
        """
        EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF)
        EXECUTE "people-lists-devices"(1, '\(from)', '\(first)', '\(from)a', 10)
        """))
    let lines = (0..<plan.count).map { plan.text($0, 0) }
    let story = lines.joined(separator: "\n")
    #expect(!story.contains("Seq Scan"), "\(story)")
    let pages = try #require(lines.first { $0.contains("Buffers: shared hit=") }?.firstMatch(of: /hit=(\d+)/))
    #expect(try #require(Int(pages.1)) < 40, "\(story)")
  }
}
