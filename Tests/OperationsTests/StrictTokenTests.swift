import Crypto
import Domain
import Postgres
import Store
import Testing
import Time

@testable import Operations

/// In `strict`, knowing a user's device's DEVICE_ID, token and user lets nobody act for it, even if the app's server
/// vouches for the user: a push must have come back.
@Suite struct StrictTokenTests {
  private static let token = "aa"
  private let world: BatchWorld
  private let kim: UserKey

  /// kim's phone is registered with a voucher, and has returned its push.
  init() throws {
    let world = try BatchWorld()
    world.setPolicies(.strict)
    let kim = UserKey(clientUID: "kim")
    try world.connection.run(
      Vouchers.make(
        for: Users.Key(app: world.app.number, userKey: kim), installation: "phone", until: world.now + .seconds(600)))
    try world.run(world.registration("phone", psid: Self.token, user: "kim"))
    let push = try world.message()
    try world.run(.possess(world.claim("phone"), seqno: push, psid: Self.token))
    try world.setBadge("kim", 5)
    (self.world, self.kim) = (world, kim)
  }

  private func proof(of clientUID: String) -> String {
    let secret = world.userProofs.secret(appID: world.app.appID, generation: 1)
    let key = SymmetricKey(Array(secret.utf8))
    return Hex.encode(HMAC.authenticationCode(for: Array(clientUID.utf8), using: key))
  }

  private func registered(_ outcome: OperationBatch.Outcome) -> OperationAnswer.Registered? {
    if case .success(.registered(let registered)) = outcome { registered } else { nil }
  }

  private func found(_ outcome: OperationBatch.Outcome) -> (device: Devices.Record, badge: Int16)? {
    if case .success(.found(let device, let badge, _)) = outcome { (device, badge) } else { nil }
  }

  /// The key that answers a registration with the token alone.
  private var limitedKey: AuthKeyring.Claim {
    var claim = world.claim("phone", epoch: 1)
    claim.isTokenOnly = true
    return claim
  }

  @Test(arguments: [false, true])
  func `a registration in the name of a user's device learns and changes nothing, and gets a powerless key`(
    hasProof: Bool
  ) throws {
    let former = try #require(try world.record("phone"))
    #expect(former.userKey == kim && former.authEpoch == 1)
    // The voucher is valid for repetitions, a user's proof for longer.
    world.now += .seconds(hasProof ? 3_600 : 60)
    var consents = Consents.Change()
    consents.ad = true
    let outcome = try world.run(
      world.registration(
        "phone", psid: Self.token, user: "kim", environment: .sandbox, userProof: hasProof ? proof(of: "kim") : nil,
        consents: consents))[0]
    let answer = try #require(registered(outcome), "\(outcome)")
    #expect(!answer.givesFullKey && answer.device.userKey.isGuest && answer.badge == 0, "\(answer)")
    let refused: [Operation] = [
      .badge(limitedKey), .setBadge(limitedKey, 3), .inbox(limitedKey, try InboxQuestion(limit: nil, cursor: nil)),
      .listGroups(limitedKey), .setConsents(limitedKey, consents), .setToken(limitedKey, .voip, psid: "11"),
      .admitSend(limitedKey, perMinute: 1), .clearUser(limitedKey), .unregister(limitedKey),
      .setUser(limitedKey, NamedUser(clientUID: "GUEST", name: "")),
      .setUser(limitedKey, NamedUser(clientUID: "lee", name: "", proof: proof(of: "lee"))),
    ]
    for operation in refused { #expect(try world.run(operation)[0].problem == .forbidden, "\(operation)") }
    let shown = try #require(found(try world.run(.find(limitedKey))[0]))
    #expect(shown.device.userKey.isGuest && shown.badge == 0)
    // Nor does it move the pushes to a token of the caller's own.
    try world.run(world.registration("phone", psid: "bb", proof: limitedKey))
    let record = try #require(try world.record("phone"))
    #expect(record.psid == Self.token && record.userKey == kim && record.identity == .strict)
    #expect(record.consents == former.consents && record.environment == former.environment)
    #expect(try world.run(.badge(world.claim("phone", epoch: 1)))[0].badge == 5)
  }

  @Test func `a device without its key keeps its user, gets a key by returning a push, and may repeat the call`()
    throws
  {
    world.now += .seconds(30)
    let before = try world.message()
    world.now += .seconds(30)
    for _ in 1...2 {
      let answer = registered(try world.run(world.registration("phone", psid: Self.token, user: "kim"))[0])
      #expect(answer?.givesFullKey == false && answer?.device.pending?.userKey == kim)
    }
    #expect(try world.record("phone")?.userKey == kim)
    #expect(try world.run(.possess(limitedKey, seqno: before, psid: Self.token))[0].problem == .impossible)
    let push = try world.message()
    for _ in 1...2 {
      let record = try #require(found(try world.run(.possess(limitedKey, seqno: push, psid: Self.token))[0])).device
      #expect(record.userKey == kim && record.identity == .strict && record.pending == nil)
      #expect(!limitedKey.renewed(for: record).isTokenOnly)
      #expect(try world.run(.badge(limitedKey.renewed(for: record)))[0].badge == 5)
    }
    // Its former key has ended, and cannot repeat the call.
    let lost = world.claim("phone", epoch: 1)
    #expect(try world.run(.possess(lost, seqno: push, psid: Self.token))[0].problem == .badCredential)
    #expect(try world.run(.badge(lost))[0].problem == .badCredential)
  }

  @Test func `an app that starts before its push has arrived is told to await it, and changes nothing`() throws {
    world.now += .seconds(30)
    try world.run(world.registration("phone", psid: Self.token, user: "kim"))
    let before = try #require(try world.record("phone"))
    world.now += .seconds(3_600)
    var attributes = Devices.Attributes()
    attributes.appVersion = "2"
    let start = world.registration("phone", psid: Self.token, proof: limitedKey, attributes: attributes)
    let outcome = try world.run(start)[0]
    let answer = try #require(registered(outcome), "\(outcome)")
    #expect(answer.device.device == world.device("phone") && !answer.givesFullKey && !answer.isNew)
    #expect(answer.device.userKey.isGuest && answer.device.pending?.userKey == kim && answer.badge == 0)
    let after = try #require(try world.record("phone"))
    #expect(after.attributes.appVersion == before.attributes.appVersion && after.registeredAt == before.registeredAt)
    #expect(after.userKey == kim && after.authEpoch == before.authEpoch && after.pending?.at == before.pending?.at)
    // Once the push has come back, this key no longer registers.
    let push = try world.message()
    #expect(found(try world.run(.possess(limitedKey, seqno: push, psid: Self.token))[0])?.device.userKey == kim)
    #expect(try world.run(start)[0].problem == .userMismatch)
  }

  @Test func `another vouched user gets a row of its own, and the device comes back with its key unchanged`() throws {
    let outcome = try world.run(
      world.registration("phone", psid: Self.token, user: "lee", userProof: proof(of: "lee")))[0]
    let answer = try #require(registered(outcome), "\(outcome)")
    #expect(answer.device.device != world.device("phone") && answer.isNew && answer.device.userKey.isGuest)
    #expect(answer.device.pending?.userKey == UserKey(clientUID: "lee"))
    let record = try #require(try world.record("phone"))
    #expect(record.userKey == kim && record.pending == nil && record.authEpoch == 1)
    let key = world.claim("phone", epoch: 1)
    let back = registered(try world.run(world.registration("phone", psid: Self.token, proof: key))[0])
    #expect(back?.device.device == world.device("phone") && back?.device.userKey == kim)
    #expect(back?.device.state == .active && back?.device.identity == .strict)
    #expect(try world.rows("phone").filter { $0.state == .active }.count == 1)
    // If nobody vouches for the user, the token is not taken at all.
    #expect(
      try world.run(world.registration("phone", psid: Self.token, user: "lee"))[0].problem == .badUserProof)
    #expect(try world.record("phone")?.state == .active)
  }

  @Test func `nobody displaces a device that awaits its push by knowing its DEVICE_ID`() throws {
    for psid in ["b1", "b2", "b3"] {
      world.now += .seconds(1)
      try world.run(world.registration("pad", psid: psid))
    }
    world.now += .seconds(1)
    try world.run(world.registration("pad", psid: "cc", user: "lee", userProof: proof(of: "lee")))
    world.now += .seconds(1)
    try world.run(world.registration("pad", psid: "b4"))
    let rows = try world.rows("pad")
    #expect(Set(rows.map(\.psid)) == ["b1", "b4", "cc"])
    #expect(rows.first { $0.psid == "cc" }?.pending?.userKey == UserKey(clientUID: "lee"))
  }

  @Test func `another user does not get the row that has the token`() throws {
    guard case .register(let registration) = world.registration("phone", psid: Self.token, user: "lee") else {
      Issue.record("it is a registration")
      return
    }
    let rows = registration.device.rows
    let records = rows.indices.map { index in
      var record = Devices.Record(
        device: rows[index], app: world.app.number, userKey: kim, network: .apns, environment: .production,
        psid: index == 0 ? Self.token : "b\(index)", installation: "phone", attributes: Devices.Attributes(),
        now: world.now + .seconds(index))
      record.identity = .strict
      return record
    }
    #expect(RecognizedDevice(registration, records) == RecognizedDevice(rows[1], .none))
  }
}
