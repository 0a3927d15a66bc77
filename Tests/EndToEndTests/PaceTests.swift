import Foundation
import Postgres
import Simulator
import Testing

@testable import Server

/// How fast a message goes out, and its canary.
@Suite(.serialized) struct PaceTests {
  /// Seconds between the first and the last push.
  private func seconds(_ world: World) -> Double {
    let times = world.simulator.allDeliveries().map(\.atMicroseconds)
    return Double((times.max() ?? 0) - (times.min() ?? 0)) / 1_000_000
  }

  /// Most pushes within any second.
  private func mostInASecond(_ world: World) -> Int {
    let times = world.simulator.allDeliveries().map(\.atMicroseconds).sorted()
    var first = 0
    var most = 0
    for (index, time) in times.enumerated() {
      while time - times[first] > 1_000_000 { first += 1 }
      most = max(most, index - first + 1)
    }
    return most
  }

  @Test func `n a second are n a second, also on two nodes`() throws {
    let world = try World()
    let second = try world.startNode()
    defer { second.stop() }
    try world.populate(900)
    let seqno = try world.send(#"{"all":true}"#, #","lane":"bulk","pace":{"perSecond":300}"#)
    // Another message is not held back by it.
    #expect(try world.finishedExactly(try world.send(#"{"clientUids":["0000001"]}"#)).int("accepted") == 1)
    let ended = try world.finishedExactly(seqno)
    #expect(ended.int("accepted") == 900, "\(ended.text)")
    #expect(seconds(world) >= 2.4, "900 took \(seconds(world)) s")
    #expect(seconds(world) <= 6, "900 took \(seconds(world)) s")
    // Half a second's worth may come at once after a moment without.
    #expect(mostInASecond(world) <= 480, "\(mostInASecond(world)) within a second")
  }

  @Test func `portions with a wait between them`() throws {
    let world = try World()
    try world.populate(50)
    let seqno = try world.send(#"{"all":true}"#, #","pace":{"devices":20,"wait":"PT2S"}"#)
    #expect(try world.finishedExactly(seqno).int("accepted") == 50)
    let times = world.simulator.allDeliveries().map(\.atMicroseconds).sorted()
    // Pushes are a little late on a busy machine, so the pause between two may look shorter.
    #expect(times[19] - times[0] < 1_500_000)
    #expect(times[20] - times[0] >= 1_500_000)
    #expect(times[40] - times[20] >= 1_500_000)
  }

  @Test func `a pace is changed while the message runs`() throws {
    let world = try World()
    try world.populate(2_000)
    let seqno = try world.send(#"{"all":true}"#, #","pace":{"perSecond":10}"#)
    try world.delivered(3)
    #expect(world.simulator.counters().deliveries < 100)
    let reply = try world.setPace(seqno, "null")
    #expect(reply.status == 200 && (reply.int("pending") ?? 0) > 1_800, "\(reply.text)")
    #expect(try world.finishedExactly(seqno).int("accepted") == 2_000)
    #expect(try world.setPace(seqno, #"{"perSecond":1}"#).status == 409)
  }

  // MARK: Canary

  @Test func `a canary that is rejected stops the rest, and says why`() throws {
    let world = try World()
    try world.populate(2_000)
    var fault = Fault(.answer)
    fault.reason = "BadCollapseId"
    try world.simulator.add(fault)
    let seqno = try world.send(
      #"{"all":true}"#, #","lane":"bulk","canary":{"devices":50,"wait":"PT30S","maxRejectedPercent":10}"#)
    let stopped = try world.poll("the canary does not stop it") {
      try world.checkAccount(seqno)
      let reply = try world.funnel(seqno)
      return reply.string("state") == "paused" ? reply : nil
    }
    #expect(stopped.string("stateReason")?.contains("canary") == true, "\(stopped.text)")
    #expect(stopped.int("targeted") == 2_000)
    let tried = world.simulator.counters().requests
    #expect(tried <= 50)
    world.simulator.removeFaults()
    // Who resumes it all the same sends the rest.
    #expect(try world.control("resume", seqno).string("state") == "sending")
    let ended = try world.finishedExactly(seqno)
    #expect(ended.int("rejected") == tried && ended.int("accepted") == 2_000 - tried, "\(ended.text)")
  }

  @Test func `a canary that is taken lets the rest follow, after its time`() throws {
    let world = try World()
    try world.populate(1_000)
    let seqno = try world.send(#"{"all":true}"#, #","canary":{"percent":10,"wait":"PT2S"}"#)
    try world.delivered(100) { try world.checkAccount(seqno) }
    #expect(world.simulator.counters().deliveries == 100)
    #expect(try world.finishedExactly(seqno).int("accepted") == 1_000)
    let times = world.simulator.allDeliveries().map(\.atMicroseconds).sorted()
    #expect(times[100] - times[0] >= 1_500_000)
  }
}
