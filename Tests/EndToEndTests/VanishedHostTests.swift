import Foundation
import Postgres
import Reactor
import Server
import TestSupport
import TestTier
import Testing

/// A machine loses its power in the middle of a transaction: nobody tells PostgreSQL.
@Suite(.slow, .serialized) struct VanishedHostTests {
  @Test func `what a vanished machine had locked is free again in seconds`() throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try World()
    let lost = try world.startNode(through: proxy) { $0.benchmarkOverrides.commitTimeout = nil }
    let port = lost.address.port
    let body =
      #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(World.token("a1"))","#
      + #""deviceId":"d1"}"#
    let key = world.clientKey
    // In the middle of a registration, with the token's row locked.
    proxy.fallSilent(after: "device-tokens-find")
    _ = try Thread(name: "phone") { _ = try? TestClient(port: port).call("POST", "/v1/devices", bearer: key, body) }
    _ = try poll("it did not fall silent") { proxy.isSilent ? true : nil }
    // The other node is idle in a transaction for a moment, too: only the session that stays so is the lost one's.
    let idle = """
      SELECT coalesce(min(pid), 0) FROM pg_stat_activity a JOIN pg_locks l USING (pid)
      WHERE a.state = 'idle in transaction' AND a.state_change < now() - interval '1 second'
        AND l.relation = 'psids'::regclass AND l.mode = 'RowExclusiveLock'
      """
    let session = try poll("nothing is locked") {
      let session = try world.number(idle)
      return session > 0 ? session : nil
    }
    let clock = SystemClock()
    let began = clock.now
    // The phone asks the other node, again and again: what was carried out and not answered in time is there then.
    _ = try poll("its lock is held for ever") {
      [200, 201].contains(try world.register("d1", token: World.token("a1"), user: nil).status) ? true : nil
    }
    #expect(clock.now - began <= .seconds(30 * Sanitizers.slowness))
    // A session gives its locks back before it leaves the list.
    _ = try poll("its session stays") {
      try world.number("SELECT count(*) FROM pg_stat_activity WHERE pid = \(session)") == 0 ? true : nil
    }
    proxy.close()
    lost.stop()
  }

  private static let settings = [
    ("idle_in_transaction_session_timeout", "10s"), ("tcp_keepalives_idle", "15"), ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "15s"), ("client_connection_check_interval", "5s"),
  ]

  @Test func `a session over a network ends by itself when its machine has gone`() throws {
    let pair = ReplicatedPair(ports: [Int(try LastingPort.find()), Int(try LastingPort.find())])
    defer { pair.remove() }
    // What a server asks for: of the tests' options, only the time for connecting.
    var options = ConnectionOptions()
    options.connectTimeout = TestDatabase.patientOptions.connectTimeout
    let connection = try Connection(pair.url(database: "postgres"), options: options)
    for (name, value) in Self.settings {
      let setting = try connection.run(Statement("show \(name)", "SHOW \(name)")).text(0, 0)
      // What the kernel says has no unit.
      #expect(setting == value || setting == value.dropLast() + "000", "\(name): \(setting)")
    }
  }

  @Test func `every session of a server asks for that`() throws {
    var log: PlanLog?
    let world = try World(prepare: { log = try PlanLog(of: $0) })
    try world.register("d1", token: World.token("a1"), user: "kim")
    _ = try world.finished(try world.send(#"{"all":true}"#))
    let sessions = Statement(
      "sessions",
      """
      SELECT pid, application_name FROM pg_stat_activity WHERE datname = current_database()
        AND backend_type = 'client backend' AND pid <> \(world.connection.backendPID)
      """)
    let plans = try #require(log)
    let (rows, told) = try poll("not all sessions have said a word") {
      let rows = try world.connection.run(sessions)
      let told = Dictionary(grouping: try plans.entries(), by: \.process)
      return rows.count > 10 && (0..<rows.count).allSatisfy { told[rows.int32($0, 0)] != nil } ? (rows, told) : nil
    }
    for row in 0..<rows.count {
      let asked = told[rows.int32(row, 0)]?.first?.sql ?? ""
      for (name, _) in Self.settings {
        #expect(asked.contains("'\(name)'"), "\(rows.text(row, 1)) did not ask for \(name): \(asked)")
      }
    }
  }
}
