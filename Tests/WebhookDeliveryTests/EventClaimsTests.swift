import Postgres
import Store
import TestSupport
import Testing

@testable import WebhookDelivery

/// Events that cannot be claimed, with the real database.
@Suite struct EventClaimsTests {
  private static func claimOne(_ connection: Connection) throws -> [Int64] {
    try EventClaims.take(1, for: 1, leaseSeconds: 60, on: connection).map(\.event)
  }

  /// - Parameter attempt: the attempt to claim the sick one before whose end the healthy one becomes free.
  @Test(arguments: [1, 2])
  func `the event that fails is given up, and not the one that another node has just let go`(_ attempt: Int) throws {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    try connection.script(
      """
      \(SickRow.function(waitingAt: attempt))
      CREATE TRIGGER sick BEFORE UPDATE OF attempts ON event_deliveries FOR EACH ROW WHEN (NEW.event = 2)
        EXECUTE FUNCTION fail();
      INSERT INTO apps (app_id, name, client_key) VALUES ('com.example.bank', '', 'key');
      INSERT INTO events (app, event_kind, at, data) SELECT app, 'webhook.test', now(), '{}'
      FROM apps, generate_series(1, 2);
      INSERT INTO event_deliveries (event, webhook, due_at) VALUES
        (1, 1, now() - interval '2 minutes'), (2, 1, now() - interval '1 minute')
      """)
    // Another node has the one that has been due longest.
    let first = try SickRow.meet(
      in: database.url, lock: "SELECT FROM event_deliveries WHERE event = 1 FOR UPDATE"
    ) { try Self.claimOne($0) }
    let second = try Self.claimOne(connection)
    #expect(first + second == [1])
    let rows = try connection.run(
      Statement("test-given-up", "SELECT event FROM event_deliveries WHERE state = 2 ORDER BY event"))
    #expect(rows.map { rows.int64($0, 0) } == [2])
  }
}
