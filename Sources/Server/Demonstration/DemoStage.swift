internal import Domain
internal import FoundationEssentials
internal import JSON
internal import Operations
internal import Postgres
internal import Reactor
internal import Simulator
internal import Store

/// Prepares a demonstration: an app with a credential that the simulator accepts, and an API key that stays the same
/// across starts.
final class DemoStage {
  let clientKey: String
  private let apiKey: String
  private let configuration: Configuration
  private let connection: Connection
  private let master: MasterKey
  private let keyFile: String
  private let accountKeyFile: String

  init(_ configuration: Configuration, database: Database, master: MasterKey) throws {
    self.configuration = configuration
    self.master = master
    connection = try Connection(database.url)
    keyFile = configuration.dataDirectory + "/demo-AuthKey.p8"
    accountKeyFile = configuration.dataDirectory + "/demo-service-account.pem"
    let apps = try Administration.apps(for: .commandLine, on: connection)
    if let app = apps.first(where: { $0.app.appID == Demonstration.appID }) {
      clientKey = app.clientKey
    } else {
      clientKey =
        try Administration.createApp(
          Demonstration.appID, name: "Demo", timeZone: "Asia/Seoul", identity: .open, by: .commandLine, on: connection
        ).clientKey
    }
    apiKey = try Self.apiKey(configuration.dataDirectory + "/demo-api-key", connection)
  }

  /// Returns the API key of an earlier start, or a new one.
  private static func apiKey(_ path: String, _ connection: Connection) throws -> String {
    if let text = read(path), (try? Authorization.authenticate(text, on: connection)) != nil { return text }
    let key = try Administration.createKey(.admin, appID: nil, name: "demo", by: .commandLine, on: connection).apiKey
    try? FileManager.default.removeItem(atPath: path)
    _ = try PrivateFile.create(path, Array(key.utf8))
    return key
  }

  private static func read(_ path: String) -> String? {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: The simulator

  /// The simulator's settings. They contain the signing key of earlier starts, because the provider token in the
  /// database was signed with it.
  var simulatorConfiguration: Simulator.Configuration {
    var simulator = Simulator.Configuration()
    simulator.privateKeyPEM = Self.read(keyFile)
    simulator.serviceAccountKeyPEM = Self.read(accountKeyFile)
    simulator.keepsPayloads = true
    return simulator
  }

  /// Stores the simulator's key and its service account as the app's credentials.
  func adopt(_ started: Simulator.Started) throws {
    let key = started.providerKey
    if Self.read(keyFile) == nil { _ = try PrivateFile.create(keyFile, Array(key.privateKeyPEM.utf8)) }
    _ = try Administration.setCredential(
      Administration.APNsKey(pem: key.privateKeyPEM, keyID: key.keyID, teamID: key.teamID), of: Demonstration.appID,
      master: master, by: .commandLine, on: connection)
    let account = started.serviceAccount
    if Self.read(accountKeyFile) == nil {
      _ = try PrivateFile.create(accountKeyFile, Array(account.privateKeyPEM.utf8))
    }
    // Contains Google's address, as Google's own files do. Where tokens are really obtained is determined by the
    // server's settings.
    let json = account.json(tokenURI: TokenAddress.google)
    // The walk-through in the README uses this file for another app.
    let path = configuration.dataDirectory + "/demo-service-account.json"
    try? FileManager.default.removeItem(atPath: path)
    _ = try PrivateFile.create(path, Array(json.utf8))
    _ = try Administration.setCredential(
      Administration.FCMServiceAccount(json: json), of: Demonstration.appID, master: master, by: .commandLine,
      on: connection)
  }

  func serverConfiguration(_ started: Simulator.Started) throws -> Configuration {
    var server = configuration
    // Plain HTTP, which the demonstration's virtual devices use.
    server.listening.certificateFile = nil
    // The address at which devices on this machine reach the server; with port 0 it is not known in advance.
    if server.publicURL == nil, server.listenPort != 0 { server.publicURL = "http://127.0.0.1:\(server.listenPort)" }
    server.apnsProduction = try service(started.endpoints.apns)
    server.apnsSandbox = try service(started.endpoints.sandbox)
    if let channels = started.endpoints.channels { server.apnsChannelsProduction = try service(channels) }
    if let channels = started.endpoints.sandboxChannels { server.apnsChannelsSandbox = try service(channels) }
    if let fcm = started.endpoints.fcm { server.fcm = try service(fcm) }
    server.fcmTokenURL = started.tokenURL
    // The simulator runs on this machine, so it is reached without a proxy.
    server.proxy = nil
    let path = configuration.dataDirectory + "/demo-ca.pem"
    try Data(started.authorityPEM.utf8).write(to: URL(filePath: path))
    server.caFile = path
    // The walk-through in the README uses this address to see what the devices received.
    let control = "http://\(started.endpoints.control ?? "")\n"
    try Data(control.utf8).write(to: URL(filePath: configuration.dataDirectory + "/demo-simulator-url"))
    return server
  }

  private func service(_ address: String) throws -> Configuration.ServiceAddress {
    try Configuration.service("simulator", "https://\(address)")
  }

  // MARK: The push

  func send() throws -> Seqno {
    let body = """
      {"appId":"\(Demonstration.appID)","audience":{"all":true},
       "alert":{"title":"Welcome","body":"%CNAME%, your first push travels the full circle."},
       "badge":{"increment":1},"lane":"urgent"}
      """
    var request = SendRequest(body: Array(body.utf8), idempotencyKey: nil, caller: .commandLine)
    request.seal = try SigningKeys.load(connection, master: master).contents
    let answer = try SendService.send(request, on: connection, now: connection.run(WallClock.now()))
    guard case .accepted(let accepted) = answer else { throw ServerError("The first push was not accepted.") }
    return accepted.seqno
  }

  func funnel(_ seqno: Seqno) throws -> Funnel {
    guard let (found, _) = try connection.run(Funnels.find(seqno)) else {
      throw ServerError("Message \(seqno) has vanished.")
    }
    return found.funnel
  }

  /// Returns commands to try next, ready to paste.
  func lessons(url: String) throws -> String {
    let link = try ConsoleAccounts.demonstrationLink(on: connection, now: connection.run(WallClock.now()))?.path ?? "/"
    return """

      Open the console in a browser (this link signs in once, within an hour):

        \(url)\(link)

      Or try the next push from here (user1 has three devices):

        curl -s \(url)/v1/admin/messages \\
          -H 'Authorization: Bearer \(apiKey)' -H 'Content-Type: application/json' \\
          -d '{"appId":"\(Demonstration.appID)","audience":{"clientUids":["user1"]},"alert":{"title":"Hello","body":"From curl"},"badge":{"increment":1}}'

      and see what became of it (put its seqno in place of 2):

        curl -s \(url)/v1/admin/messages/2 -H 'Authorization: Bearer \(apiKey)'
        curl -s \(url)/v1/admin/messages/2/deliveries -H 'Authorization: Bearer \(apiKey)'

      Client key of the app for devices: \(clientKey)
      Ctrl-C stops everything; the data stays.
      """
  }
}
