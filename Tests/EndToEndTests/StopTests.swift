import Foundation
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import TestTier
import Testing

/// SIGTERM ends a server within ten seconds, whatever the database is busy with.
@Suite(.slow) struct StopTests {
  @Test func `a stop does not wait for statements that wait, and tells their callers to come again`() throws {
    let world = try World()
    // One caller holds no more than one of the two threads.
    let other = try Administration.createKey(.admin, appID: nil, by: .commandLine, on: world.connection).apiKey
    let server = try ServerProcess([
      "UPMC_DATABASE_URL": world.database.url,
      "UPMC_MASTER_KEY": Data([UInt8](repeating: 7, count: 32)).base64EncodedString(),
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
    ])
    try server.start()
    try poll("the server does not serve") {
      (try? TestClient(port: server.port).call("GET", "/health"))?.status == 200 ? () : nil
    }
    // Somebody holds what a list reads, and what the thread `history` looks at.
    let holder = try world.database.connect()
    try holder.script("BEGIN; LOCK TABLE groups, erasures IN ACCESS EXCLUSIVE MODE")
    let replies = try Inbox<String>(capacity: 8)
    let (port, keys) = (server.port, [world.apiKey, other, world.apiKey])
    // More than there are threads: one waits behind them.
    for (number, key) in keys.enumerated() {
      _ = try Thread(name: "caller-\(number)") {
        do {
          let reply = try TestClient(port: port).call(
            "GET", "/v1/admin/groups?appId=\(World.appID)", bearer: key)
          _ = replies.offer("\(reply.status) \(reply.text)")
        } catch {
          _ = replies.offer("no answer: \(error)")
        }
      }
    }
    try poll("no list waits") {
      // Not the holder: within a transaction it would see the same again and again.
      try world.connection.run(
        Statement(
          "waiting",
          """
          SELECT count(*) FROM pg_stat_activity WHERE application_name = 'upmc admin' AND wait_event_type = 'Lock'
            AND datname = current_database()
          """)
      ).int64(0, 0) == 2 ? () : nil
    }
    let clock = SystemClock()
    let began = clock.now
    let ending = server.stop()
    let took = clock.now - began
    print("a stop with lists that wait for a lock: \(took)")
    #expect(ending == .exited(0), "\(server.output.suffix(600))")
    #expect(took < .seconds(10), "\(took)")
    for reply in try replies.receive(3, or: "not all requests are answered") {
      #expect(reply.hasPrefix("503 ") && reply.contains("stopping"), "\(reply)")
    }
    try holder.script("ROLLBACK")
  }
}
