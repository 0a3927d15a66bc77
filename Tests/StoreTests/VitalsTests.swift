import Postgres
import Store
import TestSupport
import Testing

/// The figures that a node samples every few seconds.
@Suite struct VitalsTests {
  @Test func `deliveries that wait for a pace are not overdue, and only some are read however many there are`() throws {
    let database = try TestDatabase.make()
    // Two deliveries of another message wait for no pace.
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
    // The log belongs to the whole server, which other tests use too.
    let parts = try log.entries().filter { $0.process == sampler.backendPID }.flatMap(\.parts)
    let looks = parts.filter { $0.contains("gates") }.compactMap { Int($0.prefix { $0 != " " }) }
    #expect(!looks.isEmpty && looks.allSatisfy { $0 <= 50_000 }, "\(parts.joined(separator: "\n"))")
  }
}
