import Postgres
import Store
import Testing

@testable import Dispatcher
@testable import Domain

/// What a campaign adds to counts stands with its blocks; the ledger has an entry of whoever is out of the ordinary.
@Suite struct BlockBadgeTests {
  private static let devices = 40

  /// Users of one device each, but the second, who has the third's too; each with a count of 2.
  private static func world(_ refused: Set<Int> = [], reason: String = "PayloadTooLarge") throws -> DispatcherWorld {
    let world = try DispatcherWorld { _, target, _ in
      refused.contains(DispatcherWorld.number(target)) ? .rejected(reason: reason) : .accepted
    }
    try world.makeDevices(1..<1 + devices)
    try world.connection.script(
      "UPDATE devices SET user_key = '\(user(2).text)' WHERE device = '\(DispatcherWorld.device(3))'")
    _ = try world.connection.run(
      Users.saveCounts((1...devices).filter { $0 != 3 }.map { (Users.Key(app: world.app, userKey: user($0)), 2) }))
    return world
  }

  private static func user(_ number: Int) -> UserKey {
    UserKey(clientUID: String(String(100_000_000 + number).dropFirst()))
  }

  private static func key(_ number: Int, _ seqno: Seqno, _ world: DispatcherWorld) -> Ledger.Key {
    Ledger.Key(user: Users.Key(app: world.app, userKey: user(number)), seqno: seqno)
  }

  private static func counts(_ numbers: [Int], _ world: DispatcherWorld) throws -> [Int16] {
    let keys = numbers.map { Users.Key(app: world.app, userKey: user($0)) }
    let found = try world.connection.run(Users.find(keys))
    return keys.map { found[$0]?.badge ?? -1 }
  }

  private static func entry(
    _ number: Int, _ seqno: Seqno, _ world: DispatcherWorld
  ) throws -> Explanations.Badge? {
    try world.connection.run(Explanations.badge(seqno, of: Users.Key(app: world.app, userKey: user(number))))
  }

  private static func sent(_ world: DispatcherWorld) throws -> Seqno {
    let seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":3}"#)
    _ = try world.finished(seqno)
    #expect(try world.count("blocks WHERE increment = 3") == 1)
    return seqno
  }

  @Test func `nobody has an entry of its own, and whoever asks finds what was added`() throws {
    let world = try Self.world()
    let seqno = try Self.sent(world)
    #expect(try world.count("badge_ledger") == 0)
    #expect(try Self.counts([1, 2, 40], world) == [5, 5, 5])
    #expect(
      try Self.entry(2, seqno, world)
        == Explanations.Badge(increment: 3, deliveries: 2, negatives: 0, readOption: nil))
    let export = try PersonErasure.export(Users.Key(app: world.app, userKey: Self.user(2)), on: world.connection)
    let badges = try #require(export.first { $0.name == "badges" }?.rows)
    #expect(badges.contains(#""seqno":\#(seqno),"increment":3,"deliveries":2"#), "\(badges)")
    try world.connection.script("UPDATE users SET badge = 3")
    for question in Invariants.all { #expect(try world.connection.run(question.broken) == 0, "\(question.promise)") }
    try world.connection.script("UPDATE users SET badge = 6 WHERE user_key = '\(Self.user(2).text)'")
    let broken = try Invariants.all.filter { try world.connection.run($0.broken) > 0 }
    #expect(broken.count == 1, "the count of a user is more than was added: \(broken.map(\.promise))")
  }

  @Test(arguments: [0, 20, 200])
  func `others between them keep their counts, whoever is new gets one, and the full are noted`(others: Int) throws {
    let world = try Self.world()
    try world.connection.script(
      """
      INSERT INTO users (app, user_key, badge)
      SELECT app, '\(Self.user(7).text)-' || n, 9 FROM apps, generate_series(1, \(others)) n;
      DELETE FROM users WHERE user_key IN ('\(Self.user(1).text)', '\(Self.user(20).text)');
      UPDATE users SET badge = 999 WHERE user_key = '\(Self.user(8).text)';
      """)
    let seqno = try Self.sent(world)
    #expect(try world.count("users WHERE badge = 9") == Int64(others))
    #expect(try Self.counts([1, 7, 8, 20, 40], world) == [3, 5, 1000, 3, 5])
    #expect(try world.count("badge_ledger") == 1)
    #expect(try world.count("badge_ledger WHERE seqno = \(seqno) AND increment = 1") == 1)
  }

  @Test func `it is taken back from whoever got it on no device, and given again`() throws {
    let world = try Self.world([1, 2, 5])
    let seqno = try Self.sent(world)
    // The second has it on the other device.
    #expect(try Self.counts([1, 2, 4, 5], world) == [2, 5, 5, 2])
    #expect(try world.count("badge_ledger") == 3)
    #expect(try world.count("badge_ledger WHERE deliveries = 2 AND negatives = 1 AND increment = 3") == 1)
    try Increments.restore([Self.key(1, seqno, world): 1], on: world.connection)
    try Increments.revoke([Self.key(2, seqno, world): 1], on: world.connection)
    #expect(try Self.counts([1, 2, 5], world) == [5, 2, 2])
  }

  @Test func `whoever has read it keeps what the read left, though it ends negative later`() throws {
    let world = try Self.world()
    let seqno = try Self.sent(world)
    let key = Self.key(1, seqno, world)
    #expect(try world.connection.run(Ledger.read([(key, .keep)])) == [key: false])
    #expect(try world.connection.run(Ledger.read([(key, .keep)])).isEmpty, "the first read alone acts")
    try Increments.revoke([key: 1], on: world.connection)
    #expect(try Self.counts([1], world) == [5])
    #expect(
      try Self.entry(1, seqno, world)
        == Explanations.Badge(increment: 3, deliveries: 1, negatives: 1, readOption: BadgeOption.keep.code))
    // What was taken back first is read as such.
    let other = Self.key(4, seqno, world)
    try Increments.revoke([other: 1], on: world.connection)
    #expect(try world.connection.run(Ledger.read([(other, .keep)])) == [other: true])
  }

  @Test func `a guest who has logged in meanwhile has nothing to take back when it is a guest again`() throws {
    let world = try Self.world()
    let guest = "'g' || device"
    try world.connection.script(
      """
      UPDATE devices SET user_key = \(guest) WHERE device = '\(DispatcherWorld.device(1))';
      INSERT INTO users (app, user_key) SELECT app, user_key FROM devices WHERE user_key LIKE 'g%'
      """)
    let seqno = try Self.sent(world)
    let user = Users.Key(app: world.app, userKey: UserKey(guest: DispatcherWorld.device(1)))
    #expect(try world.connection.run(Explanations.badge(seqno, of: user))?.increment == 3)
    // It logs in, its count goes, and it logs out again.
    try world.connection.script(
      """
      UPDATE devices SET user_key = 'uheir' WHERE device = '\(DispatcherWorld.device(1))';
      UPDATE users SET badge = 2 WHERE user_key LIKE 'g%';
      UPDATE devices SET user_key = \(guest), bound_at = now() WHERE device = '\(DispatcherWorld.device(1))'
      """)
    try Increments.revoke([Ledger.Key(user: user, seqno: seqno): 1], on: world.connection)
    #expect(try world.connection.run(Users.find([user]))[user]?.badge == 2)
  }

  @Test func `a number that sets the count is nothing to take back`() throws {
    let world = try Self.world([1])
    _ = try world.finished(try world.send(#"{"all":true}"#, #","badge":{"set":7}"#))
    #expect(try Self.counts([1, 2], world) == [7, 7])
    #expect(try world.count("blocks WHERE increment = 0") == 1)
  }

  /// Under way: the walk has not come to the block. Over, but for a delivery that has not ended. Over: the name is out
  /// of it.
  @Test(arguments: [
    "INSERT INTO erasures (app, user_key, upto_seqno) SELECT app, user_key, 1 FROM users WHERE user_key LIKE 'u%1'",
    """
    INSERT INTO erasure_rests (seqno, device, app, user_key, looked_at)
    SELECT m.seqno, d.device, d.app, d.user_key, clock_timestamp()
    FROM messages m, devices d WHERE d.user_key LIKE 'u%1'
    """,
    "UPDATE blocks SET first_key = NULL, user_keys = decode(repeat('000000', 40), 'hex')",
  ])
  func `a person who was erased leaves nothing that could be taken back from whoever comes under the name`(
    erasure: String
  ) throws {
    let world = try Self.world()
    let seqno = try Self.sent(world)
    try world.connection.script(erasure)
    #expect(try Self.entry(1, seqno, world) == nil)
    try Increments.revoke([Self.key(1, seqno, world): 1], on: world.connection)
    #expect(try Self.counts([1], world) == [5])
  }
}
