internal import Domain
internal import Operations
internal import Postgres
internal import Reactor
internal import Store

/// The app of a stage and its devices, each with a user of its own: made by the operations that devices use, in batches.
struct StageDevices {
  static let appID = "com.example.benchmark"

  let app: App
  let tokens: [String]
  private let connection: Connection
  private let catalog: Catalog

  init(_ count: Int, _ plan: Plan, on connection: Connection) throws {
    self.connection = connection
    _ = try Administration.createApp(
      Self.appID, name: "Benchmark", timeZone: "UTC", by: .commandLine, on: connection)
    catalog = try Catalog()
    try catalog.refresh(connection)
    guard let app = catalog.app(id: Self.appID) else { throw MeasuringError("the app that was just made is not there") }
    self.app = app
    tokens = (0..<count).map { _ in Self.makeToken() }
    plan.say("  registering \(count) devices")
    for start in stride(from: 0, to: count, by: Operations.Limits.batchOperations) {
      try Interruption.check()
      try run((start..<min(count, start + Operations.Limits.batchOperations)).map(registration))
    }
    try connection.run(Maintenance.analyze())
  }

  /// Carries operations out in one batch, as a committer does.
  func run(_ operations: [Operation]) throws {
    let batch = OperationBatch(
      operations, writer: 1, node: UUIDValue(high: 0, low: 0), policies: catalog.policies,
      now: SystemClock().wallMicroseconds, readAt: SystemClock().now)
    try batch.run(on: connection)
    for case .failure(let problem) in batch.results { throw MeasuringError("could not prepare: \(problem.detail)") }
  }

  private func registration(_ number: Int) -> Operation {
    let installation = "installation-\(number)"
    return .register(
      Operation.Registration(
        app: app, device: DeviceID(appID: Self.appID, network: .apns, installation: installation),
        installation: installation, network: .apns, environment: .production, psid: tokens[number],
        user: Operation.NamedUser(clientUID: "user\(number)", name: "User \(number)"),
        attributes: Devices.Attributes(), proof: nil))
  }

  private static func makeToken() -> String {
    var text = ""
    for _ in 0..<4 {
      let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
      text += String(repeating: "0", count: 16 - digits.count) + digits
    }
    return text
  }
}
