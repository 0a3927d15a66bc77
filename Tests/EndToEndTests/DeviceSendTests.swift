import Foundation
import TestTier
import TestSupport
import Testing

/// Devices that send to each other: only where the app allows it, to one user, so many a minute, under their own name.
@Suite(.slow, .serialized) struct DeviceSendTests {
  private static let one = World.token("a1")
  private static let two = World.token("b2")

  private struct Pair {
    let world: World
    let device: String
    let authKey: String

    func send(_ body: String, key: String? = nil) throws -> Reply {
      try world.client.call(
        "POST", "/v1/devices/\(device)/messages", bearer: authKey, idempotencyKey: key, body)
    }

    func allow(_ perMinute: Int) throws {
      let reply = try world.client.call(
        "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"deviceSends":\#(perMinute)}"#)
      #expect(reply.status == 200 && reply.int("deviceSends") == perMinute, "\(reply.text)")
    }

    /// Sends until the node has noticed that it may: settings spread within a moment.
    func sendOnceAllowed(_ body: String) throws -> Reply {
      try poll("sends were not allowed") {
        let reply = try send(body)
        return reply.status == 403 ? nil : reply
      }
    }
  }

  private func pair() throws -> Pair {
    let world = try World()
    let registered = try world.register("d1", token: Self.one, user: "kim")
    try world.register("d2", token: Self.two, user: "lee")
    return Pair(
      world: world, device: try #require(registered.string("device")),
      authKey: try #require(registered.string("authKey")))
  }

  private static let hello = #"{"audience":{"clientUids":["lee"]},"alert":"hello","badge":{"increment":1}}"#

  @Test func `off by default, then a message arrives and bears its sender`() throws {
    let pair = try pair()
    let refused = try pair.send(Self.hello)
    #expect(refused.status == 403 && refused.string("detail")?.contains("upmc app set") == true, "\(refused.text)")
    try pair.allow(5)
    let sent = try pair.sendOnceAllowed(Self.hello)
    #expect(sent.status == 202 && sent.int("targeted") == 1, "\(sent.text)")
    let seqno = try #require(sent.string("seqno"))
    let funnel = try pair.world.finished(seqno)
    #expect(funnel.int("accepted") == 1)
    let from = try #require(funnel["from"] as? [String: String])
    #expect(from == ["device": pair.device, "clientUid": "kim"])
    let payload = try #require(try pair.world.payloads(Self.two).first)
    #expect((payload["mps"] as? [String: Any])?["sender"] as? String == "device-ios")
    #expect(payload["from"] == nil && (payload["aps"] as? [String: Any])?["badge"] as? Int == 1)
  }

  @Test func `whether devices may send is asked before the body is looked at`() throws {
    let pair = try pair()
    for body in ["", "{", "[]", #"{"nobody":1}"#, String(repeating: "{\"a\":", count: 40), Self.hello] {
      let refused = try pair.send(body)
      #expect(refused.status == 403 && refused.string("type") == "upmc:forbidden", "\(body): \(refused.text)")
    }
    let stranger = try pair.world.client.call(
      "POST", "/v1/devices/\(pair.device)/messages", bearer: "t/Sh0FLJ6DuaYAwdLj9KWwAAAAA.m2Jp0Yc3o1gqXo4dS9tqHw", "{")
    #expect(stranger.status == 401, "\(stranger.text)")
    try pair.allow(5)
    #expect(try pair.sendOnceAllowed("{").status == 400)
  }

  @Test func `no more than its minute allows, then 429 says how long to wait`() throws {
    let pair = try pair()
    try pair.allow(2)
    #expect(try pair.sendOnceAllowed(Self.hello).status == 202)
    #expect(try pair.send(Self.hello).status == 202)
    let third = try pair.send(Self.hello)
    #expect(third.status == 429 && third.string("type") == "upmc:too-many-requests", "\(third.text)")
    // A minute later it may again.
    try pair.world.script("UPDATE device_send_meters SET window_began = window_began - interval '61 s'")
    #expect(try pair.send(Self.hello).status == 202)
    // What is wrong costs nothing.
    for _ in 0..<5 { #expect(try pair.send(#"{"audience":{"all":true},"alert":"x"}"#).status == 400) }
    #expect(try pair.send(Self.hello).status == 202)
    #expect(try pair.world.count("SELECT count(*) FROM messages") == 4)
  }

  @Test func `the same idempotency key makes one message, and keys of two devices do not meet`() throws {
    let pair = try pair()
    try pair.allow(100)
    _ = try pair.sendOnceAllowed(Self.hello)
    let first = try pair.send(Self.hello, key: "k")
    #expect(first.status == 202)
    #expect(try pair.send(Self.hello, key: "k").string("seqno") == first.string("seqno"))
    #expect(try pair.send(Self.hello.replacing("hello", with: "other"), key: "k").status == 409)
    let back = try pair.world.send(#"{"clientUids":["lee"]}"#, idempotencyKey: "k")
    #expect(back != first.string("seqno"))
  }

  @Test func `what a device may not decide is refused`() throws {
    let pair = try pair()
    try pair.allow(100)
    _ = try pair.sendOnceAllowed(Self.hello)
    let before = try pair.world.count("SELECT count(*) FROM messages")
    for wrong in [
      #"{"audience":{"all":true},"alert":"x"}"#, #"{"audience":{"clientUids":["lee","kim"]},"alert":"x"}"#,
      #"{"audience":{"members":true},"alert":"x"}"#, #"{"alert":"x"}"#,
      #"{"audience":{"clientUids":["lee"]},"alert":"x","lane":"urgent"}"#,
      #"{"audience":{"clientUids":["lee"]},"alert":"x","sendAt":"2099-01-01T00:00:00Z"}"#,
      #"{"audience":{"clientUids":["lee"]},"alert":"x","sms":true}"#,
      #"{"audience":{"clientUids":["lee"]},"alert":"x","sender":"admin"}"#,
      #"{"audience":{"clientUids":["lee"]},"alert":"x","appId":"com.other"}"#,
      #"{"audience":{"clientUids":["lee"]},"alert":"x","dryRun":true}"#,
      #"{"audience":{"clientUids":["lee"]},"alert":"x","from":{"device":"\#(pair.device)","clientUid":"boss"}}"#,
      #"{"audience":{"clientUids":["lee"]},"alert":"x","audience":{"clientUids":["lee"]},"pace":{"perSecond":1}}"#,
      "[]", "", "{",
    ] {
      #expect(try pair.send(wrong).status == 400, "\(wrong)")
    }
    // Nor may the back office send in a device's name.
    let forged = try pair.world.client.call(
      "POST", "/v1/admin/messages", bearer: pair.world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["lee"]},"alert":"x","from":{"device":"\#(pair.device)","clientUid":"kim"}}"#
    )
    #expect(forged.status == 400, "\(forged.text)")
    #expect(try pair.world.count("SELECT count(*) FROM messages") == before)
  }

  @Test func `what does not fit is refused with its bytes, for nothing; long names are no reason`() throws {
    let pair = try pair()
    try pair.allow(3)
    _ = try pair.sendOnceAllowed(Self.hello)
    func body(_ text: String, _ more: String = "") -> String {
      #"{"audience":{"clientUids":["lee"]},"alert":"\#(text)"\#(more)}"#
    }
    let ext = #","ext":"\#(String(repeating: "x", count: 5000))""#
    for large in [
      body("hi", ext), body(String(repeating: "가", count: 1500)), body("hi", ext + #","mutableContent":true"#),
    ] {
      let refused = try pair.send(large)
      #expect(refused.status == 422 && refused.string("type") == "upmc:payload-too-large", "\(refused.text)")
      #expect(refused.string("detail")?.contains("the network takes 4096") == true, "\(refused.text)")
    }
    #expect(try pair.world.count("SELECT sum(sent) FROM device_send_meters") == 1)
    // Somebody might have a name that is too long three times; this one has not.
    let named = try pair.send(body(String(repeating: "x", count: 300) + "%CNAME%%CNAME%%CNAME%"))
    #expect(named.status == 202 && named.int("targeted") == 1, "\(named.text)")
    let funnel = try pair.world.finished(try #require(named.string("seqno")))
    #expect(funnel.int("accepted") == 1, "\(funnel.text)")
    // Too large with the name alone: found when it is stored, and nothing is.
    let tight = String(repeating: "x", count: 3700) + String(repeating: "%CNAME%", count: 40)
    let refused = try pair.send(body(tight))
    #expect(refused.status == 422 && refused.string("detail")?.contains("for lee") == true, "\(refused.text)")
    #expect(try pair.world.count("SELECT count(*) FROM messages") == 2)
  }

  @Test func `while the app is paused it is a conflict, and nothing is stored or counted`() throws {
    let pair = try pair()
    try pair.allow(100)
    _ = try pair.sendOnceAllowed(Self.hello)
    try pair.world.script("UPDATE apps SET paused_reason = 'a test'")
    let refused = try poll("the pause was not noticed") {
      let reply = try pair.send(Self.hello)
      return reply.status == 202 ? nil : reply
    }
    #expect(refused.status == 409 && refused.string("type") == "upmc:conflict", "\(refused.text)")
    let (messages, sent) = ("SELECT count(*) FROM messages", "SELECT sum(sent) FROM device_send_meters")
    let before = try [messages, sent].map { try pair.world.count($0) }
    #expect(try pair.send(Self.hello).status == 409)
    #expect(try [messages, sent].map { try pair.world.count($0) } == before)
  }

  @Test func `a guest, a stranger and an ended device may not send`() throws {
    let pair = try pair()
    try pair.allow(100)
    _ = try pair.sendOnceAllowed(Self.hello)
    let guest = try pair.world.register("d3", token: World.token("c3"), user: nil)
    let path = "/v1/devices/\(try #require(guest.string("device")))/messages"
    #expect(try pair.world.client.call("POST", path, bearer: guest.string("authKey"), Self.hello).status == 403)
    #expect(try pair.world.client.call("POST", path, bearer: pair.authKey, Self.hello).status == 403)
    #expect(try pair.world.client.call("POST", path, bearer: "x", Self.hello).status == 401)
    #expect(try pair.world.client.call("POST", path, Self.hello).status == 401)
    _ = try pair.world.client.call("DELETE", "/v1/devices/\(pair.device)", bearer: pair.authKey)
    #expect(try pair.send(Self.hello).status == 404)
  }

  @Test func `an app built with the existing SDK sends too, under the same rules`() throws {
    let world = try World()
    let app = SDKClient(
      port: world.port, appID: World.appID, psid: Self.one, deviceID: "D1", cuid: "kim")
    #expect(try app.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim", "DEVICE_TYPE": "A"]).isOK)
    try world.register("d2", token: Self.two, user: "lee")
    let message = ["TYPE": "E", "CUID": "lee", "MESSAGE": "안녕", "SENDERCODE": "device-android"]
    #expect(try app.call("rcv_register_message.ctl", message).code == "50300")
    _ = try world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"deviceSends":2}"#)
    let sent = try poll("sends were not allowed") {
      let answer = try app.call("rcv_register_message.ctl", message)
      return answer.code == "50300" ? nil : answer
    }
    #expect(sent.isOK && sent.row["REG_SUCCESS_CNT"] as? Int == 1, "\(sent)")
    let seqno = try #require(sent.row["SENDMSG_SEQNO"] as? String)
    #expect((try world.finished(seqno)["from"] as? [String: String])?["clientUid"] == "kim")
    let payload = try #require(try world.payloads(Self.two).first)
    #expect((payload["mps"] as? [String: Any])?["sender"] as? String == "device-android")
    // Restart the minute, which the steps before may have used up.
    try world.script("UPDATE device_send_meters SET window_began = now()")
    // One user at a time, at once, and with a key.
    for wrong in [["TYPE": "A"], ["CUID": #"["lee","kim"]"#], ["RESERVEDATE": "20990101 000000"]] {
      let answer = try app.call("rcv_register_message.ctl", message.merging(wrong) { $1 })
      #expect(answer.code == "500", "\(answer)")
    }
    let large = message.merging(["EXT": String(repeating: "x", count: 5000)]) { $1 }
    for _ in 0..<3 {
      let answer = try app.call("rcv_register_message.ctl", large)
      #expect(answer.status == 200 && answer.code == "500", "\(answer)")
      #expect(answer.reason?.contains("the network takes 4096") == true, "\(answer)")
    }
    #expect(try app.post("rcv_register_message.ctl", message).code == "40100")
    #expect(try app.call("rcv_register_message.ctl", message).isOK)
    let tooMany = try app.call("rcv_register_message.ctl", message)
    #expect(tooMany.code == "42900" && tooMany.head.lowercased().contains("retry-after"), "\(tooMany)")
  }
}
