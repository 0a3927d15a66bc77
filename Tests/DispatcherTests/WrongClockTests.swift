import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// A node's clock is wrong, or jumps: what is stored and compared is the database's time.
@Suite(.serialized) struct WrongClockTests {
  @Test func `a node whose clock is a little ahead ends nothing before its time`() throws {
    let world = try DispatcherWorld(machine: ShiftedClock(seconds: 25))
    try world.makeDevices(0..<100)
    // On a slow machine a message may expire rightly; then the next one is tried.
    let funnel = try poll("none is sent in time") { () throws -> Funnel? in
      let seqno = try world.send(expiresIn: 20)
      let funnel = try world.finished(seqno).funnel
      let isEarly = try world.count("messages WHERE seqno = \(seqno) AND expires_at > clock_timestamp()") == 1
      return isEarly || funnel.expired == 0 ? funnel : nil
    }
    #expect(funnel.accepted == 100 && funnel.expired == 0)
  }

  @Test func `a node whose clock is eleven minutes ahead sends nothing, and ends nothing`() throws {
    let wrong = ShiftedClock(seconds: 660)
    let world = try DispatcherWorld()
    let network = try world.addNode(machine: wrong)
    // It has looked at its clock as often as the other one.
    _ = try poll("no lease") { world.dispatchers[0].holdsLease() ? true : nil }
    try world.makeDevices(0..<5_000)
    let seqnos = try (0..<4).map { _ in try world.send(expiresIn: 600) }
    for seqno in seqnos {
      let funnel = try world.finished(seqno).funnel
      #expect(funnel.accepted == 5_000 && funnel.expired == 0)
    }
    #expect(network.log.isEmpty)
    #expect(!world.dispatchers[1].holdsLease())
    _ = try poll("not one of them is alive") { try world.count("nodes WHERE alive_until > now()") == 1 ? true : nil }
    // Set right, it takes its part.
    wrong.jump(to: 0)
    _ = try poll("it takes no part again") { world.dispatchers[1].holdsLease() ? true : nil }
  }

  @Test func `a node whose clock jumps in the middle of a message rests, and goes on when it is right again`() throws {
    let clock = ShiftedClock()
    let world = try DispatcherWorld(machine: clock)
    try world.makeDevices(0..<3_000)
    _ = try poll("no lease") { world.dispatchers[0].holdsLease() ? true : nil }
    clock.jump(to: 30 * 86_400)
    #expect(!world.dispatchers[0].holdsLease())
    let seqno = try world.send(expiresIn: 600)
    // As long as a lease lasts: nobody takes it up by mistake.
    _ = try poll("it keeps its lease") { try world.count("nodes WHERE alive_until > now()") == 0 ? true : nil }
    let resting = try world.funnel(seqno).funnel
    #expect(resting.accepted == 0 && resting.expired == 0)
    clock.jump(to: 0)
    let funnel = try world.finished(seqno).funnel
    #expect(funnel.accepted == 3_000 && funnel.expired == 0)
  }
}
