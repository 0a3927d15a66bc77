import Domain
import Postgres
import Store
import Testing

@testable import Operations

/// Counts near the most that a count can be: what a message could not add is not taken back either.
@Suite struct CappedCountTests {
  private let world: BatchWorld
  private let kim: Users.Key

  init() throws {
    world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    kim = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
  }

  private func key(of outcome: OperationBatch.Outcome) throws -> Ledger.Key {
    Ledger.Key(user: kim, seqno: try #require(outcome.sentSeqno))
  }

  private func send(adding increment: Int) throws -> Ledger.Key {
    try key(of: world.run(world.sendToKim(adding: increment))[0])
  }

  private func revoke(_ key: Ledger.Key) throws {
    try Increments.revoke([key: 1], on: world.connection)
  }

  private func restore(_ key: Ledger.Key) throws {
    try Increments.restore([key: 1], on: world.connection)
  }

  @Test(arguments: [(Int16(998), 100), (999, 1), (1000, 1), (1000, 100), (0, 1000)])
  func `a message that is refused everywhere leaves the count as it was`(count: Int16, increment: Int) throws {
    try world.setBadge("kim", count)
    let key = try send(adding: increment)
    #expect(try world.badge("kim") == min(1000, count + Int16(increment)))
    try revoke(key)
    #expect(try world.badge("kim") == count)
  }

  @Test func `each message of a batch notes what it could add`() throws {
    try world.setBadge("kim", 995)
    let outcomes = try world.run(
      world.sendToKim(adding: 3), world.sendToKim(adding: 3), world.sendToKim(adding: 3))
    let keys = try outcomes.map(key)
    #expect(try world.badge("kim") == 1000)
    try revoke(keys[1])
    #expect(try world.badge("kim") == 998)
    try revoke(keys[2])
    try revoke(keys[0])
    #expect(try world.badge("kim") == 995)
  }

  @Test func `what is given again notes what there was room for`() throws {
    try world.setBadge("kim", 950)
    let first = try send(adding: 40)
    try revoke(first)
    #expect(try world.badge("kim") == 950)
    _ = try send(adding: 45)
    try restore(first)
    #expect(try world.badge("kim") == 1000)
    try revoke(first)
    #expect(try world.badge("kim") == 995)
  }

  @Test func `what could not be taken back is not given again`() throws {
    let first = try send(adding: 2)
    let second = try send(adding: 1)
    try world.run(world.read(second.seqno, psid: "aa"))
    // Reads of another program have come in between: less is left than the message added.
    try world.setBadge("kim", 1)
    try revoke(first)
    #expect(try world.badge("kim") == 0)
    try restore(first)
    #expect(try world.badge("kim") == 1)
  }

  @Test func `a message that goes to the user once more counts anew`() throws {
    try world.setBadge("kim", 998)
    let key = try send(adding: 100)
    try revoke(key)
    try world.setBadge("kim", 10)
    let again = Ledger.Claim(key: key, deliveries: 1, increment: 100)
    #expect(try world.connection.run(Ledger.claim([again])) == [key])
    #expect(try world.count("SELECT increment FROM badge_ledger") == 100)
  }

  @Test func `the doctor works out counts at the most`() throws {
    let key = try send(adding: 998)
    _ = try send(adding: 100)
    #expect(try world.badge("kim") == 1000)
    #expect(try world.brokenCounts() == 0)
    try revoke(key)
    #expect(try world.badge("kim") == 2)
    #expect(try world.brokenCounts() == 0)
    try world.connection.script("UPDATE users SET badge = badge + 1")
    #expect(try world.brokenCounts() == 1)
  }
}
