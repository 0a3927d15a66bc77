import Domain
import Store
import Testing

@testable import Operations

/// Messages that ended negative although they arrived: the network took them, its answer was lost, and the last try was
/// refused or came too late. Their users read them all the same.
@Suite struct TakenBackTests {
  private let world: BatchWorld
  private let key: Ledger.Key

  /// User kim has two unread messages and gets a third, which adds one.
  init() throws {
    world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.setBadge("kim", 3)
    let user = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    key = Ledger.Key(user: user, seqno: try world.message())
    let fresh = try world.connection.run(Ledger.claim([Ledger.Claim(key: key, deliveries: 1, increment: 1)]))
    #expect(fresh == [key])
  }

  /// As the dispatcher does when the last delivery has ended negative.
  private func endNegative() throws {
    try Increments.revoke([key: 1], on: world.connection)
  }

  @Test func `unread, its increment is taken back`() throws {
    try endNegative()
    #expect(try world.badge("kim") == 2)
  }

  @Test func `read before its end, it lowers the count once`() throws {
    #expect(try world.run(world.read(key.seqno, psid: "aa"))[0].confirmed?[0].badge == 2)
    try endNegative()
    #expect(try world.badge("kim") == 2)
  }

  @Test func `read after its end, it takes nothing from other messages`() throws {
    try endNegative()
    #expect(try world.run(world.read(key.seqno, psid: "aa"))[0].confirmed?[0].badge == 2)
    #expect(try world.run(world.read(key.seqno, psid: "aa"))[0].confirmed?[0].badge == 2)
  }

  @Test func `a value that a read sets stands, before and after its end`() throws {
    #expect(try world.run(world.read(key.seqno, psid: "aa", .update(9)))[0].confirmed?[0].badge == 9)
    try endNegative()
    #expect(try world.badge("kim") == 9)
    let second = Ledger.Key(user: key.user, seqno: try world.message())
    _ = try world.connection.run(Ledger.claim([Ledger.Claim(key: second, deliveries: 1, increment: 1)]))
    try Increments.revoke([second: 1], on: world.connection)
    #expect(try world.run(world.read(second.seqno, psid: "aa", .reset))[0].confirmed?[0].badge == 0)
  }

  @Test func `sent again, only what was taken back and not read meanwhile is added again`() throws {
    try endNegative()
    try Increments.restore([key: 1], on: world.connection)
    #expect(try world.badge("kim") == 3)
    try endNegative()
    try world.run(world.read(key.seqno, psid: "aa"))
    #expect(try world.badge("kim") == 2)
    try Increments.restore([key: 1], on: world.connection)
    #expect(try world.badge("kim") == 2)
  }
}
