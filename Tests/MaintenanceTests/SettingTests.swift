import Foundation
import Postgres
import Reactor
import Server
import TLS
import TestSupport
import TestTier
import Testing
import Time

@testable import Maintenance

/// What the doctor sees of settings, files and neighbours that a server would put up with.
@Suite(.slow, .serialized) struct SettingTests {
  private let directory = TemporaryDirectory.make()
  private let now = SystemClock().wallTime.seconds

  private func expectWarning(
    _ found: [Finding], _ subject: String, _ what: String, remedy: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let warnings = found.filter { $0.severity == .warning && $0.subject == subject }
    #expect(
      warnings.contains { $0.what.contains(what) && $0.remedy.contains(remedy) }, "\(subject): \(found)",
      sourceLocation: sourceLocation)
  }

  @Test func `a directory of the console that is not there`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try MaintenanceWorld()
    world.findings(["UPMC_PUBLIC_DIR": "/nope"]).expectOnlyFailure(
      "console", "UPMC_PUBLIC_DIR=/nope is not there", remedy: "UPMC_PUBLIC_DIR")
    let fine = world.findings(["UPMC_PUBLIC_DIR": TestDatabase.migrationsDirectory + "/../Public"])
    #expect(fine.contains { $0.subject == "console" && $0.severity == .ok })
  }

  @Test func `a directory for uploads that cannot be written`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try MaintenanceWorld()
    world.findings(["UPMC_DATA_DIR": "/proc/self"]).expectOnlyFailure(
      "uploads", "cannot be written", remedy: "UPMC_DATA_DIR")
    expectWarning(
      world.findings(["UPMC_DATA_DIR": directory + "/nothing"]), "uploads", "is not there", remedy: "UPMC_DATA_DIR")
  }

  @Test func `a master key that everybody on the machine may read`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try MaintenanceWorld()
    let path = directory + "/master.key"
    _ = try PrivateFile.create(path, Array(MaintenanceWorld.masterKey.utf8))
    let change = ["UPMC_MASTER_KEY": "", "UPMC_MASTER_KEY_FILE": path]
    #expect(!world.findings(change).contains { $0.subject == "master key" && $0.severity != .ok })
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    expectWarning(world.findings(change), "master key", "others on this machine may read it", remedy: "chmod 600")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    expectWarning(world.findings(change), "master key", "the members of its group may read it", remedy: "chmod 600")
  }

  @Test func `a listener certificate that is not valid yet, and one of another host`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try MaintenanceWorld()
    let authority = try CertificateAuthority()
    let path = directory + "/server.pem"
    let early = try authority.issueServer(
      names: ["push.example.com"], notBefore: now + 86_400 * 3, notAfter: now + 86_400 * 300)
    TemporaryDirectory.write(path, early.pem)
    world.findings(["UPMC_TLS_CERTIFICATE": path]).expectOnlyFailure(
      "listener certificate", "not valid before", remedy: "clock")
    let other = try authority.issueServer(names: ["www.example.com"])
    TemporaryDirectory.remove(path)
    TemporaryDirectory.write(path, other.pem)
    expectWarning(
      world.findings(["UPMC_TLS_CERTIFICATE": path]), "listener certificate", "not for push.example.com",
      remedy: "UPMC_PUBLIC_URL")
    let right = try authority.issueServer(names: ["*.example.com"])
    TemporaryDirectory.remove(path)
    TemporaryDirectory.write(path, right.pem)
    #expect(
      !world.findings(["UPMC_TLS_CERTIFICATE": path]).contains {
        $0.subject == "listener certificate" && $0.severity != .ok
      })
  }

  @Test(arguments: ["0.0.0.0/0", "10.0.0.0/8,::/0"])
  func `proxies that may be anybody`(_ proxies: String) throws {
    let world = try MaintenanceWorld()
    expectWarning(
      world.findings(["UPMC_TRUSTED_PROXIES": proxies]), "trusted proxies", "every client is believed",
      remedy: "the proxies' own addresses")
    #expect(!world.findings(["UPMC_TRUSTED_PROXIES": "10.0.0.0/8"]).contains { $0.subject == "trusted proxies" })
  }

  @Test func `a server that only tries FCM out`() throws {
    let world = try MaintenanceWorld()
    expectWarning(
      world.findings(["UPMC_FCM_VALIDATE_ONLY": "true"]), "FCM", "delivers none", remedy: "restart the server")
    #expect(!world.findings().contains { $0.place == "UPMC_FCM_VALIDATE_ONLY" })
  }

  @Test func `a public address at which nobody answers`() throws {
    let world = try MaintenanceWorld()
    // Nobody listens there, and nobody gets it who asks for any port.
    expectWarning(
      world.findings(["UPMC_PUBLIC_URL": "http://127.0.0.1:9"]), "public address", "there is no answer",
      remedy: "UPMC_PUBLIC_URL")
  }

  @Test func `another program's tables`() throws {
    let world = try MaintenanceWorld()
    let shared = try TestDatabase.makeEmpty()
    try shared.connect().script("CREATE TABLE messages (); CREATE TABLE users ()")
    world.findings(["UPMC_DATABASE_URL": shared.url]).expectOnlyFailure(
      "schema", "tables of another program: messages, users", remedy: "database of its own")
  }

  @Test func `trust anchors that cannot be read are the only thing that is blamed`() throws {
    let world = try MaintenanceWorld()
    try world.setServiceAccount()
    let found = world.findings(["UPMC_CA_FILE": "/nope.pem"])
    found.expectOnlyFailure("trust anchors", "/nope.pem", remedy: "UPMC_CA_FILE")
    #expect(!found.contains { $0.remedy.contains("Store a credential") }, "\(found)")
  }

  @Test func `each of Apple's services is blamed for what it said itself`() throws {
    let world = try MaintenanceWorld()
    let change = [
      "UPMC_APNS_PRODUCTION_URL": "https://production.invalid", "UPMC_APNS_SANDBOX_URL": "https://sandbox.invalid",
    ]
    let answers = world.findings(change).filter { $0.subject == "APNS" && $0.what.contains("cannot be reached") }
    #expect(answers.count == 2)
    for (host, other) in [("production", "sandbox"), ("sandbox", "production")] {
      let answer = try #require(answers.first { $0.place.contains("\(host).invalid") })
      #expect(!answer.what.contains("\(other).invalid"), "\(answer)")
    }
  }

  @Test func `a pg_dump that is too old for the database, or is not there`() {
    #expect(BackupChecks.finding(program: 15, path: "/bin/pg_dump", server: 150_004).severity == .ok)
    #expect(BackupChecks.finding(program: 17, path: "/bin/pg_dump", server: 150_004).severity == .ok)
    let old = BackupChecks.finding(program: 15, path: "/bin/pg_dump", server: 160_004)
    #expect(old.severity == .warning && old.what.contains("15") && old.what.contains("16"), "\(old)")
    #expect(old.remedy.contains("postgresql-client-16"))
    #expect(PostgresProgram.version(in: "pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n") == 15)
    #expect(PostgresProgram.version(in: "pg_dump (PostgreSQL) 17beta1") == 17)
    #expect(PostgresProgram.version(in: "no version") == nil)
  }

  @Test func `a query that is cancelled is no reason to migrate`() {
    func remedy(_ state: SQLState) -> String {
      DatabaseChecks.remedyWhileReading(PostgresError(origin: .server, sqlState: state, message: "no"))
    }
    #expect(remedy(.queryCanceled).contains("pg_stat_activity") && remedy(.lockNotAvailable).contains("lock"))
    #expect(remedy(.undefinedTable).contains("upmc migrate"))
    #expect(remedy(.insufficientPrivilege).contains("own the database"))
    let lost = PostgresError(origin: .connection, message: "the connection to PostgreSQL was lost")
    #expect(DatabaseChecks.remedyWhileReading(lost).contains("Start PostgreSQL"))
  }

  @Test func `a database whose disk is full is not told to be started`() {
    let error = PostgresError(
      origin: .connection,
      message: #"FATAL:  could not write init file "base/16384/pg_internal.init": No space left on device"#)
    #expect(DatabaseChecks.remedy(error).contains("Make room"))
    #expect(
      DatabaseChecks.remedy(PostgresError(origin: .connection, message: "FATAL:  could not write init file")).contains(
        "Make room"))
  }
}
