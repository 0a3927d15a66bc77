import Domain
import Postgres
import Store
import TestSupport
import Testing

/// What a restore does to a backup when the server has worked on after it was made.
@Suite struct RestorationTests {
  private let connection: Connection

  init() throws {
    connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('a', 'A', 'k');
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, planned,
        finished_at)
      SELECT n, app, CASE n WHEN 1 THEN 4 ELSE 2 END, 1, '{}', '\\x00', 2, now(), now() + interval '1 day', true,
        CASE n WHEN 1 THEN now() END
      FROM apps CROSS JOIN generate_series(1, 2) n;
      INSERT INTO fallbacks (seqno, app, user_key, due_at)
      SELECT m.seqno, m.app, t.user_key, now() + t.wait
      FROM messages m CROSS JOIN (VALUES ('ukim', interval '-1 minute'), ('ulee', interval '1 hour')) t(user_key, wait)
      """)
  }

  private func fallbacks(_ condition: String) throws -> [String] {
    let rows = try connection.run(
      Statement(
        "fallbacks \(condition.hashValue)",
        "SELECT seqno || ' ' || user_key FROM fallbacks WHERE \(condition) ORDER BY seqno, user_key"))
    return rows.map { rows.text($0, 0) }
  }

  @Test func `an SMS that may have been requested since the backup is not requested again`() throws {
    let settled = try Restoration.settle(ahead: 1, on: connection)
    #expect(settled.calledOffFallbacks == 1)
    #expect(try fallbacks("decision = 3") == ["1 ukim"])
    // No SMS was requested before its deadline, and those of a paused message are decided when it is resumed or
    // cancelled.
    #expect(try fallbacks("decision IS NULL") == ["1 ulee", "2 ukim", "2 ulee"])
    let due = try connection.run(Fallbacks.due(atMost: 10))
    #expect(due.map(\.key.seqno) == [2] && due.allSatisfy { $0.decision == nil })
  }

  @Test func `settling a restored database again calls off nothing else`() throws {
    _ = try Restoration.settle(ahead: 1, on: connection)
    #expect(try Restoration.settle(ahead: 1, on: connection).calledOffFallbacks == 0)
    #expect(try fallbacks("decision = 3") == ["1 ukim"])
  }
}
