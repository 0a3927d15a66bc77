import Foundation
import Postgres
import Reactor
import TestSupport
import TestTier
import Testing

/// `upmc backup` and `upmc restore` where the password is not in the URL, as `.deploy` prescribes.
@Suite(.slow) struct BackupCommandTests {
  /// A database server that asks for a password, and the file that holds it.
  private final class Guarded {
    let cluster = TestCluster()
    var passwordFile: String { cluster.directory + "/pgpass" }

    init() throws {
      let administrator = try TestDatabase.connect(to: cluster.url(database: "postgres"))
      try administrator.script("CREATE ROLE upmc LOGIN PASSWORD 'right'")
      for name in ["kept", "fresh"] {
        try administrator.script("CREATE DATABASE \(name) OWNER upmc TEMPLATE template0")
      }
      TemporaryDirectory.write(
        cluster.directory + "/data/pg_hba.conf", "local all postgres trust\nlocal all all scram-sha-256\n")
      // Not told to read it again: when it does is its own affair.
      cluster.stop()
      cluster.start()
      _ = try PrivateFile.create(passwordFile, Array("*:*:*:upmc:right\n".utf8))
    }

    deinit { cluster.remove() }

    func url(_ database: String) -> String { "postgresql://upmc@/\(database)?host=\(cluster.directory)" }
  }

  @Test(arguments: ["PGPASSFILE", "PGPASSWORD"])
  func `a password that only the environment has`(_ variable: String) throws {
    let guarded = try Guarded()
    let password = variable == "PGPASSFILE" ? guarded.passwordFile : "right"
    let program = try Program(databaseURL: guarded.url("kept"), ["\(variable)=\(password)"])
    #expect(try program.run("migrate").status == 0)
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    let file = program.directory + "/b.dump"
    let taken = try program.run("backup", file)
    #expect(taken.status == 0, "\(taken.complaint)")
    let other = try Program(databaseURL: guarded.url("fresh"), ["\(variable)=\(password)"])
    let brought = try other.run("restore", file)
    #expect(brought.status == 0, "\(brought.complaint)")
    #expect(brought.complaint.contains("restoring \(file) into \(guarded.cluster.directory)/fresh"))
    #expect(try other.run("app", "list").lines.first?.hasPrefix("com.example.bank") == true)
  }

  @Test func `what the URL says counts, whatever the environment says of another database`() throws {
    let program = try Program(["PGHOST=/nonexistent", "PGDATABASE=nothing", "PGUSER=nobody"])
    let file = program.directory + "/b.dump"
    let taken = try program.run("backup", file)
    #expect(taken.status == 0, "\(taken.complaint)")
  }

  @Test func `a backup may go to standard output, and is the same there`() throws {
    let program = try Program()
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    let file = program.directory + "/piped.dump"
    // Through a pipe, as into a program that encrypts or carries it away.
    let taken = try program.run(through: ["/bin/sh", "-c", "\"$@\" | cat > \(file)", "sh"], "backup", "-")
    #expect(taken.status == 0 && taken.lines.isEmpty, "\(taken.complaint)")
    #expect(taken.complaint.contains("The master key is not in it"), "\(taken.complaint)")
    #expect(!FileManager.default.fileExists(atPath: "-"))
    let other = try Program(databaseURL: TestDatabase.makeEmpty().url)
    #expect(try other.run("restore", file).status == 0)
    #expect(try other.run("app", "list").lines.first?.hasPrefix("com.example.bank") == true)
  }

  @Test func `a restore without UPMC_DATABASE_URL says that it makes a private database, and where`() throws {
    let program = try Program()
    let (file, data) = (program.directory + "/b.dump", program.directory + "/data")
    #expect(try program.run("backup", file).status == 0)
    let brought = try program.run(
      through: [], ["restore", file], adding: ["UPMC_DATA_DIR=\(data)"],
      removing: ["UPMC_DATABASE_URL", "UPMC_MASTER_KEY"])
    #expect(brought.status == 0, "\(brought.complaint)")
    #expect(brought.complaint.contains("making the private database in "), "\(brought.complaint)")
  }

  @Test func `no migration touches what a killed restore has left, and another run completes it`() throws {
    let source = try Program()
    #expect(try source.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    let file = source.directory + "/b.dump"
    #expect(try source.run("backup", file).status == 0)
    let program = try Program(databaseURL: TestDatabase.makeEmpty().url)
    // As if it had been killed before its first table.
    try program.connect().script("CREATE TABLE upmc_restoring (backup text NOT NULL)")
    for arguments in [["migrate"], ["migrate", "--dry-run"]] {
      let ended = try program.run(arguments, removing: [])
      #expect(ended.status == 1 && ended.lines.isEmpty, "\(ended)")
      #expect(ended.complaint.contains("Run `upmc restore` with the same file again"), "\(ended)")
    }
    let doctor = try program.run("doctor", "--quiet")
    #expect(doctor.status == 1 && doctor.lines.contains { $0.contains("in the middle of being restored") }, "\(doctor)")
    #expect(!doctor.lines.contains { $0.contains("upmc migrate") }, "\(doctor)")
    let brought = try program.run("restore", file)
    #expect(brought.status == 0, "\(brought)")
    #expect(try program.run("app", "list").lines.first?.hasPrefix("com.example.bank") == true)
    let dry = try program.run("migrate", "--dry-run")
    #expect(dry.status == 0 && dry.lines == ["The schema is up to date."], "\(dry)")
  }

  @Test func `a restore that failed leaves a database that is empty to everybody`() throws {
    let empty = try Program(databaseURL: TestDatabase.makeEmpty().url)
    let garbage = empty.directory + "/garbage"
    TemporaryDirectory.write(garbage, "no backup")
    let failed = try empty.run("restore", garbage)
    #expect(failed.status == 1 && failed.complaint.contains("pg_restore failed"), "\(failed.complaint)")
    let taken = try empty.run("backup", empty.directory + "/b.dump")
    #expect(!taken.complaint.contains("in the middle of being restored"), "\(taken.complaint)")
    let migrated = try empty.run("migrate")
    #expect(migrated.status == 0, "\(migrated.complaint)")
  }
}
