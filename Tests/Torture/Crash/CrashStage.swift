import EmbeddedPostgres
import Foundation
import Postgres
import Reactor
import Server
import Simulator
import TestSupport

/// The environment of a crash run: a private PostgreSQL that commits without waiting for the disk (processes die here,
/// the machine does not), two nodes, the first with the boundary library preloaded, and the simulator.
final class CrashStage {
  let simulator: Simulator
  let started: Simulator.Started
  let nodes: [ServerNode]
  let page: BoundaryPage
  let apiKey: String
  let hook: EventSink
  let connection: Connection
  private let directory: String
  private let postgres: EmbeddedPostgres.Handle
  /// The current lease of each node.
  private var leases: [String?] = [nil, nil]

  /// - Parameter history: receives the events; nil: they are dropped.
  init(_ history: History? = nil) throws {
    directory = try Stage.makeDirectory(under: "/tmp")
    var configuration = Simulator.Configuration()
    configuration.keepsPayloads = true
    simulator = Simulator(configuration)
    started = try simulator.start()
    postgres = try EmbeddedPostgres.start(dataDirectory: directory + "/data")
    connection = try Connection(postgres.url)
    for setting in ["fsync = off", "full_page_writes = off"] { try connection.script("ALTER SYSTEM SET \(setting)") }
    try connection.script("SELECT pg_reload_conf()")
    hook = try EventSink(history, run: ReferenceRun.number)
    page = try BoundaryPage(file: directory + "/boundaries")
    let variables = try Stage.variables(started, databaseURL: postgres.url, in: directory)
    let library = try Preload.make(
      "boundaries", BoundaryLibrary.source, in: directory, path: variables["PATH"] ?? "")
    let program = Program(environment: variables.map { "\($0.key)=\($0.value)" }, directory: directory)
    try program.run("migrate")
    guard let apiKey = try program.run("key", "create", "--role", "admin").string("apiKey") else {
      throw Trouble("upmc answered without a key")
    }
    self.apiKey = apiKey
    var counted = variables
    counted["LD_PRELOAD"] = Preload.variable(library, before: variables["LD_PRELOAD"])
    counted["TORTURE_BOUNDARIES"] = page.file
    counted["TORTURE_HOOK"] = String(hook.port)
    let log = directory
    nodes = try [counted, variables].enumerated().map { index, variables in
      try ServerNode(
        number: index + 1, environment: variables.map { "\($0.key)=\($0.value)" }, log: "\(log)/serve-\(index + 1).log",
        portVariable: index == 0 ? "TORTURE_LISTENING" : nil)
    }
    for index in nodes.indices { try start(index) }
  }

  func close(keeps: Bool) {
    page.rest()
    for node in nodes { node.kill() }
    hook.stop()
    Stage.clear(directory, postgres, simulator, keeps: keeps)
  }

  /// A process whose death takes PostgreSQL down, as a crash of any of its processes does.
  func victim() throws -> Int32 {
    try steadily {
      let rows = try connection.run(
        Statement("crash-victim", "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'"),
        Parameters())
      return rows.count == 1 ? rows.int32(0, 0) : nil
    }
  }

  /// Runs a database query, retrying because PostgreSQL may just have died.
  func steadily<Value>(_ body: () throws -> Value?) throws -> Value {
    let pause = try Wakeup()
    for _ in 0..<1000 {
      do {
        if let value = try body() { return value }
      } catch let error as PostgresError where error.isConnectionLost || error.isRetryable {
        try? connection.reconnect()
      }
      _ = pause.wait(atMost: .milliseconds(20))
    }
    throw Trouble("the database does not answer: \(nodes[0].lastLogLines)")
  }

  /// Restarts what has died. A dead node's lease is ended at once, which saves ten seconds of waiting.
  func tend() throws {
    for (index, node) in nodes.enumerated() {
      guard let ending = node.ending() else { continue }
      guard index == 0, ending == .killed(signal: SIGKILL), page.fired != nil else {
        throw Broken("crash", "server \(node.number) ended by itself: \(ending)\n\(node.lastLogLines)")
      }
      page.rest()
      if let lease = leases[index] {
        let isOver: Bool = try steadily {
          try connection.script("UPDATE nodes SET alive_until = now() - interval '1 second' WHERE node = '\(lease)'")
          return true
        }
        precondition(isOver)
      }
      try start(index)
    }
  }

  /// Starts a node, waits until it serves, and records its lease.
  private func start(_ index: Int) throws {
    let known = Set(try present())
    try nodes[index].start()
    leases[index] = try steadily {
      if let ending = nodes[index].ending() {
        throw Broken("crash", "server \(index + 1) did not start: \(ending)\n\(nodes[index].lastLogLines)")
      }
      return try present().first { !known.contains($0) }
    }
  }

  private func present() throws -> [String] {
    try steadily {
      let rows = try connection.run(Statement("crash-nodes", "SELECT node::text FROM nodes"), Parameters())
      return (0..<rows.count).map { rows.text($0, 0) }
    }
  }

  /// Makes everything that an app has deferred due now.
  func hurry(_ app: String) throws {
    let done: Bool = try steadily {
      try connection.script(
        """
        UPDATE fallbacks SET due_at = now() WHERE app = \(app) AND decision IS NULL;
        UPDATE outcomes SET due_at = now() WHERE status = 6 AND seqno IN (SELECT seqno FROM messages WHERE app = \(app));
        -- Of a block there is one row for each time.
        UPDATE waits SET due_at = now() - random() * interval '1 second'
        WHERE seqno IN (SELECT seqno FROM messages WHERE app = \(app))
        """)
      return true
    }
    precondition(done)
  }

  /// Ages confirmations by ten minutes, so that nodes fold them.
  func ageConfirmations() throws {
    let done: Bool = try steadily {
      try connection.script("UPDATE confirmation_log SET logged_at = logged_at - interval '1 hour'")
      return true
    }
    precondition(done)
  }

  /// Returns one number from the database.
  func count(_ sql: String) throws -> Int64 {
    try steadily { try connection.run(Statement("crash-\(sql.hashValue)", "SELECT (\(sql))::bigint")).int64(0, 0) }
  }
}
