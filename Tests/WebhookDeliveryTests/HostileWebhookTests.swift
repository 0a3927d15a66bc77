import Crypto
import Domain
import Postgres
import Reactor
import Store
import TestSupport
import TestTier
import Testing

@testable import WebhookDelivery

/// The courier at work, with webhooks that do all they can to hold it: those of other apps are told all the same.
@Suite(.slow, .serialized) struct HostileWebhookTests {
  private let database: TestDatabase
  private let connection: Connection

  init() throws {
    database = try TestDatabase.make()
    connection = try database.connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('hostile', '', 'a'), ('quiet', '', 'b');
      """)
  }

  /// Makes webhooks of an app, each with one event that is due.
  private func webhooks(_ count: Int, of app: String, url: String, events: Int = 1) throws {
    try connection.script(
      """
      WITH app AS (SELECT app FROM apps WHERE app_id = '\(app)'),
        made AS (
          INSERT INTO webhooks (app, url, sealed, kinds, created_at)
          SELECT app, '\(url)', '\\x00', '{webhook.test}', now() FROM app, generate_series(1, \(count)) RETURNING webhook),
        happened AS (
          INSERT INTO events (app, event_kind, at, data)
          SELECT app, 'webhook.test', now(), '{}' FROM app, generate_series(1, \(events)) RETURNING event)
      INSERT INTO event_deliveries (event, webhook, due_at) SELECT event, webhook, now() FROM happened, made;
      """)
  }

  /// Runs a courier until it has delivered so many events of an app. Returns the number of other apps' attempts that
  /// had ended by then.
  /// - Parameters:
  ///   - timeout: the timeout of an attempt; longer than a test where no attempt may time out.
  ///   - clock: measures the courier's pauses and timeouts.
  private func deliver(
    _ count: Int, of app: String, timeout: Duration = WebhookDeliveryLimits.timeout, clock: any Clock = SystemClock()
  ) throws -> Int {
    var configuration = WebhookDeliveryConfiguration(
      databaseURL: database.url, contents: ContentSeal([SymmetricKey.random()]), clock: clock
    ) { _, _ in [1] }
    configuration.privateNetworks = [try #require(IPBlock("127.0.0.0/8"))]
    configuration.timeout = timeout
    let webhooks = try WebhookDelivery(configuration)
    try webhooks.start()
    defer { webhooks.stop() }
    return try poll("\(app) is not told", every: .milliseconds(20)) { () -> Int? in
      guard try delivered(app) == count else { return nil }
      return try endedOfOthers(than: app)
    }
  }

  private func endedOfOthers(than app: String) throws -> Int {
    let statement = Statement(
      "test-ended-of-others",
      """
      SELECT count(*) FROM event_deliveries d JOIN webhooks w ON w.webhook = d.webhook JOIN apps a ON a.app = w.app
      WHERE a.app_id <> '\(app)' AND d.history <> '[]'
      """)
    return Int(try connection.run(statement).int64(0, 0))
  }

  private func delivered(_ app: String) throws -> Int {
    let statement = Statement(
      "test-delivered",
      """
      SELECT count(*) FROM event_deliveries d JOIN webhooks w ON w.webhook = d.webhook JOIN apps a ON a.app = w.app
      WHERE a.app_id = '\(app)' AND d.state = 1
      """)
    return Int(try connection.run(statement).int64(0, 0))
  }

  private static func quiet() throws -> FloodServer {
    try FloodServer(opening: Array("HTTP/1.1 204 No\r\nConnection: close\r\n\r\n".utf8), piece: [])
  }

  @Test(arguments: [
    ("100 Continue", String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000)),
    ("nothing at all", ""),
    ("a body without end", "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 60_000)),
  ]) func `a webhook that floods or says nothing leaves those of other apps theirs`(
    _ name: String, _ piece: String
  ) throws {
    let flood = try FloodServer(piece: Array(piece.utf8))
    let receiver = try Self.quiet()
    try webhooks(20, of: "hostile", url: "http://127.0.0.1:\(flood.address.port)/", events: 20)
    try webhooks(3, of: "quiet", url: "http://127.0.0.1:\(receiver.address.port)/")
    // Who waited for a silent attempt would wait in vain.
    let timeout = piece.isEmpty ? Duration.patience * 2 : WebhookDeliveryLimits.timeout
    let ended = try deliver(3, of: "quiet", timeout: timeout)
    #expect(!flood.isOver, "\(name): the others waited for the end of it")
    #expect(!piece.isEmpty || ended == 0, "\(name): the others waited for the timeout")
    #expect(flood.connections > 0)
  }

  @Test func `an app with hundreds of webhooks that hang leaves the others their turn and their connections`() throws {
    let silent = try FloodServer(piece: [])
    let receiver = try Self.quiet()
    // More than one round takes, all with lower numbers.
    try webhooks(300, of: "hostile", url: "http://127.0.0.1:\(silent.address.port)/", events: 10)
    try webhooks(1, of: "quiet", url: "http://127.0.0.1:\(receiver.address.port)/")
    #expect(try deliver(1, of: "quiet", timeout: Duration.patience * 2) == 0, "the others waited for the timeout")
    #expect(!silent.isOver)
    #expect(silent.connections <= WebhookDeliveryLimits.underWayOfOneApp, "\(silent.connections) connections")
  }

  @Test func `what waits for a webhook goes as fast as it answers, and waits for no pause between looks`() throws {
    let receiver = try Self.quiet()
    try webhooks(1, of: "quiet", url: "http://127.0.0.1:\(receiver.address.port)/", events: 100)
    // Time stands still: no pause ends.
    #expect(try deliver(100, of: "quiet", clock: ManualClock()) == 0)
  }

  @Test func `turns go round when more webhooks wait than a round takes`() throws {
    try webhooks(5, of: "hostile", url: "http://a/")
    try webhooks(2, of: "quiet", url: "http://b/")
    func round(_ limit: Int, without busy: [Int32] = [], after last: Int32 = 0) throws -> [Int32] {
      try connection.run(EventDeliveries.webhooks(atMost: limit, without: busy, after: last)).map(\.webhook)
    }
    #expect(try round(10) == [1, 6, 2, 7, 3, 4, 5])
    #expect(try round(10, without: [1, 2, 7]) == [3, 6, 4, 5])
    #expect(try round(3, after: 2) == [3, 6, 4])
    #expect(try round(1, after: 6) == [7])
    #expect(try round(10, without: Array(1...7)).isEmpty)
  }
}
