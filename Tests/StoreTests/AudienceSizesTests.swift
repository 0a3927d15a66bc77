import Domain
import Postgres
import TestSupport
import Testing
import Time

@testable import Store

/// How many devices an audience has is asked while the sender waits.
@Suite struct AudienceSizesTests {
  @Test func `a group is counted by its members' keys, though nothing is known of the tables yet`() throws {
    let connection = try TestDatabase.make().connect()
    try connection.script(
      """
      SET plan_cache_mode = force_generic_plan;
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT gen_random_uuid(), 1, 'u' || n % 1500, 1, 1, CASE WHEN n % 5 = 0 THEN 2 ELSE 1 END, 'p' || n, 'd' || n, now(),
        now(), now()
      FROM generate_series(0, 2999) n;
      INSERT INTO group_members (app, groupseq, user_key, joined_at)
      SELECT 1, g, 'u' || n, now() FROM generate_series(1, 2) g, generate_series(0, 9) n
      """)
    // Ten users with two devices each, a fifth of which is not active; each once, though in both groups.
    #expect(
      try connection.run(AudienceSizes.groups(app: 1, [1, 2], frozenAt: Timestamp(microseconds: .max / 2), limit: 100))
        == 16)
    #expect(
      try connection.run(AudienceSizes.groups(app: 1, [1], frozenAt: Timestamp(microseconds: .max / 2), limit: 7)) == 7)
    let plan = try connection.run(
      Statement("test-explain", #"EXPLAIN (COSTS OFF) EXECUTE "audience-sizes-groups"(1, '{1,2}', now(), 100)"#))
    let lines = plan.map { plan.text($0, 0) }
    #expect(
      lines.contains { $0.contains("Index Cond") && $0.contains(/\(user_key = \w+\.user_key\)/) },
      "\(lines.joined(separator: "\n"))")
  }
}
