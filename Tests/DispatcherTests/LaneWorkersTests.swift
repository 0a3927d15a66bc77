import Postgres
import Reactor
import Store
import Testing

@testable import Dispatcher
@testable import Domain

@Suite struct LaneWorkersTests {
  @Test func `every lane has one crew`() throws {
    let results = try ResultInbox()
    let laneWorkers = try results.laneWorkers.enumerated().map {
      try LaneWorkers(number: $0, completer: $1, firstWriter: 10)
    }
    for lane in Lane.allCases {
      #expect(laneWorkers.filter { $0.lanes.contains(lane) }.map(\.number) == [LaneWorkers.number(of: lane)])
    }
    #expect(Set(laneWorkers.flatMap { [$0.claimWriter, $0.completeWriter] }).count == 4)
    #expect(laneWorkers.allSatisfy { $0.threadName("complete").utf8.count <= 15 })
  }

  @Test func `results of crews and badges together reach each its own`() throws {
    let results = try ResultInbox()
    let addresses = [(2, 0), (3, 1), (4, ResultInbox.badgePlace), (5, 1)].map { BatchAddress($0, inbox: $1) }
    results.sink(addresses.map { PushResult(batch: $0, target: 0, result: .accepted) })
    let batches = results.laneWorkers.map { inbox in
      inbox.receive(atMost: .zero).flatMap { input -> [Int64] in
        guard case .results(let results) = input else { return [] }
        return results.map(\.batch.number)
      }
    }
    #expect(batches == [[2], [3, 5]])
    #expect(results.badges.receive(atMost: .zero).map(\.batch.number) == [4])
  }

  @Test func `messages of all lanes are planned, claimed, tried again and completed`() throws {
    let world = try DispatcherWorld { _, _, attempt in attempt == 1 ? .notProcessed : .accepted }
    try world.makeDevices(1..<31)
    let seqnos = try Lane.allCases.map { try world.send(lane: $0) }
    for seqno in seqnos { #expect(try world.finished(seqno).funnel.accepted == 30) }
  }

  @Test func `claims of a dead node are taken over in every lane`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<301)
    try world.connection.run(AppPauses.pause(world.app, reason: "Not before all is prepared."))
    var seqnos: [Seqno] = []
    for number in 0..<300 {
      let seqno = Seqno(1000 + Int64(number))
      let lane = Lane.allCases[number % 3]
      let device = DispatcherWorld.device(number + 1)
      seqnos.append(seqno)
      try world.connection.script(
        """
        INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at,
          planned)
        VALUES (\(seqno), \(world.app), 2, \(lane.rawValue),
          '{"appId":"\(DispatcherWorld.appID)","audience":{"devices":["\(device)"]},"alert":{"body":"x"}}', '', 1, now(),
          now() + interval '1 day', now(), true);
        INSERT INTO claims (seqno, node, devices, user_keys)
        SELECT \(seqno), '00000000-0000-0000-0000-0000000000fe', ARRAY[device], ARRAY[user_key] FROM devices
        WHERE device = '\(device)';
        """)
    }
    try world.resume()
    for seqno in seqnos {
      let end = try world.finished(seqno).funnel
      #expect((end.accepted, end.unknown, end.resent) == (1, 1, 1), "message \(seqno)")
    }
  }
}
