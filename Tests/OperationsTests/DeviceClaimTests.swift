import Domain
import Postgres
import Store
import Testing
import Time

@testable import Operations

/// What devices may do by their PSID, for their user, in a minute, and once more.
@Suite struct DeviceClaimTests {
  private static let token = String(repeating: "a1", count: 32)
  private static let other = String(repeating: "b2", count: 32)

  private func identified(_ outcome: OperationBatch.Outcome) -> Devices.Record? {
    if case .success(.identified(let record)) = outcome { record } else { nil }
  }

  @Test func `a token tells its device, until the device has gone or has another token`() throws {
    let world = try BatchWorld()
    let ask = Operation.identify(app: world.app.number, network: .apns, psid: Self.token)
    #expect(identified(try world.run(ask)[0]) == nil)
    try world.run(world.registration("d1", psid: Self.token, user: "kim"))
    #expect(identified(try world.run(ask)[0])?.device == world.device("d1"))
    #expect(identified(try world.run(.identify(app: 99, network: .apns, psid: Self.token))[0]) == nil)
    try world.run(world.registration("d1", psid: Self.other, proof: world.claim("d1")))
    #expect(identified(try world.run(ask)[0]) == nil)
    try world.run(.unregister(world.claim("d1")))
    #expect(identified(try world.run(.identify(app: world.app.number, network: .apns, psid: Self.other))[0]) == nil)
  }

  @Test func `whoever acts for another user than the device's is refused, and changes nothing`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: Self.token, user: "kim"))
    var claim = world.claim("d1")
    claim.actingFor = "lee"
    #expect(try world.run(.setBadge(claim, 5))[0].problem == .userMismatch)
    #expect(try world.run(.clearUser(claim))[0].problem == .userMismatch)
    #expect(try world.badge("kim") == 0)
    claim.actingFor = "kim"
    #expect(try world.run(.setBadge(claim, 5))[0].badge == 5)
    #expect(try world.run(.clearUser(claim))[0].problem == nil)
    // Repeated: it is done already.
    #expect(try world.run(.clearUser(claim))[0].problem == nil)
    #expect(try world.run(.setBadge(claim, 5))[0].problem == .userMismatch)
  }

  @Test func `a confirmation by key counts for its app and device alone`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: Self.token, user: "kim"))
    let seqno = try world.message()
    try world.send(seqno, to: "d1", user: "kim")
    func confirm(_ reach: Operation.Reach) throws -> OperationAnswer.Confirmed.Status? {
      let confirmation = Operation.Confirmation(
        seqno: seqno, psid: Self.token, read: nil, isGenuine: true, reach: reach)
      return try world.run(.confirm([confirmation]))[0].confirmed?.first?.status
    }
    let app = world.app.number
    #expect(try confirm(Operation.Reach(app: app, device: world.device("d2"))) == .unknownMessage)
    #expect(try confirm(Operation.Reach(app: app + 1, device: nil)) == .unknownMessage)
    #expect(try confirm(Operation.Reach(app: app, device: world.device("d1"))) == .recorded)
    #expect(try confirm(Operation.Reach(app: app, device: nil)) == .recorded)
  }

  @Test func `a confirmation by key counts for a message that was sent to the device, and for no other`() throws {
    let world = try BatchWorld()
    try world.run(
      world.registration("d1", psid: Self.token, user: "kim"), world.registration("d2", psid: Self.other, user: "lee"))
    try world.setBadge("kim", 5)
    let (own, foreign) = (try world.message(), try world.message())
    try world.send(own, to: "d1", user: "kim")
    try world.send(foreign, to: "d2", user: "lee")
    func confirm(_ seqno: Seqno, _ read: BadgeOption?, by device: DeviceID?) throws -> OperationAnswer.Confirmed? {
      let confirmation = Operation.Confirmation(
        seqno: seqno, psid: Self.token, read: read, isGenuine: true,
        reach: Operation.Reach(app: world.app.number, device: device))
      return try world.run(.confirm([confirmation]))[0].confirmed?.first
    }
    // With a key that was requested with the PSID, and with the device's own key.
    let (options, keys): ([BadgeOption?], [DeviceID?]) = ([nil, .keep, .reset], [nil, world.device("d1")])
    for device in keys {
      for option in options {
        let answer = try confirm(foreign, option, by: device)
        #expect(answer?.status == .unknownMessage && answer?.badge == nil && answer?.isForgotten == false)
      }
    }
    #expect(try world.badge("kim") == 5)
    #expect(try world.count("SELECT count(*) FROM receipts") == 0)
    #expect(try world.count("SELECT count(*) FROM reads") == 0)
    #expect(try confirm(own, nil, by: nil)?.status == .recorded)
    #expect(try confirm(own, .keep, by: world.device("d1"))?.badge == 4)
    #expect(try world.count("SELECT count(*) FROM reads WHERE device = '\(world.device("d1"))'") == 1)
  }

  @Test func `a confirmation by key counts for no push that cannot have arrived; by pushkey it counts`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: Self.token, user: "kim"))
    let ends: [(status: OutcomeStatus, tries: Int16, mayHaveCome: Bool)] = [
      (.skipped, 0, false), (.cancelled, 0, false), (.expired, 0, false), (.rejected, 1, false),
      // One of several tries may have arrived although its answer was lost.
      (.skipped, 1, true), (.expired, 1, true), (.rejected, 2, true), (.accepted, 1, true),
    ]
    for end in ends {
      let seqno = try world.message()
      let record = Outcomes.Record(
        seqno: seqno, device: world.device("d1"), userKey: UserKey(clientUID: "kim"), status: end.status,
        attempts: Tries(end.tries), reason: end.status == .accepted ? nil : "why", dueAt: nil)
      _ = try world.connection.run(Outcomes.write([record], at: world.now))
      let expected: OperationAnswer.Confirmed.Status = end.mayHaveCome ? .recorded : .unknownMessage
      for read in [nil, BadgeOption.keep] {
        let confirmation = Operation.Confirmation(
          seqno: seqno, psid: Self.token, read: read, isGenuine: true,
          reach: Operation.Reach(app: world.app.number, device: nil))
        #expect(try world.run(.confirm([confirmation]))[0].confirmed?.first?.status == expected, "\(end)")
      }
      #expect(try world.run(world.receipt(seqno, psid: Self.token))[0].confirmed?.first?.status == .recorded)
    }
    #expect(try world.count("SELECT count(*) FROM reads") == 4)
    #expect(try world.count("SELECT count(*) FROM receipts") == 8)
  }

  @Test func `a device may send so many in a minute, and again in the next`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: Self.token, user: "kim"), world.registration("d2", psid: Self.other))
    func ask(_ device: String = "d1") throws -> OperationBatch.Outcome {
      try world.run(.admitSend(world.claim(device), perMinute: 2))[0]
    }
    #expect(try ask().problem == nil)
    world.now += .seconds(20)
    #expect(try ask().problem == nil)
    guard case .failure(let problem) = try ask() else {
      Issue.record("a third was let through")
      return
    }
    #expect(problem.code == .tooManyRequests && problem.retryAfterSeconds == 40)
    world.now += .seconds(39)
    #expect(try ask().problem == .tooManyRequests)
    world.now += .seconds(1)
    #expect(try ask().problem == nil)
    #expect(try ask("d2").problem == .forbidden, "a guest")
    #expect(try world.run(.admitSend(world.claim("d1", epoch: 7), perMinute: 2))[0].problem == .badCredential)
  }

  @Test func `a device that says it is there is seen, once a quarter of an hour`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: Self.token))
    func seen() throws -> Timestamp {
      try world.connection.run(Statement("test-seen", "SELECT seen_at FROM devices")).timestamp(0, 0)
    }
    try world.run(.alive(world.claim("d1")))
    let first = try seen()
    #expect(first == world.now)
    world.now += .seconds(60)
    try world.run(.alive(world.claim("d1")))
    #expect(try seen() == first)
    world.now += .seconds(15 * 60)
    try world.run(.alive(world.claim("d1")))
    #expect(try seen() == world.now)
    // A registration leaves it.
    try world.run(world.registration("d1", psid: Self.token))
    #expect(try seen() == world.now)
    #expect(try world.run(.alive(world.claim("d9")))[0].problem == .unknownDevice)
  }

  @Test func `a device's keys go on after the last number, and others in its batch are served`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: Self.token))
    try world.connection.script("UPDATE devices SET auth_epoch = 32766")
    world.now += .seconds(1)
    #expect(try world.run(.unregister(world.claim("d1", epoch: 32_766)))[0].problem == nil)
    world.now += .seconds(1)
    let outcomes = try world.run(world.registration("d1", psid: Self.token), world.registration("d2", psid: Self.other))
    #expect(outcomes.allSatisfy { $0.problem == nil })
    #expect(try world.record("d1")?.authEpoch == Int16.min)
    #expect(try world.run(.alive(world.claim("d1", epoch: Int16.max)))[0].problem == .badCredential)
    #expect(try world.run(.alive(world.claim("d1", epoch: Int16.min)))[0].problem == nil)
  }

  /// A world in which the device "phone" awaits the push that makes it kim's, and that push.
  private func awaiting() throws -> (world: BatchWorld, user: Users.Key, push: Seqno) {
    let world = try BatchWorld()
    world.setPolicies(.strict)
    let user = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    try world.connection.run(Vouchers.make(for: user, installation: "phone", until: world.now + .seconds(600)))
    try world.run(world.registration("phone", psid: Self.token, user: "kim"))
    return (world, user, try world.message())
  }

  private func found(_ outcome: OperationBatch.Outcome) -> Devices.Record? {
    if case .success(.found(let record, _, _)) = outcome { record } else { nil }
  }

  @Test func `the key that a returned push has ended repeats that call for a day, and does nothing else`() throws {
    let (world, user, push) = try awaiting()
    let former = world.claim("phone")
    let bring = Operation.possess(former, seqno: push, psid: Self.token)
    #expect(found(try world.run(bring)[0])?.authEpoch == 1)
    var asked = former
    asked.isTokenOnly = true
    let next = try world.message()
    let others: [Operation] = [
      .possess(former, seqno: next, psid: Self.token), .possess(former, seqno: push, psid: Self.other),
      .possess(asked, seqno: push, psid: Self.token),
      .possess(world.claim("phone", epoch: -1), seqno: push, psid: Self.token), .find(former), .badge(former),
      .setUser(former, NamedUser(clientUID: "kim", name: "Kim")), .unregister(former),
    ]
    for other in others { #expect(try world.run(other)[0].problem == .badCredential, "\(other)") }
    world.now = world.now + .seconds(86_399)
    let repeated = found(try world.run(bring)[0])
    #expect(repeated?.authEpoch == 1 && repeated?.userKey == user.userKey && repeated?.identity == .strict)
    world.now = world.now + .seconds(1)
    #expect(try world.run(bring)[0].problem == .badCredential)
  }

  @Test func `reading a device with the guest's key does not show the user whom it gets in the same batch`() throws {
    let (world, user, push) = try awaiting()
    let claim = world.claim("phone")
    let outcomes = try world.run(.find(claim), .possess(claim, seqno: push, psid: Self.token), .find(claim))
    let shown = try #require(found(outcomes[0]))
    #expect(shown.userKey.isGuest && shown.authEpoch == 0)
    #expect(found(outcomes[1])?.userKey == user.userKey)
    #expect(outcomes[2].problem == .badCredential)
  }

  @Test func `a push brought back once more is refused when the device has lost its user since`() throws {
    let (world, user, push) = try awaiting()
    let bring = Operation.possess(world.claim("phone"), seqno: push, psid: Self.token)
    #expect(found(try world.run(bring)[0])?.userKey == user.userKey)
    let present = world.claim("phone", epoch: 1)
    try world.run(.clearUser(present))
    #expect(try world.run(bring)[0].problem == .badCredential)
    // It also is while the device awaits its next proof.
    try world.connection.run(Vouchers.make(for: user, installation: "phone", until: world.now + .seconds(600)))
    try world.run(.setUser(present, NamedUser(clientUID: "kim", name: "Kim")))
    #expect(try world.record("phone")?.pending?.userKey == user.userKey)
    #expect(try world.run(bring)[0].problem == .badCredential)
    #expect(try world.record("phone")?.userKey.isGuest == true)
  }
}
