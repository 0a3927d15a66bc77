import Domain
import Foundation
import Operations
import TestTier
import TestSupport
import Testing

@testable import Server

/// The way of a bank whose app has the existing SDK: open, observed, and proved by vouchers that its server makes at log-in.
@Suite(.slow) struct StricterIdentityTests {
  private static let phone = ["DEVICE_TYPE": "I", "APNS_MODE": "REAL"]

  private func sdk(_ world: World, _ deviceID: String, _ token: String, _ cuid: String) -> SDKClient {
    SDKClient(port: world.port, appID: World.appID, psid: World.token(token), deviceID: deviceID, cuid: cuid)
  }

  private func register(_ app: SDKClient) throws {
    #expect(try app.call("new_rcv_register_service_and_user.ctl", Self.phone.merging(["CNAME": "N"]) { $1 }).isOK)
  }

  private func registrationState(_ app: SDKClient) throws -> String? {
    try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String
  }

  private func change(_ world: World, _ json: String) throws -> Reply {
    try world.client.call("PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, json)
  }

  private func identity(_ world: World) throws -> Reply {
    try world.client.call("GET", "/v1/admin/apps/\(World.appID)/identity", bearer: world.apiKey)
  }

  private func unproved(_ world: World) throws -> Int? {
    (try identity(world)["unprovedBindings"] as? [String: Any])?["proof"] as? Int
  }

  private func logIn(_ app: SDKClient, _ world: World, _ user: String) throws {
    let reply = try world.client.call(
      "POST", "/v1/admin/users/\(user)/vouchers", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","expiresIn":"PT5M"}"#)
    #expect(reply.status == 201, "\(reply.text)")
    app.common["CUID"] = user
    try register(app)
  }

  @Test func `open, observed, proof by voucher, and the end of the grace`() throws {
    let world = try World(identity: .open)
    let (kim, lee) = (sdk(world, "kims", "a1", "kim"), sdk(world, "lees", "b1", "lee"))
    try register(kim)
    try register(lee)
    // Not before it was tried out.
    let hasty = try change(world, #"{"identity":"proof","unprovedBindings":2}"#)
    #expect(hasty.status == 409 && hasty.text.contains("--observe proof"), "\(hasty.text)")
    #expect(try change(world, #"{"observedIdentity":"proof"}"#).string("observedIdentity") == "proof")
    // Counted from the moment that the server has heard of it.
    _ = try poll("what proof would refuse is not counted") {
      try register(lee)
      return try identity(world).int("unprovedRegistrations") ?? 0 > 0 ? true : nil
    }
    #expect(try unproved(world) == 2)
    try logIn(kim, world, "kim")
    #expect(try unproved(world) == 1)
    let unsaid = try change(world, #"{"identity":"proof"}"#)
    #expect(unsaid.status == 409 && unsaid.text.contains("unprovedBindings 1"), "\(unsaid.text)")
    let changed = try change(world, #"{"identity":"proof","unprovedBindings":1}"#)
    #expect(changed.string("identity") == "proof" && changed.string("graceEndsAt") != nil, "\(changed.text)")
    // In the grace both get ordinary messages; confidential ones only who is proved.
    let ordinary = try world.send(#"{"clientUids":["kim","lee"]}"#)
    #expect(try world.finished(ordinary).int("accepted") == 2)
    let code = try poll("the server has not heard of the change") {
      let seqno = try world.send(#"{"clientUids":["kim","lee"]}"#, #","confidential":true"#)
      return try world.finished(seqno).int("skipped") == 1 ? seqno : nil
    }
    #expect(try world.finished(code).int("accepted") == 1)
    // When it is over the others become guests, and are told to name their users again.
    try world.script("UPDATE apps SET grace_ends_at = now() - interval '1 second'")
    _ = try poll("the grace does not end") {
      try world.count("SELECT count(*) FROM apps WHERE grace_ends_at IS NULL") == 1 ? true : nil
    }
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ulee'") == 0)
    #expect(try registrationState(kim) == "Y")
    #expect(try registrationState(lee) == "C")
    try logIn(lee, world, "lee")
    #expect(try registrationState(lee) == "Y")
  }

  @Test func `a voucher is good once, for its device, and in its time`() throws {
    let world = try World(identity: .proof)
    func vouch(_ more: String) throws -> Reply {
      try world.client.call(
        "POST", "/v1/admin/users/kim/vouchers", bearer: world.apiKey, #"{"appId":"\#(World.appID)"\#(more)}"#)
    }
    #expect(try vouch(#","deviceId":"kims""#).status == 201)
    let thief = sdk(world, "thief", "e1", "kim")
    try register(thief)
    #expect(try registrationState(thief) == "C")
    let kim = sdk(world, "kims", "a1", "kim")
    try register(kim)
    #expect(try registrationState(kim) == "Y")
    let second = sdk(world, "kims", "a2", "kim")
    try register(second)
    #expect(try registrationState(second) == "C")
    #expect(try vouch("").status == 201)
    try world.script("UPDATE vouchers SET expires_at = now() - interval '1 second'")
    try register(thief)
    #expect(try registrationState(thief) == "C")
    for wrong in [#","expiresIn":"PT16M""#, #","expiresIn":"PT0S""#, #","expiresIn":"soon""#, #","deviceId":"""#] {
      #expect(try vouch(wrong).status == 400, "\(wrong)")
    }
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim'") == 1)
  }

  @Test func `the user's other devices hear of a new one`() throws {
    let world = try World(identity: .open)
    #expect(try change(world, #"{"tellsDevices":true}"#)["tellsDevices"] as? Bool == true)
    try register(sdk(world, "kims", "a1", "kim"))
    var number = 0
    // Each with a token of its own: it may take many until the server has heard of the change and its push has come.
    _ = try poll("the first device was not told", every: .milliseconds(250)) {
      number += 1
      let token = World.token(number: number)
      try register(
        SDKClient(port: world.port, appID: World.appID, psid: token, deviceID: "new\(number)", cuid: "kim"))
      return try world.payloads(World.token("a1")).isEmpty ? nil : true
    }
    let alert = try world.payloads(World.token("a1"))[0]["aps"] as? [String: Any]
    let text = "\(alert?["alert"] ?? "")"
    #expect(text.contains("new device"), "\(text)")
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE action = 'device.add'") == Int64(number))
  }
}
