import Crypto
import Domain
import Foundation
import Operations
import Postgres
import TestTier
import TestSupport
import Testing

@testable import Server

/// What whoever knows something of a person, a device or a key can do with it, by the app's identity, through both
/// APIs. Kim's telephone is registered and proved; the attacker has a telephone of its own.
@Suite(.slow) struct IdentityTableTests {
  private static let phone = ["DEVICE_TYPE": "I", "APNS_MODE": "REAL"]
  private static let kims = World.token("a1")
  private static let attackers = World.token("e1")

  // MARK: The stage

  /// A world in which kim has a telephone whose DEVICE_ID is `kims-phone`.
  private func world(_ identity: App.Identity, keepsUserOnRefresh: Bool = false) throws -> World {
    let world = try World(identity: identity)
    if keepsUserOnRefresh {
      var change = Administration.AppChange()
      change.identity.keepsUserOnRefresh = true
      _ = try Administration.change(World.appID, change, by: .commandLine, on: world.connection)
      var number = 10
      _ = try poll("the server has not heard of the setting") {
        number += 2
        try world.register("probe\(number)", token: World.token("\(number)"), user: nil)
        let again = try world.register("probe\(number)", token: World.token("\(number + 1)"), user: nil)
        return again.status == 200 ? true : nil
      }
    }
    try vouch(for: "kim", "kims-phone", in: world)
    #expect(try world.register("kims-phone", token: Self.kims, user: "kim").status == 201)
    if identity == .strict { try provePossession("kims-phone", Self.kims, in: world) }
    #expect(try bound("kims-phone", in: world) == "ukim")
    return world
  }

  private func vouch(for user: String, _ deviceID: String, in world: World) throws {
    let reply = try world.client.call(
      "POST", "/v1/admin/users/\(user)/vouchers", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","expiresIn":"PT5M","deviceId":"\#(deviceID)"}"#)
    #expect(reply.status == 201, "\(reply.text)")
  }

  private func provePossession(_ deviceID: String, _ token: String, in world: World) throws {
    // Stands in for the push: see StrictIdentityTests for the way of one.
    try world.script(
      "UPDATE devices SET user_key = pending_user, identity = 2, pending_user = NULL WHERE device_id = '\(deviceID)'")
  }

  /// The user key of the row of a DEVICE_ID that has this token.
  private func bound(_ deviceID: String, token: String = Self.kims, in world: World) throws -> String? {
    let sql = "SELECT user_key FROM devices WHERE device_id = '\(deviceID)' AND psid = '\(token)' AND state = 1"
    let statement = Statement("identity-table-\(sql.hashValue)", sql)
    let rows = try world.connection.run(statement)
    return rows.count == 1 ? rows.text(0, 0) : nil
  }

  private func sdk(_ world: World, _ deviceID: String, _ token: String, cuid: String = "GUEST") -> SDKClient {
    SDKClient(port: world.port, appID: World.appID, psid: token, deviceID: deviceID, cuid: cuid)
  }

  private func attackersRows(_ world: World) throws -> Int64 {
    try world.count("SELECT count(*) FROM devices WHERE psid = '\(Self.attackers)' AND state = 1 AND user_key = 'ukim'")
  }

  private func kimIsUntouched(_ world: World) throws -> Bool {
    try bound("kims-phone", in: world) == "ukim"
      && world.count("SELECT count(*) FROM users WHERE user_key = 'ukim' AND name = 'Name of kim'") == 1
  }

  // MARK: Bundle id and CUID

  @Test(arguments: [App.Identity.open, .proof])
  func `the bundle id and a CUID, at the SDK's API`(_ identity: App.Identity) throws {
    let world = try world(identity)
    let thief = sdk(world, "thief", Self.attackers, cuid: "kim")
    #expect(try thief.call("new_rcv_register_service_and_user.ctl", Self.phone.merging(["CNAME": "X"]) { $1 }).isOK)
    #expect(try attackersRows(world) == (identity == .open ? 1 : 0))
    #expect(try kimIsUntouched(world))
    #expect(
      try world.count("SELECT count(*) FROM audit_log WHERE action = 'device.add'") == (identity == .open ? 1 : 0))
  }

  @Test(arguments: [App.Identity.open, .proof, .strict])
  func `the client key and a CUID, at the JSON API`(_ identity: App.Identity) throws {
    let world = try world(identity)
    let reply = try world.register("thief", token: Self.attackers, user: "kim")
    #expect(reply.status == (identity == .open ? 201 : 403), "\(reply.text)")
    #expect(try attackersRows(world) == (identity == .open ? 1 : 0))
    #expect(try kimIsUntouched(world))
  }

  // MARK: DEVICE_ID

  @Test(arguments: [App.Identity.open, .proof, .strict])
  func `a DEVICE_ID gives a guest row of its own`(_ identity: App.Identity) throws {
    let world = try world(identity)
    let reply = try world.register("kims-phone", token: Self.attackers, user: nil)
    #expect(reply.status == 201, "\(reply.text)")
    #expect(try kimIsUntouched(world))
    #expect(try bound("kims-phone", token: Self.attackers, in: world)?.hasPrefix("g") == true)
    if identity != .strict {
      let sdk = sdk(world, "kims-phone", World.token("e2"))
      #expect(try sdk.call("rcv_register_service.ctl", Self.phone).isOK)
      #expect(try kimIsUntouched(world))
    }
  }

  @Test(arguments: [App.Identity.open, .proof])
  func `however often it is used, the telephone that was there stays`(_ identity: App.Identity) throws {
    let world = try world(identity)
    for number in 0..<8 {
      let token = World.token("0\(number)")
      #expect(try world.register("kims-phone", token: token, user: nil).status < 300)
      #expect(try bound("kims-phone", token: token, in: world) != nil)
    }
    #expect(try kimIsUntouched(world))
    #expect(try world.count("SELECT count(*) FROM devices WHERE device_id = 'kims-phone'") == 3)
    #expect(
      try world.count("SELECT count(*) FROM psids p JOIN devices d USING (device) WHERE p.psid = d.psid") == 3)
    #expect(try world.count("SELECT count(*) FROM psids") == 3)
  }

  // MARK: PSID

  /// What a key that is asked for by the PSID alone opens at the SDK's API.
  private func opens(_ controller: String, _ fields: [String: String] = [:], in world: World) throws -> Bool {
    let thief = sdk(world, "kims-phone", Self.kims, cuid: "kim")
    thief.common["DEVICE_ID"] = nil
    return try thief.call(controller, Self.phone.merging(fields) { $1 }).isOK
  }

  @Test(arguments: [App.Identity.open, .proof, .strict])
  func `a PSID opens what the identity lets it open`(_ identity: App.Identity) throws {
    let world = try world(identity)
    let group = try world.client.call(
      "POST", "/v1/admin/groups", bearer: world.apiKey, #"{"appId":"\#(World.appID)","name":"g","joinable":true}"#)
    let number = try #require(group.string("groupSeq"))
    let isOpen = identity == .open
    for controller in ["rcv_get_service.ctl", "rcv_appAlive.ctl"] {
      #expect(try opens(controller, in: world) == (identity != .strict), "\(controller)")
    }
    #expect(try opens("rcv_init_badgeNo.ctl", ["BADGENO": "7"], in: world) == isOpen)
    #expect(try opens("rcv_register_usergroup_user.ctl", ["GROUPSEQ": number], in: world) == isOpen)
    #expect(try opens("rcv_delete_usergroup_user.ctl", ["GROUPSEQ": number], in: world) == isOpen)
    #expect(try world.count("SELECT count(*) FROM users WHERE user_key = 'ukim' AND badge = 7") == (isOpen ? 1 : 0))
    #expect(try kimIsUntouched(world))
    #expect(try opens("rcv_delete_user.ctl", in: world) == isOpen)
    #expect(try opens("rcv_delete_service.ctl", in: world) == isOpen)
    #expect(try kimIsUntouched(world) != isOpen)
  }

  @Test func `where users are vouched for, a registration with somebody's PSID takes nothing from it`() throws {
    let world = try world(.proof)
    // By its DEVICE_ID and another one; at both APIs.
    for deviceID in ["kims-phone", "thief"] {
      let thief = sdk(world, deviceID, Self.kims, cuid: "lee")
      let more = Self.phone.merging(["APNS_MODE": "DEV", "AD_YN": "N"]) { $1 }
      #expect(try thief.call("new_rcv_register_service_and_user.ctl", more).isOK)
      _ = try thief.call("rcv_register_user.ctl")
      #expect(try kimIsUntouched(world))
      // What that registration answers opens no more than what was asked for.
      _ = try thief.call("rcv_delete_service.ctl")
      #expect(try kimIsUntouched(world))
      let reply = try world.register(deviceID, token: Self.kims, user: nil)
      #expect(reply.status == 403 && reply.string("type") == "upmc:user-mismatch", "\(reply.text)")
    }
    #expect(try kimIsUntouched(world))
    #expect(
      try world.count("SELECT count(*) FROM devices WHERE environment <> 1 OR consent_ad IS NOT NULL") == 0)
  }

  // MARK: PSID and DEVICE_ID

  @Test(arguments: [App.Identity.open, .proof, .strict])
  func `a PSID with its DEVICE_ID does not move the pushes to another token`(_ identity: App.Identity) throws {
    let world = try world(identity)
    if identity != .strict {
      let thief = sdk(world, "kims-phone", Self.kims)
      try thief.askKey()
      thief.common["PSID"] = Self.attackers
      _ = try thief.call("rcv_register_service.ctl", Self.phone)
    }
    _ = try world.register("kims-phone", token: Self.attackers, user: nil)
    #expect(try attackersRows(world) == 0)
    #expect(try kimIsUntouched(world))
  }

  @Test(arguments: [App.Identity.proof, .strict])
  func `a PSID, its DEVICE_ID and a voucher that was just used give the device's key only in proof`(
    _ identity: App.Identity
  ) throws {
    let world = try world(identity)
    let reply = try world.register("kims-phone", token: Self.kims, user: "kim")
    #expect(reply.status == 200, "\(reply.text)")
    let key = try #require(reply.string("authKey"))
    let badge = try world.client.call("GET", "/v1/devices/\(reply.string("device") ?? "")/badge", bearer: key)
    #expect(badge.status == (identity == .proof ? 200 : 403), "\(badge.text)")
    _ = try world.register("kims-phone", token: Self.attackers, user: nil, authKey: key)
    #expect(try attackersRows(world) == (identity == .proof ? 1 : 0))
    #expect(try kimIsUntouched(world) == (identity == .strict))
  }

  @Test(arguments: [App.Identity.proof, .strict])
  func `a customer with a voucher of its own, and another's PSID and DEVICE_ID, does not get the other's pushes`(
    _ identity: App.Identity
  ) throws {
    let world = try world(identity)
    try vouch(for: "mallory", "kims-phone", in: world)
    let reply = try world.register("kims-phone", token: Self.kims, user: "mallory")
    #expect(reply.status < 300, "\(reply.text)")
    let key = try #require(reply.string("authKey"))
    _ = try world.register("kims-phone", token: Self.attackers, user: nil, authKey: key)
    #expect(try attackersRows(world) == 0)
    // In strict, kim's telephone keeps its row, and comes back with its own key.
    let kept = try world.count("SELECT count(*) FROM devices WHERE psid = '\(Self.kims)' AND user_key = 'ukim'")
    #expect(kept == (identity == .strict ? 1 : 0))
  }

  @Test func `but where the app has said that a DEVICE_ID is enough`() throws {
    let world = try world(.open, keepsUserOnRefresh: true)
    #expect(try world.register("kims-phone", token: Self.attackers, user: nil).status == 200)
    #expect(try attackersRows(world) == 1)
    #expect(try !kimIsUntouched(world))
  }

  // MARK: Keys and proofs

  @Test(arguments: [App.Identity.open, .proof, .strict])
  func `an authKey of another device registers nothing`(_ identity: App.Identity) throws {
    let world = try world(identity)
    let own = try world.register("thief", token: Self.attackers, user: nil)
    let key = try #require(own.string("authKey"))
    let reply = try world.register("kims-phone", token: World.token("e9"), user: "kim", authKey: key)
    #expect(reply.status == 403, "\(reply.text)")
    #expect(try kimIsUntouched(world))
    #expect(try attackersRows(world) == 0)
  }

  @Test func `a stolen proof makes a further device, of which the others hear`() throws {
    let world = try world(.proof)
    let secret = try Administration.userProofSecret(
      of: World.appID, master: try World.master, by: .commandLine,
      on: world.connection
    ).secret
    let proof = HMAC.authenticationCode(
      for: Array("kim".utf8), using: SymmetricKey(Array(secret.utf8))
    ).map { String(format: "%02x", $0) }.joined()
    let thief = sdk(world, "thief", Self.attackers, cuid: "kim")
    #expect(
      try thief.call("new_rcv_register_service_and_user.ctl", Self.phone.merging(["USERPROOF": proof]) { $1 }).isOK)
    #expect(try attackersRows(world) == 1)
    #expect(try bound("kims-phone", in: world) == "ukim")
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE action = 'device.add'") == 1)
  }

  @Test func `a viewer finds a token by the eight characters that are shown, and by no fewer`() throws {
    let world = try world(.proof)
    let viewer = try Administration.createKey(.viewer, appID: nil, by: .commandLine, on: world.connection).apiKey
    func found(_ psid: String) throws -> Int? {
      let reply = try world.client.call(
        "GET", "/v1/admin/devices?appId=\(World.appID)&psid=\(psid)", bearer: viewer)
      return reply.status == 200 ? (reply["items"] as? [Any])?.count : nil
    }
    #expect(try found(String(Self.kims.prefix(8))) == 1)
    #expect(try found(Self.kims) == 1)
    for count in [1, 7, 9, 63] { #expect(try found(String(Self.kims.prefix(count))) ?? 0 == 0, "\(count)") }
  }

  // MARK: Several calls in a row

  @Test(arguments: [App.Identity.open, .proof])
  func `a key that was got before the telephone was kim's does not move it afterwards`(_ identity: App.Identity) throws
  {
    let world = try World(identity: identity)
    #expect(try world.register("kims-phone", token: Self.kims, user: nil).status == 201)
    let early = try world.register("kims-phone", token: Self.kims, user: nil)
    let key = try #require(early.string("authKey"))
    try vouch(for: "kim", "kims-phone", in: world)
    // In open a voucher counts where somebody asks for proof; there the key shows no more than the token it was got by.
    let kim = try world.register("kims-phone", token: Self.kims, user: "kim")
    #expect(kim.status == 200, "\(kim.text)")
    _ = try world.register("kims-phone", token: Self.attackers, user: nil, authKey: key)
    #expect(try attackersRows(world) == 0)
    #expect(try kimIsUntouched(world))
  }

  @Test func `in open, asking for a key and registering by it does not move the pushes`() throws {
    let world = try world(.open)
    let thief = sdk(world, "kims-phone", Self.kims)
    #expect(try thief.call("rcv_register_service.ctl", Self.phone).isOK)
    thief.common["PSID"] = Self.attackers
    _ = try thief.call("rcv_register_service.ctl", Self.phone)
    #expect(try attackersRows(world) == 0)
    #expect(try kimIsUntouched(world))
  }

  @Test func `a token of Apple's that is registered as one of Google's is not taken for it`() throws {
    let world = try world(.proof)
    let thief = SDKClient(port: world.port, appID: World.appID, psid: Self.kims, deviceID: "thief", pnsID: "FCM")
    #expect(try thief.call("rcv_register_service.ctl", Self.phone).isOK)
    let own = sdk(world, "kims-phone", Self.kims, cuid: "kim")
    #expect(try own.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String == "Y")
    #expect(try kimIsUntouched(world))
  }

  @Test func `a voucher that the device did not need is its own all the same`() throws {
    let world = try world(.proof)
    let own = try world.register("other", token: World.token("a7"), user: nil)
    try vouch(for: "kim", "kims-phone", in: world)
    let kim = sdk(world, "kims-phone", Self.kims, cuid: "kim")
    #expect(try kim.call("new_rcv_register_service_and_user.ctl", Self.phone).isOK)
    #expect(try world.count("SELECT count(*) FROM vouchers WHERE psid = ''") == 0)
    let thief = try world.register("other", token: World.token("a7"), user: "kim", authKey: own.string("authKey"))
    #expect(thief.status == 403, "\(thief.text)")
  }

  @Test func `a further token that is set with a guest's DEVICE_ID and PSID ends before the guest has a user`() throws {
    let world = try World(identity: .proof)
    let own = try world.register("kims-phone", token: Self.kims, user: nil)
    func setVoIP(_ device: Reply) throws -> Reply {
      try world.client.call(
        "PUT", "/v1/devices/\(device.string("device") ?? "")/tokens/voip", bearer: device.string("authKey"),
        #"{"psid":"\#(World.token("b9"))"}"#)
    }
    #expect(try setVoIP(own).status < 300)
    let stolen = try world.register("kims-phone", token: Self.kims, user: nil)
    #expect(try setVoIP(stolen).status < 300)
    #expect(try setVoIP(own).status == 401)
    // The app registers once more, by the SDK's API, and names its user with the key of that answer.
    let app = sdk(world, "kims-phone", Self.kims, cuid: "kim")
    #expect(try app.call("rcv_register_service.ctl", Self.phone).isOK)
    #expect(try setVoIP(stolen).status == 401)
    try vouch(for: "kim", "kims-phone", in: world)
    #expect(try app.call("rcv_register_user.ctl").isOK)
    #expect(try bound("kims-phone", in: world) == "ukim")
    #expect(try world.count("SELECT count(*) FROM psids WHERE kind > 1") == 0)
  }

  @Test func `a further token of somebody's device is not taken by a guest`() throws {
    let world = try World(identity: .proof)
    try vouch(for: "kim", "kims-phone", in: world)
    let kim = try world.register("kims-phone", token: Self.kims, user: "kim")
    let thief = try world.register("thief", token: Self.attackers, user: nil)
    func setVoIP(_ device: Reply) throws -> Reply {
      try world.client.call(
        "PUT", "/v1/devices/\(device.string("device") ?? "")/tokens/voip", bearer: device.string("authKey"),
        #"{"psid":"\#(World.token("b9"))"}"#)
    }
    #expect(try setVoIP(kim).status < 300)
    let taken = try setVoIP(thief)
    #expect(taken.status == 403 && taken.string("type") == "upmc:user-mismatch", "\(taken.text)")
    #expect(
      try world.count(
        "SELECT count(*) FROM psids p JOIN devices d USING (device) WHERE p.kind > 1 AND d.user_key = 'ukim'") == 1)
  }

  @Test func `a customer with a proof of its own does not push out another's telephone by its DEVICE_ID`() throws {
    let world = try world(.proof)
    for number in 1...5 {
      try vouch(for: "mallory", "kims-phone", in: world)
      let reply = try world.register("kims-phone", token: World.token("c\(number)"), user: "mallory")
      #expect(reply.status < 300, "\(reply.text)")
    }
    #expect(try kimIsUntouched(world))
  }

  @Test func `a device that was vouched for names its user again by its key, without a word of anybody`() throws {
    let world = try World(identity: .proof)
    try vouch(for: "kim", "kims-phone", in: world)
    let first = try world.register("kims-phone", token: Self.kims, user: "kim")
    let again = try world.register(
      "kims-phone", token: World.token("a2"), user: "kim", authKey: first.string("authKey"))
    #expect(again.status == 200 && again.string("identity") == "proof", "\(again.text)")
  }
}
