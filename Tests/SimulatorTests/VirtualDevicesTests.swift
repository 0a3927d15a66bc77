import HTTP2
import HTTPServer
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Simulator

/// A small server of the device API: remembers what it was told, and is busy or breaks off when asked.
private final class FakeServer: Sendable {
  struct Memory {
    var registrations: [String] = []
    var receipts: [Int] = []
    var reads: [Int] = []
    var authorizations: Set<String> = []
    /// Answer 503 to so many calls.
    var busyCalls = 0
    var isMalformed = false
  }

  private let server: ServerThread

  private final class Handler: RequestHandler {
    let server: FakeServer.Box

    init(server: FakeServer.Box) {
      self.server = server
    }

    func handle(_ request: Request, _ responder: Responder) {
      let body = request.withBody { ASCII.string($0) }
      let path = request.path
      let authorization = request.header("authorization")
      responder.send(server.answer(path, body, authorization))
    }
  }

  /// What the handler shares with the test.
  final class Box: Sendable {
    let memory = Mutex(Memory())

    func answer(_ path: String, _ body: String, _ authorization: String?) -> Response {
      memory.withLock { memory in
        if memory.busyCalls > 0 {
          memory.busyCalls -= 1
          return Response(status: .serviceUnavailable, headers: [("Retry-After", "0")])
        }
        if memory.isMalformed { return Response(status: .ok, contentType: "text/html", body: "<p>hello") }
        let seqnos = body.matches(of: #/"seqno":"([0-9]+)"/#).map { String($0.1) }
        switch path {
        case "/v1/devices":
          memory.authorizations.insert(authorization ?? "")
          memory.registrations.append(body)
          return Self.json(.created, #"{"device":"d","authKey":"k","badge":0,"user":null}"#)
        case "/v1/receipts":
          memory.receipts.append(seqnos.count)
          return Self.results(seqnos, "")
        case "/v1/reads":
          memory.reads.append(seqnos.count)
          return Self.results(seqnos, #","badge":1"#)
        default: return Response(status: .notFound)
        }
      }
    }

    private static func results(_ seqnos: [String], _ more: String) -> Response {
      let results = seqnos.map { #"{"seqno":"\#($0)","status":"recorded"\#(more)}"# }
      return json(.ok, #"{"results":["# + results.joined(separator: ",") + "]}")
    }

    private static func json(_ status: Status, _ body: String) -> Response {
      Response(status: status, contentType: "application/json", body: body)
    }
  }

  let box = Box()

  /// - Parameter port: 0 for any; that of an earlier server to take its place.
  init(port: UInt16 = 0) throws {
    let box = box
    server = try ServerThread("fake-server", port: port) { Handler(server: box) }
  }

  var port: UInt16 { server.port }

  func stop() { server.stop() }
}

@Suite struct `Virtual devices` {
  private let simulator: Simulator
  private let started: Simulator.Started

  init() throws {
    var configuration = Simulator.Configuration()
    configuration.controlListen = nil
    configuration.serviceAccountKeyPEM = ServiceAccountKey.pem
    simulator = Simulator(configuration)
    started = try simulator.start()
  }

  private func plan(_ server: FakeServer, devices: Int) -> VirtualDevices.Plan {
    var plan = VirtualDevices.Plan(
      count: devices, server: "http://127.0.0.1:\(server.port)", appID: "com.example.app", clientKey: "ck", users: 5)
    plan.readProbability = 1
    return plan
  }

  /// Waits until the devices' counters are as wanted.
  private func wait(_ simulator: Simulator? = nil, _ isDone: (DeviceCounters) -> Bool) throws {
    let simulator = simulator ?? self.simulator
    _ = try poll("not reached: \(String(describing: simulator.deviceCounters))", every: .milliseconds(20)) {
      () -> Bool? in
      isDone(try #require(simulator.deviceCounters)) ? true : nil
    }
  }

  /// Pushes once to each of the first devices.
  private func push(
    _ plan: VirtualDevices.Plan, seqno: Int, _ aps: String = #""alert":"hi","mutable-content":1"#
  ) throws {
    let client = try WireClient(started).connected()
    for device in 0..<plan.count {
      let body = #"{"aps":{\#(aps)},"mps":{"seqno":"\#(seqno)","pushkey":"aa\#(device)"}}"#
      #expect(try client.push(plan.token(of: device).description, body: body).status == 200)
    }
  }

  @Test func `they register, confirm what they get, and read it`() throws {
    let server = try FakeServer()
    defer {
      simulator.stop()
      server.stop()
    }
    let plan = plan(server, devices: 40)
    try simulator.startDevices(plan)
    try wait { $0.registered == 40 }
    try push(plan, seqno: 7)
    try wait { $0.confirmed == 40 && $0.read == 40 && $0.waiting == 0 }
    let counters = try #require(simulator.deviceCounters)
    #expect(counters.received == 40)
    #expect(counters.failed.isEmpty)
    #expect(simulator.counters().devices == counters)
    server.box.memory.withLock { memory in
      #expect(Set(memory.registrations).count == 40)
      #expect(memory.authorizations == ["Bearer ck"])
      #expect(memory.receipts.reduce(0, +) == 40)
      #expect(memory.reads.reduce(0, +) == 40)
      #expect((memory.receipts + memory.reads).allSatisfy { $0 <= Limits.confirmationsPerCall })
    }
  }

  @Test func `what waits while the server is away is confirmed when it is back, in batches of a hundred`() throws {
    let first = try FakeServer(port: LastingPort.find())
    let plan = plan(first, devices: 250)
    try simulator.startDevices(plan)
    try wait { $0.registered == 250 }
    first.stop()
    try push(plan, seqno: 8)
    try wait { $0.received == 250 && $0.retriesLost > 0 }
    let second = try FakeServer(port: first.port)
    defer {
      simulator.stop()
      second.stop()
    }
    try wait { $0.confirmed == 250 && $0.read == 250 && $0.waiting == 0 }
    second.box.memory.withLock { memory in
      #expect(memory.receipts.contains(100))
      #expect(memory.receipts.allSatisfy { $0 <= 100 })
      #expect(memory.registrations.isEmpty)
    }
  }

  @Test func `what waits in the outboxes outlives the devices, and is sent by their next life`() throws {
    let directory = TemporaryDirectory.make(prefix: "upmc-devices.")
    let server = try FakeServer()
    defer {
      server.stop()
      TemporaryDirectory.remove(directory)
    }
    var plan = plan(server, devices: 20)
    plan.outboxes = directory
    try simulator.startDevices(plan)
    try wait { $0.registered == 20 }
    server.box.memory.withLock { $0.busyCalls = .max }
    try push(plan, seqno: 7)
    try wait { $0.waiting == 40 }
    simulator.stop()
    let files = TemporaryDirectory.entries(of: directory).flatMap { device in
      TemporaryDirectory.entries(of: "\(directory)/\(device)/outbox")
    }
    #expect(files.count == 40 && Set(files) == ["7.receipt", "7.read-keep"])
    server.box.memory.withLock { $0.busyCalls = 0 }
    var configuration = Simulator.Configuration()
    configuration.controlListen = nil
    let next = Simulator(configuration)
    _ = try next.start()
    defer { next.stop() }
    try next.startDevices(plan)
    try wait(next) { $0.confirmed == 20 && $0.read == 20 && $0.waiting == 0 }
    server.box.memory.withLock { memory in
      // A device whose answer is late says it again.
      #expect(memory.receipts.reduce(0, +) >= 20 && memory.reads.reduce(0, +) >= 20)
    }
    for device in TemporaryDirectory.entries(of: directory) {
      #expect(TemporaryDirectory.entries(of: "\(directory)/\(device)/outbox").isEmpty)
    }
  }

  @Test func `a busy server is asked again`() throws {
    let server = try FakeServer()
    server.box.memory.withLock { $0.busyCalls = 5 }
    defer {
      simulator.stop()
      server.stop()
    }
    try simulator.startDevices(plan(server, devices: 3))
    try wait { $0.registered == 3 }
    let counters = try #require(simulator.deviceCounters)
    #expect(counters.retriesBusy == 5)
    #expect(counters.registrationsFailed == 0)
  }

  @Test func `an answer that says nothing is a failure, not a success`() throws {
    let server = try FakeServer()
    defer {
      simulator.stop()
      server.stop()
    }
    let plan = plan(server, devices: 2)
    try simulator.startDevices(plan)
    try wait { $0.registered == 2 }
    server.box.memory.withLock { $0.isMalformed = true }
    try push(plan, seqno: 9)
    try wait { $0.waiting == 0 && $0.failed["malformed"] == 4 }
    #expect(simulator.deviceCounters?.confirmed == 0)
  }

  @Test func `delays and probabilities are kept`() throws {
    let server = try FakeServer()
    defer {
      simulator.stop()
      server.stop()
    }
    var plan = plan(server, devices: 100)
    plan.receiptProbability = 0.5
    plan.readProbability = 0
    plan.receiptDelay = .milliseconds(20)
    try simulator.startDevices(plan)
    try wait { $0.registered == 100 }
    try push(plan, seqno: 10)
    try wait { $0.received == 100 && $0.waiting == 0 }
    let counters = try #require(simulator.deviceCounters)
    #expect((30...70).contains(counters.confirmed))
    #expect(counters.read == 0)
  }

  @Test func `iPhones confirm what starts the extension, or finds the app in front, and nothing that is silent`() throws
  {
    let server = try FakeServer()
    defer {
      simulator.stop()
      server.stop()
    }
    var plan = plan(server, devices: 100)
    plan.frontShare = 0.2
    plan.readProbability = 0
    try simulator.startDevices(plan)
    try wait { $0.registered == 100 }
    try push(plan, seqno: 11)
    try wait { $0.received == 100 && $0.confirmed == 100 && $0.waiting == 0 }
    try push(plan, seqno: 12, #""alert":"hi""#)
    try wait { $0.received == 200 && $0.waiting == 0 }
    let shown = try #require(simulator.deviceCounters)
    #expect((5...40).contains(shown.confirmed - 100) && shown.unseen == 200 - shown.confirmed, "\(shown)")
    for (index, silent) in [#""content-available":1"#, #""badge":3"#].enumerated() {
      try push(plan, seqno: 13 + index, silent)
      try wait { $0.silent == 100 * (index + 1) && $0.waiting == 0 }
    }
    #expect(simulator.deviceCounters?.confirmed == shown.confirmed)
  }

  @Test func `devices that are switched off confirm nothing, the same ones each time, and the rest all`() throws {
    let server = try FakeServer()
    defer {
      simulator.stop()
      server.stop()
    }
    var plan = plan(server, devices: 100)
    plan.offShare = 0.1
    try simulator.startDevices(plan)
    try wait { $0.registered == 100 }
    let off = (0..<100).count { plan.isOff($0) }
    #expect((2...25).contains(off))
    for round in 1...2 {
      try push(plan, seqno: 20 + round)
      try wait { $0.off == off * round && $0.confirmed == (100 - off) * round && $0.waiting == 0 }
    }
    #expect(simulator.deviceCounters?.read == 2 * (100 - off))
  }

  @Test func `what nobody's code has seen is read all the same when it is opened`() throws {
    let server = try FakeServer()
    defer {
      simulator.stop()
      server.stop()
    }
    let plan = plan(server, devices: 10)
    try simulator.startDevices(plan)
    try wait { $0.registered == 10 }
    try push(plan, seqno: 15, #""alert":"hi""#)
    try wait { $0.read == 10 && $0.waiting == 0 }
    #expect(simulator.deviceCounters?.confirmed == 0)
  }

  @Test func `a second fleet is refused`() throws {
    let server = try FakeServer()
    defer {
      simulator.stop()
      server.stop()
    }
    try simulator.startDevices(plan(server, devices: 1))
    #expect(throws: Simulator.StartFailure.self) { try simulator.startDevices(plan(server, devices: 1)) }
    #expect(throws: Simulator.StartFailure.self) {
      try simulator.startDevices(VirtualDevices.Plan(count: 1, server: "ftp://x", appID: "a", clientKey: "k"))
    }
  }
}
