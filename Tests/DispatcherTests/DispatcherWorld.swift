import Crypto
import Postgres
import Reactor
import Store
import Synchronization
import TestSupport
import Time

@testable import Dispatcher
@testable import Domain

/// A push network that says what a test tells it to say, at once.
final class ScriptedNetwork: PushProvider {
  /// What is answered to a target on a route; `attempt` counts from 1 for each (message, device).
  typealias Script = @Sendable (_ route: PushRoute, _ target: PushTarget, _ attempt: Int) -> SubmissionResult

  struct Submission: Sendable {
    let seqno: Seqno
    let route: PushRoute
    let device: DeviceID
    let psid: String
    let badge: Int16
    let keptUntilSeconds: Int64
    let at: Instant
  }

  private struct State {
    var script: Script
    var log: [Submission] = []
    var android: [AndroidContent] = []
    var attempts: [Confirmations.Delivery: Int] = [:]
    var nodes: Int?
    /// When it last read the credentials; nil if it always knows all.
    var credentialsReadAt: Instant?
    var slow: Set<DeviceID> = []
    var held: [PushResult] = []
  }

  private let state: Mutex<State>
  private let sink: PushResultSink

  init(_ sink: @escaping PushResultSink, _ script: @escaping Script) {
    self.sink = sink
    state = Mutex(State(script: script))
  }

  /// What the batches said to Android.
  var android: [AndroidContent] { state.withLock { $0.android } }

  var log: [Submission] { state.withLock { $0.log } }

  /// Among how many nodes it was told last to share what the network grants.
  var nodes: Int? { state.withLock { $0.nodes } }

  func share(among nodes: Int) {
    state.withLock { $0.nodes = nodes }
  }

  var credentialsReadAtNanoseconds: Int64 {
    (state.withLock { $0.credentialsReadAt } ?? SystemClock().now).nanoseconds
  }

  /// Knows no credential that was stored after this time, as a node whose thread `catalog` is late.
  func knowsCredentials(asOf time: Instant) {
    state.withLock { $0.credentialsReadAt = time }
  }

  func answer(_ script: @escaping Script) {
    state.withLock { $0.script = script }
  }

  /// Keeps the answers to these devices back, as they are given now, until `answerHeld`.
  func hold(_ devices: some Sequence<DeviceID>) {
    state.withLock { $0.slow = Set(devices) }
  }

  /// How many answers are kept back.
  var held: Int { state.withLock { $0.held.count } }

  func answerHeld() {
    let results = state.withLock { state in
      defer { (state.slow, state.held) = ([], []) }
      return state.held
    }
    sink(results)
  }

  func offer(_ batch: PushBatch) -> Bool {
    let results = state.withLock { state in
      state.android.append(batch.message.headers.android)
      return batch.targets.enumerated().compactMap { index, target -> PushResult? in
        state.log.append(
          Submission(
            seqno: batch.message.seqno, route: batch.route, device: target.device, psid: target.psid,
            badge: target.badge, keptUntilSeconds: batch.message.keptUntilSeconds, at: SystemClock().now))
        let delivery = Confirmations.Delivery(seqno: batch.message.seqno, device: target.device)
        state.attempts[delivery, default: 0] += 1
        let answer = state.script(batch.route, target, state.attempts[delivery] ?? 1)
        let result = PushResult(batch: batch.address, target: index, result: answer)
        guard state.slow.contains(target.device) else { return result }
        state.held.append(result)
        return nil
      }
    }
    sink(results)
    return true
  }
}

/// A dispatcher at work on a real database, with a scripted network in Apple's place.
final class DispatcherWorld {
  static let appID = "com.example.bank"

  let databaseURL: String
  /// Where its nodes find the database.
  private let nodesURL: String
  let connection: Connection
  let app: App.Number
  let network: ScriptedNetwork
  private(set) var dispatchers: [Dispatcher] = []
  private let clock = SystemClock()

  /// - Parameters:
  ///   - machine: the first node's clock.
  ///   - proxy: stands between the nodes and the database; nil for none.
  init(
    machine: any Clock = SystemClock(), through proxy: DatabaseProxy? = nil,
    _ script: @escaping ScriptedNetwork.Script = { _, _, _ in .accepted }
  ) throws {
    let database = try TestDatabase.make()
    databaseURL = database.url
    nodesURL = proxy?.url(of: database) ?? database.url
    connection = try database.connect()
    app = try connection.run(
      Apps.create(appID: Self.appID, name: "Bank", clientKey: "key", timeZone: "Asia/Seoul", identity: .open)
    ).app.number
    let results = try ResultInbox()
    network = ScriptedNetwork(results.sink, script)
    try start(network, results, number: 1, machine)
  }

  /// One more node on the same database, with a network of its own.
  func addNode(
    machine: any Clock = SystemClock(), _ script: @escaping ScriptedNetwork.Script = { _, _, _ in .accepted }
  ) throws -> ScriptedNetwork {
    let results = try ResultInbox()
    let network = ScriptedNetwork(results.sink, script)
    try start(network, results, number: dispatchers.count + 1, machine)
    return network
  }

  /// Of all its nodes.
  static let contents = ContentSeal([SymmetricKey.random()])

  private func start(
    _ network: ScriptedNetwork, _ results: ResultInbox, number: Int, _ machine: any Clock
  ) throws {
    let dispatcher = try Dispatcher(
      DispatcherConfiguration(
        databaseURL: nodesURL, node: UUIDValue(high: 1, low: UInt64(number)), firstWriter: Int32(number * 100),
        pushkeys: PushKeyring(present: SymmetricKey.random()), contents: Self.contents,
        providers: [.apns: network], clock: DatabaseClock(machine: machine)),
      results: results)
    try dispatcher.start()
    dispatchers.append(dispatcher)
  }

  deinit { stop() }

  /// Ends all its nodes, so that a test alone changes what is stored.
  func stop() {
    for dispatcher in dispatchers { dispatcher.stop {} }
    dispatchers = []
  }

  /// Expires a message whose deliveries wait, and starts a new node, which has not read the message before. Returns the
  /// new node's network.
  func expire(_ seqno: Seqno) throws -> ScriptedNetwork {
    stop()
    try connection.script("UPDATE messages SET expires_at = clock_timestamp() WHERE seqno = \(seqno)")
    return try addNode()
  }

  // MARK: Devices

  /// Makes devices `from..<upto`, one user each, with tokens that end in their number.
  func makeDevices(
    _ numbers: Range<Int>, network: PushNetwork = .apns, environment: PushEnvironment = .production,
    user: String? = nil
  ) throws {
    try connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid, \(app),
        'u' || \(user.map { "'\($0)'" } ?? "lpad(n::text, 8, '0')"), \(network.rawValue), \(environment.rawValue), 1,
        lpad(to_hex(n), 64, '0'), 'd' || n, now() - interval '1 hour', now() - interval '1 hour', now()
      FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound - 1)) n
      """)
  }

  static func device(_ number: Int) -> DeviceID { DeviceID(high: 0, low: UInt64(number)) }

  static func number(_ target: PushTarget) -> Int { Int(target.device.low) }

  func record(_ number: Int) throws -> Devices.Record? {
    try connection.run(Devices.find([Self.device(number)])).first
  }

  func quarantine() throws -> [Quarantine.Record] {
    try connection.run(Quarantine.list(app, after: DeviceID(high: 0, low: 0), limit: 10_000))
  }

  func count(_ sql: String) throws -> Int64 {
    try connection.run(Statement("count \(sql.hashValue)", "SELECT count(*) FROM \(sql)")).int64(0, 0)
  }

  // MARK: Messages

  func send(
    _ audience: String = #"{"all":true}"#, _ more: String = "", lane: Lane = .normal, expiresIn seconds: Int64 = 86_400
  ) throws -> Seqno {
    let now = clock.wallTime
    let seqno = try connection.run(
      Messages.create(
        Messages.New(
          app: app, lane: lane,
          request: #"{"appId":"\#(Self.appID)","audience":\#(audience),"alert":{"body":"x"}\#(more)}"#,
          requestSHA256: [], idempotencyKey: nil, apiKey: nil, targeted: nil, unknownEntries: "[]", keepsHistory: true,
          now: now, expiresAt: now + .seconds(seconds))))
    for dispatcher in dispatchers { dispatcher.poke() }
    return seqno ?? .zero
  }

  func funnel(_ seqno: Seqno) throws -> (funnel: Funnel, reasons: String) {
    guard let (found, reasons) = try connection.run(Funnels.find(seqno)) else { throw Missing() }
    return (found.funnel, reasons)
  }

  struct Missing: Error {}

  func finished(_ seqno: Seqno) throws -> (funnel: Funnel, reasons: String) {
    try poll("message \(seqno) has not ended") {
      let now = try funnel(seqno)
      return now.funnel.state.isFinal ? now : nil
    }
  }

  func paused() throws -> String {
    try poll("the app was not paused") { try connection.run(AppPauses.reason(of: app)) }
  }

  func resume() throws {
    try connection.run(AppPauses.resume(app))
    for dispatcher in dispatchers { dispatcher.poke() }
  }

  /// Until everybody who is to be erased has been looked for everywhere, by this walk or by a node's own.
  func walkErasures() throws {
    _ = try poll("somebody is still to be erased") {
      while try connection.transaction(
        attempts: 1,
        { () throws(PostgresError) in
          try Erasures.step(deliveries: 1_000, on: connection)
        })
      {}
      return try count("erasures") == 0 ? true : nil
    }
  }

  // MARK: Events

  /// A webhook that nobody serves: what it would be told is looked at in the database.
  func hear(_ kinds: [EventKind]) throws {
    try connection.run(
      Webhooks.create(
        try connection.run(Webhooks.number()), app: app, url: "https://hooks.example.com/upmc", sealed: [1],
        kinds: kinds.map(\.rawValue), at: clock.wallTime))
  }

  /// Kinds of what the webhooks are told of a message, in turn.
  func told(of seqno: Seqno) throws -> [String] {
    let rows = try connection.run(
      Statement(
        "told of \(seqno)",
        """
        SELECT e.event_kind FROM events e JOIN event_deliveries d ON d.event = e.event
        WHERE e.data->>'seqno' = '\(seqno)' ORDER BY e.event
        """))
    return rows.map { rows.text($0, 0) }
  }

  /// Until nothing of a message is under way: neither claimed nor still to be claimed.
  func settled(_ seqno: Seqno) throws {
    _ = try poll("message \(seqno) is still under way") {
      try count("claims WHERE seqno = \(seqno)") == 0 ? true : nil
    }
  }

  /// Devices that the first node has under way.
  var underWay: Int { dispatchers[0].shared.underWay.load(ordering: .relaxed) }

  func isFinal(_ message: Messages.Open?) -> Bool { message?.state.isFinal == true }

  func badge(_ user: String) throws -> Int16 {
    let key = Users.Key(app: app, userKey: UserKey(clientUID: user))
    return try connection.run(Users.find([key]))[key]?.badge ?? 0
  }
}
