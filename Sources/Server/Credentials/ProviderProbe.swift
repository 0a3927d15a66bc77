internal import APNs
internal import Crypto
package import Domain
internal import FCM
internal import Logging
internal import Metrics
package import Operations
internal import Postgres
internal import PushTransport
package import Reactor
internal import Store
internal import Synchronization
internal import Time

/// Asks the push networks, for each app, whether they accept what this server would send, by a push to a non-existent
/// token. A network that complains only about the token has accepted everything else.
///
/// Uses the server's own senders and refreshers, hence also the provider token that all nodes share.
package final class ProviderProbe {
  package struct Question: Sendable {
    package let app: App
    package let network: PushNetwork
    package let environment: PushEnvironment

    package init(app: App, network: PushNetwork, environment: PushEnvironment) {
      self.app = app
      self.network = network
      self.environment = environment
    }
  }

  package enum Answer: Equatable, Sendable {
    /// The network accepted everything but the token; the value is its answer.
    case works(String)
    case refused(String)
    case unreachable(String)
  }

  /// Timeout of a whole check: twice what a TCP connection, TLS and an answer take at worst.
  private static let timeout: Duration = .seconds(30)
  /// Time after the first connection failure at which a check ends, enough for one more attempt.
  private static let timeoutAfterFailure: Duration = .seconds(4)
  private static let pause: Duration = .milliseconds(100)

  /// The database's clock, because all nodes use the tokens minted here.
  private let clock: DatabaseClock
  private let apns: APNsSender
  private let fcm: FCMSender
  private let apnsRefresher: APNsCredentialRefresher
  private let fcmRefresher: FCMCredentialRefresher
  private let results: Inbox<[PushResult]>
  private let done: Inbox<Void>
  private let words = SenderLogCapture()
  private let times: PeerTimes
  private let pushkeys = PushKeyring(present: SymmetricKey.random())

  /// Starts senders for the checks.
  /// - Parameter machine: the clock that is compared with those of the networks.
  package init(_ configuration: Configuration, master: MasterKey, machine: any Clock) throws {
    let clock = DatabaseClock(machine: machine)
    self.clock = clock
    let times = PeerTimes(clock: machine)
    self.times = times
    var configuration = configuration
    configuration.fcmValidatesOnly = true
    let health = Health()
    let gauges = SenderSettings.Gauges(metrics: Metrics(), health: health, lastAccepted: LastSuccess())
    let results = try Inbox<[PushResult]>(capacity: 65_536)
    self.results = results
    let sink: PushResultSink = { _ = results.offer($0) }
    var toApple = SenderSettings.apns(configuration, gauges)
    toApple.wire.logger = words.logger("apns")
    toApple.wire.heardTime = { times.note(.apns, $0) }
    let requests = try Inbox<ProviderTokenRequest>(capacity: 1024)
    let apns = try APNsSender(configuration: toApple, clock: clock, results: sink) { _ = requests.offer($0) }
    var toGoogle = SenderSettings.fcm(configuration, gauges)
    toGoogle.wire.logger = words.logger("fcm")
    toGoogle.wire.heardTime = { times.note(.fcm, $0) }
    let fcm = try FCMSender(configuration: toGoogle, clock: clock, results: sink)
    (self.apns, self.fcm) = (apns, fcm)
    apnsRefresher = APNsCredentialRefresher(
      sender: apns, requests: requests, master: master, health: health, clock: clock,
      beganAt: clock.wallTime)
    fcmRefresher = FCMCredentialRefresher(
      sender: fcm, master: master, health: health, tokens: configuration.tokenAddress)
    let done = try Inbox<Void>(capacity: 2)
    self.done = done
    _ = try Thread(name: "apns-0") {
      try? apns.run()
      _ = done.offer(())
    }
    _ = try Thread(name: "fcm-0") {
      try? fcm.run()
      _ = done.offer(())
    }
  }

  /// Returns the seconds by which the network's clock was ahead of this machine's at its last answer; nil when unknown.
  package func clockDifference(to network: PushNetwork) -> Int64? { times.difference(network) }

  /// Stops the senders' threads.
  package func stop() {
    apns.stop(within: .seconds(1))
    fcm.stop(within: .seconds(1))
    var ended = 0
    while ended < 2 {
      let count = done.receive(atMost: .seconds(5)).count
      guard count > 0 else { return }
      ended += count
    }
  }

  /// Returns the answers in the order of the questions. Blocks until all have arrived, for about half a minute at most.
  package func ask(_ questions: [Question], _ connection: DatabaseConnection) throws -> [Answer] {
    try clock.ask(connection)
    return try ask(questions) {
      try apnsRefresher.turn(connection)
      try fcmRefresher.turn(connection)
    }
  }

  /// Sends the questions to Apple with a key that is not stored, and returns the answers in order.
  func ask(_ questions: [Question], with token: ProviderToken, _ key: SigningKey) throws -> [Answer] {
    for question in questions { apns.set(.token(key.name), for: question.app.number) }
    apns.set(token)
    apns.credentialsAreKnown(asOf: clock.now)
    return try ask(questions) {}
  }

  private func ask(_ questions: [Question], feed: () throws -> Void) throws -> [Answer] {
    var answers = [Answer?](repeating: nil, count: questions.count)
    var isUnderWay = [Bool](repeating: false, count: questions.count)
    let system = SystemClock()
    let began = system.now
    while answers.contains(where: { $0 == nil }) {
      try feed()
      for (number, question) in questions.enumerated() where answers[number] == nil && !isUnderWay[number] {
        isUnderWay[number] = offer(question, number: number)
      }
      for result in results.receive(atMost: Self.pause).joined() {
        let number = Int(result.batch.number)
        isUnderWay[number] = false
        answers[number] = answer(result.result, questions[number])
      }
      let now = system.now
      for (number, question) in questions.enumerated() where answers[number] == nil {
        let failure = words.failure(of: question)
        let isHopeless = failure.map { now - $0.at > Self.timeoutAfterFailure } ?? false
        guard isHopeless || now - began > Self.timeout else { continue }
        answers[number] = .unreachable(failure?.reason ?? "no answer within \(Self.timeout.components.seconds) s")
      }
    }
    return answers.compactMap { $0 }
  }

  private func offer(_ question: Question, number: Int) -> Bool {
    let seconds = clock.wallTime.seconds
    let message = PushMessage.badge(
      appID: question.app.appID, pushkeys: pushkeys, expiresAtSeconds: seconds + 3600)
    let psid =
      question.network == .apns ? Hex.encode(MasterKey.makeBytes()) : "upmc-doctor-asks-with-a-token-of-nobody"
    let device = DeviceID(appID: question.app.appID, network: question.network, installation: "upmc doctor")
    let target = PushTarget(
      device: device, userKey: UserKey(guest: device), psid: psid, badge: 0, clientName: "")
    let batch = PushBatch(
      BatchAddress(Int64(number)), message: message,
      route: PushRoute(app: question.app.number, network: question.network, environment: question.environment),
      targets: [target], readAtNanoseconds: clock.now.nanoseconds)
    return question.network == .apns ? apns.offer(batch) : fcm.offer(batch)
  }

  /// Returns the answer that a result stands for; nil if the question must be asked again.
  private func answer(_ result: SubmissionResult, _ question: Question) -> Answer? {
    switch result {
    case .accepted: .works("taken")
    case .badToken(let reason, _): .works(reason)
    case .rejected(let reason), .wrongEnvironment(let reason), .credentialFault(let reason), .noCredential(let reason):
      .refused(reason)
    case .retry, .deviceBusy, .notProcessed, .unknown, .stale: nil
    }
  }
}

/// Records by how many seconds the networks' clocks differ from this machine's, according to their answers.
private final class PeerTimes: Sendable {
  private let clock: any Clock
  private let differences = Mutex<[PushNetwork: Int64]>([:])

  init(clock: any Clock) {
    self.clock = clock
  }

  func note(_ network: PushNetwork, _ peerSeconds: Int64) {
    let ours = clock.wallTime.seconds
    differences.withLock { $0[network] = peerSeconds - ours }
  }

  func difference(_ network: PushNetwork) -> Int64? { differences.withLock { $0[network] } }
}

/// Captures the senders' log messages, because the reason of a failed connection is reported nowhere else.
private final class SenderLogCapture: Sendable {
  struct Failure: Sendable {
    let at: Instant
    let reason: String
  }

  /// The last failure for each network and environment, because each combination has its own host.
  private let failures = Mutex<[String: Failure]>([:])

  func failure(of question: ProviderProbe.Question) -> Failure? {
    failures.withLock { $0["\(question.network.pnsID.lowercased()) \(question.environment.name)"] }
  }

  func logger(_ network: String) -> Logger {
    Logger(label: network) { _ in CapturingLogHandler(words: self, network: network) }
  }

  private func note(_ place: String, _ reason: String) {
    let now = SystemClock().now
    // Keep the time of the first failure.
    failures.withLock { $0[place] = Failure(at: $0[place]?.at ?? now, reason: reason) }
  }

  private struct CapturingLogHandler: LogHandler {
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]
    let words: SenderLogCapture
    let network: String

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      guard event.level >= .warning else { return }
      let reason = event.metadata?["reason"].map { "\($0)" } ?? ""
      let environment = event.metadata?["environment"].map { "\($0)" } ?? PushEnvironment.production.name
      words.note("\(network) \(environment)", reason.isEmpty ? "\(event.message)" : reason)
    }
  }
}
