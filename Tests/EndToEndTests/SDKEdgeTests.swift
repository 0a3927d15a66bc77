import Domain
import Foundation
import Postgres
import TestTier
import TestSupport
import Testing

/// What apps built with the existing SDK may send beside the usual, and the answers that they understand.
@Suite(.slow, .serialized) struct SDKEdgeTests {
  private static let token = World.token("a1")

  private func app(_ world: World) -> SDKClient {
    SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "D1", cuid: "kim")
  }

  @Test func `web push is named as what it is, and other calls of it are refused in words`() throws {
    let world = try World()
    let app = app(world)
    try app.askKey()
    for controller in ["rcv_register_service.ctl", "rcv_get_service.ctl"] {
      let refused = try app.post(controller, ["PNSID": "WPNS", "AUTHKEY": app.authKey ?? ""])
      #expect(refused.status == 200 && refused.code == "500", "\(refused)")
      #expect(refused.reason?.contains("web push") == true, "\(refused)")
    }
    for (controller, word) in [
      ("wpns_rcv_register_service_and_user.ctl", "web push"), ("getEncriptKey.ctl", "TLS"),
      ("rcv_add_service.ctl", "rcv_register_service"),
    ] {
      let refused = try app.call(controller)
      #expect(refused.status == 200 && refused.code == "500" && refused.service == controller, "\(refused)")
      #expect(refused.reason?.contains(word) == true && refused.body is [Any], "\(refused)")
    }
  }

  @Test func `MESSAGE may have 64 KiB, what has no room stands on a page, and one byte more is refused`() throws {
    let world = try World.with("UPMC_CTL_TRUSTED_SENDERS", "127.0.0.1")
    let app = app(world)
    #expect(try app.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    for (text, isOK) in [
      (String(repeating: "x", count: 65_536), true), (String(repeating: "가", count: 21_845), true),
      (String(repeating: "x", count: 65_537), false),
    ] {
      let answer = try app.send(
        "rcv_register_message.ctl", ["APP_ID": World.appID, "TYPE": "E", "CUID": "kim", "MESSAGE": text])
      #expect(answer.isOK == isOK, "\(text.utf8.count): \(answer)")
      guard isOK else {
        #expect(answer.reason?.contains("MESSAGE") == true && answer.reason?.contains("65536") == true, "\(answer)")
        continue
      }
      let seqno = try #require(answer.row["SENDMSG_SEQNO"] as? String)
      #expect(try world.finished(seqno).int("accepted") == 1)
      let aps = try #require(try world.payloads(Self.token).last?["aps"] as? [String: Any])
      #expect((aps["alert"] as? String)?.hasSuffix("_msp.html") == true, "\(aps)")
    }
  }

  @Test func `an app that sets its badge to 0 resets it`() throws {
    let world = try World()
    let app = app(world)
    #expect(try app.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    #expect(try app.call("rcv_init_badgeNo.ctl", ["BADGENO": "7"]).row["BADGENO"] as? String == "7")
    #expect(try app.call("rcv_init_badgeNo.ctl", ["BADGENO": "0"]).row["BADGENO"] as? String == "0")
    #expect(try world.count("SELECT badge FROM users WHERE user_key = 'ukim'") == 0)
  }

  @Test func `PHONENUM is kept sealed, told where a short message is asked for, exported, and forgotten`() throws {
    let world = try World(webhookPauses: [1])
    let receiver = try EventReceiver()
    _ = try world.webhook(receiver)
    let own = app(world)
    own.common["PHONENUM"] = "+82 10-9999-8888"
    #expect(try own.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    // Whoever only knows the CUID has no short message sent to a telephone of his own.
    let other = SDKClient(port: world.port, appID: World.appID, psid: World.token("b2"), deviceID: "D2", cuid: "kim")
    other.common["PHONENUM"] = "010-6666-6666"
    #expect(try other.call("rcv_register_service.ctl").isOK)
    #expect(try other.call("rcv_register_user.ctl", ["CNAME": "Thief"]).isOK)
    own.common["PHONENUM"] = ""
    #expect(try own.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    _ = try world.finished(try world.send(#"{"clientUids":["kim"]}"#, #","sms":true,"fallback":{"after":"PT1S"}"#))
    let told = try poll("nobody asked for a short message") { receiver.told.first }
    #expect(told.kind == "sms.requested" && told.data["phone"] as? String == "+82 10-9999-8888", "\(told.data)")
    #expect(told.data["clientUid"] as? String == "kim" && told.data["body"] as? String == "B")
    let export = try world.client.call(
      "GET", "/v1/admin/users/kim/export?appId=\(World.appID)", bearer: world.apiKey)
    #expect(export.string("phone") == "+82 10-9999-8888", "\(export.text)")
    // Nowhere as it is.
    #expect(
      try world.count("SELECT count(*) FROM users WHERE phone IS NOT NULL AND position('9999'::bytea IN phone) = 0")
        == 1)
    #expect(try world.count("SELECT count(*) FROM events WHERE data::text LIKE '%9999%'") == 0)
    let erased = try world.client.call("DELETE", "/v1/admin/users/kim?appId=\(World.appID)", bearer: world.apiKey)
    #expect(erased.status == 200, "\(erased.text)")
    #expect(try world.count("SELECT count(*) FROM users WHERE phone IS NOT NULL") == 0)
  }

  @Test func `a telephone number that somebody vouches for replaces the first one; one too long is refused`() throws {
    let world = try World(identity: .proof)
    let own = app(world)
    func vouch() throws {
      let reply = try world.client.call(
        "POST", "/v1/admin/users/kim/vouchers", bearer: world.apiKey, #"{"appId":"\#(World.appID)"}"#)
      #expect(reply.status == 201, "\(reply.text)")
    }
    func phone() throws -> String? {
      try world.client.call("GET", "/v1/admin/users/kim/export?appId=\(World.appID)", bearer: world.apiKey).string(
        "phone")
    }
    for number in ["01011112222", "01033334444"] {
      try vouch()
      own.common["PHONENUM"] = number
      #expect(try own.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
      #expect(try phone() == number)
    }
    // Nobody vouches for this one: the time in which the device may repeat its call is over.
    try world.script("UPDATE vouchers SET expires_at = now() - interval '1 second'")
    own.common["PHONENUM"] = "01055556666"
    #expect(try own.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    #expect(try phone() == "01033334444")
    own.common["PHONENUM"] = String(repeating: "1", count: 65)
    let refused = try own.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"])
    #expect(refused.code == "500" && refused.reason?.contains("PHONENUM") == true, "\(refused)")
  }

  @Test
  func `a new token keeps the user by the former registration's key; by anything less the device is a guest, counted`()
    throws
  {
    let world = try World()
    let phone = ["DEVICE_TYPE": "I", "APNS_MODE": "REAL"]
    func registrationState(_ app: SDKClient) throws -> String? {
      try app.call("rcv_get_service.ctl", phone).row["ISREGISTERED"] as? String
    }
    func counted() throws -> Int? {
      try world.client.call("GET", "/v1/admin/apps/\(World.appID)/identity", bearer: world.apiKey).int(
        "guestsByNewToken")
    }
    let own = app(world)
    #expect(try own.call("new_rcv_register_service_and_user.ctl", phone).isOK)
    own.common["PSID"] = World.token("b2")
    #expect(try own.call("rcv_register_service.ctl", phone).isOK)
    #expect(try registrationState(own) == "Y" && counted() == 0)
    // The former token and the DEVICE_ID, by a key that both can ask for; and no key of the former time at all.
    let asked = SDKClient(port: world.port, appID: World.appID, psid: World.token("b2"), deviceID: "D1", cuid: "kim")
    try asked.askKey()
    asked.common["PSID"] = World.token("c3")
    let restarted = SDKClient(
      port: world.port, appID: World.appID, psid: World.token("d4"), deviceID: "D1", cuid: "kim")
    for (index, app) in [asked, restarted].enumerated() {
      #expect(try app.call("rcv_register_service.ctl", phone).isOK)
      #expect(try registrationState(app) == "C" && counted() == index + 1)
      #expect(try registrationState(own) == "Y", "what was there stays")
    }
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("targeted") == 1)
    // The SDK names its user on C.
    #expect(try restarted.call("rcv_register_user.ctl", ["CNAME": "Kim"]).isOK)
    #expect(try registrationState(restarted) == "Y" && counted() == 2)
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("targeted") == 2)
  }

  @Test func `actionLocKey travels by Apple's name`() throws {
    let world = try World()
    try world.register("d1", token: Self.token, user: "kim")
    let reply = try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":{"body":"B","actionLocKey":"PLAY"}}"#)
    let seqno = try #require(reply.string("seqno"), "\(reply.text)")
    _ = try world.finished(seqno)
    let aps = try #require(try world.payloads(Self.token).last?["aps"] as? [String: Any])
    #expect((aps["alert"] as? [String: Any])?["action-loc-key"] as? String == "PLAY", "\(aps)")
  }
}
