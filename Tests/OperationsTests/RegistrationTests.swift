import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Operations

@Suite struct RegistrationTests {
  @Test func `registering again is an update and never a second row`() throws {
    let world = try BatchWorld()
    #expect(try world.run(world.registration("d1", psid: "aa", user: "kim"))[0].isNewRegistration == true)
    #expect(try world.run(world.registration("d1", psid: "aa", user: "kim"))[0].isNewRegistration == false)
    #expect(try world.count("SELECT count(*) FROM devices") == 1)
    #expect(try world.count("SELECT count(*) FROM psids") == 1)
  }

  @Test func `an identical registration leaves the binding's date, a new user moves it`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let bound = try #require(try world.record("d1")).boundAt
    world.now += .seconds(5)
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    #expect(try world.record("d1")?.boundAt == bound)
    #expect(try world.record("d1")?.registeredAt == world.now)
    try world.run(world.registration("d1", psid: "aa", user: "lee"))
    #expect(try world.record("d1")?.boundAt == world.now)
  }

  @Test func `a new token leaves the binding's date, another device's token moves it`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.run(world.registration("d2", psid: "bb", user: "kim"))
    let bound = try #require(try world.record("d1")).boundAt
    world.now += .seconds(5)
    try world.run(world.registration("d1", psid: "cc", user: "kim", proof: world.claim("d1")))
    // A campaign whose audience was frozen before still reaches it.
    #expect(try world.record("d1")?.boundAt == bound)
    #expect(try world.record("d1")?.psid == "cc")
    // This phone may have got it as the other device.
    try world.run(world.registration("d1", psid: "bb", user: "kim", proof: world.claim("d1")))
    #expect(try world.record("d1")?.boundAt == world.now)
  }

  @Test func `a token belongs to the device that registered it last`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.run(world.registration("d2", psid: "aa", user: "lee"))
    #expect(try world.record("d1")?.state == .unregistered)
    #expect(try world.record("d2")?.state == .active)
    #expect(try world.count("SELECT count(*) FROM psids") == 1)
    #expect(try world.count("SELECT count(*) FROM former_psids WHERE psid = 'aa'") == 1)
  }

  @Test func `two devices can exchange their tokens in one batch`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"), world.registration("d2", psid: "bb", user: "lee"))
    try world.run(
      world.registration("d1", psid: "bb", user: "kim", proof: world.claim("d1")),
      world.registration("d2", psid: "aa", user: "lee", proof: world.claim("d2")))
    #expect(try world.record("d1")?.psid == "bb")
    #expect(try world.record("d2")?.psid == "aa")
    #expect(try world.record("d1")?.state == .active)
    #expect(try world.record("d2")?.state == .active)
    #expect(try world.count("SELECT count(*) FROM psids p JOIN devices d USING (device) WHERE p.psid = d.psid") == 2)
  }

  @Test func `a service-only registration keeps the user`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.run(world.registration("d1", psid: "aa"))
    #expect(try world.record("d1")?.userKey == UserKey(clientUID: "kim"))
  }

  @Test func `a protocol without words for them leaves locale, time zone and consents as they were`() throws {
    let world = try BatchWorld()
    var full = Devices.Attributes()
    (full.platform, full.osVersion, full.locale, full.timeZone) = ("ios", "17", "ko-KR", "Asia/Seoul")
    try world.run(world.registration("d1", psid: "aa", user: "kim", attributes: full))
    var short = Devices.Attributes()
    short.osVersion = "18"
    try world.run(world.registration("d1", psid: "aa", user: "kim", attributes: short, isFromSDK: true))
    var expected = full
    (expected.platform, expected.osVersion) = ("", "18")
    #expect(try world.record("d1")?.attributes == expected)
    try world.run(
      world.registration(
        "d1", psid: "cc", user: "kim", proof: world.claim("d1"), attributes: short, isFromSDK: true))
    #expect(try world.record("d1")?.attributes == expected)
    // Who can say it, and does not, has none.
    try world.run(world.registration("d1", psid: "cc", user: "kim", attributes: short))
    #expect(try world.record("d1")?.attributes == short)
  }

  @Test func `a new token without the key makes a row of its own, and leaves the other as it is`() throws {
    let world = try BatchWorld()
    var about = Devices.Attributes()
    about.locale = "ko-KR"
    try world.run(world.registration("d1", psid: "aa", user: "kim", attributes: about))
    #expect(try world.run(world.registration("d1", psid: "bb", isFromSDK: true))[0].isNewRegistration == true)
    #expect(try world.record("d1")?.userKey == UserKey(clientUID: "kim"))
    #expect(try world.record("d1")?.psid == "aa")
    #expect(try world.run(.badge(world.claim("d1")))[0].badge == 0)
    let second = try #require(try world.rows("d1").last)
    #expect(
      second.psid == "bb" && second.userKey == UserKey(guest: second.device) && second.device != world.device("d1"))
    // It may be anybody's device: nothing that is known of the other is its.
    #expect(second.attributes == Devices.Attributes())
    #expect(try world.count("SELECT count(*) FROM psids p JOIN devices d USING (device) WHERE p.psid = d.psid") == 2)
    #expect(try world.count("SELECT count(*) FROM former_psids") == 0)
    // Each is found again by its token.
    try world.run(world.registration("d1", psid: "bb"))
    try world.run(world.registration("d1", psid: "aa"))
    #expect(try world.rows("d1").map(\.psid) == ["aa", "bb"])
  }

  @Test func `a DEVICE_ID has three rows, and whoever comes after that pushes out the last that came`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa"))
    for psid in ["b1", "b2", "b3", "b4"] {
      world.now += .seconds(1)
      try world.run(world.registration("d1", psid: psid))
    }
    #expect(Set(try world.rows("d1").map(\.psid)) == ["aa", "b1", "b4"])
    #expect(try world.rows("d1").filter { $0.state == .active }.count == 3)
    #expect(try world.count("SELECT count(*) FROM psids") == 3)
    #expect(try world.count("SELECT count(*) FROM former_psids WHERE psid IN ('b2', 'b3')") == 2)
    // The key of the one that was pushed out has ended.
    let last = try #require(try world.rows("d1").last)
    #expect(try world.run(.badge(AuthKeyring.Claim(device: last.device, epoch: 0)))[0].problem == .badCredential)
  }

  @Test func `a row whose device is gone is taken before one that has a user`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.run(world.registration("d1", psid: "bb"))
    try world.run(world.registration("d1", psid: "cc", user: "lee"))
    try world.run(.unregister(world.claim("d1")))
    try world.run(world.registration("d1", psid: "dd"))
    #expect(try world.record("d1")?.psid == "dd")
    #expect(try world.record("d1")?.userKey.isGuest == true)
    #expect(Set(try world.rows("d1").map(\.psid)) == ["bb", "cc", "dd"])
    // A guest goes before a user.
    try world.run(world.registration("d1", psid: "ee"))
    #expect(try world.rows("d1").contains { $0.psid == "cc" && $0.userKey == UserKey(clientUID: "lee") })
  }

  @Test func `a new token with the device's own key keeps the user`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.run(world.registration("d1", psid: "bb", proof: world.claim("d1")))
    #expect(try world.record("d1")?.userKey == UserKey(clientUID: "kim"))
    #expect(try world.record("d1")?.psid == "bb")
  }

  @Test func `GUEST means no user`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "GUEST"))
    #expect(try world.record("d1")?.userKey.isGuest == true)
  }

  @Test func `what a guest had ends when a user registers`() throws {
    let world = try BatchWorld()
    let group = try world.connection.run(Groups.create(app: world.app.number, name: "g", parent: nil))
    try world.run(world.registration("d1", psid: "aa"))
    try world.run(.join(world.claim("d1"), group: group))
    try world.run(.setBadge(world.claim("d1"), 7))
    try world.run(.setUser(world.claim("d1"), .init(clientUID: "kim", name: "Kim")))
    #expect(try world.run(.badge(world.claim("d1")))[0].badge == 0)
    #expect(try world.count("SELECT count(*) FROM group_members") == 0)
    #expect(try world.count("SELECT count(*) FROM users") == 1)
  }

  @Test func `with the single policy a user's other devices become guests in the same batch`() throws {
    let world = try BatchWorld(policy: .single)
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.run(world.registration("d2", psid: "bb", user: "kim"))
    #expect(try world.record("d1")?.userKey.isGuest == true)
    #expect(try world.record("d2")?.userKey == UserKey(clientUID: "kim"))
  }

  @Test func `an unregistered device needs no answer and can come back`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    try world.run(.unregister(world.claim("d1")))
    #expect(try world.record("d1")?.state == .unregistered)
    #expect(try world.count("SELECT count(*) FROM psids") == 0)
    #expect(try world.run(.badge(world.claim("d1")))[0].problem == .unknownDevice)
    try world.run(world.registration("d1", psid: "aa"))
    #expect(try world.record("d1")?.state == .active)
    #expect(try world.record("d1")?.userKey.isGuest == true)
  }

  @Test func `a device that only asks while its token is taken loses nothing that it says meanwhile`() throws {
    let world = try BatchWorld()
    try world.run(world.registration("d1", psid: "aa", user: "kim"))
    let session = try TestDatabase.connect(to: world.databaseURL)
    let batch = OperationBatch(
      [world.registration("d2", psid: "aa", user: "lee"), .badge(world.claim("d1"))], writer: 2,
      node: BatchWorld.node, policies: world.policies, now: world.now, readAt: Instant(nanoseconds: 0))
    var consents = Consents.Change()
    consents.ad = false
    while let round = batch.next() {
      if round.begins { _ = try session.run(.begin) }
      for step in round.steps { step.read(try session.run(step.statement, step.parameters)) }
      // Elsewhere, once the batch has read the device.
      if round.begins { #expect(try world.run(.setConsents(world.claim("d1"), consents))[0].problem == nil) }
      if round.commits { _ = try session.run(.commit) }
    }
    #expect(batch.results[0].isNewRegistration == true)
    let loser = try #require(try world.record("d1"))
    #expect(loser.state == .unregistered)
    #expect(loser.consents.ad?.isGiven == false)
  }

  @Test func `operations that depend on each other name the same key`() throws {
    let world = try BatchWorld()
    let first = Set(world.registration("d1", psid: "aa").conflictKeys)
    #expect(!first.isDisjoint(with: world.registration("d2", psid: "aa").conflictKeys))
    #expect(!first.isDisjoint(with: Operation.unregister(world.claim("d1")).conflictKeys))
    #expect(first.isDisjoint(with: world.registration("d2", psid: "bb").conflictKeys))
  }
}
