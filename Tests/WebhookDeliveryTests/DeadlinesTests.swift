import Crypto
import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import WebhookDelivery

/// Short messages about which nothing can be decided, and reports that cannot be written, with the real database.
@Suite struct DeadlinesTests {
  private static func deadlines(_ url: String) throws -> Deadlines {
    let configuration = WebhookDeliveryConfiguration(
      databaseURL: url, contents: ContentSeal([SymmetricKey.random()]), secret: { _, _ in nil })
    return try Deadlines(configuration, StopSignal())
  }

  @Test func `what fails is put off, and not what another node has just let go`() throws {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    // The message of both is gone, so both are called off; about the sick, that fails.
    try connection.script(
      """
      \(SickRow.function())
      CREATE TRIGGER sick BEFORE UPDATE OF decision ON fallbacks FOR EACH ROW WHEN (NEW.user_key = 'usick')
        EXECUTE FUNCTION fail();
      INSERT INTO fallbacks (seqno, user_key, app, due_at) VALUES
        (1, 'uhealthy', 1, now() - interval '2 minutes'), (1, 'usick', 1, now() - interval '1 minute')
      """)
    // Another node has the one that has been due longest.
    let count = try SickRow.meet(
      in: database.url, lock: "SELECT FROM fallbacks WHERE user_key = 'uhealthy' FOR UPDATE"
    ) { try Self.deadlines(database.url).decide($0, atMost: 1) }
    #expect(count == WebhookDeliveryLimits.decidedAtOnce)
    let rows = try connection.run(
      Statement("test-put-off", "SELECT user_key FROM fallbacks WHERE due_at > now() ORDER BY user_key"))
    #expect(rows.map { rows.text($0, 0) } == ["usick"])
    // The other one is decided at once.
    #expect(try Self.deadlines(database.url).decide(connection, atMost: 1) == 1)
    let left = try connection.run(Statement("test-left", "SELECT user_key FROM fallbacks WHERE decision IS NULL"))
    #expect(left.map { left.text($0, 0) } == ["usick"])
  }

  @Test func `the report that fails is finished, and not the one that another node has just let go`() throws {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    // The messages of both are gone, so both end without events; of the sick, that fails.
    try connection.script(
      """
      \(SickRow.function())
      CREATE TRIGGER sick BEFORE DELETE ON failure_reports FOR EACH ROW WHEN (OLD.seqno = 2) EXECUTE FUNCTION fail();
      INSERT INTO failure_reports (seqno) VALUES (1);
      INSERT INTO failure_reports (seqno) VALUES (2)
      """)
    // Another node has the older one.
    let hasReported = try SickRow.meet(
      in: database.url, lock: "SELECT FROM failure_reports WHERE seqno = 1 FOR UPDATE"
    ) { try Self.deadlines(database.url).report($0) }
    #expect(hasReported)
    let rows = try connection.run(
      Statement("test-set-aside", "SELECT seqno FROM failure_reports WHERE place IS NULL ORDER BY seqno"))
    #expect(rows.map { rows.int64($0, 0) } == [2])
    // The other one goes on.
    #expect(try Self.deadlines(database.url).report(connection))
    #expect(try !Self.deadlines(database.url).report(connection))
    let left = try connection.run(Statement("test-reports", "SELECT seqno FROM failure_reports ORDER BY seqno"))
    #expect(left.map { left.int64($0, 0) } == [2])
  }
}
