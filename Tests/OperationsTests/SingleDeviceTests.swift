import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Operations

@Suite struct SingleDeviceTests {
  private func users(_ world: BatchWorld) throws -> Int64 {
    try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim' AND state = 1")
  }

  @Test func `setting a user on a device releases the others too`() throws {
    let world = try BatchWorld(policy: .single)
    try world.run(world.registration("d1", psid: "aa", user: "kim"), world.registration("d2", psid: "bb"))
    world.now += .seconds(1)
    try world.run(.setUser(world.claim("d2"), .init(clientUID: "kim", name: "Kim")))
    #expect(try world.record("d1")?.userKey.isGuest == true)
    #expect(try world.record("d1")?.boundAt == world.now)
    #expect(try world.record("d2")?.userKey == UserKey(clientUID: "kim"))
  }

  @Test func `a device that only renews its registration in the same batch is released all the same`() throws {
    let world = try BatchWorld(policy: .single)
    for isFirst in [true, false] {
      try world.run(world.registration("d1", psid: "aa", user: "kim"))
      let renewal = world.registration("d1", psid: "aa")
      let newer = world.registration("d2", psid: "bb", user: "kim")
      _ = try world.runAll(isFirst ? [renewal, newer] : [newer, renewal])
      #expect(try world.record("d1")?.userKey.isGuest == true, "renewal first: \(isFirst)")
      #expect(try users(world) == 1)
    }
  }

  @Test(arguments: [Devices.State.tokenRefused, .unregistered])
  func `a device whose token was refused or taken comes back without the user who has another one since`(
    state: Devices.State
  ) throws {
    let world = try BatchWorld(policy: .single)
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.connection.script("UPDATE devices SET state = \(state.rawValue)")
    try world.run(world.registration("d2", psid: "bb", user: "kim"))
    // The app on the first device is opened once more, and has a new token.
    let back = try world.run(world.registration("d1", psid: "cc", proof: world.claim("d1")))[0]
    #expect(back.problem == nil, "\(back)")
    let record = try #require(try world.record("d1"))
    #expect(record.state == .active && record.userKey.isGuest)
    #expect(try users(world) == 1)
  }

  @Test func `a device that goes to another user in the same batch stays there`() throws {
    let world = try BatchWorld(policy: .single)
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.run(world.registration("d1", psid: "aa", user: "lee"), world.registration("d2", psid: "bb", user: "kim"))
    #expect(try world.record("d1")?.userKey == UserKey(clientUID: "lee"))
    #expect(try world.record("d2")?.userKey == UserKey(clientUID: "kim"))
  }

  @Test func `two who name one user never share a batch`() throws {
    let world = try BatchWorld(policy: .single)
    let first = Set(world.registration("d1", psid: "aa", user: "kim").conflictKeys)
    #expect(
      !first.isDisjoint(with: Operation.setUser(world.claim("d2"), .init(clientUID: "kim", name: "")).conflictKeys))
  }

  @Test func `two that bring back their pushes in one batch leave the user one device`() throws {
    let world = try BatchWorld(policy: .single)
    world.setPolicies(.strict)
    let user = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    for (installation, psid) in [("d1", "aa"), ("d2", "bb")] {
      try world.connection.run(
        Vouchers.make(for: user, installation: installation, until: world.now + .seconds(600)))
      try world.run(world.registration(installation, psid: psid, user: "kim"))
      #expect(try world.record(installation)?.pending?.userKey == user.userKey)
    }
    let seqno = try world.message()
    let outcomes = try world.run(
      .possess(world.claim("d1"), seqno: seqno, psid: "aa"), .possess(world.claim("d2"), seqno: seqno, psid: "bb"))
    #expect(outcomes.map(\.problem) == [nil, nil], "\(outcomes)")
    #expect(try users(world) == 1)
    #expect(try world.record("d2")?.userKey == user.userKey)
  }

  /// A device of a user's own for everyone who registers at once, on connections of their own.
  @Test func `many at once leave every user exactly one device, without a deadlock`() throws {
    let world = try BatchWorld(policy: .single)
    let workers = 4
    let done = try Inbox<String>(capacity: workers)
    for worker in 0..<workers {
      // Made here: neither the world nor its connection leaves this thread.
      let batches = (0..<30).map { round in
        (0..<8).map { user in
          world.registration("w\(worker)-\(user)", psid: "\(worker)\(user)aa", user: "user\((user + round) % 8)")
        }
      }
      let (url, policies, now) = (world.databaseURL, world.policies, world.now)
      _ = try Thread(name: "worker") {
        var failure = ""
        do {
          let connection = try TestDatabase.connect(to: url)
          for (round, operations) in batches.enumerated() {
            let batch = OperationBatch(
              operations, writer: Int32(worker + 1), node: BatchWorld.node, policies: policies,
              now: now + .microseconds(round), readAt: Instant(nanoseconds: 0))
            try batch.run(on: connection)
          }
        } catch {
          failure = "\(error)"
        }
        _ = done.offer(failure)
      }
    }
    let failures = try done.receive(workers, or: "not all workers have ended")
    #expect(failures.allSatisfy { $0.isEmpty }, "\(failures)")
    let owned = try world.count("SELECT count(*) FROM devices WHERE user_key LIKE 'u%'")
    let users = try world.count("SELECT count(DISTINCT user_key) FROM devices WHERE user_key LIKE 'u%'")
    #expect(owned == users && users == 8)
  }
}
