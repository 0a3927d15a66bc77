import Maintenance
import Domain
import Operations
import Postgres
import Reactor
import Server
import Simulator
import Store
import TestSupport
import Testing

/// A set-up that works: a migrated database, the simulator in Apple's and Google's place, and an app with both its
/// credentials. Each test breaks one thing.
final class MaintenanceWorld {
  static let appID = "com.example.bank"
  static let masterKey = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="

  let simulator: Simulator
  let started: Simulator.Started
  let database: TestDatabase
  let connection: Connection
  let master: MasterKey
  var environment: [String: String]
  private let directory = TemporaryDirectory.make()

  /// - Parameter change: how the simulator differs.
  init(_ change: (inout Simulator.Configuration) -> Void = { _ in }) throws {
    var configuration = Simulator.Configuration()
    configuration.serviceAccountKeyPEM = ServiceAccountKey.pem
    change(&configuration)
    simulator = Simulator(configuration)
    started = try simulator.start()
    database = try TestDatabase.make()
    connection = try database.connect()
    master = try MasterKey(bytes: [UInt8](repeating: 7, count: 32))
    TemporaryDirectory.write(directory + "/authority.pem", started.authorityPEM)
    environment = [
      "UPMC_DATABASE_URL": database.url, "UPMC_MASTER_KEY": Self.masterKey,
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
      "UPMC_APNS_PRODUCTION_URL": "https://\(started.endpoints.apns)",
      "UPMC_APNS_SANDBOX_URL": "https://\(started.endpoints.sandbox)",
      "UPMC_FCM_URL": "https://\(try #require(started.endpoints.fcm))",
      "UPMC_FCM_TOKEN_URL": try #require(started.tokenURL),
      "UPMC_CA_FILE": directory + "/authority.pem", "UPMC_PUBLIC_URL": "https://push.example.com",
    ]
    _ = try Administration.createApp(
      Self.appID, name: "Bank", timeZone: "Asia/Seoul", by: .commandLine, on: connection)
    _ = try SigningKeys.load(connection, master: master)
    try setKey(started.providerKey.privateKeyPEM)
  }

  deinit {
    simulator.stop()
    TemporaryDirectory.remove(directory)
  }

  func setKey(_ pem: String) throws {
    _ = try Administration.setCredential(
      Administration.APNsKey(pem: pem, keyID: started.providerKey.keyID, teamID: started.providerKey.teamID),
      of: Self.appID, master: master, by: .commandLine, on: connection)
  }

  func setServiceAccount() throws {
    _ = try Administration.setCredential(
      Administration.FCMServiceAccount(json: try #require(started.serviceAccountJSON), settings: .init()),
      of: Self.appID, master: master, tokens: TokenAddress(configured: started.tokenURL), by: .commandLine,
      on: connection)
  }

  /// What the doctor finds that is not well.
  func findings(clock: any Clock = SystemClock(), _ change: [String: String] = [:]) -> [Finding] {
    Self.findings(environment.merging(change) { $1 }, clock: clock)
  }

  static func findings(_ environment: [String: String], clock: any Clock = SystemClock()) -> [Finding] {
    var all: [Finding] = []
    let doctor = Doctor(clock: clock, checksInvariants: true) { all.append($0) }
    doctor.examine(environment: environment)
    #expect(doctor.failures == all.count { $0.severity == .failure })
    return all
  }
}

extension [Finding] {
  var failures: [Finding] { filter { $0.severity == .failure } }

  /// The only failure there is, which must be about this and say this; and must say how to mend it.
  func expectOnlyFailure(
    _ subject: String, _ what: String, remedy: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(failures.count == 1, "\(failures)", sourceLocation: sourceLocation)
    guard let failure = failures.first else { return }
    #expect(failure.subject == subject, sourceLocation: sourceLocation)
    #expect(failure.what.contains(what), "\(failure.what)", sourceLocation: sourceLocation)
    #expect(failure.remedy.contains(remedy), "\(failure.remedy)", sourceLocation: sourceLocation)
    // A table of what was broken and what was said, for whoever reads the tests' output.
    print("| \(failure.subject) | \(failure.place) | \(failure.what) | \(failure.remedy) |")
  }
}
