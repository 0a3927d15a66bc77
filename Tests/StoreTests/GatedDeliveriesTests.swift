import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

/// Which claims take up deferred deliveries that are due.
@Suite struct GatedDeliveriesTests {
  private let connection: Connection

  /// A device of each of three messages waited for its hour, which has come: 1 has a window, 2 has a pace, 3 had one.
  init() throws {
    connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('a', 'A', 'k');
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, planned)
      SELECT n, app, 2, 1, '{}', '\\x00', 1, now(), now() + interval '1 day', true FROM apps, generate_series(1, 3) n;
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key, reason)
      SELECT n, gen_random_uuid(), now(), now() - interval '1 second', 6, 0, 'u' || n, 'window'
      FROM generate_series(1, 3) n;
      INSERT INTO gates (seqno, window_opens, window_closes) VALUES (1, '00:00', '23:59')
      """)
    for seqno: Seqno in [2, 3] { try connection.run(Gates.setPace(seqno, Pace(devices: 1))) }
    try connection.run(Gates.setPace(3, nil))
  }

  @Test func `a delivery that waited only for a window is claimed with all others, one that a pace held back apart`()
    throws
  {
    let now = SystemClock().wallTime
    #expect(try connection.run(GatedDeliveries.due(at: now, lanes: Lane.allCases, atMost: 10)) == [2, 3])
    let others = try connection.run(Claims.due(since: .zero, at: now, lanes: Lane.allCases, limit: 10))
    #expect(others.map(\.seqno) == [1])
  }
}
