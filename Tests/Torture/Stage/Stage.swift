import Domain
import Foundation
import Operations
import Postgres
import Reactor
import Server
import Simulator
import Store

/// Everything under torture: a private PostgreSQL with its default durability, the nodes, and the simulator in Apple's
/// place. Lives on the main thread.
final class Stage {
  static let appID = "com.example.torture"

  let directory: String
  let simulator: Simulator
  let nodes: [ServerNode]
  let clientKey: String
  let apiKey: String
  let databaseURL: String
  private let started: Simulator.Started
  private let postgres: EmbeddedPostgres.Handle
  private let master = [UInt8](repeating: 7, count: 32)

  init(_ plan: Plan) throws {
    directory = try Self.makeDirectory()
    var configuration = Simulator.Configuration()
    configuration.seed = plan.seed
    // The recorder keeps what matters of each delivery; the simulator need not.
    configuration.keepsDeliveries = false
    simulator = Simulator(configuration)
    started = try simulator.start()
    postgres = try EmbeddedPostgres.start(dataDirectory: directory + "/data")
    databaseURL = postgres.url
    let connection = try Connection(databaseURL)
    let configured = ProcessInfo.processInfo.environment["UPMC_MIGRATIONS_DIR"]
    let migrations = try MigratorFiles.locate(configured: configured)
    try Migrator(directory: migrations).migrate(connection)
    let app = try Administration.createApp(
      Self.appID, name: "Torture", timeZone: "Asia/Seoul", by: .commandLine, on: connection)
    clientKey = app.clientKey
    apiKey = try Administration.createKey(.admin, appID: nil, by: .commandLine, on: connection).apiKey
    let authority = directory + "/ca.pem"
    try Data(started.authorityPEM.utf8).write(to: URL(filePath: authority))
    let variables = [
      "UPMC_DATABASE_URL": databaseURL, "UPMC_MASTER_KEY": Data(master).base64EncodedString(),
      "UPMC_CA_FILE": authority, "UPMC_APNS_PRODUCTION_URL": "https://\(started.endpoints.apns)",
      "UPMC_APNS_SANDBOX_URL": "https://\(started.endpoints.sandbox)", "UPMC_LOG_LEVEL": "warning",
      "UPMC_MIGRATIONS_DIR": migrations,
    ]
    let place = directory
    nodes = try (1...plan.nodes).map { try ServerNode(number: $0, variables, log: "\(place)/serve-\($0).log") }
    try mendCredential(connection)
  }

  /// What an operator does when the network refused the key: gives it again, which lets the app go on.
  func mendCredential(_ connection: Connection) throws {
    let key = started.providerKey
    _ = try Administration.setCredential(
      Administration.APNsKey(pem: key.privateKeyPEM, keyID: key.keyID, teamID: key.teamID), of: Self.appID,
      master: try MasterKey(bytes: master), by: .commandLine, on: connection)
  }

  // MARK: PostgreSQL

  func killPostgres() {
    kill(postgres.pid, SIGKILL)
  }

  /// Waits until it is there again.
  func restorePostgres() throws {
    try postgres.ensureRunning()
  }

  /// Stops what was started; nothing of it survives, except the directory when it is to be kept.
  func close(keeps: Bool) {
    for node in nodes { node.kill() }
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

  private static func makeDirectory() throws -> String {
    var template = Array("/tmp/upmc-torture.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Trouble("cannot make a directory in /tmp: error \(errno)") }
    let name = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The database's user is another one when we are root.
    chmod(name, 0o755)
    return name
  }
}

/// Why the runner itself cannot go on: no fault of what is under torture.
struct Trouble: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
