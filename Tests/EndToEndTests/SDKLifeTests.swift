import Foundation
import TestTier
import Testing

/// The life of an app built with the existing SDK: only its host name has changed.
@Suite(.slow, .serialized) struct SDKLifeTests {
  private static let token = World.token("a1")

  private func app(_ world: World, _ device: String = "DEVICE-1", token: String = token) -> SDKClient {
    SDKClient(port: world.port, appID: World.appID, psid: token, deviceID: device)
  }

  private static let phone = [
    "DEVICE_TYPE": "I", "DEVICE_MD": "iPhone15,2", "OS_VER": "17.4", "APP_VER": "3.2.1", "APNS_MODE": "REAL",
  ]

  @Test(arguments: SDKClient.Encoding.allCases)
  func `key, service, user, group, message, receipt, read, badge, goodbye`(encoding: SDKClient.Encoding) throws {
    let world = try World()
    let app = app(world)
    app.encoding = encoding

    // Not registered yet.
    #expect(try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String == "N")
    #expect(app.keysAsked == 1)
    let first = app.authKey
    let service = try app.call("rcv_register_service.ctl", Self.phone)
    #expect(service.isOK && service.service == "rcv_register_service.ctl", "\(service)")
    #expect(service.rows.count == 1 && service.row["APPID"] as? String == World.appID)
    #expect(service.row["AUTHKEY"] as? String != first)
    #expect(try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String == "Y")

    // A user.
    app.common["CUID"] = "김 01+a&b=c%"
    #expect(try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String == "C")
    #expect(try app.call("rcv_register_user.ctl", ["CNAME": "김철수"]).isOK)
    #expect(try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String == "Y")
    #expect(
      try world.count("SELECT count(*) FROM devices WHERE user_key = 'u김 01+a&b=c%' AND model = 'iPhone15,2'") == 1)

    // A group, and a message to it.
    let made = try world.client.call(
      "POST", "/v1/admin/groups", bearer: world.apiKey, #"{"appId":"\#(World.appID)","name":"news"}"#)
    let group = try #require(made.string("groupSeq"))
    #expect(try app.call("rcv_register_usergroup_user.ctl", ["GROUPSEQ": group]).isOK)
    #expect(try app.call("rcv_register_usergroup_user.ctl", ["GROUPSEQ": group]).isOK)
    let seqno = try world.send(#"{"groups":["\#(group)"]}"#, #","badge":{"increment":1},"sender":"UMSUI""#)
    #expect(try world.finished(seqno).int("accepted") == 1)
    let mps = try #require(try world.payloads(Self.token).first?["mps"] as? [String: String])
    #expect(mps["seqno"] == seqno && mps["appid"] == World.appID)

    // Received, by the extension and by the app; read.
    let received = [
      "SEQNO": seqno, "SENDDATE": mps["senddate"] ?? "", "SENDERCODE": "UMSUI", "STATUS_KIND": "2", "DB_IN": "Y",
    ]
    #expect(try app.call("rcv_register_sent_ack.ctl", received).isOK)
    #expect(try app.call("rcv_register_sent_ack.ctl", received).isOK)
    var read = received.merging(["STATUS_KIND": "3", "BADGENO": "-1"]) { $1 }
    read["pushkey"] = mps["pushkey"]
    let answer = try app.call("rcv_register_send_result.ctl", read)
    #expect(answer.isOK && answer.row["BADGENO"] as? String == "0", "\(answer)")
    #expect(try app.call("rcv_register_send_result.ctl", read).isOK)
    let funnel = try world.funnel(seqno)
    #expect(funnel.int("received") == 1 && funnel.int("read") == 1, "\(funnel.text)")

    // The badge, and the way out.
    #expect(try app.call("rcv_init_badgeNo.ctl", ["BADGENO": "7"]).row["BADGENO"] as? String == "7")
    #expect(try app.call("rcv_appAlive.ctl").isOK)
    #expect(try app.call("rcv_delete_usergroup_user.ctl", ["GROUPSEQ": group]).isOK)
    #expect(try app.call("rcv_delete_user.ctl").isOK)
    #expect(try app.call("rcv_delete_user.ctl").isOK)
    app.common["CUID"] = "GUEST"
    #expect(try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String == "Y")
    #expect(try world.finished(try world.send(#"{"all":true}"#)).int("accepted") == 1)
    #expect(try app.call("rcv_delete_service.ctl").isOK)
    #expect(try app.call("rcv_delete_service.ctl").isOK)
    #expect(try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String == "N")
    #expect(try world.finished(try world.send(#"{"all":true}"#)).int("targeted") == 0)
    #expect(app.keysAsked == 1, "a key outlives what it was used for")
  }

  @Test func `service and user in one call, by either name, any path in front, Android too`() throws {
    let world = try World()
    for (index, context) in ["", "/upmc", "/a/b/c"].enumerated() {
      let app = app(world, "D\(index)", token: World.token("0\(index)"))
      app.context = context
      app.common["CUID"] = "TMP0kim\(index)"
      let controller = index == 1 ? "rcv_register_service_and_user.ctl" : "new_rcv_register_service_and_user.ctl"
      let answer = try app.call(controller, Self.phone.merging(["CNAME": "Kim", "CBSID": "x"]) { $1 })
      #expect(answer.isOK, "\(answer)")
      #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim\(index)' AND network = 1") == 1)
    }
    let android = SDKClient(
      port: world.port, appID: World.appID, psid: "fcm:token_1-2", deviceID: "A1", cuid: "lee",
      pnsID: "GCM")
    let answer = try android.call(
      "new_rcv_register_service_and_user.ctl", ["DEVICE_TYPE": "A", "APNS_MODE": "UNKNOWN", "CNAME": "Lee"])
    #expect(answer.isOK, "\(answer)")
    #expect(
      try world.count("SELECT count(*) FROM devices WHERE network = 2 AND platform = 'android' AND environment = 1")
        == 1)
    for other in ["UPNS", "UPNC", "WPNS", "XYZ"] {
      let refused = try android.post("rcv_register_service.ctl", ["PNSID": other, "AUTHKEY": android.authKey ?? ""])
      #expect(refused.code == "500" && refused.reason?.contains("PNSID") == true, "\(refused)")
    }
  }

  @Test func `a development build registers for the sandbox`() throws {
    let world = try World()
    let app = app(world)
    #expect(try app.call("rcv_register_service.ctl", ["APNS_MODE": "DEV"]).isOK)
    #expect(try world.count("SELECT count(*) FROM devices WHERE environment = 2") == 1)
  }

  @Test func `without a key as with a wrong one 40100, and asking again helps`() throws {
    let world = try World()
    let app = app(world)
    #expect(try app.post("rcv_register_service.ctl", Self.phone).code == "40100")
    for wrong in ["x", "1.2.3.4.5.6", String(repeating: "9", count: 10_000)] {
      #expect(try app.post("rcv_register_service.ctl", ["AUTHKEY": wrong]).code == "40100")
    }
    app.authKey = "forged"
    #expect(try app.call("rcv_register_service.ctl", Self.phone).isOK)
    #expect(app.keysAsked == 1)
    // Another device's key opens nothing of this one.
    let other = self.app(world, "DEVICE-2", token: World.token("b2"))
    #expect(try other.call("rcv_register_service.ctl", Self.phone).isOK)
    let stolen = try app.post("rcv_delete_service.ctl", ["AUTHKEY": other.authKey ?? ""])
    #expect(stolen.code == "40100", "\(stolen)")
    #expect(try app.post("rcv_init_badgeNo.ctl", ["BADGENO": "5", "AUTHKEY": other.authKey ?? ""]).code == "40100")
    #expect(try world.count("SELECT count(*) FROM devices WHERE state = 1") == 2)
    // The SDK's API refuses keys of the REST API.
    let device = try world.register("d9", token: World.token("c3"), user: nil)
    let foreign = try app.post("rcv_get_service.ctl", ["AUTHKEY": device.string("authKey") ?? ""])
    #expect(foreign.code == "40100", "\(foreign)")
  }

  @Test func `a key older than half an hour is 40100, on which the SDK asks again`() throws {
    let world = try World()
    let app = app(world)
    let expired = try world.expiredSDKKey(psid: Self.token)
    let refused = try app.post("rcv_register_service.ctl", Self.phone.merging(["AUTHKEY": expired]) { $1 })
    #expect(refused.code == "40100" && refused.status == 200, "\(refused)")
    #expect(try world.count("SELECT count(*) FROM devices") == 0)
    app.authKey = expired
    #expect(try app.call("rcv_register_service.ctl", Self.phone).isOK)
    #expect(app.keysAsked == 1)
    // The same of every other call of a device.
    for controller in ["rcv_get_service.ctl", "rcv_delete_service.ctl", "rcv_init_badgeNo.ctl", "rcv_appAlive.ctl"] {
      #expect(try app.post(controller, ["AUTHKEY": expired, "BADGENO": "3"]).code == "40100", "\(controller)")
    }
    // One that was changed is no key at all, old or not.
    #expect(try app.post("rcv_get_service.ctl", ["AUTHKEY": String(expired.dropLast()) + "x"]).code == "40100")
  }

  @Test func `registering by the old protocol leaves what it has no words for`() throws {
    let world = try World()
    let reply = try world.client.call(
      "POST", "/v1/devices", bearer: world.clientKey,
      #"""
      {"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(Self.token)",
       "deviceId":"DEVICE-1","clientUid":"kim","locale":"ko-KR","timeZone":"Asia/Seoul",
       "consent":{"notification":true,"ad":true,"nightAd":false}}
      """#)
    #expect(reply.status == 201, "\(reply.text)")
    let app = app(world)
    app.common["CUID"] = "kim"
    #expect(try app.call("rcv_register_service.ctl", Self.phone).isOK)
    #expect(try app.call("new_rcv_register_service_and_user.ctl", Self.phone).isOK)
    #expect(
      try world.count(
        """
        SELECT count(*) FROM devices WHERE locale = 'ko-KR' AND time_zone = 'Asia/Seoul' AND consent_notification
          AND consent_ad AND NOT consent_night_ad AND os_version = '17.4' AND platform = 'ios'
        """) == 1)
  }

  @Test func `a registration by the old protocol gives and withdraws consents, and says when one is unclear`() throws {
    let world = try World()
    let app = app(world)
    func holds(_ condition: String) throws -> Bool {
      try world.count("SELECT count(*) FROM devices WHERE \(condition)") == 1
    }
    let given = Self.phone.merging(["NOTIFICATION_YN": "Y", "AD_YN": "Y"]) { $1 }
    #expect(try app.call("rcv_register_service.ctl", given).isOK)
    #expect(try holds("consent_notification AND consent_ad AND consent_night_ad IS NULL"))
    app.common["CUID"] = "kim"
    let withdrawn = Self.phone.merging(["AD_YN": "N", "NIGHT_AD_YN": "n"]) { $1 }
    #expect(try app.call("new_rcv_register_service_and_user.ctl", withdrawn).isOK)
    let withdrawal = "consent_notification AND NOT consent_ad AND NOT consent_night_ad"
    #expect(try holds(withdrawal))
    #expect(try app.call("new_rcv_register_service_and_user.ctl", Self.phone).isOK)
    let unclear = Self.phone.merging(["AD_YN": "maybe", "NIGHT_AD_YN": "Y"]) { $1 }
    let refused = try app.call("rcv_register_service.ctl", unclear)
    #expect(!refused.isOK && refused.text.contains("AD_YN"), "\(refused)")
    #expect(try holds(withdrawal))
  }

  @Test func `a key that was asked for before the registration still opens the device after it`() throws {
    let world = try World()
    let app = app(world)
    try app.askKey()
    let early = app.authKey ?? ""
    #expect(try app.call("rcv_register_service.ctl", Self.phone).isOK)
    #expect(try app.post("rcv_init_badgeNo.ctl", ["BADGENO": "3", "AUTHKEY": early]).isOK)
    // Also for a client that sends no DEVICE_ID.
    app.common["DEVICE_ID"] = ""
    #expect(try app.post("rcv_init_badgeNo.ctl", ["BADGENO": "4", "AUTHKEY": early]).isOK)
    try app.askKey()
    #expect(try app.call("rcv_init_badgeNo.ctl", ["BADGENO": "5"]).row["BADGENO"] as? String == "5")
  }

  @Test func `a call about a user the device does not belong to is 40300`() throws {
    let world = try World()
    let app = app(world)
    app.common["CUID"] = "kim"
    #expect(try app.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    for controller in ["rcv_init_badgeNo.ctl", "rcv_delete_user.ctl", "rcv_register_usergroup_user.ctl"] {
      let answer = try app.call(controller, ["CUID": "lee", "BADGENO": "5", "GROUPSEQ": "1"])
      #expect(answer.code == "40300", "\(answer)")
    }
    for own in ["kim", "GUEST", "TMP0lee", ""] {
      #expect(try app.call("rcv_init_badgeNo.ctl", ["CUID": own, "BADGENO": "5"]).isOK, "\(own)")
    }
    #expect(try world.count("SELECT count(*) FROM users WHERE user_key = 'ukim' AND badge = 5") == 1)
  }

  @Test func `BADGENO of a read keeps, resets or sets, and nothing else`() throws {
    let world = try World()
    let app = app(world)
    app.common["CUID"] = "kim"
    #expect(try app.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    var seqnos: [String] = []
    for _ in 0..<4 {
      let seqno = try world.send(#"{"clientUids":["kim"]}"#, #","badge":{"increment":1}"#)
      _ = try world.finished(seqno)
      seqnos.append(seqno)
    }
    for (seqno, badge, expected) in [(0, "-1", "3"), (1, "", "2"), (2, "9", "9"), (3, "0", "0"), (3, "0", "0")] {
      let answer = try app.call("rcv_register_send_result.ctl", ["SEQNO": seqnos[seqno], "BADGENO": badge])
      #expect(answer.row["BADGENO"] as? String == expected, "\(badge): \(answer)")
    }
    for wrong in ["1001", "-2", "1.5", "x", "99999999999999999999"] {
      let answer = try app.call("rcv_register_send_result.ctl", ["SEQNO": seqnos[0], "BADGENO": wrong])
      #expect(answer.code == "500" && answer.reason?.contains("BADGENO") == true, "\(answer)")
    }
  }

  @Test func `a receipt needs the pushkey or the key of its device, and counts for no other`() throws {
    let world = try World()
    let app = app(world)
    let other = self.app(world, "DEVICE-2", token: World.token("b2"))
    for client in [app, other] { #expect(try client.call("rcv_register_service.ctl", Self.phone).isOK) }
    let seqno = try world.send(#"{"all":true}"#)
    _ = try world.finished(seqno)
    // The extension has the payload, and no key.
    let pushkey = try world.pushkey(seqno, Self.token)
    #expect(try app.post("rcv_register_sent_ack.ctl", ["SEQNO": seqno]).code == "40100")
    let forged = ["SEQNO": seqno, "pushkey": String(pushkey.reversed())]
    #expect(try app.post("rcv_register_sent_ack.ctl", forged).code == "40100")
    #expect(try world.funnel(seqno).int("received") == 0)
    // Another device's key does not speak for this PSID.
    let stolen = try app.post("rcv_register_sent_ack.ctl", ["SEQNO": seqno, "AUTHKEY": other.authKey ?? ""])
    #expect(stolen.code == "500" || stolen.code == "40100", "\(stolen)")
    #expect(try world.funnel(seqno).int("received") == 0)
    let bare = ["SEQNO": seqno, "PSID": Self.token, "pushkey": pushkey]
    #expect(try app.send("rcv_register_sent_ack.ctl", bare).isOK)
    #expect(try world.funnel(seqno).int("received") == 1)
    #expect(try app.call("rcv_register_sent_ack.ctl", ["SEQNO": "999999"]).code == "500")
  }

  @Test func `with authorization switched off no key is needed, and one is still given`() throws {
    let world = try World.with("UPMC_CTL_AUTHORIZATION", "off")
    let app = app(world)
    app.common["CUID"] = "kim"
    #expect(try app.askKey().row["AUTHKEY"] is String)
    #expect(try app.post("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    #expect(try app.post("rcv_init_badgeNo.ctl", ["BADGENO": "7"]).row["BADGENO"] as? String == "7")
    let seqno = try world.send(#"{"clientUids":["kim"]}"#)
    _ = try world.finished(seqno)
    #expect(try app.post("rcv_register_sent_ack.ctl", ["SEQNO": seqno]).isOK)
    #expect(try app.post("rcv_delete_service.ctl").isOK)
    #expect(try app.post("rcv_init_badgeNo.ctl", ["BADGENO": "7"]).code == "400")
  }

  @Test func `a new push token keeps the user of the device that proves itself`() throws {
    let world = try World()
    let app = app(world)
    app.common["CUID"] = "kim"
    #expect(try app.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim"]).isOK)
    app.common["PSID"] = World.token("f6")
    #expect(try app.call("rcv_register_service.ctl", Self.phone).isOK)
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim' AND state = 1") == 1)
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
    #expect(try world.payloads(World.token("f6")).count == 1)
    // Somebody else, who knows no more than the DEVICE_ID, gets a device of its own.
    let thief = self.app(world, token: World.token("e5"))
    #expect(try thief.call("rcv_register_service.ctl", Self.phone).isOK)
    #expect(
      try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim' AND psid = '\(World.token("f6"))'") == 1)
    #expect(try app.call("rcv_init_badgeNo.ctl", ["BADGENO": "7"]).isOK)
    #expect(try thief.call("rcv_init_badgeNo.ctl", ["BADGENO": "9"]).isOK)
    #expect(try world.count("SELECT badge FROM users WHERE user_key = 'ukim'") == 7)
  }

  @Test func `only the configured paths are answered when there are some`() throws {
    let world = try World.with("UPMC_CTL_CONTEXT", "/upmc,/push/")
    let app = app(world)
    #expect(try app.askKey().isOK)
    app.context = "/push"
    #expect(try app.askKey().isOK)
    for context in ["", "/other", "/upmc/more"] {
      app.context = context
      #expect(try app.askKey().status == 404, "\(context)")
    }
  }
}
