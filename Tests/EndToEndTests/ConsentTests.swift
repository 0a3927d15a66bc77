import Foundation
import Reactor
import Server
import Simulator
import TestTier
import TestSupport
import Testing

/// Who may be sent what, and whose device it is, through every API.
@Suite(.slow, .serialized) struct ConsentTests {
  private static let one = World.token("a1")
  private static let two = World.token("b2")
  private static let three = World.token("c3")

  private func consent(_ world: World, _ reply: Reply, _ body: String) throws {
    let device = try #require(reply.string("device"))
    let answer = try world.client.call(
      "PUT", "/v1/devices/\(device)/consent", bearer: reply.string("authKey"), body)
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test func `advertising goes to those who agreed, and the sums hold`() throws {
    let world = try World()
    try consent(world, try world.register("d1", token: Self.one, user: "kim"), #"{"ad":true}"#)
    try consent(world, try world.register("d2", token: Self.two, user: "lee"), #"{"notification":false,"ad":true}"#)
    try world.register("d3", token: Self.three, user: "park")
    // At any hour, and as short as it is.
    let rules = try world.client.call(
      "PUT", "/v1/admin/apps/\(World.appID)/ad-rules", bearer: world.apiKey, #"{"label":"","night":null}"#)
    #expect(rules.status == 200 && rules["night"] is NSNull, "\(rules.text)")
    for (kind, accepted) in [("ad", 1), ("notice", 2), ("essential", 3)] {
      for audience in [#"{"all":true}"#, #"{"clientUids":["kim","lee","park"]}"#] {
        let funnel = try world.finished(try world.send(audience, #","kind":"\#(kind)","badge":{"increment":1}"#))
        #expect(funnel.int("accepted") == accepted && funnel.int("targeted") == 3, "\(kind): \(funnel.text)")
        #expect(funnel.int("skipped") == 3 - accepted)
        if accepted < 3 { #expect((funnel["reasons"] as? [String: Int]) == ["consent": 3 - accepted]) }
      }
    }
    // A message that was not sent has no badge: 2 + 2 + 2, 2 and 2 + 2.
    #expect(try world.badges(Self.one) == [1, 2, 3, 4, 5, 6])
    #expect(try world.badges(Self.two) == [1, 2])
    #expect(try world.badges(Self.three) == [1, 2, 3, 4])
  }

  @Test func `consents are shown with their times`() throws {
    let world = try World()
    let reply = try world.register("d1", token: Self.one, user: nil)
    let device = try #require(reply.string("device"))
    let path = "/v1/devices/\(device)/consent"
    #expect(try world.client.call("GET", path, bearer: reply.string("authKey"))["ad"] is NSNull)
    try consent(world, reply, #"{"ad":true,"nightAd":false}"#)
    let shown = try world.client.call("GET", path, bearer: reply.string("authKey"))
    #expect((shown["ad"] as? [String: Any])?["given"] as? Bool == true, "\(shown.text)")
    #expect((shown["nightAd"] as? [String: Any])?["at"] is String)
    for wrong in [#"{"ad":1}"#, #"{"sms":true}"#, "[]", ""] {
      #expect(try world.client.call("PUT", path, bearer: reply.string("authKey"), wrong).status == 400, "\(wrong)")
    }
    #expect(try world.client.call("PUT", path, bearer: world.clientKey, "{}").status == 401)
  }

  @Test func `policies of an app hold on every node within a second or so`() throws {
    let world = try World()
    let second = try world.startNode()
    defer { second.stop() }
    let other = try TestClient(port: second.address.port)
    let set = try world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"devicePolicy":"single"}"#)
    #expect(set.status == 200 && set.string("devicePolicy") == "single", "\(set.text)")
    try world.register("d1", token: Self.one, user: "kim")
    let body =
      #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(Self.two)","deviceId":"d2","#
      + #""clientUid":"kim","clientName":"Kim"}"#
    _ = try poll("the other node does not know the policy") {
      #expect(try other.call("POST", "/v1/devices", bearer: world.clientKey, body).status < 300)
      let seqno = try world.send(#"{"clientUids":["kim"]}"#)
      return try world.finished(seqno).int("targeted") == 1 ? true : nil
    }
    let before = try world.payloads(Self.one).count
    _ = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
    #expect(try world.payloads(Self.one).count == before)
    #expect(try world.finished(try world.send(#"{"members":false}"#)).int("accepted") == 1)
  }

  @Test func `a further token is set, replaced and ended`() throws {
    let world = try World()
    let reply = try world.register("d1", token: Self.one, user: nil)
    let path = "/v1/devices/\(try #require(reply.string("device")))/tokens"
    let key = reply.string("authKey")
    #expect(try world.client.call("PUT", path + "/voip", bearer: key, #"{"psid":"\#(Self.two)"}"#).status == 204)
    #expect(try world.client.call("PUT", path + "/voip", bearer: key, #"{"psid":"xyz"}"#).status == 400)
    #expect(try world.client.call("PUT", path + "/alert", bearer: key, #"{"psid":"\#(Self.two)"}"#).status == 404)
    #expect(try world.client.call("DELETE", path + "/voip", bearer: key).status == 204)
    #expect(try world.client.call("DELETE", path + "/voip", bearer: world.clientKey).status == 401)
  }
}
