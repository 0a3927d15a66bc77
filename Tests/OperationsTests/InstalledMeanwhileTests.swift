import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Operations

/// What registers or is made while a file comes in, between the look at what stands there and the writing.
@Suite struct InstalledMeanwhileTests {
  private static let text =
    InstalledBaseTests.header + (1...3).map { "aa0\($0),APNS,d\($0),REAL,kim\($0),Kim,,,\n" }.joined()

  /// Brings a file in while somebody has written something and not committed it yet.
  private func bring(
    _ world: BatchWorld, while write: (Connection) throws -> Void
  ) throws -> (new: Int64, kept: Int64, wrong: Int64) {
    let done = try Inbox<InstalledBase.Report?>(capacity: 1)
    let (url, appID) = (world.databaseURL, world.app.appID)
    try world.connection.withTransaction {
      // The import may take long to get there.
      try world.connection.script("SET LOCAL idle_in_transaction_session_timeout = 0")
      try write(world.connection)
      _ = try Thread(name: "import") {
        let report = try? InstalledBaseTests.bring(
          InstalledBase.Options(appID: appID), Array(Self.text.utf8),
          on: TestDatabase.connect(to: url)
        ).report
        _ = done.offer(report)
      }
      let watcher = try TestDatabase.connect(to: url)
      _ = try poll("nothing waits") { try watcher.waitingSessions() > 0 || done.count > 0 ? true : nil }
      #expect(done.count == 0, "it did not wait for what was being written")
    }
    let report = try #require(done.receive(atMost: .patience).first ?? nil)
    return (report.new, report.kept, report.wrong)
  }

  private func register(_ installation: String, _ psid: String, _ world: BatchWorld, _ connection: Connection) throws {
    let device = world.device(installation)
    let claim = Tokens.Claimed(app: world.app.number, psid: psid, network: .apns, device: device)
    _ = try connection.run(Tokens.lock([claim], at: world.now))
    let record = Devices.Record(
      device: device, app: world.app.number, userKey: UserKey(clientUID: "own"), network: .apns,
      environment: .production,
      psid: psid, installation: installation, attributes: Devices.Attributes(), now: world.now)
    try connection.run(Devices.save([record]))
  }

  @Test func `a device that registers with another token is left as it is, and the others come in`() throws {
    let world = try BatchWorld()
    let done = try bring(world) { try register("d2", "bb02", world, $0) }
    #expect(done.new == 2 && done.kept == 1 && done.wrong == 0, "\(done)")
    #expect(try world.record("d2")?.psid == "bb02" && world.record("d2")?.userKey == UserKey(clientUID: "own"))
    #expect(try world.record("d3")?.userKey == UserKey(clientUID: "kim3"))
    #expect(try world.count("SELECT count(*) FROM psids p JOIN devices d USING (device, psid)") == 3)
    #expect(try world.count("SELECT count(*) FROM psids") == 3)
  }

  @Test func `a token that another device registers is its, and the others come in`() throws {
    let world = try BatchWorld()
    let done = try bring(world) { try register("own", "aa02", world, $0) }
    #expect(done.new == 2 && done.kept == 0 && done.wrong == 1, "\(done)")
    #expect(try world.rows("d2").isEmpty && world.record("own")?.psid == "aa02")
    #expect(try world.count("SELECT count(*) FROM psids") == 3)
  }

  @Test func `a user who is made keeps a count, and gets the name`() throws {
    let world = try BatchWorld()
    let done = try bring(world) { connection in
      let key = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim2"))
      _ = try connection.run(Users.lock([key]))
      try connection.run(Users.saveCounts([(key, 7)]))
    }
    #expect(done.new == 3, "\(done)")
    #expect(try world.badge("kim2") == 7)
    #expect(try world.count("SELECT count(*) FROM users WHERE name = 'Kim'") == 3)
  }
}
