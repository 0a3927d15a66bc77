import Reactor
import TLS
import TestSupport
import TestTier
import Testing

/// `upmc health`, as a container's health check runs it beside its server.
@Suite(.slow) struct HealthCommandTests {
  let database: TestDatabase

  init() throws {
    database = try TestDatabase.make()
  }

  private func server(_ variables: [String: String] = [:]) throws -> ServerProcess {
    try ServerProcess(
      [
        "UPMC_DATABASE_URL": database.url, "UPMC_MASTER_KEY": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
        "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
      ].merging(variables) { $1 })
  }

  private func untilHealthy(_ server: ServerProcess) throws -> String {
    try server.start()
    return try succeed(server) { try server.run("health") }
  }

  /// Asks until the command succeeds: it waits for an answer for three seconds, and a server takes requests a moment
  /// after its first answer.
  private func succeed(
    _ server: ServerProcess, _ ask: () throws -> (ending: ChildProcess.Ending?, output: String)
  ) throws -> String {
    try poll("upmc health never succeeds: \(server.output.suffix(2_000))") { () -> String? in
      let asked = try ask()
      return asked.ending == .exited(0) ? asked.output : nil
    }
  }

  @Test func `succeeds while the server serves, and fails with one sentence once it does not`() throws {
    let server = try server()
    #expect(try untilHealthy(server) == "http://127.0.0.1:\(server.port)/health answers 200.\n")
    let ready = try succeed(server) { try server.run("health", "--ready") }
    #expect(ready == "http://127.0.0.1:\(server.port)/ready answers 200.\n")
    let json = try succeed(server) { try server.run("health", "--json") }
    #expect(json.hasPrefix("{") && json.contains("\"status\""), "\(json)")
    #expect(server.stop() == .exited(0))
    let asked = try server.run("health")
    #expect(asked.ending == .exited(1))
    #expect(asked.output.hasPrefix("upmc: http://127.0.0.1:\(server.port)/health does not answer: "), "\(asked.output)")
  }

  @Test func `speaks TLS, whatever the certificate says, and the PROXY protocol where the server expects them`() throws
  {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let file = directory + "/ended.pem"
    TemporaryDirectory.write(
      file, try CertificateAuthority().issueServer(notBefore: 1_500_000_000, notAfter: 1_600_000_000).pem)
    let server = try server([
      "UPMC_TLS_CERTIFICATE": file, "UPMC_PROXY_PROTOCOL": "on", "UPMC_TRUSTED_PROXIES": "127.0.0.0/8",
    ])
    #expect(try untilHealthy(server) == "https://127.0.0.1:\(server.port)/health answers 200.\n")
    #expect(server.stop() == .exited(0))
  }

  @Test func `a time limit that makes no sense is wrong usage`() throws {
    let asked = try server().run("health", "--timeout", "61")
    #expect(asked.ending == .exited(2) && asked.output.contains("--timeout takes 1 to 60 seconds"))
  }
}
