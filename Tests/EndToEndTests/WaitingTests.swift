import Foundation
import Reactor
import TestSupport
import TestTier
import Testing

/// `upmc serve` whose database is away when it starts.
@Suite(.slow) struct WaitingTests {
  private func server(_ cluster: TestCluster) throws -> ServerProcess {
    try ServerProcess([
      "UPMC_DATABASE_URL": cluster.url(database: "postgres"),
      "UPMC_MASTER_KEY": Data([UInt8](repeating: 7, count: 32)).base64EncodedString(),
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
    ])
  }

  private func wait(_ complaint: String, _ server: ServerProcess, _ condition: () -> Bool) throws {
    _ = try poll("\(complaint): \(server.output.suffix(2000))") { condition() ? true : nil }
  }

  private func ready(_ server: ServerProcess) -> Reply? {
    try? TestClient(port: server.port).call("GET", "/ready")
  }

  @Test func `it says what it waits for, and serves when the database is back`() throws {
    let cluster = TestCluster()
    defer { cluster.remove() }
    cluster.stop()
    let server = try server(cluster)
    try server.start()
    try wait("nobody answers", server) { ready(server) != nil }
    let answer = try #require(ready(server))
    #expect(answer.status == 503 && answer.text.contains("database"), "\(answer)")
    try wait("it does not say what for", server) {
      server.output.contains("waiting for the database of UPMC_DATABASE_URL")
    }
    cluster.start()
    try wait("it is not ready", server) { ready(server)?.status == 200 }
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
  }

  @Test func `a signal ends it while it waits`() throws {
    let cluster = TestCluster()
    defer { cluster.remove() }
    cluster.stop()
    let server = try server(cluster)
    try server.start()
    try wait("nobody answers", server) { ready(server)?.status == 503 }
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
  }
}
