import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// Messages that count after their users' counts were set, although they are older than the set: what they add comes
/// after it, and is taken back when they end negative.
@Suite struct LateCountTests {
  private static func userKey(_ number: Int) -> UserKey {
    let digits = String(number)
    return UserKey(clientUID: String(repeating: "0", count: 8 - digits.count) + digits)
  }

  /// A world of users whose counts were set to 5, by sets whose number is ahead of the first messages'.
  private static func world(
    users: Int, _ script: @escaping ScriptedNetwork.Script = { _, _, _ in .accepted }
  ) throws -> DispatcherWorld {
    let world = try DispatcherWorld(script)
    try world.makeDevices(1..<1 + users)
    let keys = (1...users).map { Users.Key(app: world.app, userKey: userKey($0)) }
    for _ in 1...4 { _ = try world.connection.run(Users.setCounts(keys.map { ($0, 5) })) }
    return world
  }

  /// Few are inserted into the ledger one statement for all, many stand with their block, and these have entries all the same.
  @Test(arguments: [3, Limits.copiedClaims * 2])
  func `it is taken back, from whoever refused it and from nobody else`(users: Int) throws {
    let world = try Self.world(users: users) { _, target, _ in
      DispatcherWorld.number(target) == 2 ? .rejected(reason: "PayloadTooLarge") : .accepted
    }
    let seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)
    #expect(seqno == 1)
    _ = try world.finished(seqno)
    #expect(try world.count("users WHERE badge = 6") == Int64(users - 1))
    #expect(try world.badge("00000002") == 5)
    #expect(try world.count("badge_ledger l JOIN users u USING (app, user_key) WHERE counted_at = set_seqno") == users)
  }

  @Test func `a message that sets the count wipes what is older, and is wiped by none`() throws {
    let world = try Self.world(users: 2)
    let first = try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)
    _ = try world.finished(first)
    let second = try world.send(#"{"all":true}"#, #","badge":{"set":9}"#)
    _ = try world.finished(second)
    let key = Ledger.Key(user: Users.Key(app: world.app, userKey: Self.userKey(1)), seqno: first)
    try Increments.revoke([key: 1], on: world.connection)
    #expect(try world.badge("00000001") == 9)
    try Increments.revoke([Ledger.Key(user: key.user, seqno: second): 1], on: world.connection)
    #expect(try world.badge("00000001") == 9)
  }
}
