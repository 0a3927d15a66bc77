import Foundation
import Postgres
import Simulator
import TestSupport
import Testing
import Time

/// A new count reaches the user's other devices by a push that shows nothing else.
@Suite(.serialized) struct BadgeSyncTests {
  private static let one = World.token("a1")
  private static let two = World.token("b2")

  private func world() throws -> (world: World, device: String, key: String) {
    let world = try World()
    let set = try world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey, #"{"badgeSync":true}"#)
    #expect(set.string("devicePolicy") == "multi" && set["badgeSync"] as? Bool == true, "\(set.text)")
    let reply = try world.register("d1", token: Self.one, user: "kim")
    try world.register("d2", token: Self.two, user: "kim")
    return (world, try #require(reply.string("device")), try #require(reply.string("authKey")))
  }

  /// Sets counts until the policy is known to the loop that answers, and one has arrived.
  private func told(_ world: World, _ device: String, _ key: String) throws -> Int {
    var badge = 10
    return try poll("the other device was not told") {
      badge += 1
      let set = try world.client.call("PUT", "/v1/devices/\(device)/badge", bearer: key, #"{"badge":\#(badge)}"#)
      #expect(set.int("badge") == badge, "\(set.text)")
      return try world.badges(Self.two).last
    }
  }

  /// Waits until no count has still to be told.
  private func untilAllAreTold(_ world: World) throws {
    _ = try poll("rows are left") {
      try world.connection.run(.init("test-syncs", "SELECT count(*) FROM badge_syncs")).int64(0, 0) == 0 ? true : nil
    }
  }

  @Test func `the other device is told, and only it, with nothing but the count`() throws {
    let (world, device, key) = try world()
    _ = try told(world, device, key)
    #expect(try world.payloads(Self.one).isEmpty)
    let delivery = try #require(world.simulator.deliveries(to: Self.two).last)
    #expect(String(decoding: delivery.payload ?? [], as: UTF8.self).hasPrefix(#"{"aps":{"badge":"#))
    #expect(try world.payloads(Self.two).allSatisfy { $0.count == 1 })
  }

  @Test func `a read is told as well, and stands in no funnel`() throws {
    let (world, device, key) = try world()
    let before = try told(world, device, key)
    let seqno = try world.send(#"{"clientUids":["kim"]}"#, #","badge":{"increment":1}"#)
    _ = try world.finished(seqno)
    let after = try #require(try world.read(seqno, Self.one).result["badge"] as? Int)
    #expect(after >= before)
    _ = try poll("the read was not told") { try world.badges(Self.two).last == after ? true : nil }
    let funnel = try world.funnel(seqno)
    #expect(funnel.int("targeted") == 2 && funnel.int("accepted") == 2 && funnel.int("resent") == 0, "\(funnel.text)")
    try untilAllAreTold(world)
  }

  @Test func `a count that moves while the app is paused is told after it is resumed`() throws {
    let (world, device, key) = try world()
    _ = try told(world, device, key)
    // A count that is on its way when the app is paused is read anew before it leaves.
    try untilAllAreTold(world)
    _ = try world.connection.run(.init("test-pause", "UPDATE apps SET paused_reason = 'a test'"))
    _ = try world.client.call("PUT", "/v1/devices/\(device)/badge", bearer: key, #"{"badge":777}"#)
    let isPostponed = Statement(
      "test-syncs-later",
      "SELECT count(*) FROM badge_syncs WHERE attempts = 0 AND due_at > clock_timestamp() + interval '1 minute'")
    _ = try poll("the count is not kept") { try world.connection.run(isPostponed).int64(0, 0) == 1 ? true : nil }
    #expect(try world.badges(Self.two).last != 777)
    let resumed = try world.client.call("POST", "/v1/admin/apps/\(World.appID)/resume", bearer: world.apiKey)
    #expect(resumed.status < 300, "\(resumed.text)")
    _ = try world.connection.run(.init("test-syncs-due", "UPDATE badge_syncs SET due_at = now()"))
    _ = try poll("the count was not told") { try world.badges(Self.two).last == 777 ? true : nil }
  }

  @Test func `a count that an operator sets is told to every device`() throws {
    let (world, device, key) = try world()
    _ = try told(world, device, key)
    let set = try world.client.call(
      "PUT", "/v1/admin/users/kim/badge", bearer: world.apiKey, #"{"appId":"\#(World.appID)","badge":555}"#)
    #expect(set.status == 200, "\(set.text)")
    for token in [Self.one, Self.two] {
      _ = try poll("\(token) was not told") { try world.badges(token).last == 555 ? true : nil }
    }
  }

  @Test func `many changes within a second are one push`() throws {
    let (world, device, key) = try world()
    _ = try told(world, device, key)
    try untilAllAreTold(world)
    let before = try world.payloads(Self.two).count
    let began = world.now
    for badge in 100..<200 {
      _ = try world.client.call("PUT", "/v1/devices/\(device)/badge", bearer: key, #"{"badge":\#(badge)}"#)
    }
    _ = try poll("the last count was not told") { try world.badges(Self.two).last == 199 ? true : nil }
    // A hundred calls take a second or two, and on a busy machine longer: then it is one a second.
    let seconds = Int(world.now.seconds - began.seconds)
    #expect(try world.payloads(Self.two).count - before < max(20, seconds + 3))
  }
}
