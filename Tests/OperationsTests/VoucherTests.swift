import Domain
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// A voucher admits one device with one token, whoever else asks in the same batch, and however often that one asks.
@Suite struct VoucherTests {
  @Test func `a voucher for one device does not vouch for another that is in the same batch`() throws {
    let world = try BatchWorld()
    world.setPolicies(.strict)
    let user = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    func vouch() throws {
      try world.connection.run(
        Vouchers.make(for: user, installation: "phone", until: world.now + .seconds(600)))
    }
    try vouch()
    try world.run(world.registration("phone", psid: "aa", user: "kim"))
    #expect(try world.record("phone")?.pending?.userKey == user.userKey)
    // The bank vouches once more, and the phone proves by a push that it is kim's, while a stranger names kim.
    try vouch()
    let seqno = try world.message()
    let outcomes = try world.run(
      .possess(world.claim("phone"), seqno: seqno, psid: "aa"), world.registration("stranger", psid: "bb", user: "kim"))
    #expect(outcomes[1].problem == .badUserProof, "\(outcomes)")
    #expect(try world.record("phone")?.userKey == user.userKey)
    #expect(try world.record("stranger") == nil)
  }

  @Test(arguments: [App.Identity.proof, .strict])
  func `a device whose answer was lost may repeat its registration, and no other device may`(identity: App.Identity)
    throws
  {
    let world = try BatchWorld()
    world.setPolicies(identity)
    let user = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    try world.connection.run(Vouchers.make(for: user, installation: nil, until: world.now + .seconds(600)))
    for _ in 1...2 {
      let outcomes = try world.run(world.registration("phone", psid: "aa", user: "kim"))
      #expect(outcomes.allSatisfy { $0.problem == nil }, "\(outcomes)")
      let record = try #require(try world.record("phone"))
      #expect((identity == .strict ? record.pending?.userKey : record.userKey) == user.userKey)
    }
    // Nor by the DEVICE_ID alone, which is no secret.
    let others = try world.run(
      world.registration("stranger", psid: "bb", user: "kim"), world.registration("phone", psid: "cc", user: "kim"))
    #expect(others.map(\.problem) == [.badUserProof, .badUserProof], "\(others)")
    world.now = world.now + .seconds(180)
    #expect(try world.run(world.registration("phone", psid: "aa", user: "kim"))[0].problem == .badUserProof)
  }

  private func vouch(for user: String, in world: BatchWorld) throws {
    let user = Users.Key(app: world.app.number, userKey: UserKey(clientUID: user))
    try world.connection.run(Vouchers.make(for: user, installation: nil, until: world.now + .seconds(600)))
  }

  @Test func `a user's device takes its token back from another user's with its key, and a guest's does not`() throws {
    let world = try BatchWorld()
    world.setPolicies(.proof)
    try world.run(world.registration("spy", psid: "aa"))
    try vouch(for: "kim", in: world)
    #expect(try world.run(world.registration("phone", psid: "aa", user: "kim"))[0].problem == nil)
    // Somebody who registered the token before does not get it back.
    let refused = try world.run(world.registration("spy", psid: "aa", proof: world.claim("spy")))[0]
    #expect(refused.problem == .userMismatch, "\(refused)")
    try vouch(for: "mallory", in: world)
    #expect(try world.run(world.registration("thief", psid: "aa", user: "mallory"))[0].problem == nil)
    #expect(try world.record("phone")?.state == .unregistered)
    // The app registers at its next start.
    let back = try world.run(world.registration("phone", psid: "aa", proof: world.claim("phone")))[0]
    #expect(back.problem == nil, "\(back)")
    let record = try #require(try world.record("phone"))
    #expect(record.state == .active && record.userKey == UserKey(clientUID: "kim") && record.identity == .proof)
    #expect(try world.record("thief")?.state == .unregistered)
    #expect(try world.count("SELECT count(*) FROM psids WHERE device = '\(world.device("phone"))'") == 1)
    #expect(try world.count("SELECT count(*) FROM psids") == 1)
  }

  @Test func `a user who leaves a device that has lost its token does not come back with the token`() throws {
    let world = try BatchWorld()
    world.setPolicies(.proof)
    for (user, installation) in [("kim", "phone"), ("mallory", "thief")] {
      try vouch(for: user, in: world)
      #expect(try world.run(world.registration(installation, psid: "aa", user: user))[0].problem == nil)
    }
    let key = world.claim("phone")
    #expect(try world.run(.badge(key))[0].problem == .unknownDevice)
    #expect(try world.run(.clearUser(world.claim("phone", epoch: 7)))[0].problem == .unknownDevice)
    for _ in 1...2 { #expect(try world.run(.clearUser(key))[0].problem == nil) }
    // As a guest it takes the token from no user.
    #expect(try world.run(world.registration("phone", psid: "aa", proof: key))[0].problem == .userMismatch)
    let record = try #require(try world.record("phone"))
    #expect(record.state == .unregistered && record.userKey.isGuest)
  }

  @Test func `a device that awaits its push can name its user again with its key, and keeps waiting`() throws {
    let world = try BatchWorld()
    world.setPolicies(.strict)
    let user = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    try world.connection.run(Vouchers.make(for: user, installation: nil, until: world.now + .seconds(600)))
    try world.run(world.registration("phone", psid: "aa", user: "kim"))
    let pending = try #require(try world.record("phone")).pending
    #expect(pending?.userKey == user.userKey)
    // The app is opened again after the voucher has ended and before the push has arrived.
    world.now += .seconds(3_600)
    let claim = world.claim("phone")
    let again: [Operation] = [
      world.registration("phone", psid: "aa", user: "kim", proof: claim),
      .setUser(claim, NamedUser(clientUID: "kim", name: "Kim")),
    ]
    for operation in again {
      #expect(try world.run(operation)[0].problem == nil, "\(operation)")
      #expect(try world.record("phone")?.pending == pending, "\(operation)")
    }
    let push = try world.message()
    #expect(try world.run(.possess(claim, seqno: push, psid: "aa"))[0].problem == nil)
    #expect(try world.record("phone")?.userKey == user.userKey)
  }
}
