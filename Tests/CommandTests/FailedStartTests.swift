import Foundation
import Postgres
import Reactor
import TestSupport
import TestTier
import Testing

/// Starts of `upmc serve` that cannot succeed: one sentence, exit status 1, and nothing has happened yet.
@Suite(.slow) struct FailedStartTests {
  let program: Program

  init() throws {
    program = try Program(databaseURL: TestDatabase.makeEmpty().url)
  }

  /// Tables that are there: a start that fails leaves an empty database empty.
  private func tables(_ program: Program) throws -> Int64 {
    try program.connect().run(
      Statement("tables", "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
    ).int64(0, 0)
  }

  @Test func `a configured directory of the console that is not there`() throws {
    let ended = try program.run(through: [], ["serve"], adding: ["UPMC_PUBLIC_DIR=/nope"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("upmc: UPMC_PUBLIC_DIR=/nope is not there"), "\(ended.complaint)")
    #expect(try tables(program) == 0)
  }

  @Test func `a port that somebody else has`() throws {
    let taken = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let port = try #require(taken.localAddress?.port)
    let ended = try program.run(through: [], ["serve"], adding: ["UPMC_LISTEN=127.0.0.1:\(port)"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("UPMC_LISTEN=127.0.0.1:\(port) cannot be listened on"), "\(ended.complaint)")
    #expect(ended.complaint.contains("another program has this port"), "\(ended.complaint)")
    #expect(try tables(program) == 0)
  }

  @Test func `an address of another machine`() throws {
    let ended = try program.run(through: [], ["serve"], adding: ["UPMC_LISTEN=192.0.2.1:8080"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("no address of this machine"), "\(ended.complaint)")
    #expect(try tables(program) == 0)
  }

  @Test func `an address for metrics that somebody else has`() throws {
    let taken = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let port = try #require(taken.localAddress?.port)
    let ended = try program.run(
      through: [], ["serve"], adding: ["UPMC_LISTEN=127.0.0.1:0", "UPMC_METRICS_LISTEN=127.0.0.1:\(port)"])
    #expect(ended.status == 1)
    #expect(
      ended.complaint.contains("UPMC_METRICS_LISTEN=127.0.0.1:\(port) cannot be listened on"), "\(ended.complaint)")
    #expect(try tables(program) == 0)
  }

  @Test func `no master key`() throws {
    let ended = try program.run(
      through: [], ["serve"], adding: ["UPMC_LISTEN=127.0.0.1:0"], removing: ["UPMC_MASTER_KEY"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("UPMC_MASTER_KEY is not set"), "\(ended.complaint)")
    #expect(try tables(program) == 0)
  }

  @Test func `a listener certificate that cannot be used`() throws {
    let ended = try program.run(
      through: [], ["serve"], adding: ["UPMC_LISTEN=127.0.0.1:0", "UPMC_TLS_CERTIFICATE=/nope.pem"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("UPMC_TLS_CERTIFICATE (/nope.pem)"), "\(ended.complaint)")
    #expect(try tables(program) == 0)
  }

  @Test func `trust anchors that cannot be used`() throws {
    let ended = try program.run(
      through: [], ["serve"], adding: ["UPMC_LISTEN=127.0.0.1:0", "UPMC_CA_FILE=/nope.pem"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("upmc: UPMC_CA_FILE (/nope.pem) cannot be used"), "\(ended.complaint)")
    #expect(try tables(program) == 0)
  }

  @Test(arguments: ["serve", "migrate"])
  func `a database of another encoding is refused before anything is made in it`(_ command: String) throws {
    let administrator = try TestDatabase.connect(to: TestCluster.shared.url(database: "postgres"))
    let name = "latin_\(command)"
    try administrator.script("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    let program = try Program(databaseURL: TestCluster.shared.url(database: name))
    let ended = try program.run(through: [], [command], adding: ["UPMC_LISTEN=127.0.0.1:0"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("has the encoding LATIN1"), "\(ended.complaint)")
    #expect(ended.complaint.contains("ENCODING 'UTF8'"), "\(ended.complaint)")
    #expect(try tables(program) == 0)
  }

  @Test(arguments: ["serve", "migrate"])
  func `a database in which another program has its tables`(_ command: String) throws {
    try program.connect().script("CREATE TABLE messages (); CREATE TABLE users (); CREATE TABLE invoices ()")
    let ended = try program.run(through: [], [command], adding: ["UPMC_LISTEN=127.0.0.1:0"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("tables of another program: messages, users"), "\(ended.complaint)")
    #expect(try tables(program) == 3)
  }

  @Test func `a database that does not exist is reported at once, and ends the start`() throws {
    let program = try Program(databaseURL: TestCluster.shared.url(database: "nowhere"))
    let ended = try program.run(through: [], ["serve"], adding: ["UPMC_LISTEN=127.0.0.1:0"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("the database of UPMC_DATABASE_URL refuses this node"), "\(ended.complaint)")
    let last = ended.complaint.split(separator: "\n").last ?? ""
    #expect(last.hasPrefix("upmc: The database of UPMC_DATABASE_URL refuses this node ("), "\(ended.complaint)")
    #expect(last.contains("does not exist") && last.contains("`createdb`"), "\(ended.complaint)")
    let command = try program.run("app", "list")
    #expect(command.status == 1)
    #expect(command.complaint.contains("refuses the connection"), "\(command.complaint)")
    #expect(command.complaint.contains("`createdb`"), "\(command.complaint)")
  }

  @Test func `a machine that allows few open files`() throws {
    let ended = try program.run(
      through: ["/bin/sh", "-c", "ulimit -n 200; exec \"$@\"", "sh"], ["serve"], adding: ["UPMC_LISTEN=127.0.0.1:0"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("Only 200 open files are allowed (ulimit -n)"), "\(ended.complaint)")
    #expect(try tables(program) == 0)
  }

  @Test(arguments: ["serve", "status"])
  func `a master key that cannot be read is told in a sentence`(_ command: String) throws {
    let program = try Program()
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    let arguments =
      command == "serve"
      ? ["serve"]
      : ["webhook", "create", "com.example.bank", "--url", "https://a.example.com/", "--event", "token.dropped"]
    for (path, words) in [("/nope/master.key", "is not there"), (program.directory, "is no file")] {
      let ended = try program.run(
        through: [], arguments, adding: ["UPMC_LISTEN=127.0.0.1:0", "UPMC_MASTER_KEY_FILE=\(path)"],
        removing: ["UPMC_MASTER_KEY"])
      #expect(ended.status == 1)
      #expect(ended.complaint.hasPrefix("upmc: UPMC_MASTER_KEY_FILE: \(path) \(words)"), "\(ended.complaint)")
      #expect(!ended.complaint.contains("CocoaError"))
    }
  }

  @Test func `a master key that does not open what the database holds`() throws {
    let program = try Program()
    try program.connect().script(
      "INSERT INTO signing_keys (purpose, generation, sealed) VALUES ('pushkey', 1, decode(repeat('00', 60), 'hex'))")
    let ended = try program.run(through: [], ["serve"], adding: ["UPMC_LISTEN=127.0.0.1:0"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("is another key"), "\(ended.complaint)")
    #expect(
      try program.connect().run(Statement("nodes", "SELECT count(*) FROM nodes")).int64(0, 0) == 0)
  }
}
