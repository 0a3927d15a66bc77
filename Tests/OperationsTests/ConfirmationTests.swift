import Domain
import Store
import Testing

@testable import Operations

@Suite struct ConfirmationTests {
  @Test func `a receipt counts once, however often it is sent`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let seqno = try world.message()
    let both = try world.run(world.receipt(seqno, psid: "aa"), world.receipt(seqno, psid: "aa"))
    #expect(both.map { $0.confirmed?[0].status } == [.recorded, .recorded])
    #expect(try world.run(world.receipt(seqno, psid: "aa"))[0].confirmed?[0].status == .recorded)
    #expect(try world.count("SELECT sum(received)::bigint FROM message_totals") == 1)
  }

  @Test func `a read implies a receipt`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let seqno = try world.message()
    #expect(try world.run(world.read(seqno, psid: "aa"))[0].confirmed?[0].status == .recorded)
    #expect(try world.run(world.receipt(seqno, psid: "aa"))[0].confirmed?[0].status == .recorded)
    #expect(try world.count("SELECT sum(received * 10 + read)::bigint FROM message_totals") == 11)
  }

  @Test func `what was never sent or proved is told so and changes nothing`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let seqno = try world.message()
    try world.setBadge("kim", 5)
    let forged = Operation.Confirmation(seqno: seqno, psid: "aa", read: .reset, isGenuine: false)
    let results = try world.run(
      .confirm([forged]), world.read(seqno.next, psid: "aa"), world.receipt(seqno, psid: "ff"))
    #expect(results.map { $0.confirmed?[0].status } == [.invalidPushkey, .unknownMessage, .unknownMessage])
    #expect(try world.badge("kim") == 5)
    #expect(try world.count("SELECT count(*) FROM receipts") == 0)
  }

  @Test func `keep, reset and update act once per user and message, from whichever device`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"), world.registration("d2", psid: "bb", user: "kim"))
    try world.setBadge("kim", 3)
    let seqno = try world.message()
    for (psid, expected) in [("aa", Int16(2)), ("aa", 2), ("bb", 2)] {
      #expect(try world.run(world.read(seqno, psid: psid))[0].confirmed?[0].badge == expected)
    }
    let second = try world.message()
    #expect(try world.run(world.read(second, psid: "aa", .update(10)))[0].confirmed?[0].badge == 10)
    #expect(try world.run(world.read(second, psid: "bb", .reset))[0].confirmed?[0].badge == 10)
    let third = try world.message()
    #expect(try world.run(world.read(third, psid: "bb", .reset))[0].confirmed?[0].badge == 0)
  }

  @Test func `force sets the count each time it is sent`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let seqno = try world.message()
    #expect(try world.run(world.read(seqno, psid: "aa", .force(1000)))[0].confirmed?[0].badge == 1000)
    #expect(try world.run(world.read(seqno, psid: "aa", .force(7)))[0].confirmed?[0].badge == 7)
    #expect(try world.badge("kim") == 7)
  }

  @Test func `the count never falls below 0`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    #expect(try world.run(world.read(try world.message(), psid: "aa"))[0].confirmed?[0].badge == 0)
  }

  @Test func `reads of one user in one batch move the count one after the other`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.setBadge("kim", 9)
    let messages = [try world.message(), try world.message(), try world.message()]
    let results = try world.runAll(messages.map { world.read($0, psid: "aa") })
    #expect(results.map { $0.confirmed?[0].badge } == [8, 7, 6])
  }

  @Test func `a receipt belongs to the device it was sent to, although the token has moved`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let seqno = try world.message()
    try world.send(seqno, to: "d1", user: "kim")
    try world.setBadge("kim", 4)
    try world.setBadge("lee", 4)
    try world.run(world.registration("d2", psid: "aa", user: "lee"))
    #expect(try world.run(world.read(seqno, psid: "aa"))[0].confirmed?[0].badge == 3)
    #expect(try world.badge("lee") == 4)
    #expect(
      try world.count("SELECT count(*) FROM reads WHERE device = '\(world.device("d1"))'") == 1)
  }

  @Test func `a push to a guest moves the guest's count, and none once the guest has logged in`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"))
    let seqnos = [try world.message(), try world.message()]
    for seqno in seqnos {
      let record = Outcomes.Record(
        seqno: seqno, device: world.device("d1"), userKey: UserKey(guest: world.device("d1")), status: .accepted,
        attempts: 1, reason: nil, dueAt: nil)
      _ = try world.connection.run(Outcomes.write([record], at: world.now))
    }
    #expect(try world.run(world.read(seqnos[0], psid: "aa", .update(4)))[0].confirmed?[0].badge == 4)
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.setBadge("kim", 5)
    // An answer of 0, or 7, would be shown on the icon of kim's phone.
    let late = try world.run(world.read(seqnos[1], psid: "aa", .update(7)))[0].confirmed?[0]
    #expect(late?.status == .recorded && late?.badge == nil)
    #expect(try world.badge("kim") == 5)
    #expect(try world.count("SELECT count(*) FROM users WHERE user_key LIKE 'g%'") == 0)
    #expect(try world.count("SELECT count(*) FROM badge_ledger") == 0)
    #expect(try world.count("SELECT count(*) FROM reads") == 2)
  }

  @Test func `groups are joined, listed and left by the user, for all its devices`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"), world.registration("d2", psid: "bb", user: "kim"))
    let group = try world.connection.run(Groups.create(app: world.app.number, name: "news", parent: nil))
    try world.run(.join(world.claim("d1"), group: group))
    guard case .success(.groups(let listed)) = try world.run(.listGroups(world.claim("d2")))[0] else {
      Issue.record("no list")
      return
    }
    #expect(listed.map(\.name) == ["news"])
    #expect(try world.run(.join(world.claim("d1"), group: group + 99))[0].problem == .unknownGroup)
    try world.run(.leave(world.claim("d2"), group: group))
    #expect(try world.count("SELECT count(*) FROM group_members") == 0)
  }

  @Test func `a batch of everything at once keeps each answer in its place`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let seqno = try world.message()
    let results = try world.run(
      world.receipt(seqno, psid: "aa"), world.registration("d2", psid: "bb", user: "lee"),
      .setBadge(world.claim("d1"), 12), world.read(seqno, psid: "aa"), .badge(world.claim("d9")))
    #expect(results[0].confirmed?[0].status == .recorded)
    #expect(results[1].isNewRegistration == true)
    #expect(results[2].badge == 12)
    #expect(results[3].confirmed?[0].badge == 11)
    #expect(results[4].problem == .unknownDevice)
  }
}
