import Postgres
import Reactor
import Server
import Simulator
import Store
import TestSupport
import TestTier
import Testing

/// An upgrade while the previous release runs: two nodes on one database, which is migrated under them and rolled, node
/// by node, while devices register, sends are made and receipts come.
///
/// The program on both sides is the one that was just built; what makes it "the previous release" is a database that was
/// migrated further than it knows. `Tests/Deployment/upgrade.py` does the same with two releases that really differ.
@Suite(.slow, .serialized) struct UpgradeTests {
  /// What a next release might bring: it touches the tables that every request uses, and only adds.
  private static let addition = """
    -- Why: what the next release needs.
    -- Locks: devices, messages and users for a moment each.
    -- The previous binary: works, and may be started.
    -- upmc:oldest-program \(Migrator.newestKnownVersion)

    ALTER TABLE devices ADD COLUMN next_release text;
    ALTER TABLE users ADD COLUMN next_release integer NOT NULL DEFAULT 0;
    ALTER TABLE messages ADD COLUMN next_release jsonb;
    CREATE INDEX users_of_next_release ON users (next_release) WHERE next_release > 0;
    CREATE TABLE of_next_release (a bigint PRIMARY KEY);
    """
  /// One that says nothing of older programs.
  private static let silence = "-- Why: the release after it.\n-- Locks: nothing.\nCREATE TABLE of_the_one_after ();\n"

  @Test func `two nodes are rolled while the schema moves on, and nothing that was answered is lost`() throws {
    let world = try World()
    world.server.stop()
    let (first, second) = (try world.process(), try world.process())
    for node in [first, second] { try start(node, world) }
    let work = try SteadyWork(
      on: [first.port, second.port], clientKey: world.clientKey, apiKey: world.apiKey, confirming: world.simulator)
    func goOn(_ complaint: String, by count: Int = 50) throws {
      let before = work.now
      try work.wait(complaint) {
        $0.sent.count >= before.sent.count + count && $0.confirmed.count > before.confirmed.count
      }
    }
    try goOn("there is no work")

    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    try Self.extend(directory, with: Self.addition, "add_for_next_release")
    try Self.migrate(directory, world.connection)
    let refusedByMigration = work.now.refusals
    try goOn("both old nodes stand after the migration")

    // One is rolled in good order, the other one dies in the middle of the upgrade and comes back as it was.
    #expect(second.stop() == .exited(0), "\(second.output.suffix(1000))")
    try start(second, world)
    _ = try poll("it does not say so: \(second.output.suffix(500))") {
      second.output.contains("is newer than this upmc, which still works with it") ? true : nil
    }
    try goOn("one node was rolled")
    first.kill()
    try start(first, world)
    try goOn("the other one came back")

    // What says nothing of older programs stops none that runs, but none can be started any more.
    try Self.extend(directory, with: Self.silence, "add_for_the_one_after")
    try Self.migrate(directory, world.connection)
    try goOn("the nodes stand after the second migration")
    #expect(second.stop() == .exited(0))
    try second.start()
    _ = try poll("the old program serves a schema that may be beyond it") { second.isRunning ? nil : true }
    #expect(second.output.contains("by a newer upmc; this one knows migrations up to"), "\(second.output.suffix(500))")
    try goOn("the running node goes on alone")

    try work.end(first.port)
    try work.waitForMessages(world.connection)
    let told = work.now
    print(
      "upgrade: \(told.sent.count) sends, \(told.registered.count) registrations and \(told.confirmed.count) receipts "
        + "answered; \(told.refusals) calls were asked again (\(refusedByMigration) until the migration was over), "
        + "\(told.errors.count) errors")
    #expect(told.errors.isEmpty, "\(told.errors.prefix(3))")
    #expect(refusedByMigration == 0)
    try work.verify(world.connection, world.simulator)
    #expect(first.stop() == .exited(0))
  }

  private func start(_ node: ServerProcess, _ world: World) throws {
    try node.start()
    _ = try poll("the node does not serve: \(node.output.suffix(500))") {
      (try? TestClient(port: node.port).call("GET", "/ready"))?.status == 200 ? true : nil
    }
  }

  /// The directory becomes the one of a release that brings one more migration.
  private static func extend(_ directory: String, with sql: String, _ name: String) throws {
    if TemporaryDirectory.entries(of: directory).isEmpty {
      for file in TemporaryDirectory.entries(of: TestDatabase.migrationsDirectory) where file.hasSuffix(".sql") {
        let text = try #require(TemporaryDirectory.read("\(TestDatabase.migrationsDirectory)/\(file)"))
        TemporaryDirectory.write("\(directory)/\(file)", text)
      }
    }
    let number = String(TemporaryDirectory.entries(of: directory).count + 1)
    let digits = String(repeating: "0", count: 4 - number.count) + number
    TemporaryDirectory.write("\(directory)/\(digits)_\(name).sql", sql)
  }

  private static func migrate(_ directory: String, _ connection: Connection) throws {
    let count = TemporaryDirectory.entries(of: directory).count
    #expect(try Migrator(directory: directory, newestKnown: count).migrate(connection) == 1)
  }
}
