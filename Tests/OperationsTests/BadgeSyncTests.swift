import Domain
import Store
import TestSupport
import Testing
import Time

@testable import Operations

@Suite struct BadgeSyncTests {
  private func world(badgeSync: Bool = true) throws -> BatchWorld {
    let world = try BatchWorld()
    world.setPolicies(badgeSync: badgeSync)
    try world.run(
      world.registration("d1", psid: "aa", user: "kim"), world.registration("d3", psid: "cc", user: "lee"),
      world.registration("d4", psid: "dd"))
    try world.run(world.registration("d2", psid: "bb", user: "kim"))
    return world
  }

  private func due(_ world: BatchWorld) throws -> [BadgeSyncs.Due] {
    try world.connection.run(
      BadgeSyncs.take(at: world.now + .seconds(1), again: world.now + .seconds(9), limit: 10))
  }

  @Test func `a count that a device moved is to be told to the user's other devices`() throws {
    let world = try world()
    try world.setBadge("kim", 3)
    let seqno = try world.message()
    try world.send(seqno, to: "d1", user: "kim")
    try world.run(world.read(seqno, psid: "aa"))
    // Not before a second has gone by: more may follow.
    #expect(
      try world.connection.run(BadgeSyncs.take(at: world.now + .microseconds(999_999), again: 0, limit: 10)).isEmpty)
    let due = try due(world)
    #expect(due.count == 1 && due.first?.device == world.device("d1") && due.first?.attempts == 1)
    try world.connection.run(BadgeSyncs.done(due))
    // The same read again moves nothing.
    try world.run(world.read(seqno, psid: "aa"))
    #expect(try world.count("SELECT count(*) FROM badge_syncs") == 0)
  }

  @Test func `several changes are told once, from several devices to all`() throws {
    let world = try world()
    try world.run(.setBadge(world.claim("d1"), 5))
    let first = try due(world)
    try world.run(.setBadge(world.claim("d2"), 6))
    // What was taken before is not what is there now.
    try world.connection.run(BadgeSyncs.done(first))
    #expect(try world.count("SELECT count(*) FROM badge_syncs") == 1)
    world.now += .seconds(20)
    let again = try due(world)
    #expect(again.count == 1 && again.first?.device == nil)
  }

  @Test func `a count that moves once it was told is told anew, however late an earlier try is answered`() throws {
    let world = try world()
    try world.run(.setBadge(world.claim("d1"), 5))
    let first = try due(world)
    // The network is slow: before it answers, the count is sent again.
    world.now += .seconds(20)
    let second = try due(world)
    #expect(first.count == 1 && second.first?.attempts == 2)
    try world.connection.run(BadgeSyncs.done(second))
    #expect(try world.count("SELECT count(*) FROM badge_syncs") == 0)
    try world.run(.setBadge(world.claim("d1"), 6))
    try world.connection.run(BadgeSyncs.done(first))
    #expect(try world.count("SELECT count(*) FROM badge_syncs WHERE attempts = 0") == 1)
  }

  @Test func `of an account that many share, so many devices are told and no more`() throws {
    let world = try world()
    let users = ["kim", "lee"].map { Users.Key(app: world.app.number, userKey: UserKey(clientUID: $0)) }
    func told(_ limit: Int) throws -> [Int?] {
      let devices = try world.connection.run(BadgeSyncs.devices(of: users, atMost: limit))
      return users.map { devices[$0]?.count }
    }
    #expect(try told(1_000) == [2, 1])
    #expect(try told(1) == [1, 1])
  }

  @Test func `nobody is told who has one device, is a guest, or whose app does not want it`() throws {
    let one = try world()
    try one.run(.setBadge(one.claim("d3"), 5), .setBadge(one.claim("d4"), 5))
    #expect(try one.count("SELECT count(*) FROM badge_syncs") == 0)
    let off = try world(badgeSync: false)
    try off.run(.setBadge(off.claim("d1"), 5))
    #expect(try off.count("SELECT count(*) FROM badge_syncs") == 0)
  }
}
