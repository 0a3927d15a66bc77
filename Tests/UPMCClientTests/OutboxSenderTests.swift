import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UPMCClient

/// What becomes of the outbox with every kind of answer.
@Suite struct OutboxSenderTests {
  private let directory = TemporaryDirectory.make(prefix: "upmc-sender.")
  private let outbox: Outbox

  init() {
    outbox = Outbox(directory: directory)
  }

  private func flush(_ transport: FakeTransport, now: Date = Date(), beyond: [OutboxEntry] = []) async -> FlushReport {
    await OutboxSender(
      outbox: outbox, origin: "https://push.example.com", seconds: 5, now: { now }, log: .off,
      send: { await transport.send($0) }
    ).flush(beyond: beyond)
  }

  private func fill(_ count: Int) throws {
    for seqno in 1...count { try outbox.add(try OutboxTests.entry("\(seqno)")) }
  }

  @Test func `250 receipts go in three calls, and then the reads`() async throws {
    try fill(250)
    try outbox.add(try OutboxTests.entry("7", .read))
    let transport = FakeTransport { FakeTransport.verdicts($0) }
    let report = await flush(transport)
    #expect(report.recorded == 251 && report.waiting == 0 && report.reason == nil)
    #expect(transport.requests.map { FakeTransport.Entry.all(in: $0).count } == [100, 100, 50, 1])
    #expect(transport.requests.map(\.path) == ["/v1/receipts", "/v1/receipts", "/v1/receipts", "/v1/reads"])
    #expect(transport.requests.allSatisfy { $0.bearer == nil })
  }

  @Test(arguments: [
    FakeTransport.json(500, "{}"), FakeTransport.json(502, "<html>"),
    FakeTransport.json(503, #"{"type":"upmc:busy","status":503}"#, retryAfter: 7),
    FakeTransport.json(429, #"{"type":"upmc:too-many-requests","status":429}"#, retryAfter: 7),
    // A network that wants a log-in first, a redirect, another program at this address.
    FakeTransport.json(200, "<html>Welcome to the hotel</html>"), FakeTransport.json(302, ""),
    FakeTransport.json(404, "not here"), FakeTransport.json(403, "{}"), FakeTransport.json(400, "Bad Request"),
    // Answers to something else: nothing is known of what was asked.
    FakeTransport.json(200, #"{"results":[]}"#),
    FakeTransport.json(200, #"{"results":[{"seqno":"9","status":"recorded"}]}"#),
    FakeTransport.json(200, #"{"results":[{"seqno":"1","status":"recorded"},{"seqno":"1","status":"recorded"}]}"#),
    FakeTransport.json(204, ""), .failure(NoAnswer("no network")),
  ])
  func `without an answer to exactly what was asked everything stays`(answer: Result<WireAnswer, NoAnswer>) async throws
  {
    try fill(1)
    try outbox.add(try OutboxTests.entry("7", .read))
    let transport = FakeTransport { _ in answer }
    let report = await flush(transport)
    #expect(report.waiting == 2 && report.recorded == 0 && report.refused == 0 && report.reason != nil)
    // Nothing more is asked of a server that cannot answer.
    #expect(transport.requests.count == 1)
    #expect(outbox.waiting() == ["1.receipt", "7.read-keep"])
  }

  @Test(arguments: [(-5, 0), (0, 0), (7, 7), (999_999_999, 3_600), (.max, 3_600), (.min, 0)] as [(Int, Int)])
  func `no server asks for less than no rest, or for more than an hour`(asked: Int, honored: Int) async throws {
    try fill(1)
    let answer = FakeTransport.json(503, "", retryAfter: asked)
    #expect(await flush(FakeTransport { _ in answer }).retryAfterSeconds == honored)
    #expect(throws: ClientError.busy(retryAfterSeconds: honored)) { try answer.get().demandNoContent() }
  }

  @Test func `a status that this release does not know keeps its file`() async throws {
    try fill(2)
    let transport = FakeTransport { FakeTransport.verdicts($0) { $0.seqno == "1" ? "recorded" : "postponed" } }
    let report = await flush(transport)
    #expect(report.recorded == 1 && outbox.waiting() == ["2.receipt"] && transport.requests.count == 1)
  }

  @Test func `one entry that the server cannot read does not hold up the others`() async throws {
    try fill(100)
    let transport = FakeTransport { request in
      let entries = FakeTransport.Entry.all(in: request)
      guard entries.contains(where: { $0.seqno == "37" }) else { return FakeTransport.verdicts(request) }
      return FakeTransport.json(400, #"{"type":"upmc:invalid-field","status":400,"detail":"no"}"#)
    }
    let report = await flush(transport)
    #expect(report.recorded == 99 && report.refused == 1 && report.waiting == 0)
    #expect(transport.requests.count <= 15)
  }

  @Test func `a pushkey of another token is tried with the former ones`() async throws {
    try outbox.add(try OutboxTests.entry("1", psids: ["new", "old", "oldest"]))
    try outbox.add(try OutboxTests.entry("2", psids: ["new", "old"]))
    let transport = FakeTransport {
      FakeTransport.verdicts($0) { $0.psid == "oldest" ? "recorded" : "invalid-pushkey" }
    }
    let report = await flush(transport)
    #expect(report.recorded == 1 && report.refused == 1 && report.waiting == 0)
  }

  @Test func `what could not be stored is tried with the former tokens, too`() async throws {
    let transport = FakeTransport {
      FakeTransport.verdicts($0) { $0.psid == "oldest" ? "recorded" : "invalid-pushkey" }
    }
    let read = try OutboxTests.entry("1", .read, psids: ["new", "old", "oldest"])
    let gone = try OutboxTests.entry("2", psids: ["new", "old"])
    let report = await flush(transport, beyond: [read, gone])
    #expect(report.recorded == 1 && report.refused == 1 && report.waiting == 0)
    #expect(report.verdicts[read.name] == .recorded(badge: nil) && report.verdicts[gone.name] != nil)
    let tried = transport.requests.filter { $0.path == "/v1/reads" }.flatMap { FakeTransport.Entry.all(in: $0) }
    #expect(tried.map(\.psid) == ["new", "old", "oldest"])
  }

  @Test func `what another process has removed meanwhile is not tried again`() async throws {
    let entry = try OutboxTests.entry("1", psids: ["new", "old"])
    try outbox.add(entry)
    let outbox = outbox
    let transport = FakeTransport { request in
      try? outbox.remove(entry)
      return FakeTransport.verdicts(request) { _ in "invalid-pushkey" }
    }
    let report = await flush(transport)
    #expect(transport.requests.count == 1 && report.refused == 0 && report.waiting == 0)
  }

  @Test func `after 30 days an entry is sent once more, and goes when the server cannot take it`() async throws {
    try fill(1)
    let later = Date().addingTimeInterval(31 * 86_400)
    #expect(await flush(FakeTransport { _ in .failure(NoAnswer("no network")) }, now: later).waiting == 1)
    #expect(await flush(FakeTransport { _ in FakeTransport.json(503, "") }, now: later).refused == 1)
    #expect(outbox.waiting().isEmpty)
  }

  @Test func `a clock that was put back drops nothing`() async throws {
    try fill(1)
    #expect(
      await flush(FakeTransport { _ in FakeTransport.json(503, "") }, now: Date(timeIntervalSince1970: 0)).waiting == 1)
  }

  @Test func `what was stored before the device knew the time is not too old`() async throws {
    try outbox.add(try OutboxTests.entry("1", now: Date(timeIntervalSince1970: 0)))
    #expect(await flush(FakeTransport { _ in FakeTransport.json(503, "") }).waiting == 1)
    #expect(await flush(FakeTransport { FakeTransport.verdicts($0) }).recorded == 1)
  }

  @Test func `what was wished for while a call was under way is sent too`() async throws {
    try outbox.add(try OutboxTests.entry("1", .read))
    let outbox = outbox
    let isFirst = Mutex(true)
    let transport = FakeTransport { request in
      if isFirst.withLock({ first in
        defer { first = false }
        return first
      }) {
        try? outbox.add(try OutboxTests.entry("1", .read, option: .update, badge: 5))
      }
      return FakeTransport.verdicts(request)
    }
    #expect(await flush(transport).recorded == 2)
    #expect(FakeTransport.Entry.all(in: transport.requests[1]).map(\.badge) == [5])
    #expect(outbox.waiting().isEmpty)
  }

  @Test func `what could not be stored is sent all the same`() async throws {
    let report = await flush(
      FakeTransport { FakeTransport.verdicts($0) },
      beyond: [try OutboxTests.entry("1"), try OutboxTests.entry("2", .read)])
    #expect(report.recorded == 2)
  }
}

/// Confirmations through the client, with trouble on the way.
@Suite struct ConfirmationTroubleTests {
  private let directory = TemporaryDirectory.make(prefix: "upmc-trouble.")
  private let keys = MemoryKeyStore()

  static func payload(_ seqno: String) throws -> ReceivedPayload {
    try ReceivedPayload(json: Array(#"{"aps":{"alert":"x"},"mps":{"seqno":"\#(seqno)","pushkey":"aa"}}"#.utf8))
  }

  static func answer(_ request: WireRequest) -> Result<WireAnswer, NoAnswer> {
    if request.path == "/v1/devices" {
      return FakeTransport.json(
        201, #"{"device":"d-1","authKey":"key","badge":0,"user":null,"identity":null,"awaitsPush":false}"#)
    }
    return FakeTransport.verdicts(request)
  }

  private func client(
    in directory: String? = nil, now: @escaping @Sendable () -> Date = { Date() }, _ transport: FakeTransport
  ) throws -> PushClient {
    PushClient(
      ClientSettings(
        server: try ServerAddress("https://push.example.com"), appID: "app", clientKey: "client",
        directory: directory ?? self.directory),
      transport: transport, keys: keys, now: now)
  }

  @Test func `where no file can be written a receipt is sent, or said to be lost`() async throws {
    TemporaryDirectory.write(directory + "/file", "not a directory")
    let isAway = Mutex(false)
    let transport = FakeTransport { request in
      isAway.withLock { $0 } ? .failure(NoAnswer("away")) : Self.answer(request)
    }
    let client = try client(in: directory + "/file", transport)
    try await client.register(token: "abcd")
    #expect(await client.receive(try Self.payload("1")) == .recorded(badge: nil))
    isAway.withLock { $0 = true }
    guard case .lost(let reason) = await client.receive(try Self.payload("2")) else {
      return #expect(Bool(false), "a receipt without a file counts as kept")
    }
    #expect(reason.contains("could not be stored"))
  }

  @Test func `what has no place in a full outbox is sent all the same, or said to be lost`() async throws {
    let isAway = Mutex(false)
    let transport = FakeTransport { request in
      isAway.withLock { $0 } ? .failure(NoAnswer("away")) : Self.answer(request)
    }
    let client = try client(transport)
    try await client.register(token: "abcd")
    let outbox = Outbox(directory: directory)
    try outbox.add(try OutboxTests.entry("1001"))
    for seqno in 1_002...1_500 {
      let entry = try OutboxTests.entry("\(seqno)")
      TemporaryDirectory.write("\(outbox.directory)/\(entry.name)", String(decoding: entry.bytes, as: UTF8.self))
    }
    isAway.withLock { $0 = true }
    guard case .lost(let reason) = await client.receive(try Self.payload("1")) else {
      return #expect(Bool(false), "a receipt without a place counts as kept")
    }
    #expect(reason.contains("500 confirmations of newer messages wait"))
    // The extension leaves it to the app.
    #expect(await client.store(receiptOf: try Self.payload("1")) == false)
    isAway.withLock { $0 = false }
    #expect(await client.receive(try Self.payload("1")) == .recorded(badge: nil))
    #expect(await client.waitingConfirmations == 0)
  }

  @Test func `a server that asks for rest is left alone, until then or until the clock is put back`() async throws {
    let time = Mutex(Date())
    let transport = FakeTransport { request in
      request.path == "/v1/devices" ? Self.answer(request) : FakeTransport.json(503, "", retryAfter: 999_999_999)
    }
    let client = try client(now: { time.withLock { $0 } }, transport)
    try await client.register(token: "abcd")
    let asked = transport.requests.count
    for seqno in 1...3 { guard case .waits = await client.receive(try Self.payload("\(seqno)")) else { return } }
    #expect(transport.requests.count == asked + 1)
    // No server may ask for more than an hour.
    time.withLock { $0 += 3_601 }
    await client.flush()
    #expect(transport.requests.count == asked + 2)
    time.withLock { $0 -= 86_400 }
    let report = await client.flush()
    #expect(transport.requests.count == asked + 3 && report.waiting == 3)
  }

  @Test func `a silent push and one whose extension has confirmed it are not confirmed again`() async throws {
    let transport = FakeTransport { Self.answer($0) }
    let client = try client(transport)
    try await client.register(token: "abcd")
    let silent = try ReceivedPayload(
      json: Array(#"{"aps":{"content-available":1},"mps":{"seqno":"1","pushkey":"aa"}}"#.utf8))
    #expect(await client.receive(silent) == .notNeeded)
    let done = try ReceivedPayload(userInfo: [
      "aps": ["alert": "x"], "mps": ["seqno": "1", "pushkey": "aa"], "feedback": "true",
    ])
    #expect(await client.receive(done) == .notNeeded)
    #expect(transport.requests.map(\.path) == ["/v1/devices"])
  }

  @Test func `a receipt leaves before its push is brought back as a proof, which is kept when that fails`() async throws
  {
    let proof = "/v1/devices/d-1/possession"
    let transport = FakeTransport { request in
      switch request.path {
      case "/v1/devices": FakeTransport.json(201, #"{"device":"d-1","authKey":"key","awaitsPush":true}"#)
      case proof: .failure(NoAnswer("away"))
      default: FakeTransport.verdicts(request)
      }
    }
    let client = try client(transport)
    try await client.register(token: "abcd", user: ClientUser("kim"))
    #expect(await client.receive(try Self.payload("1")) == .recorded(badge: nil))
    #expect(transport.requests.map(\.path) == ["/v1/devices", "/v1/receipts", proof, proof])
    await client.flush()
    #expect(transport.requests.map(\.path).suffix(2) == [proof, proof] && transport.requests.count == 6)
  }

  @Test func `a force goes as an update, whose repetition changes nothing`() async throws {
    let transport = FakeTransport { request in
      request.path == "/v1/reads"
        ? FakeTransport.json(200, #"{"results":[{"seqno":"1","status":"recorded","badge":7}]}"#)
        : request.path.hasSuffix("/badge") ? FakeTransport.json(200, #"{"badge":5}"#) : Self.answer(request)
    }
    let client = try client(transport)
    try await client.register(token: "abcd")
    let outcome = try await client.read(try Self.payload("1"), badgeOption: .force, badge: 5)
    #expect(outcome == .recorded(badge: 5))
    #expect(FakeTransport.Entry.all(in: transport.requests[1]).map(\.badgeOption) == ["update"])
    #expect(transport.requests.map(\.path).last == "/v1/devices/d-1/badge")
  }

  @Test func `another server gets no key of the one before`() async throws {
    let transport = FakeTransport { Self.answer($0) }
    let client = try client(transport)
    try await client.register(token: "abcd")
    try await client.change(ServerAddress("https://other.example.com"))
    await #expect(throws: ClientError.notRegistered) { try await client.badge() }
    #expect(await client.receive(try Self.payload("1")) == .refused("the device is not registered"))
    try await client.register(token: "abcd")
    #expect(transport.requests.map(\.bearer) == ["client", "client"])
    #expect(transport.requests.map(\.origin) == ["https://push.example.com", "https://other.example.com"])
  }

  @Test func `a 401 of another program does not end the device's key`() async throws {
    let isForeign = Mutex(false)
    let transport = FakeTransport { request in
      isForeign.withLock { $0 } ? FakeTransport.json(401, "<html>Log in</html>") : Self.answer(request)
    }
    let client = try client(transport)
    try await client.register(token: "abcd")
    isForeign.withLock { $0 = true }
    await #expect(throws: ClientError.notAnAnswer(status: 401)) { try await client.register(token: "ef01") }
    #expect(transport.requests.map(\.bearer) == ["client", "key"])
  }

  @Test func `a call whose answer is lost is made once more, and then given up`() async throws {
    let isLost = Mutex(1)
    let transport = FakeTransport { request in
      isLost.withLock { left in
        left -= 1
        return left >= 0 ? .failure(NoAnswer("lost")) : Self.answer(request)
      }
    }
    let lines = Mutex<[String]>([])
    let client = try client(transport)
    await client.use(ClientLog { line in lines.withLock { $0.append(line) } })
    try await client.register(token: "abcdefghijkl", user: ClientUser("kim", name: "Kim", proof: "secret"))
    #expect(transport.requests.count == 2)
    // The log says so, without the key, the proof and the whole token.
    let log = lines.withLock { $0.joined(separator: "\n") }
    #expect(log.contains("lost; once more") && log.contains("abcdefgh…"))
    for secret in ["client", "secret", "abcdefghi", "\"key\""] { #expect(!log.contains(secret)) }
    isLost.withLock { $0 = 2 }
    await #expect(throws: ClientError.noAnswer("lost")) { try await client.register(token: "abcdefghijkl") }
    #expect(transport.requests.count == 4)
  }

  @Test func `tokens that change quickly are registered in their order`() async throws {
    let transport = FakeTransport { request in
      // The first answer takes longest.
      if request.body.map({ String(decoding: $0, as: UTF8.self).contains(#""psid":"aa""#) }) == true {
        for _ in 0..<100 { await Task.yield() }
      }
      return Self.answer(request)
    }
    let client = try client(transport)
    async let first = client.register(token: "aa")
    _ = try await first
    async let second = client.register(token: "bb")
    async let third = client.register(token: "cc")
    _ = try await (second, third)
    let registered = transport.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
    #expect(registered.count == 3)
    let last = try #require(registered.last)
    let known = await client.status(mayShow: nil, token: nil).registration?.token
    #expect(last.contains(#""psid":"\#(known ?? "-")""#))
  }
}
