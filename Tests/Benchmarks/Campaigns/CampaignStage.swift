internal import Crypto
internal import Domain
internal import FoundationEssentials
internal import Operations
internal import Postgres
internal import Reactor
internal import Server

/// The environment of campaigns: a private PostgreSQL with default durability and a million devices, the strict
/// simulator in its own process, and servers to measure.
final class CampaignStage {
  let devices: Int
  let apiKey: String
  /// URL of the private PostgreSQL.
  var databaseURL: String { database.url }
  /// Tokens of the first users, which receive the urgent sends.
  let tokens: [String]
  /// Its push network is a sink that keeps no record.
  let isBare: Bool
  private let plan: Plan
  private let scratch: ScratchDirectory
  private let database: Database
  private let masterKeyFile: String
  private let network: Program
  private let networkPort: UInt16
  private let controlPort: UInt16
  private var serversStarted = 0

  private static let knownTokens = 1_000

  enum Network: Equatable {
    /// With or without a record of when each push arrived.
    case simulator(keepsDeliveries: Bool)
    /// Accepts everything without checking it.
    case sink
  }

  init(_ plan: Plan, devices: Int, network: Network = .simulator(keepsDeliveries: false)) throws {
    isBare = network == .sink
    self.plan = plan
    self.devices = devices
    scratch = try ScratchDirectory()
    var configuration = Configuration()
    configuration.dataDirectory = scratch.file("data")
    plan.say("  making a private PostgreSQL")
    database = try Database(configuration)
    try database.migrate(configuration)
    let master = try MasterKeyFile.load(configuration)
    masterKeyFile = configuration.dataDirectory + "/master.key"
    let connection = try Connection(database.url)
    (networkPort, controlPort) = (try Loopback.freePort(), try Loopback.freePort())
    let pem: String
    switch network {
    case .simulator(let keepsDeliveries):
      self.network = try Program(
        "upmc-simulator",
        [
          try plan.sibling("upmc-simulator"), "--listen", "127.0.0.1:\(networkPort)", "--control-listen",
          "127.0.0.1:\(controlPort)", "--ca-file", scratch.file("ca.pem"), "--key-file", scratch.file("AuthKey.p8"),
        ] + (keepsDeliveries ? [] : ["--totals-only"]), port: controlPort, file: scratch.file("AuthKey.p8"),
        log: scratch.file("simulator.log"))
      pem = try String(contentsOfFile: scratch.file("AuthKey.p8"), encoding: .utf8)
    case .sink:
      self.network = try Program(
        "the sink",
        [plan.program, "sink", "--port", String(networkPort), "--authority", scratch.file("ca.pem")], port: networkPort,
        log: scratch.file("sink.log"))
      pem = P256.PrivateKey().pem
    }
    tokens = Array(try StageDevices(devices, plan, on: connection).tokens.prefix(Self.knownTokens))
    _ = try Administration.setCredential(
      Administration.APNsKey(pem: pem, keyID: "SIMKEY0001", teamID: "SIMULATOR1"), of: StageDevices.appID,
      master: master,
      by: .commandLine, on: connection)
    apiKey = try Administration.createKey(.admin, appID: nil, by: .commandLine, on: connection).apiKey
  }

  /// Stops the simulator and the private PostgreSQL.
  func close() {
    network.stop()
    database.close()
  }

  var circumstances: [(name: String, value: String)] {
    [
      ("devices", "\(devices)"),
      isBare
        ? ("sink", "in a process of its own: TLS and HTTP/2, and a yes to everything")
        : ("simulator", "in a process of its own: TLS, JWT and every check of Apple's"),
      ("durability", "PostgreSQL's default (fsync, synchronous_commit, full_page_writes on)"),
    ]
  }

  // MARK: Servers

  func startOurs() throws -> Center {
    try start("upmc serve", [try plan.sibling("upmc"), "serve"])
  }

  /// The same server with a benchmark override: see `CenterCommand`.
  func startHandicapped(_ flag: String) throws -> Center {
    try start("the server \(flag.dropFirst(2))", [plan.program, "center", flag])
  }

  private func start(_ name: String, _ command: [String]) throws -> Center {
    serversStarted += 1
    let port = try Loopback.freePort()
    let environment = [
      "UPMC_LISTEN=127.0.0.1:\(port)", "UPMC_DATABASE_URL=\(database.url)", "UPMC_MASTER_KEY_FILE=\(masterKeyFile)",
      "UPMC_LOG_LEVEL=warning", "UPMC_CA_FILE=\(scratch.file("ca.pem"))",
      "UPMC_APNS_PRODUCTION_URL=https://localhost:\(networkPort)",
    ]
    let program = try Program(
      name, command, environment: environment, port: port, log: scratch.file("server-\(serversStarted).log"))
    return try Center(program: program, apiKey: apiKey, simulatorPort: controlPort)
  }
}

extension Plan {
  /// Path of a program built beside this one.
  func sibling(_ name: String) throws -> String {
    let path = URL(filePath: program).deletingLastPathComponent().appending(path: name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw MeasuringError("\(path) is not there; `make build` makes it")
    }
    return path
  }
}
