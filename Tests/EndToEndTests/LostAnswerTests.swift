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
}
