import Foundation
import Postgres
import Reactor
import TLS
import TestSupport
import TestTier
import Testing

/// `upmc serve` whose database is away when it starts.
@Suite(.slow) struct WaitingTests {
  private func server(_ cluster: TestCluster, _ variables: [String: String] = [:]) throws -> ServerProcess {
    try ServerProcess(
      [
        "UPMC_DATABASE_URL": cluster.url(database: "postgres"),
        "UPMC_MASTER_KEY": World.masterKeyText,
        "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
      ].merging(variables) { $1 })
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

  @Test func `it waits as well for a database that goes away while another node migrates it`() throws {
    let cluster = TestCluster()
    defer { cluster.remove() }
    // Has the migrator's lock, as a node that migrates.
    let other = try Connection(cluster.url(database: "postgres"))
    try other.script("SELECT pg_advisory_lock(\(0x7570_6D63_6D69_6772))")
    let server = try server(cluster)
    try server.start()
    try wait("it does not wait for the other node", server) {
      server.output.contains("waiting for another node that is migrating")
    }
    withExtendedLifetime(other) { cluster.stop() }
    try wait("it does not wait for the database", server) {
      server.output.contains("waiting for the database of UPMC_DATABASE_URL")
    }
    cluster.start()
    try wait("it is not ready", server) { ready(server)?.status == 200 }
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
  }

  @Test func `a node waits for a database that is created a moment later, and no changed password ends it`() throws {
    let cluster = TestCluster()
    defer { cluster.remove() }
    let administrator = try TestDatabase.connect(to: cluster.url(database: "postgres"))
    try administrator.script("CREATE ROLE upmc LOGIN SUPERUSER PASSWORD 'right'")
    let url = "postgresql://upmc:right@/late?host=\(cluster.directory)"
    let server = try server(cluster, ["UPMC_DATABASE_URL": url])
    try server.start()
    try wait("it does not say what is wrong", server) {
      server.output.contains("the database of UPMC_DATABASE_URL refuses this node")
    }
    #expect(server.output.contains("createdb"), "\(server.output.suffix(2000))")
    try administrator.script("CREATE DATABASE late OWNER upmc")
    try wait("it is not ready", server) { ready(server)?.status == 200 }
    TemporaryDirectory.write(
      cluster.directory + "/data/pg_hba.conf", "local all postgres trust\nlocal all all scram-sha-256\n")
    try administrator.script("ALTER ROLE upmc PASSWORD 'changed'")
    try administrator.script("SELECT pg_reload_conf()")
    // The postmaster takes a while to read its file again.
    try wait("the former password still serves", server) { (try? Connection(url)) == nil }
    try administrator.script("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'upmc'")
    try wait("it does not notice", server) { ready(server)?.status == 503 }
    #expect(server.isRunning)
    try administrator.script("ALTER ROLE upmc PASSWORD 'right'")
    try wait("it does not recover", server) { ready(server)?.status == 200 }
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

  @Test func `it says so with TLS and to proxies that speak the PROXY protocol, where these are set`() throws {
    let (cluster, directory) = (TestCluster(), TemporaryDirectory.make())
    defer {
      cluster.remove()
      TemporaryDirectory.remove(directory)
    }
    cluster.stop()
    let file = directory + "/server.pem"
    TemporaryDirectory.write(file, try CertificateAuthority().issueServer(notAfter: 4_000_000_000).pem)
    let server = try server(
      cluster,
      ["UPMC_TLS_CERTIFICATE": file, "UPMC_PROXY_PROTOCOL": "on", "UPMC_TRUSTED_PROXIES": "127.0.0.0/8"])
    try server.start()
    var said = ""
    try wait("it does not answer 503", server) {
      said = (try? server.run("health", "--ready").output) ?? ""
      return said.contains("https://127.0.0.1:\(server.port)/ready answers 503: ")
    }
    #expect(said.contains("database"), "\(said)")
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
  }
}
