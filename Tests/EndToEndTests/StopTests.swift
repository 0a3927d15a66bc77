import Foundation
import Operations
import Postgres
import Reactor
import Store
import Server
import TestSupport
import TestTier
import Testing

/// SIGTERM ends a server, whatever the database is busy with. Whoever is not answered within ten seconds, by the
/// server's clock, gets no answer at all.
@Suite(.slow) struct StopTests {
  @Test func `a stop does not wait for statements that wait, and tells their callers to come again`() throws {
    let world = try World()
    world.server.stop()
    // One caller holds no more than one of the two threads.
    let other = try Administration.createKey(.admin, appID: nil, by: .commandLine, on: world.connection).apiKey
    let server = try ServerProcess([
      "UPMC_DATABASE_URL": world.database.url,
      "UPMC_MASTER_KEY": World.masterKeyText,
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
    ])
    try server.start()
    try poll("the server does not serve") {
      (try? TestClient(port: server.port).call("GET", "/health"))?.status == 200 ? () : nil
    }
    // Somebody holds what a list reads, and what the thread `history` looks at.
    let holder = try world.database.connect()
    try holder.script("BEGIN; LOCK TABLE groups, erasures IN ACCESS EXCLUSIVE MODE")
    try poll("history does not wait") { try world.connection.waitingSessions() > 0 ? () : nil }
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
    let waiting = try poll("no two lists wait") { () -> [Int32]? in
      // Not the holder: within a transaction it would see the same again and again. Only what waits for its tables:
      // others wait for each other for a moment.
      let rows = try world.connection.run(
        Statement(
          "waiting",
          """
          SELECT pid, application_name = 'upmc admin' FROM pg_stat_activity a JOIN pg_locks l USING (pid)
          WHERE a.datname = current_database() AND NOT l.granted
            AND l.relation IN ('groups'::regclass, 'erasures'::regclass)
          """))
      let lists = (0..<rows.count).filter { rows.bool($0, 1) }
      return lists.count == 2 && rows.count > 2 ? (0..<rows.count).map { rows.int32($0, 0) } : nil
    }
    #expect(server.stop() == .exited(0), "\(server.output.suffix(600))")
    // The lock is still held: the stop cancelled each of these statements, and none ended by a limit of its own.
    for process in waiting {
      try poll("the statement of process \(process) was not cancelled") {
        let log = TemporaryDirectory.read(TestCluster.shared.directory + "/log") ?? ""
        return log.contains("[\(process)] ERROR:  canceling statement due to user request") ? () : nil
      }
    }
    for reply in try replies.receive(3, or: "not all requests are answered") {
      #expect(reply.hasPrefix("503 ") && reply.contains("stopping"), "\(reply)")
    }
    try holder.script("ROLLBACK")
  }
}
