import Crypto
import Domain
import FCM
import Logging
import PushTransport
import Reactor
import Simulator
import TLS
import TestSupport
import Testing
import Time

/// A sender on its own thread against the simulated FCM: real OAuth, real TLS, real HTTP/2. One thread at a time uses it.
final class Harness: @unchecked Sendable {
  static let route = PushRoute(app: 7, network: .fcm, environment: .production)
  static let projectID = "upmc-simulator"

  let simulator: Simulator
  let started: Simulator.Started
  let sender: FCMSender
  private let results: Inbox<PushResult>
  /// Where it is another harness's simulator, that one ends it.
  private let ownsSimulator: Bool
  private var thread: Thread?
  private var batches: Int64 = 0
  private static let keys = PushKeyring(present: SymmetricKey.random())

  init(
    style: FCMStyle = FCMStyle(), quota: Int = 6_000_000, isEquipped: Bool = true, beside other: Harness? = nil,
    _ change: (inout FCMConfiguration) -> Void = { _ in },
    simulator alter: (inout Simulator.Configuration) -> Void = { _ in }
  ) throws {
    ownsSimulator = other == nil
    if let other {
      (simulator, started) = (other.simulator, other.started)
    } else {
      var simulated = Simulator.Configuration()
      simulated.keepsPayloads = true
      simulated.serviceAccountKeyPEM = ServiceAccountKey.pem
      alter(&simulated)
      simulator = Simulator(simulated)
      started = try simulator.start()
    }
    var configuration = FCMConfiguration()
    configuration.endpoint = try Self.endpoint(started)
    configuration.trust = TLSContext.Trust(systemAuthorities: false, pems: [started.authorityPEM])
    configuration.messagesPerMinute = quota
    configuration.wire.logger.logLevel = .critical
    change(&configuration)
    let results = try Inbox<PushResult>(capacity: 1_000_000)
    self.results = results
    let sender = try FCMSender(configuration: configuration, results: { _ = results.offer(contentsOf: $0) })
    self.sender = sender
    thread = try Thread(name: "test-fcm") { try? sender.run() }
    if isEquipped { sender.set(try credential(style: style), for: Self.route.app) }
  }

  static func endpoint(_ started: Simulator.Started) throws -> Endpoint {
    let parts = try #require(started.endpoints.fcm).split(separator: ":")
    return Endpoint(host: String(parts[0]), port: try #require(UInt16(parts[1])))
  }

  func credential(style: FCMStyle = FCMStyle()) throws -> FCMCredential {
    try credential(started.serviceAccount, style: style)
  }

  /// Of any service account; its access tokens are got at the simulator, or at another address.
  func credential(
    _ file: ServiceAccountFile, style: FCMStyle = FCMStyle(), tokenURL: String? = nil
  ) throws -> FCMCredential {
    FCMCredential(
      account: try ServiceAccount(json: file.json(tokenURI: TokenAddress.google)), style: style,
      tokenURL: try tokenURL ?? #require(started.tokenURL))
  }

  deinit {
    sender.stop(within: .zero)
    thread.take()?.join()
    if ownsSimulator { simulator.stop() }
  }

  func makeMessage(
    _ json: String = #""alert":{"title":"Hello","body":"World"},"badge":{"increment":1}"#, seqno: Int64 = 42,
    expiresIn: Int64 = 3600, lane: Lane = .normal
  ) throws -> PushMessage {
    let request = try MessageRequest(
      json: Array(#"{"appId":"com.example.app","audience":{"all":true},\#(json)}"#.utf8))
    return PushMessage(
      seqno: Seqno(seqno), headers: PushHeaders(request, appID: "com.example.app", seqno: Seqno(seqno)),
      template: PayloadTemplate(request, seqno: Seqno(seqno), sendDate: "2026010100"), pushkeys: Self.keys, lane: lane,
      expiresAtSeconds: SystemClock().wallTime.seconds + expiresIn,
      onUnknown: .resend)
  }

  /// Sends to these registrations and waits for all results, in order.
  func send(
    _ names: [String], _ message: PushMessage? = nil, route: PushRoute = Harness.route
  ) throws -> [SubmissionResult] {
    let batch = batch(names, try message ?? makeMessage(), route)
    guard sender.offer(batch) else { return [] }
    var found: [PushResult] = []
    while found.count < names.count {
      let more = results.receive(atMost: .patience)
      if more.isEmpty { break }
      // Those of a batch that was only handed over do not count.
      found += more.filter { $0.batch == batch.address }
    }
    return found.sorted { $0.target < $1.target }.map(\.result)
  }

  /// Hands a batch over and waits for nothing.
  func offer(_ names: [String], route: PushRoute) throws -> Bool {
    sender.offer(batch(names, try makeMessage(), route))
  }

  private func batch(_ names: [String], _ message: PushMessage, _ route: PushRoute) -> PushBatch {
    batches += 1
    let targets = names.enumerated().map { index, name in
      PushTarget(
        device: DeviceID(high: UInt64(index), low: 1), userKey: UserKey(clientUID: "u\(index)"), psid: name, badge: 3,
        clientName: "")
    }
    return PushBatch(
      BatchAddress(batches), message: message, route: route, targets: targets,
      readAtNanoseconds: SystemClock().now.nanoseconds)
  }

  /// Keeps all these routes busy for a while, and until so many were accepted. How many were, what was said of others,
  /// and how long it took.
  func flood(
    _ routes: [PushRoute], for duration: Duration, least: Int
  ) throws -> (accepted: Int, others: Set<String>, seconds: Double) {
    let began = SystemClock().now
    let names = (0..<20).map { "f\($0):APA91b\($0)" }
    var (open, accepted, others) = (0, 0, Set<String>())
    while true {
      let passed = SystemClock().now - began
      let isOver = (passed > duration && accepted >= least) || passed > .patience
      if isOver, open == 0 { break }
      for route in routes where !isOver {
        if sender.offer(batch(names, try makeMessage(seqno: batches + 1000), route)) { open += names.count }
      }
      let more = results.receive(atMost: isOver ? .patience : .milliseconds(10))
      if isOver, more.isEmpty { break }
      open -= more.count
      for result in more.map(\.result) where result != .stale && result != .notProcessed {
        if result == .accepted { accepted += 1 } else { others.insert("\(result)") }
      }
    }
    return (accepted, others, Double((SystemClock().now - began).nanoseconds) / 1e9)
  }

  /// Sends again what was not processed or became stale on the way, and only that, as the dispatcher does.
  func deliver(
    _ names: [String], _ message: PushMessage? = nil, route: PushRoute = Harness.route
  ) throws -> [SubmissionResult] {
    let message = try message ?? makeMessage()
    var results: [SubmissionResult] = Array(repeating: .notProcessed, count: names.count)
    return try poll("not all are processed", every: .zero) { () -> [SubmissionResult]? in
      let open = results.indices.filter { results[$0] == .notProcessed || results[$0] == .stale }
      if open.isEmpty { return results }
      for (position, result) in zip(open, try send(open.map { names[$0] }, message, route: route)) {
        results[position] = result
      }
      // The gate is shut, or the first access token is still on its way.
      _ = self.results.receive(atMost: .milliseconds(50))
      return nil
    }
  }
}
