import Postgres
import TestSupport
import Testing

/// Webhooks from the command line.
@Suite struct WebhookCommandTests {
  @Test func `all that was given up is sent again, however much it is`() throws {
    let program = try Program()
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    // One more than a call replays.
    try program.connect().script(
      """
      INSERT INTO webhooks (app, url, sealed, kinds, created_at)
      VALUES (1, 'https://sms.example.com/', '\\x00', '{webhook.test}', now());
      INSERT INTO events (app, event_kind, at, data)
      SELECT 1, 'webhook.test', now(), '{}' FROM generate_series(1, 10001);
      INSERT INTO event_deliveries (event, webhook, due_at, state, ended_at)
      SELECT event, 1, now(), 2, now() FROM events
      """)
    func listed() throws -> String { try program.run("webhook", "list").lines.first ?? "" }
    #expect(try listed().hasSuffix("  0 waiting, more than 10000 given up"))
    let replayed = try program.run("webhook", "replay", "1")
    #expect(replayed.lines == ["10001 events will be sent again."], "\(replayed.complaint)")
    let left = try program.connect().run(
      Statement("test-given-up", "SELECT count(*) FROM event_deliveries WHERE state <> 0"))
    #expect(left.int64(0, 0) == 0)
    #expect(try listed().hasSuffix("  more than 10000 waiting, 0 given up"))
    #expect(try program.run("webhook", "replay", "1", "--json").lines == [#"{"replayed":0}"#])
    try program.connect().script("DELETE FROM event_deliveries WHERE event = (SELECT min(event) FROM event_deliveries)")
    #expect(try listed().hasSuffix("  10000 waiting, 0 given up"))
  }
}
