import Foundation
import Simulator
import TestTier
import TestSupport
import Testing
import Time

/// The main job, end to end: register → send → APNs → receipt → read → badge.
@Suite(.slow, .serialized) struct CircleTests {
  private static let one = World.token("a1")
  private static let two = World.token("b2")

  @Test func `a push travels the full circle`() throws {
    let world = try World()
    #expect(try world.register("d1", token: Self.one, user: "kim").status == 201)
    #expect(try world.register("d1", token: Self.one, user: "kim").status == 200)
    let seqno = try world.send(
      #"{"clientUids":["kim","nobody"]}"#,
      #","sound":"alert.aif","ext":"6|more|https://www.example.com","data":{"accountId":"7"},"mutableContent":true"#)
    let funnel = try world.finished(seqno)
    #expect(funnel.int("targeted") == 1 && funnel.int("accepted") == 1 && funnel.int("pending") == 0)

    let payload = try #require(try world.payloads(Self.one).first)
    let mps = try #require(payload["mps"] as? [String: Any])
    #expect(payload["accountId"] as? String == "7")
    #expect(mps["seqno"] as? String == seqno)
    #expect(mps["ext"] as? String == "6|more|https://www.example.com")
    #expect((payload["aps"] as? [String: Any])?["badge"] == nil)

    #expect(try world.receipt(seqno, Self.one).result["status"] as? String == "recorded")
    #expect(try world.receipt(seqno, Self.one).result["status"] as? String == "recorded")
    #expect(try world.read(seqno, Self.one).result["status"] as? String == "recorded")
    let after = try world.funnel(seqno)
    #expect(after.int("received") == 1 && after.int("read") == 1)
  }

  @Test func `increments of three sends to a user with two devices count 1, 2, 3 on both`() throws {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    let device = try #require(try world.register("d2", token: Self.two, user: "kim").string("device"))
    let authKey = try #require(try world.register("d2", token: Self.two, user: "kim").string("authKey"))
    var seqnos: [String] = []
    for _ in 0..<3 {
      let seqno = try world.send(#"{"clientUids":["kim"]}"#, #","badge":{"increment":1}"#)
      _ = try world.finished(seqno)
      seqnos.append(seqno)
    }
    #expect(try world.badges(Self.one) == [1, 2, 3])
    #expect(try world.badges(Self.two) == [1, 2, 3])

    // One read less, however often and from whichever device it is repeated.
    #expect(try world.read(seqnos[0], Self.one).result["badge"] as? Int == 2)
    #expect(try world.read(seqnos[0], Self.one).result["badge"] as? Int == 2)
    #expect(try world.read(seqnos[0], Self.two).result["badge"] as? Int == 2)
    #expect(try world.read(seqnos[1], Self.one, #","badgeOption":"update","badge":10"#).result["badge"] as? Int == 10)
    #expect(try world.read(seqnos[2], Self.one, #","badgeOption":"reset""#).result["badge"] as? Int == 0)
    #expect(
      try world.read(seqnos[2], Self.one, #","badgeOption":"force","badge":1000"#).result["badge"] as? Int == 1000)

    for wrong in ["0", "1001", "-1", "2.5", "\"x\"", "null"] {
      let reply = try world.read(seqnos[1], Self.two, #","badgeOption":"force","badge":\#(wrong)"#)
      #expect(reply.status == 400 && reply.string("type") == "upmc:badge-out-of-range", "\(wrong): \(reply.text)")
      let direct = try world.client.call(
        "PUT", "/v1/devices/\(device)/badge", bearer: authKey, #"{"badge":\#(wrong)}"#)
      #expect(direct.status == 400, "\(wrong): \(direct.text)")
    }
    #expect(
      try world.client.call("GET", "/v1/devices/\(device)/badge", bearer: authKey).int("badge") == 1000)
  }

  @Test func `a token that another user has registered gets only the new user's messages, also those queued before`()
    throws
  {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    // Held back before Apple: the message is queued while the token changes hands.
    var fault = Fault(.answer)
    fault.reason = "ServiceUnavailable"
    try world.simulator.add(fault)
    let old = try world.send(#"{"clientUids":["kim"]}"#)
    _ = try poll("the message was not tried") { world.simulator.counters().requests > 0 ? true : nil }
    try world.register("d2", token: Self.one, user: "lee")
    let new = try world.send(#"{"clientUids":["lee"]}"#)
    // Before Apple takes anything: a try of it that was read before the change may be on its way.
    let ended = try world.finished(old)
    #expect(ended.int("skipped") == 1, "\(ended.text)")
    world.simulator.removeFaults()
    #expect(try world.finished(new).int("accepted") == 1)
    let seqnos = try world.payloads(Self.one).compactMap { ($0["mps"] as? [String: Any])?["seqno"] as? String }
    #expect(seqnos == [new])
  }

  @Test func `the same idempotency key makes one message`() throws {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    let first = try world.send(#"{"clientUids":["kim"]}"#, idempotencyKey: "order-1")
    let again = try world.send(#"{"clientUids":["kim"]}"#, idempotencyKey: "order-1")
    #expect(first == again)
    _ = try world.finished(first)
    #expect(try world.payloads(Self.one).count == 1)
  }

  @Test func `an audience of nobody is completed at once`() throws {
    let world = try World()
    let funnel = try world.finished(try world.send(#"{"clientUids":["nobody"]}"#))
    #expect(funnel.int("targeted") == 0 && funnel.string("state") == "completed")
  }

  @Test func `a token that Apple calls unregistered gets nothing more until it registers again`() throws {
    let world = try World()
    try world.register("d1", token: Self.one, user: "kim")
    world.simulator.register(
      token: Self.one, state: .unregistered(since: Int64(Date().timeIntervalSince1970 * 1000) + 60_000))
    let funnel = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
    #expect(funnel.int("rejected") == 1)
    #expect((funnel["reasons"] as? [String: Int]) == ["Unregistered": 1])
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("targeted") == 0)
  }

  @Test func `everyone, members, guests and groups each get theirs`() throws {
    let world = try World()
    let member = try world.register("d1", token: Self.one, user: "kim")
    try world.register("d2", token: Self.two, user: nil)
    let parent = try world.client.call(
      "POST", "/v1/admin/groups", bearer: world.apiKey, #"{"appId":"\#(World.appID)","name":"all"}"#)
    let top = try #require(parent.string("groupSeq"))
    let child = try world.client.call(
      "POST", "/v1/admin/groups", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","name":"part","parent":"\#(top)"}"#)
    let group = try #require(child.string("groupSeq"))
    let device = try #require(member.string("device"))
    let joined = try world.client.call(
      "PUT", "/v1/devices/\(device)/groups/\(group)", bearer: member.string("authKey"), "")
    #expect(joined.status == 204, "\(joined.text)")
    for (audience, expected) in [
      (#"{"all":true}"#, 2), (#"{"members":true}"#, 1), (#"{"members":false}"#, 1), (#"{"groups":["\#(top)"]}"#, 1),
      (#"{"devices":["\#(device)"]}"#, 1), (#"{"psids":["\#(Self.two)"]}"#, 1),
    ] {
      let funnel = try world.finished(try world.send(audience))
      #expect(funnel.int("accepted") == expected, "\(audience): \(funnel.text)")
      #expect(funnel.int("targeted") == expected, "\(audience): \(funnel.text)")
    }
  }
}
