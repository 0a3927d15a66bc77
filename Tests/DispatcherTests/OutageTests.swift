import TestSupport
import TestTier
import Testing

@testable import Dispatcher
@testable import Domain

/// A network that is away, with more devices than a node has in flight.
@Suite(.slow) struct OutageTests {
  @Test func `devices that wait for one network do not keep the others from their messages, and get theirs later`()
    throws
  {
    let world = try DispatcherWorld { route, _, _ in route.environment == .sandbox ? .notProcessed : .accepted }
    let (waiting, reached) = (Limits.windowDevices, Limits.windowDevices + 1)
    try world.makeDevices(1..<waiting + 1, environment: .sandbox)
    try world.makeDevices(reached..<reached + 1, user: "kim")
    let campaign = try world.send(lane: .bulk)
    _ = try poll("the campaign neither fills what bulk may have in flight nor leaves the memory") {
      let isFull = world.underWay >= Limits.windowDevices(for: .bulk)
      return try isFull || world.count("waits") > 0 ? true : nil
    }
    let other = try world.send(#"{"clientUids":["kim"]}"#, lane: .bulk)
    #expect(try world.finished(other).funnel.accepted == 1)
    let meanwhile = try world.funnel(campaign).funnel
    #expect(meanwhile.targeted == Int64(reached), "\(meanwhile)")
    #expect(meanwhile.pending.map { $0 >= Int64(waiting) } == true, "\(meanwhile)")
    world.network.answer { _, _, _ in .accepted }
    let end = try world.finished(campaign).funnel
    #expect(end.accepted == Int64(reached), "\(end)")
  }
}
