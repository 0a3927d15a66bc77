import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
import Reactor
import Simulator
import Synchronization
import TestSupport
import TestTier
import Testing
import UPMCClient
import UPMCClientURLSession

/// The conformance run (`upmc-simulator --expect-client`), held against our own client and against a careless one.
@Suite(.slow, .serialized) struct ExpectedClientTests {
  @Test func `our client does everything as expected`() async throws {
    let run = try ExpectationRun("127.0.0.1:0")
    defer { run.stop() }
    let directory = TemporaryDirectory.make(prefix: "upmc-expect.")
    defer { TemporaryDirectory.remove(directory) }
    try await Harness(run.address).go(CarefulClient(run.address, directory))
    let report = run.report()
    #expect(report.hasPassed, "\(report.text)")
    #expect(report.steps.count == 34 && report.text.contains("all as expected"))
  }

  @Test func `each fault of a careless client is named`() async throws {
    let run = try ExpectationRun("127.0.0.1:0")
    defer { run.stop() }
    try await Harness(run.address).go(CarelessClient(run.address, isSilent: false))
    let report = run.report()
    let found = Set(report.faults)
    // These are of a client that says nothing at all.
    let others: Set<ClientFault> = [
      .registrationMissing, .receiptMissing, .readMissing, .badgeMissing, .groupMissing, .leaveMissing, .userMissing,
      .possessionMissing, .consentMissing, .inboxMissing,
    ]
    #expect(found == Set(ClientFault.allCases).subtracting(others), "\(report.text)")
    for fault in report.faults { #expect(report.text.contains("\(fault.rawValue): \(fault.sentence)")) }
  }

  @Test func `a client that says nothing is missed at each step`() async throws {
    let run = try ExpectationRun("127.0.0.1:0")
    defer { run.stop() }
    try await Harness(run.address).go(CarelessClient(run.address, isSilent: true))
    let missing: Set<ClientFault> = [
      .registrationMissing, .receiptMissing, .readMissing, .badgeMissing, .groupMissing, .leaveMissing, .lostWhenBusy,
      .lostBehindPage, .lostAtRestart, .userMissing, .possessionMissing, .possessionLost, .consentMissing,
      .inboxMissing,
    ]
    #expect(Set(run.report().faults) == missing)
  }

  @Test func `a client that asks a busy server again when it may does not ask too soon`() async throws {
    let run = try ExpectationRun("127.0.0.1:0")
    defer { run.stop() }
    let harness = Harness(run.address)
    let clock = SystemClock()
    var step = try await harness.next()
    while step.step != "done" {
      if step.payloads?.first?.contains(#""seqno":"102""#) == true {
        for _ in 1...2 {
          let answer = try await harness.call("POST", "/v1/receipts", #"{"receipts":[{"seqno":"102"}]}"#)
          #expect(answer.status == 503)
          let end = clock.now + .seconds(try #require(answer.retryAfterSeconds))
          try poll("the server's time to rest is not over") { clock.now >= end ? () : nil }
        }
      }
      step = try await harness.next()
    }
    #expect(!run.report().faults.contains(.asksTooSoon))
  }

  @Test func `a client is not asked about what it does without, and the report says so`() async throws {
    let run = try ExpectationRun("127.0.0.1:0")
    defer { run.stop() }
    let directory = TemporaryDirectory.make(prefix: "upmc-expect.")
    defer { TemporaryDirectory.remove(directory) }
    try await Harness(run.address, without: "strict,inbox").go(CarefulClient(run.address, directory))
    let report = run.report()
    #expect(report.hasPassed && report.steps.count == 28, "\(report.text)")
    #expect(report.text.hasSuffix("not asked about: strict, inbox"))
    #expect(report.steps.contains { $0.title.contains("consent") })
  }

  @Test func `the program prints the report, and ends with 1 when something is wrong`() async throws {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "upmc-simulator")
      .path
    let directory = TemporaryDirectory.make(prefix: "upmc-expect.")
    defer { TemporaryDirectory.remove(directory) }
    var child = try ChildProcess.start(
      [program, "--expect-client", "127.0.0.1:0", "--json"], output: .file(directory + "/out"), errors: .inherited)
    let address = try poll("the program has not said where it listens") {
      (TemporaryDirectory.read(directory + "/out") ?? "").firstMatch(of: #/"expect":"http://([^"]+)"/#).map {
        String($0.1)
      }
    }
    try await Harness(address).go(CarelessClient(address, isSilent: true))
    #expect(child.wait(atMost: .patience) == .exited(1))
    #expect(TemporaryDirectory.read(directory + "/out")?.contains(#""faults":["registration-missing"]"#) == true)
  }
}

/// What a client of the run is asked to do.
private protocol ExpectedClient: Sendable {
  func register(_ step: Harness.Step) async
  func push(_ payload: String) async
  func restart() async
  func flush(afterSeconds: Int) async
  func read(_ step: Harness.Step) async
  func setBadge(_ badge: Int) async
  func joinGroup(_ group: String) async
  func setUser(_ step: Harness.Step) async
  func consent(_ step: Harness.Step) async
  func inbox() async
  func unregisterUser() async
  func unregisterService() async
}

/// The loop that a test of any client needs.
private struct Harness {
  let address: String
  /// Parts of the run that the client does without.
  private let without: String
  private let transport = URLSessionTransport()

  init(_ address: String, without: String = "") {
    self.address = address
    self.without = without
  }

  struct Step: Decodable, Sendable {
    var step: String
    var appId: String?
    var clientKey: String?
    var token: String?
    var clientUid: String?
    var userProof: String?
    var payloads: [String]?
    var payload: String?
    var badgeOption: String?
    var badge: Int?
    var groupSeq: String?
    var afterSeconds: Int?
    var notification: Bool?
    var ad: Bool?
  }

  func go(_ client: any ExpectedClient) async throws {
    defer { transport.close() }
    for _ in 0..<100 {
      let step = try await next()
      switch step.step {
      case "register": await client.register(step)
      case "push": for payload in step.payloads ?? [] { await client.push(payload) }
      case "restart": await client.restart()
      case "flush": await client.flush(afterSeconds: step.afterSeconds ?? 0)
      case "read": await client.read(step)
      case "setBadge": await client.setBadge(step.badge ?? 0)
      case "joinGroup": await client.joinGroup(step.groupSeq ?? "")
      case "setUser": await client.setUser(step)
      case "consent": await client.consent(step)
      case "inbox": await client.inbox()
      case "unregisterUser": await client.unregisterUser()
      case "unregisterService": await client.unregisterService()
      default: return
      }
    }
  }

  func next() async throws -> Step {
    let answer = try await call("GET", "/expect/next" + (without.isEmpty ? "" : "?without=\(without)"))
    return try JSONDecoder().decode(Step.self, from: Data(answer.body))
  }

  func call(_ method: String, _ path: String, _ json: String? = nil) async throws -> WireAnswer {
    let transport = transport
    var request = WireRequest(method, path, at: "http://\(address)")
    request.seconds = ClientStage.patience
    request.body = json.map { Array($0.utf8) }
    let asked = request
    return try await withCheckedThrowingContinuation { continuation in
      transport.send(asked) { continuation.resume(with: $0) }
    }
  }
}

/// Ours, on a clock that the run turns on.
private actor CarefulClient: ExpectedClient {
  private let address: String
  private let directory: String
  private let time = Mutex(Date())
  private var client: PushClient?
  private var settings: ClientSettings?

  init(_ address: String, _ directory: String) {
    self.address = address
    self.directory = directory
  }

  private nonisolated func now() -> Date { time.withLock { $0 } }

  private func make() {
    guard let settings else { return }
    client = PushClient(
      settings, transport: URLSessionTransport(), keys: FileKeyStore(directory: directory + "/keys"),
      now: { self.now() })
  }

  func register(_ step: Harness.Step) async {
    if client == nil {
      settings = (try? ServerAddress("http://\(address)")).map {
        ClientSettings(server: $0, appID: step.appId ?? "", clientKey: step.clientKey ?? "", directory: directory)
      }
      // No call is repeated because the machine is busy.
      settings?.callSeconds = ClientStage.patience
      settings?.extensionCallSeconds = ClientStage.patience
      make()
    }
    _ = try? await client?.register(
      token: step.token ?? "", user: step.clientUid.map { ClientUser($0, proof: step.userProof) })
  }

  func push(_ payload: String) async {
    guard let push = try? ReceivedPayload(json: Array(payload.utf8)) else { return }
    await client?.receive(push, isExtension: true)
  }

  func restart() { make() }

  func flush(afterSeconds: Int) async {
    time.withLock { $0 += Double(afterSeconds) }
    await client?.flush()
  }

  func read(_ step: Harness.Step) async {
    guard let push = try? ReceivedPayload(json: Array((step.payload ?? "").utf8)) else { return }
    _ = try? await client?.read(
      push, badgeOption: step.badgeOption.flatMap { UPMCClient.BadgeOption(rawValue: $0) } ?? .keep, badge: step.badge)
  }

  func setBadge(_ badge: Int) async { _ = try? await client?.update(badge: badge) }
  func joinGroup(_ group: String) async { try? await client?.register(group: group) }

  func setUser(_ step: Harness.Step) async {
    _ = try? await client?.register(user: ClientUser(step.clientUid ?? "", proof: step.userProof))
  }

  func consent(_ step: Harness.Step) async {
    _ = try? await client?.set(ConsentChange(notification: step.notification, ad: step.ad))
  }

  func inbox() async {
    var cursor: String?
    repeat { cursor = (try? await client?.inbox(after: cursor))?.nextCursor } while cursor != nil
  }

  func unregisterUser() async { try? await client?.unregisterUser() }
  func unregisterService() async { try? await client?.unregisterService() }
}

/// As it is written in an afternoon: everything goes well in it.
private actor CarelessClient: ExpectedClient {
  private let address: String
  private let isSilent: Bool
  private var key = ""
  private var token = ""
  private var device = ""
  private var waiting: [String] = []
  private var confirmed: [String] = []
  private var registrations = 0
  private var isStrict: Bool { registrations > 2 }

  init(_ address: String, isSilent: Bool) {
    self.address = address
    self.isSilent = isSilent
  }

  private func call(_ method: String, _ path: String, _ body: String? = nil) async -> Int {
    guard !isSilent, let url = URL(string: "http://\(address)\(path)") else { return 0 }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.timeoutInterval = ClientStage.patience
    request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    request.httpBody = body.map { Data($0.utf8) }
    // The shared session follows redirects.
    let answer = try? await URLSession.shared.data(for: request)
    return (answer?.1 as? HTTPURLResponse)?.statusCode ?? 0
  }

  func register(_ step: Harness.Step) async {
    token = step.token ?? ""
    registrations += 1
    // Made up anew each time, with the wrong key, and the user is forgotten.
    key = "no key"
    _ = await call("POST", "/v1/devices", #"{"psid":"x","deviceId":"\#(UUID().uuidString)"}"#)
    device = "0e0e0e0e-0000-4000-8000-000000000001"
    key = "expect-auth-key"
  }

  func push(_ payload: String) async {
    let seqno = payload.firstMatch(of: #/"seqno":"(\d+)"/#).map { String($0.1) } ?? "1"
    // A busy server is asked again at once; and all that waits goes in one call.
    waiting.append(seqno)
    // Each push is brought back, as it was written from a half-read page.
    if isStrict { _ = await call("POST", "/v1/devices/\(device)/possession", #"{"seqno":"\#(seqno)"}"#) }
    var status = await confirm()
    if status == 503 { status = await confirm() }
    confirmed += status == 200 ? waiting : []
    if status == 200 || waiting.count > 149 { waiting = [] }
  }

  private func confirm() async -> Int {
    let entries = waiting.map { #"{"seqno":"\#($0)","psid":"\#(token)","pushkey":"made up"}"# }
    return await call("POST", "/v1/receipts", #"{"receipts":[\#(entries.joined(separator: ","))]}"#)
  }

  func restart() { waiting = [] }

  /// Sends what it has sent before, and forgets what was not taken.
  func flush(afterSeconds: Int) async {
    waiting = confirmed.contains("104") ? ["104"] : []
    if !waiting.isEmpty { _ = await confirm() }
    waiting = []
  }

  func read(_ step: Harness.Step) async {
    let seqno = (step.payload ?? "").firstMatch(of: #/"seqno":"(\d+)"/#).map { String($0.1) } ?? "1"
    _ = await call(
      "POST", "/v1/reads", #"{"reads":[{"seqno":"\#(seqno)","psid":"\#(token)","badge":\#(step.badge ?? 0)}]}"#)
  }

  func setBadge(_ badge: Int) async {
    _ = await call("PUT", "/v1/devices/\(device)/badge", #"{"badge":\#(badge)}"#)
    // It learns of the key that counts too late.
    if isStrict { key = "expect-second-key" }
  }

  func setUser(_ step: Harness.Step) async {
    for _ in 1...2 { _ = await call("PUT", "/v1/devices/\(device)/user", #"{"clientUid":"lee02"}"#) }
  }

  func consent(_ step: Harness.Step) async {
    _ = await call(
      "PUT", "/v1/devices/\(device)/consent", #"{"notification":true,"ad":false,"nightAd":false}"#)
  }

  func inbox() async { _ = await call("GET", "/v1/devices/\(device)/inbox") }
  func joinGroup(_ group: String) async { _ = await call("PUT", "/v1/devices/\(device)/groups/\(group)") }
  func unregisterUser() async { _ = await call("DELETE", "/v1/devices/\(device)/user") }
  func unregisterService() async { _ = await call("DELETE", "/v1/devices/\(device)") }
}
