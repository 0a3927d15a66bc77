import Operations
import Postgres
import Reactor
import Simulator
import Store
import TestSupport
import TestTier
import Testing

@testable import Server

/// A real PgBouncer between the server and its database. With `pool_mode = session` everything works through it; in the
/// other modes the server refuses to start, in a sentence that says what to change.
@Suite(.slow, .serialized) struct PoolerTests {
  @Test func `everything works through a pooler that lends sessions, and goes on when the pooler was killed`() throws {
    let pooler = TestPooler(.session)
    defer { pooler.remove() }
    let database = try TestDatabase.makeEmpty()
    let url = pooler.url(database: database.name)
    // The migrator's lock, its transactions and its files of several statements.
    #expect(try !Pooling.lendsSessions(url))
    let connection = try TestDatabase.connect(to: url)
    #expect(
      try Migrator(directory: TestDatabase.migrationsDirectory).migrate(connection) == Migrator.newestKnownVersion)
    try Self.hear(url)

    let node = try NodeElsewhere(url, connection)
    defer { node.stop() }
    let port = node.server.address.port

    let work = try SteadyWork(
      on: [port], clientKey: node.clientKey, apiKey: node.apiKey, confirming: node.simulator)
    try work.wait("there is no work") { $0.sent.count >= 100 && $0.confirmed.count >= 50 }
    #expect(work.now.refusals == 0)
    pooler.stop()
    pooler.start()
    let before = work.now
    try work.wait("it does not go on") { $0.sent.count >= before.sent.count + 100 }
    try work.end(port)
    // A campaign: planned, claimed and completed, outcomes by COPY.
    let campaign = try TestClient(port: port).call(
      "POST", "/v1/admin/messages", bearer: node.apiKey, idempotencyKey: "everybody",
      #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"Everybody"}"#)
    #expect(campaign.status == 202, "\(campaign.text)")
    let direct = try database.connect()
    try work.waitForMessages(direct)
    let told = work.now
    print(
      "pooler: \(told.sent.count) sends and \(told.confirmed.count) receipts answered, \(told.refusals) told to try again"
    )
    #expect(told.errors.isEmpty, "\(told.errors.prefix(3))")
    try work.verify(direct, node.simulator)
  }

  @Test(arguments: [TestPooler.Mode.transaction, .statement])
  func `a pooler that lends sessions for less is refused`(mode: TestPooler.Mode) throws {
    let pooler = TestPooler(mode)
    defer { pooler.remove() }
    let database = try TestDatabase.make()
    var configuration = Configuration()
    configuration.databaseURL = pooler.url(database: database.name)
    configuration.migrationsDirectory = TestDatabase.migrationsDirectory
    let error = try #require(throws: ServerError.self) { try Database(configuration).migrate(configuration) }
    #expect("\(error)".contains("a pooler lends its sessions for a transaction"), "\(error)")
    #expect("\(error)".contains("Set pool_mode = session in PgBouncer"))
  }

  @Test func `a pooler that refuses the password counts as a refusal, and is not waited for`() throws {
    let pooler = TestPooler(.session, password: "right")
    defer { pooler.remove() }
    let database = try TestDatabase.make()
    _ = try TestDatabase.connect(to: pooler.url(database: database.name, password: "right"))
    let error = try #require(throws: PostgresError.self) {
      _ = try TestDatabase.connect(to: pooler.url(database: database.name, password: "wrong"))
    }
    #expect(DatabaseRefusal.remedy(error)?.hasPrefix("Correct the user and the password") == true, "\(error)")
  }

  @Test func `without a pooler no session is lent, and with one session for all it is told at once`() throws {
    let database = try TestDatabase.make()
    #expect(try !Pooling.lendsSessions(database.url))
    let pooler = TestPooler(.transaction, sessions: 1)
    defer { pooler.remove() }
    #expect(try Pooling.lendsSessions(pooler.url(database: database.name)))
  }

  /// What one connection is told by another: LISTEN and NOTIFY.
  private static func hear(_ url: String) throws {
    let (listener, speaker) = (try TestDatabase.connect(to: url), try TestDatabase.connect(to: url))
    try listener.listen("upmc_test")
    try speaker.script("NOTIFY upmc_test, 'hello'")
    #expect(try listener.notifications(waitingAtMost: .patience).map(\.payload) == ["hello"])
  }
}
