import Glibc
import Postgres
import Reactor
import TestSupport
import TestTier
import Testing

@testable import EmbeddedPostgres

/// Who reaches the private database, and where it lies when root starts it.
@Suite(.slow, .serialized, .enabled(if: EmbeddedFixture.isRoot)) struct AccessTests {
  let fixture = EmbeddedFixture()

  /// Closes the directory above to everybody but root, like /root.
  private func hide() throws {
    let hidden = "\(fixture.root)/hidden"
    try Files.makeDirectory(hidden, mode: 0o700)
    fixture.configuration.dataDirectory = "\(hidden)/data"
  }

  @Test func `where the server's user cannot reach the directory, the cluster lies elsewhere and is found again`()
    throws
  {
    try hide()
    let first = try fixture.start()
    #expect(fixture.elsewhere.count == 1)
    let location = Files.text("\(fixture.configuration.dataDirectory)/postgres.location")
    #expect(location == fixture.elsewhere[0] + "\n")
    #expect(!Files.exists("\(fixture.configuration.dataDirectory)/postgres"))
    try TestDatabase.connect(to: first.url).script("CREATE TABLE kept (x int8); INSERT INTO kept VALUES (42)")
    try first.stop()
    let second = try fixture.start()
    #expect(try fixture.kept(second) == 42)
    try second.stop()
    #expect(fixture.elsewhere.count == 1)
  }

  @Test func `a data directory that was removed starts empty, and the old cluster is kept aside`() throws {
    try hide()
    _ = try fixture.startAndVanish()
    TemporaryDirectory.remove(fixture.configuration.dataDirectory)
    let handle = try fixture.start()
    #expect(throws: PostgresError.self) { try fixture.kept(handle) }
    let base = fixture.elsewhere[0]
    #expect(Files.exists("\(base)/postgres.orphan-1/PG_VERSION"))
    #expect(!Files.exists("\(base)/postgres.orphan-1/postmaster.pid"))
    try handle.stop()
  }

  @Test func `a location that names nothing is an error, not an empty database`() throws {
    try hide()
    _ = try fixture.start().stop()
    TemporaryDirectory.write("\(fixture.configuration.dataDirectory)/postgres.location", "\n")
    let error = try #require(throws: EmbeddedPostgresError.self) { try fixture.start() }
    #expect(error.description.contains("postgres.location"))
  }

  @Test func `another user of the machine cannot connect, even with the socket's directory open`() throws {
    let handle = try fixture.start()
    let psql = "\(PostgresBinaries.directory)/psql"
    let command = { (user: String) in
      [
        "/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", psql, handle.url, "-Atc",
        "SELECT 1",
      ]
    }
    func connect(_ user: String) throws -> ChildProcess.Report {
      try ChildProcess.run(command(user), environment: ["PATH=/usr/bin:/bin"], withErrors: true, atMost: .patience)
    }
    #expect(try connect("postgres").text == "1\n")
    #expect(try !connect("daemon").succeeded)
    let socket = "\(fixture.configuration.dataDirectory)/postgres.socket"
    chmod(socket, 0o777)
    chmod("\(socket)/.s.PGSQL.5432", 0o777)
    let refused = try connect("daemon")
    #expect(!refused.succeeded)
    #expect(refused.text.contains("Peer authentication failed"))
    try handle.stop()
  }

  @Test func `the user asked for runs the server, and whoever owns the cluster keeps running it`() throws {
    fixture.configuration.user = "nobody"
    let first = try fixture.start()
    let nobody = try #require(SystemAccount(named: "nobody"))
    #expect(Files.owner(of: "/proc/\(first.pid)") == nobody.uid)
    try first.stop()
    fixture.configuration.user = "postgres"
    let second = try fixture.start()
    #expect(Files.owner(of: "/proc/\(second.pid)") == nobody.uid)
    try second.stop()
  }

  @Test(arguments: [("no-such-user", "no-such-user"), ("root", "does not run as root")])
  func `a user who cannot run it is an error`(user: String, words: String) throws {
    fixture.configuration.user = user
    let error = try #require(throws: EmbeddedPostgresError.self) { try fixture.start() }
    #expect(error.description.contains(words))
  }
}
