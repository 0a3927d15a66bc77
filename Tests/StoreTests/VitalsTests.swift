import Postgres
import Store
import TestSupport
import Testing

/// What a node looks at every few seconds.
@Suite struct VitalsTests {
  @Test func `what waits for a pace is not overdue, and is not walked over however much it is`() throws {
    let database = try TestDatabase.make()
    // Two of another message wait for nothing.
    try database.connect().script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('a', 'A', 'k');
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, planned)
      SELECT n, 1, 2, 1, '{}', '', 1, now(), now() + interval '1 day', true FROM generate_series(1, 2) n;
      INSERT INTO gates (seqno, pace_devices, pace_wait) VALUES (1, 1, 86400);
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key, reason)
      SELECT 2, gen_random_uuid(), now(), now() - interval '1 hour', 6, 0, 'u1', 'window' FROM generate_series(1, 2);
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key, reason)
      SELECT 1, gen_random_uuid(), now(), now() - interval '2 minutes', 6, 0, 'u1', 'window'
      FROM generate_series(1, 5)
      """)
    let connection = try database.connect()
    #expect(try connection.run(Vitals.snapshot()).overdue == 2)

    try connection.script(
      """
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key, reason)
      SELECT 1, gen_random_uuid(), now(), now() - interval '2 minutes', 6, 0, 'u1', 'window'
      FROM generate_series(1, 60000)
      """)
    let log = try PlanLog(of: database)
    let sampler = try database.connect()
    #expect(try sampler.run(Vitals.snapshot()).overdue <= 2)
    // The log is that of the server, and other tests are at work on it.
    let parts = try log.entries().filter { $0.process == sampler.backendPID }.flatMap(\.parts)
    let looks = parts.filter { $0.contains("gates") }.compactMap { Int($0.prefix { $0 != " " }) }
    #expect(!looks.isEmpty && looks.allSatisfy { $0 <= 50_000 }, "\(parts.joined(separator: "\n"))")
  }
}
