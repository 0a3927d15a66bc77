import Crypto
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher
@testable import Domain

/// A refusal that proves nothing is undone, and the delivery becomes due; but none is in progress twice by that.
@Suite struct UndoneRejectionTests {
  private static let node = UUIDValue(high: 1, low: 1)
  private let world: DispatcherWorld
  private let seqno: Seqno
  private let now: Timestamp

  init() throws {
    world = try DispatcherWorld()
    world.stop()
    try world.makeDevices(1..<3)
    seqno = try world.send()
    // The tokens below were read long before.
    try world.resume()
    now = SystemClock().wallTime
  }

  private func entry(_ number: Int) -> Claims.Entry {
    Claims.Entry(
      device: DispatcherWorld.device(number), userKey: UserKey(clientUID: "user \(number)"), attempts: 0)
  }

  /// The first of two devices of a claim is refused, by an answer to what was sent before the app was resumed, or at
  /// another time; the second is still in progress.
  private func makeDecisions(
    _ kind: TokenFinding.Kind = .disallowed, readAt: Timestamp = 1, of other: Seqno? = nil
  ) throws -> Decisions {
    let seqno = other ?? self.seqno
    let claim = try world.connection.run(Claims.create(seqno, node: Self.node, [entry(1), entry(2)]))
    let message = try message(seqno)
    let record = Outcomes.Record(
      seqno: seqno, device: DispatcherWorld.device(1), userKey: UserKey(clientUID: "user 1"), status: .rejected,
      attempts: 1, reason: "TopicDisallowed", dueAt: nil)
    var decisions = Decisions()
    decisions.add(Decisions.Decision(claim: claim, message: message, record: record, network: .apns))
    decisions.find(
      TokenFinding(
        kind: kind, route: route,
        delivery: Confirmations.Delivery(seqno: seqno, device: DispatcherWorld.device(1)),
        psid: String(repeating: "0", count: 63) + "1", readAt: readAt))
    return decisions
  }

  private func message(_ seqno: Seqno) throws -> DispatchMessage {
    let stored = try #require(try world.connection.run(Messages.find(seqno)))
    return DispatchMessage(
      stored, try MessageRequest(stored: stored.request), pushkeys: PushKeyring(present: SymmetricKey.random()))
  }

  private var route: PushRoute { PushRoute(app: world.app, network: .apns, environment: .production) }

  /// After the app was resumed.
  private var later: Timestamp { now + .seconds(3_600) }

  /// A breaker that opens: a hundred devices were refused, the two of the claim among them.
  private func makeFlood() -> CircuitBreaker {
    var breaker = CircuitBreaker()
    for number in 1...100 {
      breaker.countBad(
        route,
        AnswerWindow.Refusal(
          delivery: Confirmations.Delivery(seqno: seqno, device: DispatcherWorld.device(number)),
          reason: "TopicDisallowed", readAt: later))
    }
    return breaker
  }

  private func takeOver() throws {
    try world.connection.script(
      "UPDATE claims SET node = '00000000-0000-0000-0000-0000000000ff', fence = fence + 1")
  }

  private func write(_ decisions: inout Decisions, _ breaker: CircuitBreaker = CircuitBreaker()) throws {
    try world.connection.withTransaction {
      _ = try decisions.write(
        world.connection, finished: [], node: Self.node, writer: 7, now: now, storesRows: true, breaker)
    }
  }

  private var waiting: Int64 {
    get throws { try world.count("outcomes WHERE status = \(OutcomeStatus.deferred.rawValue) AND due_at IS NOT NULL") }
  }

  private var inProgress: Int64 {
    get throws { try world.count("outcomes WHERE status = \(OutcomeStatus.deferred.rawValue) AND due_at IS NULL") }
  }

  private func expectNothingCounted() throws {
    let (funnel, reasons) = try world.funnel(seqno)
    #expect(funnel.rejected == 0 && reasons == "{}", "\(funnel) \(reasons)")
  }

  @Test func `what waits already is undone once more without a trace`() throws {
    var decisions = try makeDecisions()
    try write(&decisions)
    #expect(try waiting == 1)
    // Committed, but the answer is lost.
    try write(&decisions)
    #expect(try waiting == 1)
    try expectNothingCounted()
  }

  @Test func `what is in progress again does not become due once more`() throws {
    var decisions = try makeDecisions()
    try write(&decisions)
    #expect(try waiting == 1)
    // Committed, but the answer is lost; meanwhile it was due, and is being sent.
    try world.connection.script("UPDATE outcomes SET due_at = NULL")
    _ = try world.connection.run(Claims.create(seqno, node: Self.node, [entry(1)]))
    try write(&decisions)
    #expect(try inProgress == 1, "it would be sent twice")
    try expectNothingCounted()
  }

  @Test func `what another node has taken over does not become due beside it`() throws {
    var decisions = try makeDecisions()
    try takeOver()
    try write(&decisions)
    #expect(try waiting == 0, "it would be sent twice")
    try expectNothingCounted()
  }

  @Test func `a flood gives back what was refused of a claim that its node holds`() throws {
    var decisions = try makeDecisions(readAt: later)
    try write(&decisions, makeFlood())
    #expect(try waiting == 1)
    try expectNothingCounted()
  }

  @Test func `a flood gives back nothing of what another node has taken over`() throws {
    var decisions = try makeDecisions(readAt: later)
    try takeOver()
    try write(&decisions)
    var none = Decisions()
    try write(&none, makeFlood())
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) != nil)
    #expect(try waiting == 0, "it would be sent twice")
    try expectNothingCounted()
  }

  /// A delivery of one message waits for the morning, and a rejection of a later message is undone.
  @Test func `deferring deliveries and undoing rejections lock their messages in one order`() throws {
    try world.connection.script("UPDATE messages SET due_at = now() WHERE seqno = \(seqno)")
    let second = try world.send()
    var decisions = try makeDecisions(of: second)
    let night = Outcomes.Record(
      seqno: seqno, device: DispatcherWorld.device(2), userKey: UserKey(clientUID: "user 2"), status: .deferred,
      attempts: 0, reason: "night", dueAt: later)
    decisions.add(
      Decisions.Decision(
        claim: try world.connection.run(Claims.create(seqno, node: Self.node, [entry(2)])),
        message: try message(seqno), record: night))
    let other = try TestDatabase.connect(to: world.databaseURL)
    try other.script("BEGIN; SELECT FROM messages WHERE seqno = \(seqno) FOR NO KEY UPDATE")
    let (all, url, now) = (decisions, world.databaseURL, self.now)
    let done = try Inbox<String>(capacity: 1)
    _ = try Thread(name: "completer") {
      do {
        var decisions = all
        let connection = try TestDatabase.connect(to: url)
        try connection.withTransaction {
          _ = try decisions.write(
            connection, finished: [], node: Self.node, writer: 7, now: now, storesRows: true, CircuitBreaker())
        }
        _ = done.offer("")
      } catch { _ = done.offer("\(error)") }
    }
    _ = try poll("it does not wait for the first") { try world.connection.waitingSessions() > 0 ? true : nil }
    // The transaction that has locked the first message can go on to lock the second.
    try world.connection.script("SELECT FROM messages WHERE seqno = \(second) FOR UPDATE NOWAIT")
    try other.script("COMMIT")
    #expect(done.receive(atMost: .patience) == [""])
    #expect(try waiting == 2)
    #expect(try world.count("messages WHERE put_off_until IS NOT NULL") == 1)
  }

  @Test func `a refused token of what another has taken over is the other's to find`() throws {
    var decisions = try makeDecisions(.refused(reason: "BadDeviceToken"), readAt: later)
    try takeOver()
    try write(&decisions)
    #expect(try world.count("outcomes") == 0)
    #expect(try world.quarantine().isEmpty, "the other would leave the device out")
    var own = try makeDecisions(.refused(reason: "BadDeviceToken"), readAt: later)
    try write(&own)
    #expect(try world.count("outcomes WHERE status = 2") == 1)
    #expect(try world.quarantine().map(\.device) == [DispatcherWorld.device(1)])
  }
}
