import Domain
import Foundation
import Operations
import Postgres
import Reactor
import Simulator
import Store
import TestSupport
import Testing

@testable import Server

/// Everything at once, for real: a server with its own database, the simulator in Apple's place, and an app.
final class World {
  static let appID = "com.example.bank"
  /// Nobody answers there: tests ask the server itself for what stands below it.
  static let publicURL = "https://push.example.com"

  let simulator: Simulator
  let started: Simulator.Started
  let database: TestDatabase
  let connection: Connection
  let server: Server
  let client: TestClient
  let clientKey: String
  let apiKey: String

  /// - Parameters:
  ///   - change: how the simulator differs.
  ///   - isEmpty: without an app: as a new system is.
  ///   - identity: the app's; most tests take a device's word for whose it is.
  ///   - configure: how the server differs.
  ///   - proxy: through which the server reaches its database.
  ///   - prepare: what is in the database before the server starts.
  init(
    _ change: (inout Simulator.Configuration) -> Void = { _ in }, isEmpty: Bool = false,
    identity: App.Identity = .open, through proxy: DatabaseProxy? = nil,
    server configure: (inout Configuration) throws -> Void = { _ in },
    prepare: (TestDatabase) throws -> Void = { _ in }
  ) throws {
    var configuration = Simulator.Configuration()
    configuration.keepsPayloads = true
    configuration.serviceAccountKeyPEM = ServiceAccountKey.pem
    change(&configuration)
    simulator = Simulator(configuration)
    started = try simulator.start()
    database = try TestDatabase.make()
    connection = try database.connect()
    let master = try Self.master
    (clientKey, apiKey) = isEmpty ? ("", "") : try Self.makeApp(started, master, connection, identity)
    try prepare(database)
    var setting = try Self.configuration(started)
    try configure(&setting)
    server = try Server(setting, databaseURL: proxy?.url(of: database) ?? database.url, master: master)
    client = try TestClient(port: server.address.port)
  }

  /// One more node on the same database. Stop it before the world ends.
  func startNode(
    through proxy: DatabaseProxy? = nil, _ configure: (inout Configuration) -> Void = { _ in }
  ) throws -> Server {
    var setting = try Self.configuration(started)
    configure(&setting)
    return try Server(setting, databaseURL: proxy?.url(of: database) ?? database.url, master: try Self.master)
  }

  deinit {
    server.stop()
    simulator.stop()
  }

  static var master: MasterKey { get throws { try MasterKey(bytes: [UInt8](masterKey)) } }
  /// The same as it is configured.
  static var masterKeyText: String { masterKey.base64EncodedString() }
  private static let masterKey = Data(repeating: 7, count: 32)

  static func makeApp(
    _ started: Simulator.Started, _ master: MasterKey, _ connection: Connection, _ identity: App.Identity = .open
  ) throws -> (clientKey: String, apiKey: String) {
    let app = try Administration.createApp(
      appID, name: "Bank", timeZone: "Asia/Seoul", identity: identity, by: .commandLine, on: connection)
    try setCredential(started, master, connection)
    let apiKey = try Administration.createKey(.admin, appID: nil, by: .commandLine, on: connection)
    return (app.clientKey, apiKey.apiKey)
  }

  private static func setCredential(
    _ started: Simulator.Started, _ master: MasterKey, _ connection: Connection
  ) throws {
    let key = started.providerKey
    _ = try Administration.setCredential(
      Administration.APNsKey(pem: key.privateKeyPEM, keyID: key.keyID, teamID: key.teamID), of: appID, master: master,
      by: .commandLine, on: connection)
  }

  /// Stores the credential again, as an operator does who mends it.
  func replaceCredential() throws {
    try Self.setCredential(started, Self.master, connection)
  }

  /// Gives the app a service account, so that it sends through FCM too.
  func useServiceAccount(_ settings: Administration.FCMSettings = .init()) throws {
    let json = try #require(started.serviceAccountJSON)
    _ = try Administration.setCredential(
      Administration.FCMServiceAccount(json: json, settings: settings), of: Self.appID, master: Self.master,
      tokens: TokenAddress(configured: started.tokenURL), by: .commandLine, on: connection)
    try waitForCredentials(2)
  }

  /// Waits until the server has loaded at least `count` credentials. It defers a push whose credential it has not
  /// loaded yet by five seconds.
  func waitForCredentials(_ count: Int) throws {
    _ = try poll("the server does not send with the new credential") {
      let reply = try client.call("GET", "/ready")
      return (reply.int("credentials") ?? 0) >= count ? true : nil
    }
  }

  static func configuration(_ started: Simulator.Started) throws -> Configuration {
    var configuration = Configuration()
    configuration.listenHost = "127.0.0.1"
    configuration.listenPort = 0
    configuration.apnsProduction = try Configuration.service("test", "https://\(started.endpoints.apns)")
    configuration.apnsSandbox = try Configuration.service("test", "https://\(started.endpoints.sandbox)")
    if let channels = started.endpoints.channels, let sandbox = started.endpoints.sandboxChannels {
      configuration.apnsChannelsProduction = try Configuration.service("test", "https://\(channels)")
      configuration.apnsChannelsSandbox = try Configuration.service("test", "https://\(sandbox)")
    }
    configuration.fcm = try Configuration.service("test", "https://\(try #require(started.endpoints.fcm))")
    configuration.fcmTokenURL = started.tokenURL
    // It goes with the cluster.
    let authority = TestCluster.shared.directory + "/authority-\(UInt64.random(in: 0...UInt64.max)).pem"
    TemporaryDirectory.write(authority, started.authorityPEM)
    configuration.caFile = authority
    configuration.publicURL = publicURL
    // Nothing is given up because the machine is busy.
    configuration.benchmarkOverrides.commitTimeout = .patience
    configuration.console.passwordRounds = 16
    return configuration
  }

  // MARK: Devices

  /// A token of 64 digits that begins with two given ones.
  static func token(_ digits: String) -> String { String(repeating: digits, count: 32) }

  @discardableResult
  func register(
    _ deviceID: String, token: String, user: String?, authKey: String? = nil, locale: String? = nil
  ) throws -> Reply {
    var body: [String: Any] = [
      "appId": Self.appID, "pnsId": "APNS", "environment": "production", "psid": token, "deviceId": deviceID,
    ]
    if let locale { body["locale"] = locale }
    if let user { body.merge(["clientUid": user, "clientName": "Name of \(user)"]) { $1 } }
    let json = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
    return try client.call("POST", "/v1/devices", bearer: authKey ?? clientKey, json)
  }

  // MARK: Messages

  /// Sends and returns the SEQNO.
  func send(_ audience: String, _ more: String = "", idempotencyKey: String? = nil) throws -> String {
    let reply = try client.call(
      "POST", "/v1/admin/messages", bearer: apiKey, idempotencyKey: idempotencyKey,
      #"{"appId":"\#(Self.appID)","audience":\#(audience),"alert":{"title":"T","body":"B"}\#(more)}"#)
    #expect(reply.status == 202, "\(reply.text)")
    return try #require(reply.string("seqno"))
  }

  func funnel(_ seqno: String) throws -> Reply {
    try client.call("GET", "/v1/admin/messages/\(seqno)", bearer: apiKey)
  }

  /// Asks until the message has ended.
  func finished(_ seqno: String) throws -> Reply {
    try poll("message \(seqno) has not ended") {
      let reply = try funnel(seqno)
      return ["completed", "failed", "expired", "cancelled"].contains(reply.string("state")) ? reply : nil
    }
  }

  /// The payloads that a token received, oldest first. Each is as the document says.
  func payloads(_ token: String) throws -> [[String: Any]] {
    try simulator.deliveries(to: token).map { delivery in
      let payload = delivery.payload ?? []
      #expect(DocumentedWire.faults(ofPayload: payload) == [], "\(String(decoding: payload, as: UTF8.self))")
      return try #require(try JSONSerialization.jsonObject(with: Data(delivery.payload ?? [])) as? [String: Any])
    }
  }

  func badges(_ token: String) throws -> [Int] {
    try payloads(token).compactMap { ($0["aps"] as? [String: Any])?["badge"] as? Int }
  }

  /// The pushkey of the message as the token received it.
  func pushkey(_ seqno: String, _ token: String) throws -> String {
    let mps = try payloads(token).compactMap { $0["mps"] as? [String: Any] }.first { $0["seqno"] as? String == seqno }
    return try #require(mps?["pushkey"] as? String)
  }

  func read(_ seqno: String, _ token: String, _ more: String = "") throws -> Reply {
    try client.call(
      "POST", "/v1/reads",
      #"{"reads":[{"seqno":"\#(seqno)","psid":"\#(token)","pushkey":"\#(try pushkey(seqno, token))"\#(more)}]}"#)
  }

  func receipt(_ seqno: String, _ token: String) throws -> Reply {
    try client.call(
      "POST", "/v1/receipts",
      #"{"receipts":[{"seqno":"\#(seqno)","psid":"\#(token)","pushkey":"\#(try pushkey(seqno, token))"}]}"#)
  }
}
