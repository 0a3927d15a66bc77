import EmbeddedPostgres
import Foundation
import Postgres
import Reactor
import Server
import Simulator
import TestSupport

/// The system under torture: a private PostgreSQL with its default durability, the nodes, and the simulator in place of
/// Apple. Lives on the main thread.
final class Stage {
  static let appID = "com.example.torture"

  let directory: String
  let simulator: Simulator
  let nodes: [ServerNode]
  let clientKey: String
  let apiKey: String
  let databaseURL: String
  /// Nil: PostgreSQL's disk cannot break.
  let brokenDisk: BrokenDisk?
  private let started: Simulator.Started
  private let postgres: EmbeddedPostgres.Handle
  private let program: Program

  init(_ plan: Plan) throws {
    directory = try Self.makeDirectory(under: plan.directory ?? "/tmp")
    var configuration = Simulator.Configuration()
    configuration.seed = plan.seed
    // The recorder keeps what matters of each delivery; the simulator need not.
    configuration.keepsDeliveries = false
    simulator = Simulator(configuration)
    started = try simulator.start()
    brokenDisk = plan.breaksDisk ? try BrokenDisk(in: directory, path: Self.searchPath) : nil
    var database = EmbeddedPostgresConfiguration(dataDirectory: directory + "/data")
    database.programs = brokenDisk?.programs
    postgres = try EmbeddedPostgres.start(database)
    databaseURL = postgres.url
    let variables = try Self.variables(started, databaseURL: databaseURL, in: directory)
    nodes = try Self.makeNodes(plan, variables, in: directory, databaseURL)
    program = Program(environment: variables.map { "\($0.key)=\($0.value)" }, directory: directory)
    try program.run("migrate")
    let app = try program.run("app", "create", Self.appID, "--name", "Torture", "--identity", "open")
    let key = try program.run("key", "create", "--role", "admin")
    guard let clientKey = app.string("clientKey"), let apiKey = key.string("apiKey") else {
      throw Trouble("upmc answered without keys: \(app.text) \(key.text)")
    }
    self.clientKey = clientKey
    self.apiKey = apiKey
    try mendCredential()
  }

  private static var searchPath: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }

  /// The environment of a server and the values that its app needs; the files it names are in `directory`.
  static func variables(
    _ started: Simulator.Started, databaseURL: String, in directory: String
  ) throws -> [String: String] {
    let authority = directory + "/ca.pem"
    try Data(started.authorityPEM.utf8).write(to: URL(filePath: authority))
    try Data(started.providerKey.privateKeyPEM.utf8).write(to: URL(filePath: directory + "/AuthKey.p8"))
    let outside = ProcessInfo.processInfo.environment
    var variables = [
      "PATH": searchPath, "UPMC_DATABASE_URL": databaseURL,
      "UPMC_MASTER_KEY": Data([UInt8](repeating: 7, count: 32)).base64EncodedString(), "UPMC_CA_FILE": authority,
      "UPMC_APNS_PRODUCTION_URL": "https://\(started.endpoints.apns)",
      "UPMC_APNS_SANDBOX_URL": "https://\(started.endpoints.sandbox)", "UPMC_LOG_LEVEL": "warning",
      "UPMC_WEBHOOK_PRIVATE": "127.0.0.0/8",
    ]
    for name in ["UPMC_MIGRATIONS_DIR", "TSAN_OPTIONS", "ASAN_OPTIONS", "LD_PRELOAD"] {
      variables[name] = outside[name]
    }
    return variables
  }

  /// Each node gets its own proxy to the database and its own clock, so that either can fail for it alone.
  private static func makeNodes(
    _ plan: Plan, _ variables: [String: String], in directory: String, _ databaseURL: String
  ) throws -> [ServerNode] {
    guard let url = URLComponents(string: databaseURL), let role = url.user,
      let socket = url.queryItems?.first(where: { $0.name == "host" })?.value
    else { throw Trouble("the private database has an odd address: \(databaseURL)") }
    let library =
      plan.shiftsClocks ? try WrongClock.makeLibrary(in: directory, path: variables["PATH"] ?? "") : nil
    return try (1...plan.nodes).map { number in
      let proxy = try DatabaseProxy(socketDirectory: socket)
      var own = variables
      own["UPMC_DATABASE_URL"] = proxy.url(of: String(url.path.dropFirst()), as: role)
      let clock = try library.map { try WrongClock(library: $0, file: "\(directory)/clock-\(number)") }
      if let clock { own.merge(clock.variables(preloaded: variables["LD_PRELOAD"])) { $1 } }
      return try ServerNode(
        number: number, environment: own.map { "\($0.key)=\($0.value)" }, log: "\(directory)/serve-\(number).log",
        proxy: proxy, clock: clock)
    }
  }

  /// Does what an operator does after the network refused the key: supplies it again, which unblocks the app.
  func mendCredential() throws {
    let key = started.providerKey
    try program.run(
      "app", "credential", Self.appID, "--apns-key", directory + "/AuthKey.p8", "--key-id", key.keyID, "--team-id",
      key.teamID)
  }

  // MARK: PostgreSQL

  /// The application name of the runner's own sessions.
  static let sessionName = "torture"

  /// A session of the runner, which may leave a transaction open indefinitely.
  func session() throws(PostgresError) -> Connection {
    var options = ConnectionOptions()
    options.applicationName = Self.sessionName
    options.idleInTransactionTimeout = nil
    return try Connection(databaseURL, options: options)
  }

  /// Returns once the postmaster has exited; otherwise a check whether it runs would succeed, and none would be
  /// started.
  func killPostgres() {
    kill(postgres.pid, SIGKILL)
    var information = siginfo_t()
    // It is our child. Its exit status is left for its handle to reap.
    _ = unsafe waitid(P_PID, id_t(postgres.pid), &information, WEXITED | WNOWAIT)
  }

  /// Waits until PostgreSQL is back. On a busy machine, the remains of a killed postmaster may hold its shared memory
  /// for a while, and a new one refuses to start until it is released.
  func restorePostgres() throws {
    let pause = try Wakeup()
    for _ in 0..<40 {
      if (try? postgres.ensureRunning()) != nil { return }
      _ = pause.wait(atMost: .milliseconds(250))
    }
    try postgres.ensureRunning()
  }

  /// Stops everything that was started and removes the directory unless `keeps` is true.
  func close(keeps: Bool) {
    for node in nodes {
      node.kill()
      node.proxy?.close()
    }
    Self.clear(directory, postgres, simulator, keeps: keeps)
  }

  /// Stops what every stage has, and removes its directory unless `keeps` is true.
  static func clear(_ directory: String, _ postgres: EmbeddedPostgres.Handle, _ simulator: Simulator, keeps: Bool) {
    do {
      try postgres.ensureRunning()
      try postgres.stop()
    } catch {
      Console.say("the database was not stopped: \(error)")
    }
    simulator.stop()
    if keeps {
      Console.say("logs and database are in \(directory)")
    } else {
      try? FileManager.default.removeItem(atPath: directory)
    }
  }

  static func makeDirectory(under parent: String) throws -> String {
    var template = Array("\(parent)/upmc-torture.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Trouble("cannot make a directory in \(parent): error \(errno)") }
    let name = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // If we are root, the database runs as another user.
    chmod(name, 0o755)
    return name
  }
}

/// Why the runner itself cannot continue; not a fault of the system under torture.
struct Trouble: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
