import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

@Suite struct ResubmissionTests {
  /// As when a node was frozen: its lease ran out, another took its claim over and finished it, and now it wakes.
  @Test func `what another node has ended meanwhile is not submitted again`() throws {
    let world = try DispatcherWorld { _, target, attempt in
      attempt == 1 ? .retry(reason: "ServiceUnavailable", after: 3) : .accepted
    }
    try world.makeDevices(1..<3)
    // Hold both answers until the other node has written its outcome.
    world.network.hold((1..<3).map(DispatcherWorld.device))
    let seqno = try world.send()
    _ = try poll("nothing was submitted") { world.network.held == 2 ? true : nil }
    let record = Outcomes.Record(
      seqno: seqno, device: DispatcherWorld.device(1), userKey: UserKey(clientUID: "00000001"), status: .accepted,
      attempts: 1, reason: nil, dueAt: nil)
    #expect(try world.connection.run(Outcomes.write([record], at: 1_800_000_000_000_000)).count == 1)
    var increase = Outcomes.Increase()
    increase.count(.accepted, reason: nil)
    for query in Outcomes.add([seqno: increase], writer: 7) { try world.connection.run(query) }

    world.network.answerHeld()
    let end = try world.finished(seqno).funnel
    #expect((end.accepted, end.skipped) == (2, 0))
    try world.settled(seqno)
    #expect(world.network.log.map(\.device.low).sorted() == [1, 2, 2])
  }
}
