import Crypto
import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import WebhookDelivery

/// Short messages about which nothing can be decided, with the real database.
@Suite struct DeadlinesTests {
  /// The key of an advisory lock without which nothing is decided about the sick.
  private static let sickness = 7

  private static func decideOne(_ url: String) throws -> Int {
    let configuration = WebhookDeliveryConfiguration(
      databaseURL: url, contents: ContentSeal([SymmetricKey.random()]), secret: { _, _ in nil })
    return try Deadlines(configuration, StopSignal()).decide(TestDatabase.connect(to: url), atMost: 1)
  }

  @Test func `what fails is put off, and not what another node has just let go`() throws {
    let database = try TestDatabase.make()
    let (connection, other) = (try database.connect(), try database.connect())
    // The message of both is gone, so both are called off; about the sick, that fails.
    try connection.script(
      """
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock(\(Self.sickness));
        RAISE EXCEPTION 'sick' USING ERRCODE = 'check_violation';
      END $$;
      CREATE TRIGGER sick BEFORE UPDATE OF decision ON fallbacks FOR EACH ROW WHEN (NEW.user_key = 'usick')
        EXECUTE FUNCTION fail();
      INSERT INTO fallbacks (seqno, user_key, app, due_at) VALUES
        (1, 'uhealthy', 1, now() - interval '2 minutes'), (1, 'usick', 1, now() - interval '1 minute');
      SELECT pg_advisory_lock(\(Self.sickness))
      """)
    let done = try Inbox<Int?>(capacity: 1)
    try other.withTransaction {
      // Another node has the one that has been due longest.
      try other.script("SELECT FROM fallbacks WHERE user_key = 'uhealthy' FOR UPDATE")
      _ = try Thread(name: "fallback") { _ = done.offer(try? Self.decideOne(database.url)) }
      _ = try poll("nothing is decided about the sick") { try connection.waitingSessions() == 1 ? true : nil }
    }
    try connection.script("SELECT pg_advisory_unlock(\(Self.sickness))")
    #expect(done.receive(atMost: .patience) == [WebhookDeliveryLimits.decidedAtOnce])
    let rows = try connection.run(
      Statement("test-put-off", "SELECT user_key FROM fallbacks WHERE due_at > now() ORDER BY user_key"))
    #expect(rows.map { rows.text($0, 0) } == ["usick"])
    // The other one is decided at once.
    #expect(try Self.decideOne(database.url) == 1)
    let left = try connection.run(Statement("test-left", "SELECT user_key FROM fallbacks WHERE decision IS NULL"))
    #expect(left.map { left.text($0, 0) } == ["usick"])
  }
}
