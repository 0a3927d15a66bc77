import Domain
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// A voucher admits the one device that it was made for, once, whoever else asks in the same batch.
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
}
