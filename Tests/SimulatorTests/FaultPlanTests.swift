import Reactor
import Testing

@testable import Simulator

@Suite struct `Fault plan` {
  private let token: DeviceToken
  private let marked: DeviceToken

  init() throws {
    token = try #require(DeviceToken(String(repeating: "ab", count: 32)))
    marked = try #require(DeviceToken("fa17fa174100" + String(repeating: "0", count: 52)))
  }

  private func circumstances(
    seconds: Int64 = 0, connection: Int = 1, environment: Environment = .production
  ) -> FaultPlan.Circumstances {
    .init(
      environment: environment, connection: connection, now: Instant(nanoseconds: 0) + .seconds(seconds))
  }

  private let start = Instant(nanoseconds: 0)

  @Test func `without faults nothing happens, but for marked tokens`() {
    var plan = FaultPlan(seed: 1)
    let plain = plan.effect(onRequestFor: token, circumstances())
    #expect(plain == nil)
    let gone = plan.effect(onRequestFor: marked, circumstances())
    #expect(gone == .answer(.init(.unregistered, age: .seconds(1))))
  }

  @Test(arguments: [
    ("4000", Effect.answer(.init(.badDeviceToken))), ("4001", .answer(.init(.deviceTokenNotForTopic))),
    ("4037", .answer(.init(.badCertificateEnvironment))), ("4290", .answer(.init(.tooManyRequests))),
    ("5031", .answer(.init(.shutdown))), ("5032", .answer(.init(.serviceUnavailable, retryAfterSeconds: 1))),
    ("e0ff", .slow(.milliseconds(2550))), ("e100", .silence), ("e200", .reset(code: 7, thenClosed: false)),
    ("e300", .reset(code: 7, thenClosed: true)), ("e400", .goAway(.init())), ("e505", .reorder(5)),
    ("e600", .collapse(limit: 1, lasting: .seconds(1))), ("e700", .cut(.reset)),
    ("e800", .reset(code: 8, thenClosed: false)),
  ])
  func `a token can ask for its own fault`(digits: String, effect: Effect) throws {
    let token = try #require(DeviceToken("fa17fa17" + digits))
    #expect(FaultPrefix.effect(of: token) == effect)
  }

  @Test(arguments: ["fa17fa179999", "fa17fa17e900", "fa174100", "4100"])
  func `other tokens ask for nothing`(digits: String) throws {
    #expect(FaultPrefix.effect(of: try #require(DeviceToken(digits))) == nil)
  }

  @Test func `a fault strikes every N-th request that meets its conditions`() throws {
    var plan = FaultPlan(seed: 1)
    var fault = Fault(.silence)
    fault.every = 3
    fault.tokenPrefix = "ABA"
    _ = try plan.add(fault, now: start)
    let applied = (1...9).map { _ in plan.effect(onRequestFor: token, circumstances()) != nil }
    #expect(applied == [false, false, true, false, false, true, false, false, true])
    let other = try #require(DeviceToken("cdcd"))
    let spared = (1...9).map { _ in plan.effect(onRequestFor: other, circumstances()) }
    #expect(spared == Array(repeating: nil, count: 9))
  }

  @Test func `a fault has its time, its connection, its environment and its number of strokes`() throws {
    var plan = FaultPlan(seed: 1)
    var fault = Fault(.silence)
    fault.afterSeconds = 2
    fault.forSeconds = 3
    fault.connection = 7
    fault.environment = .sandbox
    fault.times = 2
    _ = try plan.add(fault, now: start)
    func strikes(_ seconds: Int64, _ connection: Int, _ environment: Environment) -> Bool {
      plan.effect(
        onRequestFor: token, circumstances(seconds: seconds, connection: connection, environment: environment)) != nil
    }
    #expect(!strikes(1, 7, .sandbox))
    #expect(strikes(2, 7, .sandbox))
    #expect(!strikes(2, 8, .sandbox))
    #expect(!strikes(2, 7, .production))
    #expect(!strikes(5, 7, .sandbox))
    #expect(strikes(4, 7, .sandbox))
    #expect(!strikes(4, 7, .sandbox))
    #expect(plan.all.map(\.applied) == [2])
  }

  @Test func `the same seed gives the same dice`() throws {
    func run(seed: UInt64) throws -> [Bool] {
      var plan = FaultPlan(seed: seed)
      var fault = Fault(.silence)
      fault.probability = 0.25
      _ = try plan.add(fault, now: start)
      return (0..<4000).map { _ in plan.effect(onRequestFor: token, circumstances()) != nil }
    }
    let first = try run(seed: 5)
    #expect(try run(seed: 5) == first)
    #expect(try run(seed: 6) != first)
    #expect((900...1100).contains(first.count { $0 }))
  }

  @Test func `the first fault that strikes decides, and one can be ended`() throws {
    var plan = FaultPlan(seed: 1)
    let first = try plan.add(Fault(.silence), now: start)
    _ = try plan.add(Fault(.violation), now: start)
    var effects = [plan.effect(onRequestFor: token, circumstances())]
    let removals = [plan.remove(first), plan.remove(first)]
    effects.append(plan.effect(onRequestFor: token, circumstances()))
    plan.removeAll()
    effects.append(plan.effect(onRequestFor: token, circumstances()))
    #expect(effects == [.silence, .violation, nil])
    #expect(removals == [true, false])
  }

  @Test func `faults of connections and of requests are kept apart`() throws {
    var plan = FaultPlan(seed: 1)
    _ = try plan.add(Fault(.refuse), now: start)
    let onRequest = plan.effect(onRequestFor: token, circumstances())
    let onConnection = plan.effect(onConnection: circumstances())
    #expect(onRequest == nil)
    #expect(onConnection == .refuse)
  }

  @Test func `every kind can be asked for, and nonsense is refused`() throws {
    for kind in Fault.Kind.allCases {
      var fault = Fault(kind)
      fault.reason = "Unregistered"
      fault.form = kind == .shape ? "split" : kind == .cut ? "fin" : nil
      #expect(throws: Never.self) { try fault.effect() }
    }
    var unknown = Fault(.answer)
    #expect(throws: Fault.Invalid.self) { try unknown.effect() }
    unknown.reason = "SomethingNew"
    #expect(throws: Fault.Invalid.self) { try unknown.effect() }
    unknown.status = 418
    #expect(try unknown.effect() == .answer(.init(status: 418, reason: "SomethingNew")))
    unknown.status = 99
    #expect(throws: Fault.Invalid.self) { try unknown.effect() }
    var cut = Fault(.cut)
    cut.form = "sword"
    #expect(throws: Fault.Invalid.self) { try cut.effect() }
    var plan = FaultPlan(seed: 1)
    var foreign = Fault(.silence)
    foreign.tokenPrefix = "xyz"
    #expect(throws: Fault.Invalid.self) { _ = try plan.add(foreign, now: start) }
  }
}
