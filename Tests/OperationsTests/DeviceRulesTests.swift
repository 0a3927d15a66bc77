import Domain
import Store
import Testing
import Time

@testable import Operations

@Suite struct DeviceRulesTests {
  // MARK: Who is who

  @Test func `where users need a proof, nobody is named without one`() throws {
    let world = try BatchWorld()
    world.setPolicies(.proof)
    let refused = try world.run(world.registration("d1", psid: "aa", user: "kim"))
    #expect(refused[0].problem == .badUserProof)
    // Nothing of it was stored, not even who has the token.
    #expect(try world.count("SELECT count(*) FROM psids") == 0)
    #expect(try world.run(world.registration("d1", psid: "aa"))[0].isNewRegistration == true)
    #expect(
      try world.run(.setUser(world.claim("d1"), .init(clientUID: "kim", name: "")))[0].problem == .badUserProof)
    #expect(
      try world.run(.setUser(world.claim("d1"), .init(clientUID: "kim", name: "", proof: "00")))[0].problem
        == .badUserProof)
    #expect(try world.run(.setUser(world.claim("d1"), .init(clientUID: "GUEST", name: "")))[0].problem == nil)
  }

  @Test(arguments: [App.Identity.proof, .strict])
  func `moving a guest to another token ends the key with which the device would name its user`(
    identity: App.Identity
  ) throws {
    let world = try BatchWorld()
    world.setPolicies(identity)
    let kim = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    try world.run(world.registration("phone", psid: "aa"))
    // A stranger has the same key.
    try world.run(world.registration("phone", psid: "ee", proof: world.claim("phone")))
    #expect(try world.record("phone")?.psid == "ee")
    try world.connection.run(Vouchers.make(for: kim, installation: nil, until: world.now + .seconds(600)))
    let named = try world.run(.setUser(world.claim("phone"), .init(clientUID: "kim", name: "Kim")))[0]
    #expect(named.problem == .badCredential, "\(named)")
    // It registers again, as it does after such a refusal, and its user gets the device with its own token.
    try world.run(world.registration("phone", psid: "aa", user: "kim"))
    let rows = try world.rows("phone").filter { $0.userKey == kim.userKey || $0.pending?.userKey == kim.userKey }
    #expect(rows.map(\.psid) == ["aa"])
    #expect(rows.first?.device != world.device("phone"))
  }

  @Test func `a guest that lost the answer to its new token is found by that token`() throws {
    let world = try BatchWorld()
    world.setPolicies(.proof)
    try world.run(world.registration("d1", psid: "aa"))
    try world.run(world.registration("d1", psid: "bb", proof: world.claim("d1")))
    // First with the key that it has, then with the app's client key.
    #expect(try world.run(.badge(world.claim("d1")))[0].problem == .badCredential)
    guard case .success(.registered(let found)) = try world.run(world.registration("d1", psid: "bb"))[0] else {
      Issue.record("it is refused")
      return
    }
    #expect(found.device.device == world.device("d1") && found.givesFullKey && !found.isNew)
    #expect(try world.run(.badge(world.claim("d1", epoch: found.device.authEpoch)))[0].badge == 0)
    #expect(try world.rows("d1").count == 1)
  }

  // MARK: Consents

  @Test func `consents keep the time they were given, and stay when nothing is said`() throws {
    let world = try BatchWorld()
    let first = world.now
    var consents = Consents.Change()
    consents.ad = true
    try world.run(world.registration("d1", psid: "aa", consents: consents))
    #expect(try world.record("d1")?.consents.ad == Consents.Answer(isGiven: true, at: first))
    #expect(try world.record("d1")?.consents.notification == nil)
    world.now += .seconds(5)
    try world.run(world.registration("d1", psid: "aa"))
    try world.run(.setConsents(world.claim("d1"), consents))
    #expect(try world.record("d1")?.consents.ad == Consents.Answer(isGiven: true, at: first))
    consents.ad = false
    consents.nightAd = true
    try world.run(.setConsents(world.claim("d1"), consents))
    #expect(try world.record("d1")?.consents.ad == Consents.Answer(isGiven: false, at: world.now))
    #expect(try world.record("d1")?.consents.nightAd == Consents.Answer(isGiven: true, at: world.now))
  }

  // MARK: Last seen

  @Test func `a call tells that a device was seen, at most once an hour`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"))
    let registered = world.now
    world.now += .seconds(3_599)
    try world.run(.badge(world.claim("d1")))
    #expect(try world.record("d1")?.seenAt == registered)
    world.now += .seconds(1)
    try world.run(.badge(world.claim("d1")))
    #expect(try world.record("d1")?.seenAt == world.now)
    #expect(try world.record("d1")?.boundAt == registered)
    #expect(try world.record("d1")?.registeredAt == registered)
    let seen = world.now
    world.now += .seconds(3_600)
    // A key that has ended shows nothing.
    try world.run(.badge(world.claim("d1", epoch: 3)))
    #expect(try world.record("d1")?.seenAt == seen)
  }

  // MARK: Further tokens

  private func tokens(_ world: BatchWorld) throws -> Int64 {
    try world.count("SELECT count(*) FROM psids WHERE kind > 1")
  }

  private func owner(_ world: BatchWorld, _ psid: String, _ installation: String) throws -> Bool {
    try world.connection.run(DeviceTokens.find([world.device(installation)])).contains { $0.psid == psid }
  }

  @Test func `a device has one further token of each kind, and the last registration wins`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"), world.registration("d2", psid: "bb"))
    try world.run(.setToken(world.claim("d1"), .voip, psid: "11"), .setToken(world.claim("d2"), .voip, psid: "22"))
    try world.run(.setToken(world.claim("d1"), .pushToTalk, psid: "11"))
    #expect(try tokens(world) == 3)
    world.now += .microseconds(1)
    try world.run(.setToken(world.claim("d1"), .voip, psid: "33"))
    #expect(try tokens(world) == 3)
    #expect(try world.count("SELECT count(*) FROM former_psids WHERE psid = '11'") == 1)
    world.now += .microseconds(1)
    try world.run(.setToken(world.claim("d1"), .voip, psid: "22"))
    #expect(try tokens(world) == 2)
    #expect(try owner(world, "22", "d1"))
    #expect(try !owner(world, "22", "d2"))
    try world.run(.setToken(world.claim("d1"), .voip, psid: nil))
    #expect(try tokens(world) == 1)
  }

  @Test func `devices of two apps that set the same token at once are no concern of each other`() throws {
    let world = try BatchWorld()
    var bank = world.app
    var shop = App(
      number: try world.connection.run(
        Apps.create(
          appID: "com.example.shop", name: "Shop", clientKey: "other", timeZone: "Asia/Seoul", identity: .open)
      ).app.number, appID: "com.example.shop", name: "", timeZone: "Asia/Seoul", devicePolicy: .multi,
      pausedReason: nil, identityRules: App.IdentityRules(.open))
    func ofBoth(_ make: (String) -> Operation) throws {
      var operations = [make("kim")]
      (world.app, world.furtherApps) = (shop, [bank])
      operations.append(make("lee"))
      for order in [operations, operations.reversed()] {
        world.now += .microseconds(1)
        #expect(try world.runAll(order).map(\.problem) == [nil, nil])
      }
      (world.app, world.furtherApps) = (bank, [shop])
    }
    try ofBoth { world.registration("d1", psid: "aa", user: $0) }
    // Where users are vouched for, a token is not taken from another user's device.
    bank.identityRules.identity = .proof
    shop.identityRules.identity = .proof
    (world.app, world.furtherApps) = (bank, [shop])
    try ofBoth { _ in .setToken(world.claim("d1"), .voip, psid: "11") }
    try ofBoth { _ in .setActivity(world.claim("d1"), activity("one"), psid: "22") }
    #expect(try world.count("SELECT count(DISTINCT (app, device)) FROM psids WHERE kind > 1 AND psid = '11'") == 2)
    #expect(try tokens(world) == 4)
    #expect(try world.count("SELECT count(*) FROM former_psids") == 0)
  }

  private func activity(_ id: String) -> ActivityName { ActivityName(id: id, attributesType: "Order") }

  @Test func `a device has a token for each of its activities`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"), world.registration("d2", psid: "bb"))
    try world.run(.setActivity(world.claim("d1"), activity("one"), psid: "11"))
    try world.run(.setActivity(world.claim("d1"), activity("two"), psid: "22"))
    #expect(try tokens(world) == 2)
    world.now += .microseconds(1)
    // The system has given the first one another token.
    try world.run(.setActivity(world.claim("d1"), activity("one"), psid: "33"))
    #expect(try tokens(world) == 2)
    #expect(try !owner(world, "11", "d1"))
    #expect(try owner(world, "22", "d1"))
    try world.run(.setActivity(world.claim("d2"), activity("one"), psid: "22"))
    #expect(try owner(world, "22", "d2"))
    #expect(try tokens(world) == 2)
    try world.run(.setActivity(world.claim("d1"), activity("one"), psid: nil))
    #expect(try tokens(world) == 1)
    try world.run(.unregister(world.claim("d2")))
    #expect(try tokens(world) == 0)
  }

  @Test func `one activity too many takes the place of the oldest`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"))
    for number in 10...10 + Domain.Limits.activitiesPerDevice {
      world.now += .microseconds(1)
      try world.run(.setActivity(world.claim("d1"), activity("a\(number)"), psid: "\(number)"))
    }
    #expect(try tokens(world) == Int64(Domain.Limits.activitiesPerDevice))
    #expect(try !owner(world, "10", "d1"))
    #expect(try owner(world, "11", "d1"))
    #expect(try world.count("SELECT count(*) FROM psids WHERE activity_type = 'Order'") == 16)
  }

  @Test func `tokens of activities are forgotten a day after they were registered last`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"))
    try world.run(.setActivity(world.claim("d1"), activity("old"), psid: "11"))
    world.now += .seconds(3_600)
    try world.run(.setActivity(world.claim("d1"), activity("new"), psid: "22"))
    let end = world.now + .seconds(23 * 3_600) + .microseconds(1)
    #expect(try world.connection.run(DeviceTokens.endActivities(at: end, atMost: 10)) == 1)
    #expect(try owner(world, "22", "d1"))
    #expect(try !owner(world, "11", "d1"))
  }

  @Test func `a further token that is set again counts as registered anew`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"))
    try world.run(.setToken(world.claim("d1"), .voip, psid: "11"))
    let first = world.now
    world.now += .seconds(60)
    try world.run(.setToken(world.claim("d1"), .voip, psid: "11"))
    #expect(
      try world.count(
        "SELECT count(*) FROM psids WHERE psid = '11' AND extract(epoch FROM bound_at) * 1000000 > \(first.microseconds) + 1"
      ) == 1)
    #expect(try tokens(world) == 1)
  }

  @Test(arguments: [App.Identity.proof, .strict])
  func `a guest that registers without its key gets the only one, and its further tokens end`(
    identity: App.Identity
  ) throws {
    let world = try BatchWorld()
    world.setPolicies(identity)
    func register(_ proof: AuthKeyring.Claim?) throws -> AuthKeyring.Claim {
      let outcome = try world.run(world.registration("d1", psid: "aa", proof: proof))[0]
      guard case .success(.registered(let registered)) = outcome else {
        Issue.record("\(outcome)")
        return world.claim("d1")
      }
      #expect(registered.givesFullKey)
      return world.claim("d1", epoch: registered.device.authEpoch)
    }
    // The first answer was lost: the device registers once more, and can set its tokens.
    let lost = try register(nil)
    let own = try register(nil)
    #expect(try world.run(.badge(lost))[0].problem == .badCredential)
    #expect(try register(own) == own)
    #expect(try world.run(.setToken(own, .voip, psid: "11"))[0].problem == nil)
    #expect(try world.run(.setActivity(own, activity("one"), psid: "22"))[0].problem == nil)
    #expect(try tokens(world) == 2)
    // Somebody else who knows DEVICE_ID and token does the same, and is found out.
    let stolen = try register(nil)
    #expect(try tokens(world) == 0)
    #expect(try world.run(.setToken(stolen, .voip, psid: "33"))[0].problem == nil)
    #expect(
      try world.run(.setUser(own, .init(clientUID: "kim", name: "Kim")))[0].problem == .badCredential)
    _ = try register(nil)
    #expect(try tokens(world) == 0)
    #expect(try world.run(.setToken(stolen, .voip, psid: "33"))[0].problem == .badCredential)
  }

  @Test func `a key of the token alone takes no guest over`() throws {
    let world = try BatchWorld()
    world.setPolicies(.proof)
    // A device whose only identifier is its token.
    try world.run(world.registration("aa", psid: "aa"))
    try world.run(.setToken(world.claim("aa"), .voip, psid: "11"))
    try world.run(world.registration("aa", psid: "aa"))
    #expect(try world.record("aa")?.authEpoch == 0)
    #expect(try tokens(world) == 1)
  }

  @Test(arguments: [App.Identity.proof, .strict], [false, true])
  func `further tokens that somebody else has set on a guest end before it is a user's`(
    identity: App.Identity, isByRegistration: Bool
  ) throws {
    let world = try BatchWorld()
    world.setPolicies(identity)
    let (kim, lee) = (UserKey(clientUID: "kim"), UserKey(clientUID: "lee"))
    for user in [kim, lee] {
      let user = Users.Key(app: world.app.number, userKey: user)
      try world.connection.run(Vouchers.make(for: user, installation: nil, until: world.now + .seconds(600)))
    }
    func bringBack(_ claim: AuthKeyring.Claim, psid: String) throws {
      guard identity == .strict else { return }
      #expect(try world.run(.possess(claim, seqno: try world.message(), psid: psid))[0].problem == nil)
    }
    // A stranger who knows DEVICE_ID and token unregisters the guest and registers it as if it were new.
    try world.run(world.registration("d1", psid: "aa"))
    #expect(try world.run(.unregister(world.claim("d1")))[0].problem == nil)
    try world.run(world.registration("d1", psid: "aa"))
    let epoch = try #require(try world.record("d1")).authEpoch
    #expect(try world.run(.setToken(world.claim("d1", epoch: epoch), .voip, psid: "11"))[0].problem == nil)
    // The device itself, whose key has ended, registers with its token.
    let own = world.claim("d1", epoch: epoch + 1)
    if isByRegistration {
      try world.run(world.registration("d1", psid: "aa", user: "kim"))
    } else {
      try world.run(world.registration("d1", psid: "aa"))
      try world.run(.setUser(own, .init(clientUID: "kim", name: "Kim")))
    }
    try bringBack(own, psid: "aa")
    #expect(try world.record("d1")?.userKey == kim)
    #expect(try tokens(world) == 0)
    // With the key that nobody else has, they stay.
    try world.run(world.registration("d2", psid: "bb"))
    try world.run(.setToken(world.claim("d2"), .voip, psid: "22"))
    if isByRegistration {
      try world.run(world.registration("d2", psid: "bb", user: "lee", proof: world.claim("d2")))
    } else {
      try world.run(.setUser(world.claim("d2"), .init(clientUID: "lee", name: "Lee")))
    }
    try bringBack(world.claim("d2"), psid: "bb")
    #expect(try world.record("d2")?.userKey == lee)
    #expect(try tokens(world) == 1)
  }

  @Test func `a token that may not be set leaves nothing behind`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"))
    try world.run(.setToken(world.claim("d1"), .voip, psid: "11"))
    world.now += .microseconds(1)
    #expect(
      try world.run(.setToken(world.claim("d1", epoch: 7), .voip, psid: "99"))[0].problem == .badCredential)
    #expect(
      try world.run(.setToken(world.claim("d1", epoch: 7), .voip, psid: "11"))[0].problem == .badCredential)
    #expect(try tokens(world) == 1)
    #expect(try owner(world, "11", "d1"))
  }

  @Test func `further tokens end with the device, and when somebody else may have taken it over`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.run(.setToken(world.claim("d1"), .voip, psid: "11"))
    try world.run(world.registration("d1", psid: "bb", proof: world.claim("d1")))
    #expect(try tokens(world) == 1)
    // Somebody else with the DEVICE_ID: nothing of it is taken.
    try world.run(world.registration("d1", psid: "cc"))
    #expect(try tokens(world) == 1)
    try world.run(.unregister(world.claim("d1")))
    #expect(try tokens(world) == 0)
    try world.run(world.registration("d2", psid: "dd"))
    try world.run(.setToken(world.claim("d2"), .liveActivityStart, psid: "22"))
    // The PSID goes to another device: the former owner can get nothing any more.
    try world.run(world.registration("d3", psid: "dd"))
    #expect(try tokens(world) == 0)
  }
}
