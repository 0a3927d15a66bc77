import Domain
import Postgres
import Reactor
import Store
import Testing

@testable import Operations

/// Devices that nobody knows come in only so fast; those that are known always.
@Suite struct NewDevicesTests {
  private let world: BatchWorld
  private let newDevices: NewDevices
  private let office = IPAddress("203.0.113.7")
  private let home = IPAddress("203.0.113.8")

  init() throws {
    world = try BatchWorld()
    var rates = NewDevices.Rates()
    rates.perAddress = 3
    rates.perApp = 5
    newDevices = NewDevices(rates)
  }

  private func register(
    _ numbers: Range<Int>, from origin: IPAddress?, at seconds: Int64 = 0
  ) throws -> [OperationBatch.Outcome] {
    let operations = numbers.map { number -> Operation in
      guard case .register(var registration) = world.registration("phone \(number)", psid: token(number)) else {
        preconditionFailure("it is a registration")
      }
      registration.origin = origin
      return .register(registration)
    }
    let batch = OperationBatch(
      operations, writer: 1, node: BatchWorld.node, policies: world.policies, now: world.now,
      readAt: Instant(nanoseconds: seconds * 1_000_000_000), newDevices: newDevices)
    try batch.run(on: world.connection)
    return batch.results
  }

  private func token(_ number: Int) -> String { "token \(number)" }

  private func problems(_ outcomes: [OperationBatch.Outcome]) -> [Problem?] {
    outcomes.map { if case .failure(let problem) = $0 { problem } else { nil } }
  }

  @Test func `one new device more than an address may bring is refused, and leaves nothing`() throws {
    let problems = problems(try register(0..<4, from: office))
    #expect(problems[..<3].allSatisfy { $0 == nil })
    let problem = try #require(problems[3])
    #expect(problem.code == .tooManyRequests && problem.detail.contains("com.example.bank"))
    // Three an hour: the next one in twenty minutes.
    #expect(problem.retryAfterSeconds == 1201)
    #expect(try world.count("SELECT count(*) FROM devices") == 3)
    #expect(try world.count("SELECT count(*) FROM psids") == 3)
    #expect(try world.count("SELECT count(*) FROM psids WHERE psid = 'token 3'") == 0)
  }

  @Test func `a refused device leaves the token's owner as it was`() throws {
    _ = try register(0..<3, from: office)
    guard case .register(var thief) = world.registration("thief", psid: token(1)) else { return }
    thief.origin = office
    let batch = OperationBatch(
      [.register(thief)], writer: 1, node: BatchWorld.node, policies: world.policies, now: world.now,
      readAt: Instant(nanoseconds: 0), newDevices: newDevices)
    try batch.run(on: world.connection)
    #expect(problems(batch.results)[0]?.code == .tooManyRequests)
    #expect(try world.count("SELECT count(*) FROM psids WHERE device = '\(world.device("phone 1"))'") == 1)
    #expect(try world.record("phone 1")?.state == .active)
  }

  @Test func `known devices are served however many come`() throws {
    _ = try register(0..<3, from: office)
    for _ in 0..<3 { #expect(problems(try register(0..<3, from: office)).allSatisfy { $0 == nil }) }
    #expect(problems(try register(3..<4, from: office))[0] != nil)
  }

  @Test func `other addresses have allowances of their own, and whoever is not counted has none`() throws {
    _ = try register(0..<3, from: office)
    #expect(problems(try register(3..<4, from: home))[0] == nil)
    #expect(problems(try register(4..<5, from: nil))[0] == nil)
  }

  @Test func `an app has a limit too, wherever its devices come from`() throws {
    _ = try register(0..<3, from: office)
    _ = try register(3..<5, from: home)
    let problem = try #require(problems(try register(5..<6, from: nil))[0])
    #expect(problem.code == .tooManyRequests)
    #expect(problem.retryAfterSeconds == 721)
  }

  @Test func `a batch that is made again counts once`() throws {
    for _ in 0..<3 {
      guard case .register(var registration) = world.registration("phone", psid: "token") else { return }
      registration.origin = office
      let batch = OperationBatch(
        [.register(registration)], writer: 1, node: BatchWorld.node, policies: world.policies, now: world.now,
        readAt: Instant(nanoseconds: 0), newDevices: newDevices)
      try world.connection.script("BEGIN")
      while let round = batch.next() {
        for step in round.steps { step.read(try world.connection.run(step.statement, step.parameters)) }
      }
      try world.connection.script("ROLLBACK")
      newDevices.refund(batch.admitted)
    }
    let problems = problems(try register(0..<4, from: office))
    #expect(problems.map { $0 == nil } == [true, true, true, false])
  }

  @Test func `what was taken comes back with time`() throws {
    _ = try register(0..<3, from: office)
    #expect(problems(try register(3..<4, from: office, at: 1199))[0] != nil)
    #expect(problems(try register(3..<4, from: office, at: 1200))[0] == nil)
    #expect(problems(try register(4..<5, from: office, at: 1200))[0] != nil)
  }
}
