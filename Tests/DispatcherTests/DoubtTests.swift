import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// A message is cancelled while nobody knows of some of its deliveries whether they arrived.
@Suite struct DoubtTests {
  /// The first device may have got it, the second certainly has not.
  private func world() throws -> DispatcherWorld {
    let world = try DispatcherWorld { _, target, _ in
      DispatcherWorld.number(target) == 1
        ? .unknown(reason: "reset") : .retry(reason: "ServiceUnavailable", after: nil)
    }
    try world.makeDevices(1..<3)
    // Both answers come after the pause, so no retry can leave before it.
    world.network.hold((1..<3).map(DispatcherWorld.device))
    return world
  }

  private func pause(_ seqno: Seqno, _ world: DispatcherWorld) throws {
    _ = try poll("nothing was submitted") { world.network.held == 2 ? true : nil }
    try world.connection.run(Controls.setState(seqno, .paused, reason: nil))
    world.network.answerHeld()
    _ = try poll("its deliveries do not wait in the database") {
      try world.count("outcomes WHERE seqno = \(seqno) AND status = 6 AND due_at IS NOT NULL AND reason = 'paused'")
        == 2
        ? true : nil
    }
  }

  private func cancel(_ seqno: Seqno, _ world: DispatcherWorld) throws {
    try world.connection.run(Controls.beginCancelling(seqno))
    for dispatcher in world.dispatchers { dispatcher.poke() }
  }

  private func check(_ seqno: Seqno, _ world: DispatcherWorld) throws {
    let (end, reasons) = try world.finished(seqno)
    #expect((end.targeted, end.cancelled, end.skipped) == (2, 1, 1), "\(end)")
    #expect(reasons.contains("unknown-not-resent"), "\(reasons)")
    #expect(
      try world.count(
        "outcomes WHERE device = '\(DispatcherWorld.device(1))' AND status = 5 AND reason = 'unknown-not-resent'") == 1)
    #expect(try world.count("outcomes WHERE attempts < 1") == 0)
  }

  @Test func `what may have arrived before a pause is not called cancelled`() throws {
    let world = try world()
    let seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)
    try pause(seqno, world)
    try cancel(seqno, world)
    try check(seqno, world)
    #expect(try (world.badge("00000001"), world.badge("00000002")) == (0, 0))
  }

  @Test func `the doubt outlives further tries on another node`() throws {
    let world = try world()
    let seqno = try world.send()
    try pause(seqno, world)
    // From now on nobody gets anything, and that is certain.
    world.network.answer { _, _, _ in .retry(reason: "ServiceUnavailable", after: 3600) }
    try world.connection.run(Controls.setState(seqno, .sending, reason: nil))
    for dispatcher in world.dispatchers { dispatcher.poke() }
    _ = try poll("it is not tried again") {
      try world.count("outcomes WHERE status = 6 AND due_at > now() + interval '30 minutes'") == 2 ? true : nil
    }
    try cancel(seqno, world)
    try check(seqno, world)
  }
}
