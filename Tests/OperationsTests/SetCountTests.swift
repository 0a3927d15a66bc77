import Domain
import Postgres
import Store
import TestSupport
import Testing

@testable import Operations

/// A count that is set is the last word about everything before it: what earlier messages added is not in it any more,
/// and is not taken back from it.
@Suite struct SetCountTests {
  private let world: BatchWorld
  private let kim: Users.Key

  init() throws {
    world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    kim = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
  }

  /// A message that adds one to kim's count.
  private func send() throws -> Ledger.Key {
    let key = try key(of: world.run(world.sendToKim())[0])
    #expect(try world.count("SELECT count(*) FROM badge_ledger WHERE seqno = \(key.seqno) AND increment = 1") == 1)
    return key
  }

  private func key(of outcome: OperationBatch.Outcome) throws -> Ledger.Key {
    Ledger.Key(user: kim, seqno: try #require(outcome.sentSeqno))
  }

  private func endNegative(_ key: Ledger.Key) throws {
    try Increments.revoke([key: 1], on: world.connection)
  }

  @Test func `set by a device, it stands when an earlier message ends negative`() throws {
    let key = try send()
    try world.run(.setBadge(world.claim("d1"), 5))
    try endNegative(key)
    #expect(try world.badge("kim") == 5)
  }

  @Test func `set to what it was, it is set all the same`() throws {
    let key = try send()
    try world.run(.setBadge(world.claim("d1"), 1))
    try endNegative(key)
    #expect(try world.badge("kim") == 1)
  }

  @Test(arguments: [(BadgeOption.force(7), Int16(7)), (.update(7), 7), (.reset, 0)])
  func `set by the read of another message, it stands`(option: BadgeOption, count: Int16) throws {
    let key = try send()
    let other = try send()
    try world.run(world.read(other.seqno, psid: "aa", option))
    #expect(try world.badge("kim") == count)
    // One more, so that there is something to be taken off wrongly.
    _ = try send()
    try endNegative(key)
    #expect(try world.badge("kim") == count + 1)
  }

  @Test func `a read that takes one off sets nothing`() throws {
    let key = try send()
    let other = try send()
    try world.run(world.read(other.seqno, psid: "aa"))
    #expect(try world.badge("kim") == 1)
    try endNegative(key)
    #expect(try world.badge("kim") == 0)
  }

  @Test func `what was added after it is taken back`() throws {
    try world.run(.setBadge(world.claim("d1"), 5))
    let key = try send()
    #expect(try world.badge("kim") == 6)
    try endNegative(key)
    #expect(try world.badge("kim") == 5)
  }

  @Test func `in one batch the order of the operations decides`() throws {
    let outcomes = try world.run(
      world.sendToKim(), .setBadge(world.claim("d1"), 5), world.sendToKim(), .setBadge(world.claim("d1"), 8),
      world.sendToKim())
    let keys = try [0, 2, 4].map { try key(of: outcomes[$0]) }
    #expect(try world.badge("kim") == 9)
    for key in keys.dropLast() {
      try endNegative(key)
      #expect(try world.badge("kim") == 9)
    }
    try endNegative(keys[2])
    #expect(try world.badge("kim") == 8)
  }

  @Test func `sets one after the other are told apart without a message between them`() throws {
    for value in Int16(1)...4 { try world.run(.setBadge(world.claim("d1"), value)) }
    #expect(try world.brokenCounts() == 0)
    // The sets' numbers are ahead of the messages' by now.
    #expect(try world.count("SELECT set_seqno FROM users") > 0)
    let key = try send()
    try world.run(.setBadge(world.claim("d1"), 2))
    let second = try send()
    try endNegative(key)
    #expect(try world.badge("kim") == 3)
    try endNegative(second)
    #expect(try world.badge("kim") == 2)
  }

  @Test func `what was wiped by it is not given again`() throws {
    let key = try send()
    try endNegative(key)
    #expect(try world.badge("kim") == 0)
    try Increments.restore([key: 1], on: world.connection)
    #expect(try world.badge("kim") == 1)
    try world.run(.setBadge(world.claim("d1"), 5))
    try endNegative(key)
    try Increments.restore([key: 1], on: world.connection)
    #expect(try world.badge("kim") == 5)
  }

  @Test func `set by an operator, it stands`() throws {
    let key = try send()
    var one = UserDirectory.NewBadge()
    (one.appID, one.badge) = ("com.example.bank", 1)
    _ = try UserDirectory.setBadge(one, of: "kim", by: .commandLine, on: world.connection, now: world.now)
    try endNegative(key)
    #expect(try world.badge("kim") == 1)
  }

  // MARK: What the doctor can work out

  @Test func `a count that a hand has changed is found`() throws {
    let key = try send()
    _ = try send()
    #expect(try world.brokenCounts() == 0)
    try endNegative(key)
    #expect(try world.brokenCounts() == 0)
    try world.connection.script("UPDATE users SET badge = badge + 1")
    #expect(try world.brokenCounts() == 1)
    // Nobody knows what it was set to but the count itself.
    try world.run(.setBadge(world.claim("d1"), 40))
    #expect(try world.brokenCounts() == 0)
  }

  @Test func `neither reads, nor history that is gone, nor the most that a count can be are taken for a fault`() throws
  {
    for number in 2...4 {
      try world.run(world.registration("d\(number)", psid: "a\(number)", user: "user\(number)"))
    }
    let key = try send()
    try world.run(world.read(key.seqno, psid: "aa"))
    #expect(try world.badge("kim") == 0)
    #expect(try world.brokenCounts() == 0)
    try world.connection.script("UPDATE users SET badge = 3 WHERE user_key = 'uuser2'")
    #expect(try world.brokenCounts() == 1)
    try world.connection.script("UPDATE messages SET forgotten_at = now()")
    #expect(try world.brokenCounts() == 0)
  }
}
