internal import Domain
internal import JSON
internal import Operations
internal import Postgres
internal import Reactor
internal import Simulator
internal import Synchronization

/// `upmc demo`: runs everything on this machine, with a simulator in place of Apple and Google. `make run` starts it.
///
/// ```
///   private PostgreSQL ─ server ─ simulator ─ virtual devices
///          └── app, credential, API key ── first push ── funnel ── curl commands for the next
/// ```
/// The data is kept: a second start finds the devices and messages of the first.
package enum Demonstration {
  static let appID = "com.example.demo"
  static let devices = 50
  /// The number of users, counted from the first, who have an Android device in addition.
  static let androidDevices = 15
  static let users = 25

  /// Runs until SIGTERM or SIGINT. Call `Signals.block()` first, before any thread starts.
  /// - Throws: one sentence that says what could not be started and what to do.
  package static func run(_ configuration: Configuration) throws {
    LogLines.bootstrap(level: configuration.logLevel == "info" ? "warning" : configuration.logLevel, format: .text)
    let configuration = try Preflight.check(configuration)
    say("Starting the private PostgreSQL in \(configuration.dataDirectory) …")
    let database = try Database(configuration) { say("  \($0)") }
    defer { database.close() }
    try database.migrate(configuration) { say("  \($0)") }
    let master = try MasterKeyFile.load(configuration, for: DatabaseConnection(database.url))
    let stage = try DemoStage(configuration, database: database, master: master)

    say("Starting the simulator of APNs and FCM …")
    let simulator = Simulator(stage.simulatorConfiguration)
    let started = try simulator.start()
    defer { simulator.stop() }
    try stage.adopt(started)

    let told = try stage.serverConfiguration(started)
    let server = try Server(told, databaseURL: database.url, master: master)
    defer { server.stop() }
    try DemoSettings.save(told)
    defer { DemoSettings.remove(told) }
    say("Serving on http://127.0.0.1:\(server.address.port)")

    try perform(stage, simulator, server)
    database.keepUntilStopped()
    say("\nStopping …")
  }

  private static func perform(_ stage: DemoStage, _ simulator: Simulator, _ server: Server) throws {
    let url = "http://127.0.0.1:\(server.address.port)"
    say("Registering \(devices) virtual iOS devices and \(androidDevices) Android devices of \(users) users …")
    var plan = VirtualDevices.Plan(
      count: devices, server: url, appID: appID, clientKey: stage.clientKey, users: users)
    plan.offShare = 0.1
    plan.frontShare = 0.1
    plan.readProbability = 0.5
    plan.receiptDelay = .milliseconds(300)
    plan.readDelay = .milliseconds(700)
    try simulator.startDevices(plan)
    plan.count = androidDevices
    plan.isAndroid = true
    try simulator.startDevices(plan)
    let expected = devices + androidDevices
    let registered = waitUntil(seconds: 60) { (simulator.deviceCounters?.registered ?? 0) >= expected }
    guard registered else {
      throw ServerError(
        "The virtual devices did not register: \(simulator.deviceCounters?.lastProblem ?? "no answer").")
    }
    let seqno = try stage.send()
    say("Sent message \(seqno) to everyone, with a badge. Its funnel:")
    try watch(seqno, stage, simulator)
    say(try confirmations(seqno, stage, simulator))
    say(try stage.lessons(url: url))
  }

  /// Prints the message's numbers whenever they change, until all expected confirmations have arrived, or nothing has
  /// changed for ten seconds: an app that forbids its extension confirms less.
  private static func watch(_ seqno: Seqno, _ stage: DemoStage, _ simulator: Simulator) throws {
    var last = ""
    var quietTurns = 0
    while quietTurns < 100 {
      let funnel = try stage.funnel(seqno)
      let line = """
          targeted \(funnel.targeted ?? 0)  accepted \(funnel.accepted)  received \(funnel.received)  read \(funnel.read)\
          \(funnel.state.isFinal ? "  (\(funnel.state.name))" : "")
        """
      if line != last { say(line) }
      quietTurns = line == last ? quietTurns + 1 : 0
      last = line
      let off = Int64(simulator.deviceCounters?.off ?? 0)
      if funnel.state.isFinal, funnel.received >= funnel.accepted - off, quietTurns >= 10 { return }
      Polling.rest(.milliseconds(100))
    }
  }

  /// Returns a sentence that says how many pushes were confirmed, and why not all.
  private static func confirmations(_ seqno: Seqno, _ stage: DemoStage, _ simulator: Simulator) throws -> String {
    let funnel = try stage.funnel(seqno)
    let off = simulator.deviceCounters?.off ?? 0
    let percent = funnel.accepted > 0 ? funnel.received * 100 / funnel.accepted : 0
    return """
        \(funnel.received) of \(funnel.accepted) accepted pushes were confirmed (\(percent) %): an alert carries \
      mutable-content, which starts the app's
        extension on an iPhone, and the extension makes the receipt; on Android the app does. \(off) devices are switched off. Without
        mutable-content ("mutableContent":false, or `upmc app policy --extension off`) only apps in front would, one iPhone in ten.
      """
  }

  private static func waitUntil(seconds: Int, _ condition: () -> Bool) -> Bool {
    Polling.until(.seconds(seconds), every: .milliseconds(50), condition)
  }

  private static func say(_ line: String) {
    StandardOutput.write(Array((line + "\n").utf8))
  }
}
