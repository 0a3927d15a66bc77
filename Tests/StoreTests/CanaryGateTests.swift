import Domain
import Postgres
import Store
import TestSupport
import Testing

/// Canaries that several nodes watch.
@Suite struct CanaryGateTests {
  private let connection: Connection

  init() throws {
    connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('a', 'A', 'k');
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, planned)
      SELECT 1, app, 2, 1, '{}', '\\x00', 100000, now(), now() + interval '1 day', true FROM apps;
      INSERT INTO gates (seqno, canary_phase, canary_devices, canary_wait, canary_limit, canary_claimed, canary_until)
      VALUES (1, 1, 100, 60, 10, 100, clock_timestamp() + interval '1 minute')
      """)
  }

  private func phase() throws -> Int16 {
    try connection.run(Statement("phase", "SELECT canary_phase FROM gates")).int16(0, 0)
  }

  /// Two nodes have seen that the canary reached nobody; one of them is frozen before it writes this down.
  @Test func `a late verdict replaces no canary but its own`() throws {
    let first = try #require(try connection.run(Gates.watched()).first)
    try connection.run(Gates.replaceCanary(first, atLeast: 1_000))
    #expect(try phase() == Canary.Phase.filling.rawValue)
    // Its devices have been claimed.
    try connection.script(
      """
      UPDATE gates SET canary_phase = 1, canary_claimed = canary_devices,
        canary_until = clock_timestamp() + interval '1 minute'
      """)
    try connection.run(Gates.replaceCanary(first, atLeast: 1_000))
    #expect(try phase() == Canary.Phase.watching.rawValue, "nobody has judged it")
    let second = try #require(try connection.run(Gates.watched()).first)
    try connection.run(Gates.replaceCanary(second, atLeast: 1_000))
    #expect(try phase() == Canary.Phase.filling.rawValue)
  }
}
