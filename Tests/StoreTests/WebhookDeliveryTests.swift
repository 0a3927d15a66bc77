import Postgres
import Store
import TestSupport
import Testing

/// What is done for one webhook, or with one event, reads none of the others.
@Suite struct WebhookDeliveryTests {
  private static let events = 50_000
  private let database: TestDatabase

  /// Every event went to webhook 1, and every ten thousandth to webhook 2 as well.
  init() throws {
    database = try TestDatabase.make()
    let connection = try database.connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('com.example.bank', '', 'bank');
      INSERT INTO webhooks (app, url, sealed, kinds, created_at)
      SELECT 1, 'https://bank.example/' || n, '', '{message.finished}', now() FROM generate_series(1, 2) n;
      INSERT INTO events (app, event_kind, at, data)
      SELECT 1, 'message.finished', now(), '{}' FROM generate_series(1, \(Self.events)) n;
      INSERT INTO event_deliveries (event, webhook, state, due_at, ended_at)
      SELECT event, webhook, 1, now(), now() FROM events, webhooks WHERE webhook = 1 OR event % 10000 = 0
      """)
    try connection.script("VACUUM (ANALYZE) events")
    try connection.script("VACUUM (ANALYZE) event_deliveries")
  }

  private func readsFew(_ body: (Connection) throws -> Void) throws {
    let log = try PlanLog(of: database)
    let connection = try database.connect()
    try body(connection)
    try log.expectReads(atMost: Self.events / 100, by: connection)
  }

  @Test func `a quiet webhook's deliveries are listed without reading those of a busy one`() throws {
    try readsFew { connection in
      // A statement that is kept has a plan for any webhook after five times.
      for _ in 0..<7 {
        let found = try connection.run(Events.list(2, before: .max, state: nil, bytes: 1 << 20, limit: 10))
        #expect(found.records.map(\.event) == [50_000, 40_000, 30_000, 20_000, 10_000])
      }
    }
  }

  @Test func `one event is told again without reading all others`() throws {
    let row = try database.connect().run(Statement("an event", "SELECT id FROM events WHERE event = 30000"))
    let id = row.uuid(0, 0)
    try readsFew { connection in
      for _ in 0..<7 {
        let told = try connection.run(Events.replay(.event(id), to: 2, limit: 10))
        #expect(told <= 1)
      }
    }
    let waiting = try database.connect().run(
      Statement("waiting", "SELECT webhook, event FROM event_deliveries WHERE state = 0"))
    #expect(waiting.count == 1 && waiting.int32(0, 0) == 2 && waiting.int64(0, 1) == 30_000)
  }

  @Test func `a quiet webhook is deleted without reading the deliveries to a busy one`() throws {
    try readsFew { connection in try connection.run(Webhooks.delete(2)) }
    let left = try database.connect().run(
      Statement("deliveries left", "SELECT count(*), count(*) FILTER (WHERE webhook = 2) FROM event_deliveries"))
    #expect(left.int64(0, 0) == Int64(Self.events) && left.int64(0, 1) == 0)
  }
}
