import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// What large claims do to badges stands with their blocks, or is copied into the ledger, many users at once; that must not
/// show.
@Suite struct CopiedBadgeTests {
  private static let users = Limits.copiedClaims * 2

  /// A world with so many users of one device each, the counts of the first few given.
  private static func world(counts: [Int: Int16] = [:]) throws -> DispatcherWorld {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<1 + users)
    _ = try world.connection.run(
      Users.saveCounts(counts.map { (Users.Key(app: world.app, userKey: userKey($0.key)), $0.value) }))
    return world
  }

  private static let everybody = #"{"all":true}"#
  /// A list has no blocks.
  private static let named =
    #"{"clientUids":[\#((1...users).map { "\"\(userKey($0).text.dropFirst())\"" }.joined(separator: ","))]}"#

  private static func send(_ badge: String, to audience: String = everybody, _ world: DispatcherWorld) throws -> Seqno {
    try world.send(audience, #","badge":\#(badge)"#)
  }

  private static func userKey(_ number: Int) -> UserKey {
    let digits = String(number)
    return UserKey(clientUID: String(repeating: "0", count: 8 - digits.count) + digits)
  }

  private static func counts(_ world: DispatcherWorld, _ numbers: [Int]) throws -> [Int16] {
    let keys = numbers.map { Users.Key(app: world.app, userKey: userKey($0)) }
    let found = try world.connection.run(Users.find(keys))
    return keys.map { found[$0]?.badge ?? 0 }
  }

  /// The number that each device's payload carried.
  private static func carried(_ world: DispatcherWorld, _ seqno: Seqno, _ numbers: [Int]) -> [Int16?] {
    let log = world.network.log.filter { $0.seqno == seqno }
    return numbers.map { number in log.first { $0.device == DispatcherWorld.device(number) }?.badge }
  }

  @Test(arguments: [(everybody, 2), (named, users)])
  func `every user's count moves once, from whatever it was, and is what the payload carries`(
    audience: String, entries: Int
  ) throws {
    let world = try Self.world(counts: [2: 7, 3: 998, 4: 1000])
    let numbers = [1, 2, 3, 4, Self.users]
    let first = try Self.send(#"{"increment":3}"#, to: audience, world)
    _ = try world.finished(first)
    #expect(try Self.counts(world, numbers) == [3, 10, 1000, 1000, 3])
    #expect(Self.carried(world, first, numbers) == [3, 10, 1000, 1000, 3])
    #expect(try world.count("badge_ledger WHERE seqno = \(first) AND deliveries = 1") == entries)
    // Two of them had no room for all of it.
    #expect(try world.count("badge_ledger WHERE increment = 3") == entries - 2)
    #expect(try world.count("badge_ledger WHERE user_key = 'u00000003' AND increment = 2") == 1)
    #expect(try world.count("badge_ledger WHERE user_key = 'u00000004' AND increment = 0") == 1)
  }

  @Test(arguments: [(#"{"set":5}"#, Int16(5)), (#"{"clear":true}"#, 0)])
  func `a number in the message is every user's count`(json: String, count: Int16) throws {
    let world = try Self.world(counts: [2: 7])
    let seqno = try Self.send(json, world)
    _ = try world.finished(seqno)
    #expect(try Self.counts(world, [1, 2]) == [count, count])
    #expect(Self.carried(world, seqno, [1, 2]) == [count, count])
  }

  @Test func `a user whose count this message has moved already keeps it, and the others get theirs`() throws {
    let world = try Self.world()
    // The first message of a fresh database; another claim for another device of this user was first.
    let known = Users.Key(app: world.app, userKey: Self.userKey(2))
    let claim = Ledger.Claim(key: Ledger.Key(user: known, seqno: 1), deliveries: 1, increment: 1)
    _ = try world.connection.run(Ledger.claim([claim]))
    _ = try world.connection.run(Users.saveCounts([(known, 1)]))
    #expect(try Self.send(#"{"increment":1}"#, to: Self.named, world) == 1)
    _ = try world.finished(1)
    #expect(try Self.counts(world, [1, 2, 3]) == [1, 1, 1])
    #expect(Self.carried(world, 1, [1, 2, 3]) == [1, 1, 1])
    #expect(try world.count("badge_ledger WHERE seqno = 1 AND deliveries = 2") == 1)
    #expect(try world.count("badge_ledger WHERE seqno = 1") == Self.users)
  }

  /// Few are inserted into the ledger one statement for all, many stand with their block.
  @Test(arguments: [4, Self.users])
  func `refused everywhere, it leaves every count as it was`(users: Int) throws {
    let world = try DispatcherWorld { _, _, _ in .rejected(reason: "PayloadTooLarge") }
    try world.makeDevices(1..<1 + users)
    let before: [Int16] = [0, 7, 998, 1000]
    let keys = (1...4).map { Users.Key(app: world.app, userKey: Self.userKey($0)) }
    _ = try world.connection.run(Users.saveCounts(Array(zip(keys, before))))
    _ = try world.finished(try Self.send(#"{"increment":100}"#, world))
    #expect(try Self.counts(world, [1, 2, 3, 4]) == before)
  }
}
