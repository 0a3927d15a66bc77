internal import Crypto
internal import Domain
internal import FCM
internal import Glibc
internal import Logging
internal import PushTransport
internal import Reactor
internal import Simulator
internal import TLS
import Time

/// F1: a million messages through FCM at the pace of its quota, without a single 429.
///
/// The simulated FCM counts as the real one does, every request, in one-minute buckets; only the quota is scaled, so
/// that a run takes minutes on a small machine. The initial ramp is realistic.
struct PacedMessages: Scenario {
  let name = "F1"
  let summary = "a million messages through FCM, paced at a scaled quota: none may meet a 429"

  /// The project's quota in messages a minute: the real one, unless the machine is too slow for it.
  private static let quota = 600_000
  private static let registrations = 20_000
  private static let batchTargets = 250
  private static let targetsUnderWay = 4_000
  private static let timeout = Duration.seconds(230)
  private static let route = PushRoute(app: 1, network: .fcm, environment: .production)

  func measure(_ plan: Plan) throws -> Outcome {
    var configuration = Simulator.Configuration()
    configuration.keepsDeliveries = false
    configuration.fcmMessagesPerMinute = Self.quota
    let simulator = Simulator(configuration)
    let started = try simulator.start()
    defer { simulator.stop() }
    let results = try Inbox<[PushResult]>(capacity: 65_536)
    let sender = try FCMSender(
      configuration: try Self.configuration(started), results: { _ = results.offer($0) })
    guard let json = started.serviceAccountJSON, let url = started.tokenURL else {
      throw MeasuringError("the simulator has no token endpoint")
    }
    let account = try ServiceAccount(json: json, tokens: TokenAddress(configured: url))
    sender.set(FCMCredential(account: account, tokenURL: url), for: Self.route.app)
    let done = try Inbox<Void>(capacity: 1)
    _ = try Thread(name: "fcm-0") {
      do { try sender.run() } catch { StandardStreams.printError("\(error)") }
      _ = done.offer(())
    }
    defer {
      sender.stop(within: .seconds(1))
      _ = done.receive(atMost: .seconds(5))
    }

    let began = SystemClock().now
    let processorBefore = clock()
    let tally = try push(plan.campaignDevices, through: sender, results, plan)
    let seconds = Double((SystemClock().now - began).nanoseconds) / 1e9
    let processor = Double(clock() - processorBefore) / Double(CLOCKS_PER_SEC)
    let counters = simulator.counters().fcm

    var outcome = Outcome(scenario: name)
    let refused = counters.rejected.values.reduce(0, +)
    outcome.requirements = [
      Requirement(
        label: "answers 429", unit: "messages", value: Double(counters.rejected["QUOTA_EXCEEDED"] ?? 0), side: .atMost,
        limit: 0),
      Requirement(label: "all refusals", unit: "messages", value: Double(refused), side: .atMost, limit: 0),
      Requirement(
        label: "share of the quota, ramp included", unit: "of \(Self.quota)/min",
        value: Double(tally.accepted) / seconds * 60 / Double(Self.quota), side: .atLeast, limit: 0.5),
    ]
    outcome.circumstances = [
      ("messages", "\(tally.accepted)"), ("seconds", Outcome.number(seconds)),
      ("messagesPerSecond", Outcome.number(Double(tally.accepted) / seconds)),
      ("bestSecond", "\(tally.bestSecond)"), ("repeated", "\(tally.repeated)"),
      ("accessTokens", "\(counters.accessTokens)"),
      ("processorSecondsWithSimulator", Outcome.number(processor)),
    ]
    return outcome
  }

  private static func configuration(_ started: Simulator.Started) throws -> FCMConfiguration {
    var configuration = FCMConfiguration()
    guard let parts = started.endpoints.fcm?.split(separator: ":"), let port = UInt16(parts[1]) else {
      throw MeasuringError("the simulator has no FCM")
    }
    configuration.endpoint = Endpoint(host: String(parts[0]), port: port)
    configuration.trust = TLSContext.Trust(systemAuthorities: false, pems: [started.authorityPEM])
    configuration.messagesPerMinute = quota
    configuration.wire.logger.logLevel = .error
    return configuration
  }

  private struct Tally {
    var accepted = 0
    /// Returned unsent and offered again.
    var repeated = 0
    /// Maximum accepted in one second.
    var bestSecond = 0
  }

  /// Pushes until `count` were accepted, as the dispatcher would: returned targets are offered again.
  private func push(
    _ count: Int, through sender: FCMSender, _ results: Inbox<[PushResult]>, _ plan: Plan
  ) throws -> Tally {
    let message = try Self.message()
    let targets = Self.targets()
    var tally = Tally()
    var underWay = 0
    var number: Int64 = 0
    var second = (began: SystemClock().now, accepted: 0)
    let deadline = SystemClock().now + Self.timeout
    while tally.accepted < count {
      while underWay < Self.targetsUnderWay, tally.accepted + underWay < count {
        let some = targets[Int(number) % targets.count]
        let left = count - tally.accepted - underWay
        let batch = PushBatch(
          BatchAddress(number), message: message, route: Self.route,
          targets: left < some.count ? Array(some.prefix(left)) : some,
          readAtNanoseconds: SystemClock().now.nanoseconds)
        guard sender.offer(batch) else { break }
        underWay += batch.targets.count
        number += 1
      }
      for turn in results.receive(atMost: .milliseconds(5)) {
        let accepted = turn.count { $0.result == .accepted }
        tally.accepted += accepted
        tally.repeated += turn.count - accepted
        underWay -= turn.count
        second.accepted += accepted
      }
      let now = SystemClock().now
      if now - second.began >= .seconds(1) {
        tally.bestSecond = max(tally.bestSecond, second.accepted)
        second = (now, 0)
      }
      guard now < deadline else {
        throw MeasuringError("only \(tally.accepted) of \(count) messages were accepted in \(Self.timeout)")
      }
    }
    return tally
  }

  private static func message() throws -> PushMessage {
    let request = try MessageRequest(
      json: Array(
        #"""
        {"appId":"com.example.app","audience":{"all":true},
         "alert":{"title":"Order shipped","body":"Your parcel left the warehouse and arrives tomorrow"},
         "badge":{"increment":1},"sound":"default"}
        """#.utf8))
    return PushMessage(
      seqno: Seqno(104), headers: PushHeaders(request, appID: "com.example.app", seqno: Seqno(104)),
      template: PayloadTemplate(request, seqno: Seqno(104), sendDate: "2026010109"),
      pushkeys: PushKeyring(present: SymmetricKey.random()), lane: .normal,
      expiresAtSeconds: SystemClock().wallTime.seconds + 86_400, onUnknown: .resend)
  }

  private static func targets() -> [[PushTarget]] {
    (0..<registrations / batchTargets).map { batch in
      (0..<batchTargets).map { index in
        let number = batch * batchTargets + index
        return PushTarget(
          device: DeviceID(high: UInt64(number), low: 1), userKey: UserKey(clientUID: "user"),
          psid: "f\(number):APA91b\(String(repeating: "x", count: 120))\(number)", badge: 7, clientName: "")
      }
    }
  }
}
