import Crypto
import Domain
import Foundation
import Operations
import Postgres
import Reactor
import Simulator
import TestSupport
import Testing
import UPMCClient
import UPMCClientURLSession

@testable import Server

/// A server with its own database, the simulator in Apple's place, and an app: what a client meets.
final class ClientStage: @unchecked Sendable {
  static let appID = "com.example.bank"
  /// `.patience` in seconds, as the client takes it.
  static let patience = Double(Duration.patience.components.seconds)
  let simulator: Simulator
  let server: Server
  let clientKey: String
  let apiKey: String
  private let proofSecret: String
  let transport = URLSessionTransport()
  let directory = TemporaryDirectory.make(prefix: "upmc-client.")

  init(identity: App.Identity = .open) throws {
    var configuration = Simulator.Configuration()
    configuration.keepsPayloads = true
    configuration.serviceAccountKeyPEM = ServiceAccountKey.pem
    simulator = Simulator(configuration)
    let started = try simulator.start()
    let database = try TestDatabase.make()
    let connection = try database.connect()
    let master = try MasterKey(bytes: [UInt8](repeating: 7, count: 32))
    clientKey =
      try Administration.createApp(
        Self.appID, name: "Bank", timeZone: "Asia/Seoul", identity: identity, by: .commandLine, on: connection
      ).clientKey
    let key = started.providerKey
    _ = try Administration.setCredential(
      Administration.APNsKey(pem: key.privateKeyPEM, keyID: key.keyID, teamID: key.teamID), of: Self.appID,
      master: master, by: .commandLine, on: connection)
    apiKey = try Administration.createKey(.admin, appID: nil, by: .commandLine, on: connection).apiKey
    proofSecret =
      try Administration.userProofSecret(
        of: Self.appID, master: master, by: .commandLine, on: connection
      )
      .secret
    var setting = Configuration()
    setting.listenHost = "127.0.0.1"
    setting.listenPort = 0
    setting.apnsProduction = try Configuration.service("test", "https://\(started.endpoints.apns)")
    setting.apnsSandbox = try Configuration.service("test", "https://\(started.endpoints.sandbox)")
    let authority = TestCluster.shared.directory + "/authority-\(UInt64.random(in: 0...UInt64.max)).pem"
    TemporaryDirectory.write(authority, started.authorityPEM)
    setting.caFile = authority
    setting.publicURL = "https://push.example.com"
    server = try Server(setting, databaseURL: database.url, master: master)
  }

  deinit {
    transport.close()
    server.stop()
    simulator.stop()
    TemporaryDirectory.remove(directory)
  }

  var address: String { "http://127.0.0.1:\(server.address.port)" }

  /// A token of 64 digits that begins with two given ones.
  static func token(_ digits: String) -> String { String(repeating: digits, count: 32) }

  func settings(_ name: String = "phone") throws -> ClientSettings {
    var settings = ClientSettings(
      server: try ServerAddress(address), appID: Self.appID, clientKey: clientKey, directory: "\(directory)/\(name)")
    // No call is repeated because the machine is busy.
    settings.callSeconds = Self.patience
    settings.extensionCallSeconds = Self.patience
    return settings
  }

  /// What the app's own server makes for a user.
  func proof(of clientUID: String) -> String {
    let code = HMAC.authenticationCode(for: Array(clientUID.utf8), using: SymmetricKey(Array(proofSecret.utf8)))
    return code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// A client of its own installation.
  func client(_ name: String = "phone", through way: (any Transport & Sendable)? = nil) throws -> PushClient {
    PushClient(
      try settings(name), transport: way ?? transport, keys: FileKeyStore(directory: "\(directory)/\(name)/keys"))
  }

  // MARK: The back office

  func admin(_ method: String, _ path: String, _ json: String? = nil) async throws -> JSON {
    var request = WireRequest(method, "/v1/admin" + path, at: address)
    request.bearer = apiKey
    request.seconds = Self.patience
    request.body = json.map { Array($0.utf8) }
    let transport = transport
    let answer = try await withCheckedThrowingContinuation { continuation in
      transport.send(request) { continuation.resume(with: $0) }
    }
    let text = String(decoding: answer.body, as: UTF8.self)
    try #require((200...299).contains(answer.status), "\(method) \(path): \(answer.status) \(text)")
    return JSON(text: text)
  }

  struct JSON: Sendable {
    let text: String
    subscript(name: String) -> Any? {
      (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])?[name]
    }
  }

  /// Sends, waits for the end, and returns the SEQNO.
  func send(_ audience: String = #"{"all":true}"#, _ more: String = "") async throws -> String {
    let sent = try await admin(
      "POST", "/messages",
      #"{"appId":"\#(Self.appID)","audience":\#(audience),"alert":{"title":"T","body":"B"}\#(more)}"#)
    let seqno = try #require(sent["seqno"] as? String)
    _ = try await funnel(seqno, where: { $0["state"] as? String == "completed" })
    return seqno
  }

  /// Asks until it is so.
  func funnel(_ seqno: String, where isSo: (JSON) -> Bool) async throws -> JSON {
    let (clock, pause) = (SystemClock(), try Wakeup())
    let end = clock.now + .patience
    var interval = Duration.milliseconds(20)
    while clock.now < end {
      let funnel = try await admin("GET", "/messages/\(seqno)")
      if isSo(funnel) { return funnel }
      _ = pause.wait(atMost: interval)
      interval = min(.milliseconds(100), interval * 5 / 4)
    }
    throw WaitedInVain("message \(seqno) never was so")
  }

  func received(_ seqno: String) async throws -> Int? {
    try await admin("GET", "/messages/\(seqno)")["received"] as? Int
  }
  func read(_ seqno: String) async throws -> Int? { try await admin("GET", "/messages/\(seqno)")["read"] as? Int }

  /// The payload of a message, as this token got it.
  func payload(_ seqno: String, _ token: String) throws -> ReceivedPayload {
    let all = try simulator.deliveries(to: token).map { try ReceivedPayload(json: $0.payload ?? []) }
    return try #require(all.last { $0.seqno == seqno })
  }

  /// Waits for a silent push.
  func silentPush(_ token: String) throws -> ReceivedPayload {
    try poll("no silent push came") {
      simulator.deliveries(to: token).compactMap { try? ReceivedPayload(json: $0.payload ?? []) }.last(
        where: \.isSilent)
    }
  }
}
