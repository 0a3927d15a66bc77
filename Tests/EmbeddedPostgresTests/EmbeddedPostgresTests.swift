import Glibc
import Postgres
import Reactor
import TestSupport
import TestTier
import Testing

@testable import EmbeddedPostgres

/// A data directory of its own; whatever still runs there at the end is stopped.
final class EmbeddedFixture {
  let root = TemporaryDirectory.make(prefix: "upmc-embedded.")
  var configuration: EmbeddedPostgresConfiguration
  private(set) var reports: [String] = []

  init() {
    configuration = EmbeddedPostgresConfiguration(dataDirectory: "\(root)/data")
    configuration.fallbackDirectory = "\(root)/elsewhere"
    configuration.syncsNewCluster = false
  }

  deinit {
    for base in [configuration.dataDirectory] + elsewhere {
      guard let text = Files.text("\(base)/postgres/postmaster.pid"),
        let file = PidFile(text), file.pid != getpid()
      else { continue }
      kill(file.pid, SIGQUIT)
    }
    TemporaryDirectory.remove(root)
  }

  /// Bases of clusters that had to lie elsewhere.
  var elsewhere: [String] {
    TemporaryDirectory.entries(of: configuration.fallbackDirectory).map { "\(configuration.fallbackDirectory)/\($0)" }
  }

  func start() throws -> EmbeddedPostgres.Handle {
    try EmbeddedPostgres.start(configuration) { self.reports.append($0) }
  }

  /// Lets the handle go without stopping the server, as `kill -9` of its owner would.
  func startAndVanish() throws -> Int32 {
    let handle = try start()
    try TestDatabase.connect(to: handle.url).script("CREATE TABLE kept (x int8); INSERT INTO kept VALUES (42)")
    return handle.pid
  }

  func kept(_ handle: EmbeddedPostgres.Handle) throws -> Int64 {
    try TestDatabase.connect(to: handle.url).run(Statement("kept", "SELECT x FROM kept")).int64(0, 0)
  }

  func setting(_ name: String, _ handle: EmbeddedPostgres.Handle) throws -> String {
    try TestDatabase.connect(to: handle.url).run(Statement("show", "SHOW \(name)")).text(0, 0)
  }

  /// A process that has ended but was not asked for its status has no command line any more.
  static func isRunning(_ pid: Int32) -> Bool {
    Files.bytes("/proc/\(pid)/cmdline")?.isEmpty == false
  }

  static var isRoot: Bool { geteuid() == 0 }
}

@Suite(.slow, .serialized) struct EmbeddedPostgresTests {
  let fixture = EmbeddedFixture()

  @Test func `the first start makes a durable database without TCP, and stopping ends it`() throws {
    let handle = try fixture.start()
    #expect(!handle.wasAdopted)
    #expect(fixture.reports.count == 1)
    let expected = [
      "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "data_checksums": "on",
      "listen_addresses": "", "server_encoding": "UTF8", "lc_collate": "C", "unix_socket_permissions": "0700",
      "TimeZone": "UTC",
    ]
    for (name, value) in expected { #expect(try fixture.setting(name, handle) == value, "\(name)") }
    let status = Files.text("/proc/\(handle.pid)/status") ?? ""
    #expect(!status.contains("Uid:\t0\t"), "the server runs as root")
    #expect(try handle.stop())
    #expect(!EmbeddedFixture.isRunning(handle.pid))
    #expect(try !handle.stop())
    let left = TemporaryDirectory.entries(of: fixture.configuration.dataDirectory)
    #expect(!left.contains("postgres.new"))
  }

  @Test func `data are kept from one start to the next`() throws {
    let first = try fixture.start()
    try TestDatabase.connect(to: first.url).script("CREATE TABLE kept (x int8); INSERT INTO kept VALUES (42)")
    try first.stop()
    let second = try fixture.start()
    #expect(second.pid != first.pid)
    #expect(try fixture.kept(second) == 42)
    try second.stop()
  }

  @Test func `a server whose owner vanished is adopted`() throws {
    let pid = try fixture.startAndVanish()
    #expect(EmbeddedFixture.isRunning(pid))
    let handle = try fixture.start()
    #expect(handle.wasAdopted)
    #expect(handle.pid == pid)
    #expect(try fixture.kept(handle) == 42)
    #expect(try handle.stop())
    let again = try fixture.start()
    #expect(!again.wasAdopted)
    #expect(try fixture.kept(again) == 42)
    try again.stop()
  }

  @Test func `a server that was killed is started again, also when its owner looks after it`() throws {
    let pid = try fixture.startAndVanish()
    kill(pid, SIGKILL)
    let handle = try fixture.start()
    #expect(!handle.wasAdopted)
    #expect(try fixture.kept(handle) == 42)
    #expect(try !handle.ensureRunning())
    kill(handle.pid, SIGKILL)
    let killed = handle.pid
    #expect(
      try Polling.until(.patience, every: .milliseconds(50)) { () throws(EmbeddedPostgresError) in
        try handle.ensureRunning()
      })
    #expect(handle.pid != killed)
    #expect(try fixture.kept(handle) == 42)
    try handle.stop()
  }

  @Test func `the last of two users stops the server`() throws {
    let first = try fixture.start()
    let second = try fixture.start()
    #expect(second.wasAdopted && second.pid == first.pid)
    #expect(try !first.stop())
    try TestDatabase.connect(to: second.url).script("SELECT 1")
    #expect(try second.stop())
    #expect(!EmbeddedFixture.isRunning(second.pid))
  }

  @Test func `two who start at once share one database`() throws {
    let configuration = fixture.configuration
    let results = try Inbox<Int32>(capacity: 2)
    let threads = 2
    for number in 0..<threads {
      _ = try Thread(name: "starter-\(number)") {
        let handle = try? EmbeddedPostgres.start(configuration)
        _ = results.offer(handle?.pid ?? -1)
      }
    }
    let pids = try results.receive(threads, or: "not all starters have ended")
    #expect(pids[0] > 0 && pids[0] == pids[1])
    #expect(try fixture.start().stop())
  }

  @Test func `the log of a server that runs for long stays small`() throws {
    let handle = try fixture.start()
    let log = "\(fixture.configuration.dataDirectory)/postgres.log"
    let large = 11 << 20
    TemporaryDirectory.write(log, String(repeating: "it says\n", count: large / 8))
    #expect(try !handle.ensureRunning())
    #expect(Files.size(of: log) < large / 2)
    #expect(Files.size(of: "\(log).1") >= large)
    try TestDatabase.connect(to: handle.url).script("SELECT 1")
    try handle.stop()
  }

  // MARK: Accidents

  @Test func `what was left half-made is made again, and nothing that may hold data is deleted`() throws {
    let data = fixture.configuration.dataDirectory
    try Files.makeDirectory(data, mode: 0o711)
    try Files.makeDirectory("\(data)/postgres.new/base", mode: 0o700)
    TemporaryDirectory.write("\(data)/postgres.new/PG_VERSION", "15\n")
    try Files.makeDirectory("\(data)/postgres", mode: 0o700)
    TemporaryDirectory.write("\(data)/postgres/precious", "data")
    let handle = try fixture.start()
    try TestDatabase.connect(to: handle.url).script("SELECT 1")
    try handle.stop()
    #expect(Files.text("\(data)/postgres.incomplete-1/precious") == "data")
    #expect(!Files.exists("\(data)/postgres.new"))
  }

  @Test func `a pid file that names a living process of another program is no obstacle`() throws {
    _ = try fixture.start().stop()
    let path = "\(fixture.configuration.dataDirectory)/postgres/postmaster.pid"
    TemporaryDirectory.write(path, "\(getpid())\n/somewhere\n1\n5432\n/somewhere\n\n\n")
    let handle = try fixture.start()
    #expect(!handle.wasAdopted)
    #expect(handle.pid != getpid())
    try handle.stop()
  }

  @Test func `an empty pid file is no obstacle`() throws {
    _ = try fixture.start().stop()
    TemporaryDirectory.write("\(fixture.configuration.dataDirectory)/postgres/postmaster.pid", "")
    #expect(try fixture.start().stop())
  }

  @Test func `a path too long for a socket gets a short one elsewhere, which goes with the server`() throws {
    let long = String(repeating: "long-name/", count: 10) + "and a space"
    fixture.configuration.dataDirectory = "\(fixture.root)/\(long)"
    let handle = try fixture.start()
    let directory = try fixture.setting("unix_socket_directories", handle)
    #expect(directory.hasPrefix("\"/tmp/upmc-pg-"))
    let url = handle.url
    kill(handle.pid, SIGKILL)
    #expect(
      try Polling.until(.patience, every: .milliseconds(50)) { () throws(EmbeddedPostgresError) in
        try handle.ensureRunning()
      })
    #expect(handle.url == url)
    try TestDatabase.connect(to: url).script("SELECT 1")
    try handle.stop()
    #expect(!Files.exists(String(directory.dropFirst().dropLast())))
  }

  @Test func `a short path with odd characters keeps its socket beside the cluster`() throws {
    fixture.configuration.dataDirectory = "\(fixture.root)/a b%'\"é"
    let handle = try fixture.start()
    #expect(try fixture.setting("unix_socket_directories", handle).contains("postgres.socket"))
    try handle.stop()
  }

  @Test func `programs that are missing are an error that names the package`() throws {
    fixture.configuration.programs = "/nonexistent"
    let none = try #require(throws: EmbeddedPostgresError.self) { try fixture.start() }
    #expect(none.description.contains("install the package postgresql,"))
    fixture.configuration.programs = nil
    let cluster = "\(fixture.configuration.dataDirectory)/postgres"
    // Made when the first attempt failed; no database yet.
    #expect(!Files.exists(cluster))
    try Files.makeDirectory(cluster, mode: 0o700)
    TemporaryDirectory.write("\(cluster)/PG_VERSION", "9\n")
    let old = try #require(throws: EmbeddedPostgresError.self) { try fixture.start() }
    #expect(old.description.contains("install the package postgresql-9"))
  }

  @Test func `a server that cannot start says why`() throws {
    _ = try fixture.start().stop()
    let file = "\(fixture.configuration.dataDirectory)/postgres/postgresql.conf"
    TemporaryDirectory.write(file, "nonsense_setting = 1\n")
    let error = try #require(throws: EmbeddedPostgresError.self) { try fixture.start() }
    #expect(error.description.contains("did not start"))
    #expect(error.description.contains("postgres.log"))
    #expect(error.description.contains("FATAL"))
  }
}
