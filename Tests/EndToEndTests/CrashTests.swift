import Domain
import Foundation
import Operations
import Postgres
import Reactor
import Simulator
import Store
import TestSupport
import Testing

/// `kill -9` at random moments while devices are sent to and confirm. What must hold afterwards is checked against what
/// the simulator really received.
///
/// Small in `make test`; `UPMC_CRASH_DEVICES=20000 UPMC_CRASH_KILLS=20` makes it the real thing (`make crash`).
@Suite(.serialized) struct CrashTests {
  private static func setting(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
  }

  @Test func `nothing is lost, nothing is sent twice uncounted, nothing is stranded`() throws {
    let devices = Self.setting("UPMC_CRASH_DEVICES", 600)
    let kills = Self.setting("UPMC_CRASH_KILLS", 3)
    let story = try CrashStory(devices: devices, seed: UInt64(Self.setting("UPMC_CRASH_SEED", 1)))
    try story.run(kills: kills)
    try story.check()
    print(story.page)
  }
}

/// One run: the parts, the violence, and the account.
final class CrashStory {
  private let simulator: Simulator
  private let server: ServerProcess
  private let connection: Connection
  private let clientKey: String
  private let apiKey: String
  private let devices: Int
  private var dice: SeededNumbers
  private var seqnos: [String] = []
  private(set) var page = ""

  init(devices: Int, seed: UInt64) throws {
    self.devices = devices
    dice = SeededNumbers(seed: seed)
    simulator = Simulator()
    let started = try simulator.start()
    let database = try TestDatabase.make()
    connection = try database.connect()
    let master = [UInt8](repeating: 7, count: 32)
    (clientKey, apiKey) = try World.makeApp(started, try MasterKey(bytes: master), connection)
    let authority = TemporaryDirectory.make() + "/ca.pem"
    TemporaryDirectory.write(authority, started.authorityPEM)
    server = try ServerProcess([
      "UPMC_DATABASE_URL": database.url, "UPMC_MASTER_KEY": Data(master).base64EncodedString(),
      "UPMC_CA_FILE": authority, "UPMC_APNS_PRODUCTION_URL": "https://\(started.endpoints.apns)",
      "UPMC_APNS_SANDBOX_URL": "https://\(started.endpoints.sandbox)",
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
    ])
  }

  deinit { simulator.stop() }

  // MARK: The violence

  func run(kills: Int) throws {
    try server.start()
    var plan = VirtualDevices.Plan(
      count: devices, server: "http://127.0.0.1:\(server.port)", appID: World.appID, clientKey: clientKey,
      users: devices / 2)
    plan.readProbability = 0.3
    try simulator.startDevices(plan)
    try wait("the devices have not registered") { (simulator.deviceCounters?.registered ?? 0) >= devices }
    for kill in 0..<kills {
      seqnos.append(try send("before kill \(kill)"))
      _ = try Wakeup().wait(atMost: .milliseconds(Int.random(in: 20...1500, using: &dice)))
      server.kill()
      try server.start()
    }
    seqnos.append(try send("after the last kill"))
    try wait("messages have not ended:\n\(server.output.suffix(2000))") { try openMessages() == 0 }
    try wait("confirmations still wait: \(String(describing: simulator.deviceCounters))") {
      let counters = simulator.deviceCounters
      return counters?.waiting == 0 && counters?.received == simulator.counters().deliveries
    }
  }

  /// Sends with an idempotency key until it is answered, as any careful back-office does.
  private func send(_ key: String) throws -> String {
    for _ in 0..<600 {
      if let client = try? TestClient(port: server.port),
        let reply = try? client.call(
          "POST", "/v1/admin/messages", bearer: apiKey, idempotencyKey: key,
          """
          {"appId":"\(World.appID)","audience":{"all":true},"alert":"B","badge":{"increment":1},"lane":"bulk"}
          """), reply.status == 202, let seqno = reply.string("seqno")
      {
        return seqno
      }
      _ = try Wakeup().wait(atMost: .milliseconds(100))
    }
    throw World.Timeout("the message \(key) was never accepted")
  }

  private func wait(_ complaint: @autoclosure () -> String, _ condition: () throws -> Bool) throws {
    let pause = try Wakeup()
    for _ in 0..<6000 {
      if try condition() { return }
      _ = pause.wait(atMost: .milliseconds(50))
    }
    throw World.Timeout(complaint())
  }

  private func openMessages() throws -> Int64 { try count("SELECT count(*) FROM messages WHERE state < 4") }

  private func count(_ sql: String) throws -> Int64 {
    try connection.run(Statement("crash\(sql.hashValue)", "SELECT (\(sql))::bigint")).int64(0, 0)
  }

  // MARK: The account

  func check() throws {
    // I1: one message for each request, however often it was repeated.
    #expect(try count("SELECT count(*) FROM messages") == Int64(seqnos.count))
    #expect(Set(seqnos).count == seqnos.count)

    // I2: the totals add up, and are what the rows say.
    let outcomes = try count("SELECT count(*) FROM outcomes WHERE status <> 6")
    #expect(try count("SELECT sum(targeted) FROM messages") == outcomes)
    #expect(
      try count("SELECT sum(accepted + rejected + expired + cancelled + skipped) FROM message_totals") == outcomes)
    #expect(
      try count("SELECT sum(accepted) FROM message_totals")
        == (try count("SELECT count(*) FROM outcomes WHERE status = 1")))

    // I3: everything accepted was received; more than once only where it was counted, and recognisable.
    let resent = try count("SELECT sum(resent) FROM message_totals")
    let accepted = try count("SELECT count(*) FROM outcomes WHERE status = 1")
    let received = simulator.counters()
    let distinct = Int64(received.deliveries - received.duplicates)
    #expect(accepted == distinct)
    #expect(Int64(received.duplicates) <= resent)
    #expect(accepted == Int64(seqnos.count * devices))

    // I4: every confirmation that was answered is there; a read implies a receipt.
    let counters = try #require(simulator.deviceCounters)
    #expect(try count("SELECT count(*) FROM receipts") == accepted)
    #expect(try count("SELECT sum(received) FROM message_totals") == accepted)
    #expect(try count("SELECT count(*) FROM reads") >= Int64(counters.read))
    #expect(
      try count(
        "SELECT count(*) FROM reads r WHERE NOT EXISTS (SELECT FROM receipts c WHERE c.seqno = r.seqno AND c.device = r.device)"
      ) == 0)
    #expect(counters.failed.isEmpty, "\(counters.failed)")

    // I5: the badge is what was sent less what was read, within its range.
    #expect(
      try count(
        """
        SELECT count(*) FROM users u WHERE badge <> greatest(0, (
          SELECT count(*) - count(read_option) FROM badge_ledger l WHERE l.app = u.app AND l.user_key = u.user_key))
        """) == 0)

    // I7: nothing is claimed, nothing waits.
    #expect(try count("SELECT count(*) FROM claims") == 0)
    #expect(try count("SELECT count(*) FROM outcomes WHERE status = 6") == 0)
    #expect(try count("SELECT count(*) FROM shards WHERE NOT exhausted") == 0)

    page = """
      crash: \(devices) devices, \(seqnos.count) messages: accepted \(accepted), received by the simulator \
      \(received.deliveries), duplicates \(received.duplicates), resent \(resent), \
      unknown \(try count("SELECT sum(unknown) FROM message_totals")), receipts \(try count("SELECT count(*) FROM receipts")), \
      reads \(try count("SELECT count(*) FROM reads")), confirmations repeated after a lost connection \(counters.retriesLost)
      """
  }
}

/// Numbers from a seed (splitmix64), so that a run can be repeated.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
