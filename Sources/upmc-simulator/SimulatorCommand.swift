internal import ArgumentParser
internal import FoundationEssentials
internal import Reactor
internal import Simulator

/// The command line of `upmc-simulator`.
struct SimulatorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upmc-simulator",
    abstract: "Apple's and Google's push services on your machine: as strict as they, as faulty as you like.",
    discussion: """
      Starts an APNs for production and one for the sandbox (TLS, HTTP/2,
      POST /3/device/TOKEN), each answering as Apple does: the same checks,
      the same reasons, one stream until the first valid push. Authority and
      signing key are made at start; write them to files for the server:

        upmc-simulator --ca-file ca.pem --key-file AuthKey.p8
        UPMC_CA_FILE=ca.pem \\
          UPMC_APNS_PRODUCTION_URL=https://127.0.0.1:8443 upmc serve
        upmc app credential APP_ID --apns-key AuthKey.p8 \\
          --key-id SIMKEY0001 --team-id SIMULATOR1

      Try it with a token of your own (any even number of hexadecimal digits):

        curl --http2 --cacert ca.pem -H "authorization: bearer $JWT" \\
          -H "apns-topic: com.example.app" -d '{"aps":{"alert":"hi"}}' \\
          https://127.0.0.1:8443/3/device/abcd

      Beside them an FCM (HTTP v1 over HTTP/2 on --fcm-listen, over HTTP/1.1
      on the control address) with OAuth as Google has it. Its service
      account names the token endpoint at the control address:

        upmc-simulator --control-listen 127.0.0.1:8081 \\
          --ca-file ca.pem --service-account-file firebase.json
        export UPMC_FCM_TOKEN_URL=http://127.0.0.1:8081/token
        UPMC_CA_FILE=ca.pem UPMC_FCM_URL=https://127.0.0.1:8445 upmc serve
        upmc app credential APP_ID --fcm-service-account firebase.json

      Broadcast channels are made on --channels-listen and published on where
      pushes come (POST /4/broadcasts/apps/BUNDLE_ID), one update a second:

        export UPMC_APNS_CHANNELS_PRODUCTION_URL=https://127.0.0.1:2196

      REGISTRATION TOKENS WITH A FAULT: fault.UNREGISTERED:x (any of FCM's
      codes), fault.retry-N:x fault.slow-N:x fault.reset-N:x fault.silence:x
      fault.goaway:x fault.cut:x

      TOKENS WITH A FAULT begin with fa17fa17 and four digits that say which:
        4100 Unregistered   4000 BadDeviceToken      4290 TooManyRequests
        5000 server error   5030 ServiceUnavailable  5031 Shutdown
        e0NN slow by NN (hexadecimal) times 10 ms    e1xx never answered
        e2xx RST_STREAM 7   e3xx RST_STREAM 7 and 5  e8xx RST_STREAM 8
        e4xx GOAWAY         e5NN NN answers reversed e6xx limit 1 for 1 s
        e7xx connection reset

      CONTROL API (HTTP/1.1 and JSON on --control-listen)
        GET    /counters            requests, reasons, streams, provider tokens
        GET    /deliveries?token=T  what the token received, oldest first
        GET    /deliveries?apnsId=I every push with this id
        GET    /deliveries?after=N  all from number N on (&limit=1000)
        GET    /shown?token=T       what the device shows of them
        GET    /channels            broadcast channels and what followers show
        POST   /channels/followers?channel=C&count=N
                                    N more activities follow a channel
        GET    /faults              those in force, how often each applied
        POST   /faults              puts one into force, see below
        DELETE /faults?id=N         ends one; without id, all
        POST   /tokens              [{"token":T,"environment":"sandbox",
                                      "topic":"com.example.app",
                                      "state":"unregistered","since":MS}]
        GET    /deliveries?registration=R   what an FCM registration got
        POST   /registrations       [{"name":R,"state":"unregistered"}]
        POST   /keys                {"teamId","keyId","publicKey":PEM,
                                     "environments","topics","relatedKeyId",
                                     "revoked"}
        DELETE /connections?form=F  ends all at once (F of cut, see below)
        POST   /outage?milliseconds=N   away for that long
        POST   /reset               forgets what was seen, ends all faults
        GET    /ca.pem  /key.p8  /service-account.json   authority, keys
        POST   /token  /v1/projects/P/messages:send       Google's own

      \(ExpectClient.help)

      FAULTS
        {"kind":"answer","reason":"Unregistered","tokenPrefix":"ab"}
        {"kind":"goaway","lastStream":"before","every":5000,"ending":"close"}
        {"kind":"reset","code":7,"probability":0.01,"forSeconds":30}
      Kinds for requests: answer slow silence reorder reset shape goaway
      collapse violation cut; for connections as they begin: refuse
      delay-handshake break-handshake wrong-host expired-certificate
      delay-settings ignore-settings unknown-settings withhold-window.
      Conditions: network (apns fcm) tokenPrefix environment connection every probability
      afterSeconds forSeconds times. Details: reason status ageSeconds
      retryAfterSeconds milliseconds count code twice lastStream (honest
      before none) ending (drain close silent) debugData form (of shape:
      split interim text empty without-id extra-headers; of cut: reset fin
      half-open).
      """)

  @Option(help: "Address of APNs for production, host:port; port 0 takes any free one.")
  var listen = "127.0.0.1:8443"

  @Option(help: "Address of APNs for the sandbox.")
  var sandboxListen = "127.0.0.1:0"

  @Option(help: "Address of the channel management for production.")
  var channelsListen = "127.0.0.1:0"

  @Option(help: "Address of the channel management for the sandbox.")
  var sandboxChannelsListen = "127.0.0.1:0"

  @Option(help: "Address of FCM over HTTP/2.")
  var fcmListen = "127.0.0.1:0"

  @Option(help: "Address of the control API.")
  var controlListen = "127.0.0.1:0"

  @Option(help: "Write the certificate authority there (PEM), for the server to trust.")
  var caFile: String?

  @Option(help: "Write the signing key there (.p8, mode 0600).")
  var keyFile: String?

  @Option(help: "Write FCM's service account there (JSON, mode 0600).")
  var serviceAccountFile: String?

  @Option(help: "Messages a minute that FCM takes until QUOTA_EXCEEDED; 0 for no limit.")
  var fcmQuota = 600_000

  @Flag(help: "FCM limits single devices too (240 messages a minute).")
  var fcmDeviceLimit = false

  @Option(help: "A further name or IP address for the server certificate. May be repeated.")
  var name: [String] = []

  @Option(help: "Take the signing key from this file instead of making one.")
  var useKey: String?

  @Flag(help: "Refuse tokens that were not registered.")
  var strictTokens = false

  @Flag(help: "Demand payloads of JSON with an aps object.")
  var strictPayload = false

  @Flag(help: "Count provider token updates for the whole team instead of each connection.")
  var teamTokenUpdates = false

  @Flag(help: "Leave the stream limit alone after a rejection.")
  var steadyLimit = false

  @Option(help: "Streams of a connection in good standing.")
  var streams = Limits.streams

  @Option(help: "Points of error until GOAWAY (BadDeviceToken has 10, others 1; 410 none); 0 for no limit.")
  var errorPoints = Limits.errorPoints

  @Option(help: "Pushes to one token within a second until TooManyRequests. Default: no limit.")
  var tokenRate: Int?

  @Option(help: "Milliseconds from each request to its answer.")
  var latency = 0

  @Option(help: "Seconds without a request until a connection is ended.")
  var idle = 3600

  @Option(help: "Virtual devices to register with the server.")
  var devices = 0

  @Option(help: "The server's address, for example http://127.0.0.1:8080; needed for virtual devices.")
  var server: String?

  @Option(help: "The app they belong to.")
  var app: String?

  @Option(help: "The app's client key.")
  var clientKey: String?

  @Option(help: "Users they are spread over; 0 leaves them guests. Default: one each.")
  var users: Int?

  @Option(help: "How many of them are switched off, 0 to 1.")
  var devicesOff = 0.0

  @Option(help: "How many of the pushes find the app in front, 0 to 1: these need no mutable-content.")
  var appsInFront = 0.0

  @Flag(help: "The app on virtual iPhones has no Notification Service Extension.")
  var noExtension = false

  @Option(help: "How many of the pushes that the app sees they confirm, 0 to 1.")
  var receiptProbability = 1.0

  @Option(help: "How many of the confirmed ones they read, 0 to 1.")
  var readProbability = 0.5

  @Option(help: "Milliseconds from a push to its receipt (chance varies it by half).")
  var receiptDelay = 0

  @Option(help: "Milliseconds from a receipt to the read.")
  var readDelay = 0

  @Option(help: "What a read does to the badge: keep, reset, update, force.")
  var badgeOption: String?

  @Option(help: "The badge for update and force.")
  var badge: Int?

  @Option(help: "Virtual devices keep what waits in this directory, as phones do, and the next run sends it.")
  var outboxes: String?

  @Option(help: "Virtual Android devices to register, in addition.")
  var androidDevices = 0

  @Flag(help: "Virtual devices are of the sandbox.")
  var sandboxDevices = false

  @Flag(help: "Keep the payload of every delivery.")
  var keepPayloads = false

  @Flag(help: "Keep totals only, not every delivery: for load tests that run for long.")
  var totalsOnly = false

  @Option(help: "Deliveries to keep at least; older ones are forgotten (40 bytes each).")
  var keepDeliveries = Limits.deliveriesKept

  @Option(help: "Seed of all that is random.")
  var seed: UInt64 = 1

  @Option(help: "Only hold a client against what the server expects of it, at this address; see *Expect a client*.")
  var expectClient: String?

  @Flag(help: "Print one JSON object with the addresses, or with the report.")
  var json = false

  func validate() throws {
    guard streams >= 1 else { throw ValidationError("--streams is at least 1") }
    guard devices + androidDevices == 0 || (server != nil && app != nil && clientKey != nil) else {
      throw ValidationError("--devices needs --server, --app and --client-key")
    }
    guard devices >= 0, androidDevices >= 0,
      [receiptProbability, readProbability, devicesOff, appsInFront].allSatisfy((0...1).contains)
    else {
      throw ValidationError("--devices is not negative; probabilities lie between 0 and 1")
    }
    guard errorPoints >= 0, latency >= 0, keepDeliveries >= 0, idle >= 1 else {
      throw ValidationError("--error-points, --latency and --keep-deliveries are not negative, --idle is at least 1")
    }
  }

  func run() throws {
    if let expectClient { return try expect(expectClient) }
    let simulator = Simulator(try simulatorConfiguration())
    let started: Simulator.Started
    do {
      started = try simulator.start()
      try write(started)
      try announce(started)
      if var plan = devicePlan() {
        if devices > 0 { try simulator.startDevices(plan) }
        plan.count = androidDevices
        plan.isAndroid = true
        if androidDevices > 0 { try simulator.startDevices(plan) }
      }
    } catch let failure as Simulator.StartFailure {
      throw CommandOutcome.Failure(reason: failure.description)
    }
    while Signals.wait() != .stop {}
    simulator.stop()
  }

  private func expect(_ address: String) throws {
    // Nothing here waits for signals, and a client may never say that it is done.
    Signals.unblock()
    do {
      try ExpectClient(address: address, json: json).run()
    } catch let failure as Simulator.StartFailure {
      throw CommandOutcome.Failure(reason: failure.description)
    }
  }

  private func simulatorConfiguration() throws -> Simulator.Configuration {
    var configuration = Simulator.Configuration()
    configuration.listen = listen
    configuration.sandboxListen = sandboxListen
    configuration.channelsListen = channelsListen
    configuration.sandboxChannelsListen = sandboxChannelsListen
    configuration.controlListen = controlListen
    configuration.fcmListen = fcmListen
    configuration.fcmMessagesPerMinute = fcmQuota > 0 ? fcmQuota : nil
    configuration.fcmLimitsDevices = fcmDeviceLimit
    configuration.serverNames += name
    configuration.unregisteredTokens = strictTokens ? .refused : .accepted
    configuration.rules.checksPayload = strictPayload
    configuration.rules.countsUpdatesPerTeam = teamTokenUpdates
    configuration.conduct.dropsLimit = !steadyLimit
    configuration.conduct.streams = streams
    configuration.conduct.errorPoints = errorPoints
    configuration.pushesPerTokenSecond = tokenRate
    configuration.latency = .milliseconds(latency)
    configuration.idle = .seconds(idle)
    configuration.keepsPayloads = keepPayloads
    configuration.keepsDeliveries = !totalsOnly
    configuration.deliveriesKept = keepDeliveries
    configuration.seed = seed
    if let useKey {
      guard let pem = try? String(contentsOf: URL(filePath: useKey), encoding: .utf8) else {
        throw CommandOutcome.Failure(reason: "cannot read \(useKey)")
      }
      configuration.privateKeyPEM = pem
    }
    return configuration
  }

  private func devicePlan() -> VirtualDevices.Plan? {
    guard devices + androidDevices > 0, let server, let app, let clientKey else { return nil }
    var plan = VirtualDevices.Plan(
      count: devices, server: server, appID: app, clientKey: clientKey, users: users ?? max(devices, androidDevices))
    plan.environment = sandboxDevices ? .sandbox : .production
    plan.offShare = devicesOff
    plan.frontShare = appsInFront
    plan.hasExtension = !noExtension
    plan.receiptProbability = receiptProbability
    plan.readProbability = readProbability
    plan.receiptDelay = .milliseconds(receiptDelay)
    plan.readDelay = .milliseconds(readDelay)
    plan.badgeOption = badgeOption
    plan.badge = badge
    plan.outboxes = outboxes
    plan.seed = seed
    return plan
  }

  private func write(_ started: Simulator.Started) throws {
    if let caFile { try save(started.authorityPEM, to: caFile, mode: 0o644) }
    if let serviceAccountFile, let url = tokenURL(started) {
      try save(started.serviceAccount.json(tokenURI: url), to: serviceAccountFile, mode: 0o600)
    }
    if let keyFile { try save(started.providerKey.privateKeyPEM, to: keyFile, mode: 0o600) }
  }

  /// Returns the URL of the token endpoint; nil without a control address. If the control API listens on all addresses,
  /// the URL contains the first `--name`.
  private func tokenURL(_ started: Simulator.Started) -> String? {
    guard let name = name.first, let control = started.endpoints.control,
      control.hasPrefix("0.0.0.0:") || control.hasPrefix("[::]:"), let port = control.split(separator: ":").last
    else { return started.tokenURL }
    return "http://\(name):\(port)/token"
  }

  private func save(_ text: String, to path: String, mode: Int) throws {
    let isWritten = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
    guard isWritten else { throw CommandOutcome.Failure(reason: "cannot write \(path)") }
  }

  private func announce(_ started: Simulator.Started) throws {
    let announcement = Announcement(
      apns: started.endpoints.apns, sandbox: started.endpoints.sandbox, fcm: started.endpoints.fcm,
      control: started.endpoints.control,
      teamId: started.providerKey.teamID, keyId: started.providerKey.keyID, caFile: caFile, keyFile: keyFile)
    print(json ? try announcement.json() : announcement.text)
    // The parent process may be reading a pipe and waiting for this line.
    flushOutput()
  }
}

/// The text that the program prints once it is ready.
private struct Announcement: Codable {
  let apns: String
  let sandbox: String
  let fcm: String?
  let control: String?
  let teamId: String
  let keyId: String
  let caFile: String?
  let keyFile: String?

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  var text: String {
    """
    APNs production  https://\(apns)
    APNs sandbox     https://\(sandbox)
    FCM              https://\(fcm ?? "off")
    control          \(control.map { "http://\($0)" } ?? "off")
    signing key      key id \(keyId), team id \(teamId)\(keyFile.map { ", \($0)" } ?? "")
    authority        \(caFile ?? "see GET /ca.pem of the control address")
    Ctrl-C ends it.
    """
  }
}
