import Crypto
import Postgres
import Reactor
import Store
import Testing

@testable import Domain

@testable import Operations

/// What a user is called stands in messages to that user: whoever only knows the CUID must not change it.
@Suite struct UserNameTests {
  private let world: BatchWorld

  init() throws {
    world = try BatchWorld()
  }

  private static func proof(of clientUID: String, _ secret: String) -> String {
    let key = SymmetricKey(Array(secret.utf8))
    return Hex.encode(HMAC.authenticationCode(for: Array(clientUID.utf8), using: key))
  }

  private func name() throws -> String? {
    let key = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    return try world.connection.run(Users.find([key]))[key]?.name
  }

  private func register(_ installation: String, as name: String, proof: String? = nil) throws -> String? {
    let registration = Operation.Registration(
      app: world.app, device: world.device(installation), installation: installation, network: .apns,
      environment: .production, psid: "token of \(installation)",
      user: NamedUser(clientUID: "kim", name: name, proof: proof), attributes: Devices.Attributes(),
      proof: nil)
    guard case .success(.registered(let answered)) = try world.run(.register(registration))[0] else { return nil }
    return answered.userName
  }

  @Test func `the first device names its user, and another device does not rename it`() throws {
    #expect(try register("own", as: "Kim") == "Kim")
    // It is told what it said itself: from CUIDs alone nobody learns names.
    #expect(try register("thief's", as: "URGENT: call 010-666-6666") == "URGENT: call 010-666-6666")
    #expect(try register("thief's", as: "") == "")
    #expect(try name() == "Kim")
    guard case .success(.found(_, _, let shown)) = try world.run(.find(world.claim("thief's")))[0] else { return }
    #expect(shown == "")
  }

  @Test func `nor does a change of the user, or the device itself`() throws {
    _ = try register("own", as: "Kim")
    _ = try world.run(world.registration("thief's", psid: "t", user: "lee"))
    let outcome = try world.run(.setUser(world.claim("thief's"), .init(clientUID: "kim", name: "URGENT")))[0]
    guard case .success(.found(_, _, let answered)) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(answered == "URGENT")
    #expect(try name() == "Kim")
    _ = try register("own", as: "Kim the Second")
    #expect(try name() == "Kim")
  }

  @Test func `a user without a name gets one, and an empty one takes none away`() throws {
    for (given, kept) in [("", ""), ("Kim", "Kim"), ("", "Kim")] {
      #expect(try register("own", as: given) == given)
      #expect(try name() == kept)
    }
  }

  @Test func `whoever the app's server vouches for may change the name`() throws {
    _ = try register("own", as: "Kim")
    world.setPolicies(.proof)
    let secret = world.userProofs.secret(appID: world.app.appID, generation: 1)
    let proof = Self.proof(of: "kim", secret)
    #expect(try register("own", as: "Kim-Park", proof: proof) == "Kim-Park")
    #expect(try name() == "Kim-Park")
    // The SDK sends every parameter, also those that it has no value for.
    #expect(try register("own", as: "", proof: proof) == "Kim-Park")
    #expect(try name() == "Kim-Park")
  }

  @Test func `vouched and other names meet in one batch`() throws {
    let other = try world.connection.run(
      Apps.create(appID: "com.example.shop", name: "Shop", clientKey: "other", timeZone: "Asia/Seoul", identity: .open))
    #expect(other.app.number != world.app.number)
    var shop = world.app
    shop = App(
      number: other.app.number, appID: "com.example.shop", name: "", timeZone: "Asia/Seoul", devicePolicy: .multi,
      pausedReason: nil)
    var policies = AppPolicies([world.app, shop])
    policies.userProofs = world.userProofs
    let secret = world.userProofs.secret(appID: "com.example.shop", generation: 1)
    for name in ["One", "Two"] {
      let operations = [world.app, shop].map { app in
        Operation.register(
          Operation.Registration(
            app: app, device: DeviceID(appID: app.appID, network: .apns, installation: "i"), installation: "i",
            network: .apns, environment: .production, psid: "token",
            user: NamedUser(clientUID: "kim", name: name, proof: Self.proof(of: "kim", secret)),
            attributes: Devices.Attributes(), proof: nil))
      }
      let batch = OperationBatch(
        operations, writer: 1, node: BatchWorld.node, policies: policies, now: world.now,
        readAt: .init(nanoseconds: 0))
      try batch.run(on: world.connection)
      let names = batch.results.map { outcome -> String in
        if case .success(.registered(let answered)) = outcome { answered.userName } else { "\(outcome)" }
      }
      #expect(names == [name, name])
    }
  }
}
