import Domain
import Foundation
import Postgres
import Reactor
import Server
import TestSupport
import TestTier
import Testing

/// The answer of a COMMIT is lost: what was committed is known by whoever committed it.
@Suite(.slow, .serialized) struct LostAnswerTests {
  @Test(arguments: ["", #","onUnknown":"skip""#, #","badge":{"increment":2}"#])
  func `a send whose commit was not heard of leaves at once, and as the first`(more: String) throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try World(through: proxy)
    try world.register("d1", token: World.token("a1"), user: "kim")
    try world.expectDelivered(try world.sendCode())
    proxy.loseAnswer(to: ["claims-create-several", " commit "])
    let seqno = try world.sendCode(more)
    #expect(proxy.lost == 1)
    try world.expectDelivered(seqno)
    #expect(try world.payloads(World.token("a1")).count == 2)
    #expect(try world.badges(World.token("a1")) == (more.contains("badge") ? [2] : []))
    #expect(try world.number("SELECT count(*) FROM messages") == 2)
  }

  @Test(arguments: ["", #","onUnknown":"skip""#])
  func `a claim whose commit was not heard of is no doubt`(more: String) throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try World(through: proxy)
    try world.register("d1", token: World.token("a1"), user: "kim")
    proxy.loseAnswer(to: ["shards-advance", " commit "])
    let seqno = try world.send(#"{"all":true}"#, more)
    try world.expectDelivered(seqno)
    #expect(proxy.lost == 1)
    #expect(try world.payloads(World.token("a1")).count == 1)
  }

  @Test func `a device that has unregistered unheard is told so`() throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try World(through: proxy)
    let device = try world.register("d1", token: World.token("a1"), user: "kim")
    let path = "/v1/devices/\(try #require(device.string("device")))"
    let key = try #require(device.string("authKey"))
    proxy.loseAnswer(to: ["devices-save", " commit "])
    let first = try world.client.call("DELETE", path, bearer: key)
    #expect(proxy.lost == 1)
    #expect(first.status == 204, "\(first.text)")
    #expect(try world.number("SELECT count(*) FROM devices WHERE state = 2") == 1)
    #expect(try world.client.call("DELETE", path, bearer: key).status == 404)
  }

  @Test(arguments: ["", "/badge", "/groups"])
  func `a device that only asks is told what its repetition says`(path: String) throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try World(through: proxy)
    let device = try world.register("d1", token: World.token("a1"), user: "kim")
    let own = "/v1/devices/\(try #require(device.string("device")))"
    let key = try #require(device.string("authKey"))
    #expect(try world.client.call("DELETE", own, bearer: key).status == 204)
    proxy.loseAnswer(to: ["devices-find"])
    let first = try world.client.call("GET", own + path, bearer: key)
    #expect(proxy.lost == 1)
    #expect(first.status == 404 && first.string("type") == "upmc:unknown-device", "\(first.text)")
  }

  @Test func `a user who was bound unheard is not said to be refused, although the key has ended`() throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try World(identity: .proof, through: proxy)
    let device = try world.register("d1", token: World.token("a1"), user: nil)
    let path = "/v1/devices/\(try #require(device.string("device")))/user"
    let key = try #require(device.string("authKey"))
    let voucher = try world.client.call(
      "POST", "/v1/admin/users/kim/vouchers", bearer: world.apiKey, #"{"appId":"\#(World.appID)","expiresIn":"PT5M"}"#)
    #expect(voucher.status == 201, "\(voucher.text)")
    proxy.loseAnswer(to: ["users-rename", " commit "])
    let first = try world.client.call("PUT", path, bearer: key, #"{"clientUid":"kim"}"#)
    #expect(proxy.lost == 1)
    #expect(try world.number("SELECT count(*) FROM devices WHERE user_key = 'ukim'") == 1)
    #expect(first.status == 503 && first.string("type") == "upmc:outcome-unknown", "\(first.text)")
  }
}
