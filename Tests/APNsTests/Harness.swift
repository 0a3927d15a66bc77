import APNs
import Crypto
import Domain
import HTTP2
import Logging
import PushTransport
import Reactor
import Synchronization
import TLS
import TestSupport
import Testing
import Time

/// A sender on its own thread against a test server, with a clock that stands still: nothing goes stale or times out
/// unless a test lets time pass.
final class Harness {
  static let app: App.Number = 7
  static let route = PushRoute(app: app, network: .apns, environment: .production)

  let clock = ManualClock()
  let sender: APNsSender
  let results: Inbox<PushResult>
  let tokenRequests: Inbox<ProviderTokenRequest>
  private var thread: Thread?
  private var batches: Int64 = 0
  private static let keys = PushKeyring(present: SymmetricKey.random())

  init(
    port: UInt16, trusting pem: String, connections: Int = 1, streams: Int = 500, credential: APNsCredential? = nil,
    token: Bool = true, lastStreamID: Int32 = PushTransport.Limits.lastStreamID, sandboxPort: UInt16? = nil,
    age: Duration = PushTransport.Limits.connectionAge, _ change: (inout APNsConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = APNsConfiguration()
    configuration.production = APNsEndpoint(host: "127.0.0.1", port: port)
    configuration.sandbox = APNsEndpoint(host: "localhost", port: sandboxPort ?? port)
    configuration.trust = TLSContext.Trust(systemAuthorities: false, pems: [pem])
    configuration.wire.connectionsPerPool = connections
    configuration.wire.streamsPerConnection = streams
    configuration.wire.lastStreamID = lastStreamID
    configuration.wire.connectionAge = age
    configuration.wire.logger.logLevel = .critical
    change(&configuration)
    let results = try Inbox<PushResult>(capacity: 1_000_000)
    let tokenRequests = try Inbox<ProviderTokenRequest>(capacity: 1000)
    self.results = results
    self.tokenRequests = tokenRequests
    let sender = try APNsSender(
      configuration: configuration, clock: clock, results: { _ = results.offer(contentsOf: $0) },
      tokenNeeded: { _ = tokenRequests.offer($0) })
    self.sender = sender
    thread = try Thread(name: "test-sender") { try? sender.run() }
    sender.set(
      credential ?? .token(KeyName(teamID: "TEAM123456", keyID: "KEY1234567", fingerprint: "f")), for: Self.app)
    if token { sender.set(makeToken("first")) }
  }

  convenience init(
    _ server: TestServer, connections: Int = 1, streams: Int = 500, credential: APNsCredential? = nil,
    token: Bool = true, lastStreamID: Int32 = PushTransport.Limits.lastStreamID, sandboxPort: UInt16? = nil,
    age: Duration = PushTransport.Limits.connectionAge
  ) throws {
    try self.init(
      port: server.port, trusting: server.authorityPEM, connections: connections, streams: streams,
      credential: credential, token: token, lastStreamID: lastStreamID, sandboxPort: sandboxPort, age: age)
  }

  /// Ends the sender and waits for its thread.
  func stop(within timeout: Duration = .seconds(5)) {
    sender.stop(within: timeout)
    thread.take()?.join()
  }

  deinit {
    sender.stop(within: .zero)
    thread.take()?.join()
  }

  /// - Parameter age: how many seconds ago it was issued.
  func makeToken(_ value: String, age: Int64 = 1800) -> ProviderToken {
    ProviderToken(
      KeyName(teamID: "TEAM123456", keyID: "KEY1234567", fingerprint: "f"), value: value,
      issuedAt: clock.wallTime.seconds - age)
  }

  func makeMessage(
    seqno: Int64 = 42, text: String = "hello", expiresIn: Int64 = 3600, background: Bool = false, lane: Lane = .normal,
    appID: String = "com.example.app", keptFor seconds: Int64? = nil
  ) -> PushMessage {
    let json = #"{"appId":"\#(appID)","audience":{"all":true},"alert":"\#(text)"}"#
    let request = try! MessageRequest(json: Array(json.utf8))
    return PushMessage(
      seqno: Seqno(seqno),
      headers: PushHeaders(appID: appID, background ? .background : .alert, collapseID: String(seqno)),
      template: PayloadTemplate(request, seqno: Seqno(seqno), sendDate: "2026010100"),
      pushkeys: Self.keys, lane: lane,
      expiresAtSeconds: clock.wallTime.seconds + expiresIn,
      keptUntilSeconds: seconds.map { clock.wallTime.seconds + $0 }, onUnknown: .resend)
  }

  static func token(_ index: Int) -> String {
    let digits = String(index, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  func makeBatch(_ message: PushMessage, tokens: Range<Int>, route: PushRoute = Harness.route) -> PushBatch {
    batches += 1
    let targets = tokens.map { index in
      PushTarget(
        device: DeviceID(high: UInt64(index), low: 1), userKey: UserKey(clientUID: "u\(index)"),
        psid: Self.token(index), badge: 1, clientName: "")
    }
    return PushBatch(
      BatchAddress(batches), message: message, route: route, targets: targets,
      readAtNanoseconds: clock.now.nanoseconds)
  }

  /// Sends to devices `tokens` and waits for all results, in order of targets.
  func send(_ tokens: Range<Int>, message: PushMessage? = nil) -> [SubmissionResult] {
    guard sender.offer(makeBatch(message ?? makeMessage(), tokens: tokens)) else { return [] }
    return wait(tokens.count)
  }

  /// Offers a batch; the test fails when it is refused.
  @discardableResult
  func offer(_ message: PushMessage, _ tokens: Range<Int>, route: PushRoute = Harness.route) -> PushBatch {
    let batch = makeBatch(message, tokens: tokens, route: route)
    #expect(sender.offer(batch))
    return batch
  }

  /// Waits for all results of one batch and leaves those of others; in order of targets.
  func wait(for batch: PushBatch) -> [SubmissionResult] {
    let isMine = { (result: PushResult) in result.batch == batch.address }
    while pending.count(where: isMine) < batch.targets.count, takeResults() {}
    let found = pending.filter(isMine).sorted { $0.target < $1.target }
    pending.removeAll(where: isMine)
    return found.map(\.result)
  }

  /// Waits until something is so, which the sender or the server brings about by itself.
  func waits(until isSo: () -> Bool) -> Bool {
    let answer = try? poll("it never was so", every: .zero) { () -> Bool? in
      if isSo() { return true }
      take(results.receive(atMost: .milliseconds(1)))
      return nil
    }
    return answer != nil
  }

  /// Waits for so many results; fewer when nothing comes for long.
  func wait(_ count: Int) -> [SubmissionResult] {
    while pending.count < count, takeResults() {}
    let found = pending.prefix(count)
    pending.removeFirst(found.count)
    return found.sorted { ($0.batch.number, $0.target) < ($1.batch.number, $1.target) }.map(\.result)
  }

  /// Lets time pass, and returns when the sender has done what was due.
  func advance(by duration: Duration) {
    clock.advance(by: duration)
    // An app without credential gets its result at the end of a turn, after that turn's timers.
    let nowhere = PushRoute(app: 999, network: .apns, environment: .production)
    let probe = makeBatch(makeMessage(), tokens: 0..<1, route: nowhere)
    guard sender.offer(probe) else { return }
    // Only this thread takes results, so none of it is taken yet.
    probes.insert(probe.address.number)
    while probes.contains(probe.address.number), takeResults() {}
  }

  private var pending: [PushResult] = []
  /// Those that are outstanding: an answer that comes late is nobody's result.
  private var probes: Set<Int64> = []

  private func take(_ more: [PushResult]) {
    pending += more.filter { probes.remove($0.batch.number) == nil }
  }

  private func takeResults() -> Bool {
    let more = results.receive(atMost: .patience)
    take(more)
    return !more.isEmpty
  }
}

extension [SubmissionResult] {
  /// How often each kind of result occurs: short to read where a test fails.
  var tally: [String: Int] {
    reduce(into: [:]) { $0["\($1)", default: 0] += 1 }
  }
}
