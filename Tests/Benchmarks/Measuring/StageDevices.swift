internal import Crypto
internal import Domain
internal import FoundationEssentials
internal import Operations
internal import Postgres
internal import Reactor
internal import Store
import Time

/// A stage's app and its devices, one user each, created in batches by the operations that devices use.
struct StageDevices {
  static let appID = "com.example.benchmark"

  let app: App
  let tokens: [String]
  let clientKey: String
  private let connection: Connection
  private let catalog: Catalog

  init(_ count: Int, _ plan: Plan, on connection: Connection) throws {
    self.connection = connection
    clientKey = try Administration.createApp(
      Self.appID, name: "Benchmark", timeZone: "UTC", identity: .open, by: .commandLine, on: connection
    ).clientKey
    catalog = try Catalog()
    try catalog.refresh(connection)
    guard let app = catalog.app(id: Self.appID) else { throw MeasuringError("the app that was just made is not there") }
    self.app = app
    tokens = (0..<count).map(Self.token)
    plan.say("  registering \(count) devices")
    for start in stride(from: 0, to: count, by: Operations.Limits.batchOperations) {
      try Interruption.check()
      // Like nearly all devices of an audience: devices registered in the last minute are handled differently.
      try run((start..<min(count, start + Operations.Limits.batchOperations)).map { registration($0) }, daysAgo: 1)
    }
    try connection.run(PlannerStatistics.analyze())
  }

  /// Executes operations in one batch, as a committer does; `daysAgo` dates it in the past.
  func run(_ operations: [Operation], daysAgo: Int64 = 0) throws {
    let batch = OperationBatch(
      operations, writer: 1, node: UUIDValue(high: 0, low: 0), policies: catalog.policies,
      now: SystemClock().wallTime - .seconds(daysAgo * 86_400), readAt: SystemClock().now)
    try batch.run(on: connection)
    for case .failure(let problem) in batch.results { throw MeasuringError("could not prepare: \(problem.detail)") }
  }

  /// A device registration: the first one, or one with another system version.
  func registration(_ number: Int, osVersion: String = "") -> Operation {
    let installation = Self.installation(number)
    var attributes = Devices.Attributes()
    attributes.osVersion = osVersion
    return .register(
      Operation.Registration(
        app: app, device: Self.deviceID(number), installation: installation, network: .apns, environment: .production,
        psid: tokens[number], user: NamedUser(clientUID: Self.clientUID(number), name: Self.userName(number)),
        attributes: attributes, proof: nil))
  }

  var policies: AppPolicies { catalog.policies }

  // MARK: Who a device is, by its number

  static let installationPrefix = "installation-"
  static let clientUIDPrefix = "user"
  static let userNamePrefix = "User "

  static func installation(_ number: Int) -> String { installationPrefix + String(number) }
  static func clientUID(_ number: Int) -> String { clientUIDPrefix + String(number) }
  static func userName(_ number: Int) -> String { userNamePrefix + String(number) }
  /// The system version of a later registration, which equals no other field of the device.
  static func osVersion(_ number: Int) -> String { "17.\(number)" }

  static func deviceID(_ number: Int) -> DeviceID {
    DeviceID(appID: appID, network: .apns, installation: installation(number))
  }

  /// The number's SHA-256: as long as a token, unique, and computable by PostgreSQL too.
  static func token(_ number: Int) -> String {
    SHA256.hash(Array(String(number).utf8)).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}
