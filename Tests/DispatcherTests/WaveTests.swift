import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// Devices that move to another time zone while a message by local time goes out.
@Suite struct WaveTests {
  private static let early = "Asia/Seoul"
  private static let late = "Europe/London"

  /// A message that is due in Seoul now, or after a while, and in London hours later.
  private func send(_ world: DispatcherWorld, after wait: String = "0") throws -> Seqno {
    try world.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, due_at, local_time)
      SELECT 700, \(world.app), 1, 1, '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"}}',
        '', now(), now() + interval '3 days', now(), (now() + interval '\(wait)') AT TIME ZONE '\(Self.early)'
      """)
    return 700
  }

  private func move(_ number: Int, to zone: String, _ world: DispatcherWorld) throws {
    try world.connection.script(
      """
      UPDATE devices SET time_zone = '\(zone)', registered_at = clock_timestamp()
      WHERE device = '\(DispatcherWorld.device(number))'
      """)
  }

  private func untilLondon(_ world: DispatcherWorld) throws {
    try world.connection.script("UPDATE waves SET due_at = now() WHERE NOT opened")
  }

  private func world() throws -> DispatcherWorld {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<7)
    try world.connection.script(
      """
      UPDATE devices SET time_zone = CASE WHEN device <= '\(DispatcherWorld.device(3))' THEN '\(Self.early)'
        ELSE '\(Self.late)' END
      """)
    return world
  }

  @Test func `a device that moves to a zone whose wave is over gets it with the sweep, once`() throws {
    let world = try world()
    let seqno = try send(world)
    _ = try poll("Seoul got nothing") { try world.funnel(seqno).funnel.accepted == 3 ? true : nil }
    try move(4, to: Self.early, world)
    // Moved after it had its own.
    try move(1, to: Self.late, world)
    // To where nobody was.
    try move(5, to: "Pacific/Auckland", world)
    try untilLondon(world)
    let end = try world.finished(seqno).funnel
    #expect((end.targeted, end.accepted, end.skipped) == (6, 6, 0), "\(end)")
    #expect(world.network.log.map(\.device.low).sorted() == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a device that moves to a zone later than all waves waits for its own time`() throws {
    let world = try world()
    let seqno = try send(world)
    _ = try poll("Seoul got nothing") { try world.funnel(seqno).funnel.accepted == 3 ? true : nil }
    // Nobody is there: it is 19 hours later than in Seoul.
    try move(5, to: "Pacific/Honolulu", world)
    try untilLondon(world)
    _ = try poll("it does not wait") {
      let waiting = try world.count(
        """
        outcomes WHERE seqno = \(seqno) AND status = 6 AND reason = 'local-time'
          AND due_at BETWEEN now() + interval '18 hours' AND now() + interval '20 hours'
        """)
      return try world.funnel(seqno).funnel.accepted == 5 && waiting == 1 ? true : nil
    }
    #expect(world.network.log.map(\.device.low).sorted() == [1, 2, 3, 4, 6])
    // It is back, where the time has come.
    try move(5, to: Self.early, world)
    try world.connection.script("UPDATE outcomes SET due_at = now() WHERE seqno = \(seqno) AND status = 6")
    let end = try world.finished(seqno).funnel
    #expect((end.targeted, end.accepted, end.skipped) == (6, 6, 0), "\(end)")
    #expect(world.network.log.map(\.device.low).sorted() == [1, 2, 3, 4, 5, 6])
  }

  @Test func `once the last zone's time has come, no time is named that the message waits for`() throws {
    let world = try world()
    // One device, and the next one tomorrow.
    try world.connection.script(
      "INSERT INTO gates (seqno, pace_devices, pace_wait, tokens) VALUES (700, 1, 86400, 1000000)")
    let seqno = try send(world)
    _ = try poll("Seoul got nothing") { try world.funnel(seqno).funnel.accepted == 1 ? true : nil }
    #expect(try world.connection.run(MessageRecords.find(seqno))?.holds.localTimeUntil != nil)
    try untilLondon(world)
    _ = try poll("London's time has not come") {
      try world.count("waves WHERE NOT opened AND NOT sweeps") == 0 ? true : nil
    }
    #expect(try world.count("waves WHERE NOT opened") == 1)
    #expect(try world.connection.run(MessageRecords.find(seqno))?.holds.localTimeUntil == nil)
  }

  @Test func `nobody who merely registered again gets it twice`() throws {
    let world = try world()
    let seqno = try send(world)
    _ = try poll("Seoul got nothing") { try world.funnel(seqno).funnel.accepted == 3 ? true : nil }
    for device in 1..<7 { try move(device, to: device <= 3 ? Self.early : Self.late, world) }
    try untilLondon(world)
    #expect(try world.finished(seqno).funnel.accepted == 6)
    #expect(world.network.log.count == 6)
  }

  @Test func `a zone whose wave came too late is skipped, and not swept up`() throws {
    let world = try world()
    let seqno = try send(world)
    _ = try poll("Seoul got nothing") { try world.funnel(seqno).funnel.accepted == 3 ? true : nil }
    for device in 4..<7 { try move(device, to: Self.late, world) }
    try world.connection.script("UPDATE waves SET due_at = now() - interval '2 hours' WHERE NOT opened")
    let end = try world.finished(seqno).funnel
    #expect((end.targeted, end.accepted, end.skipped) == (6, 3, 3), "\(end)")
    #expect(world.network.log.count == 3)
  }

  /// Another node claims Seoul's wave in a slow transaction, and London's becomes due meanwhile.
  @Test func `a device that moves while its wave is claimed is not claimed again with the next wave`() throws {
    let world = try world()
    let seqno = try send(world, after: "1 hour")
    _ = try poll("it is not planned") {
      try world.count("messages WHERE seqno = \(seqno) AND planned") == 1 ? true : nil
    }
    world.stop()
    try world.connection.script(
      """
      UPDATE waves SET due_at = now(), opened = NOT sweeps;
      INSERT INTO nodes (node, alive_until)
      VALUES ('00000000-0000-0000-0000-0000000000ff', now() + interval '1 hour')
      """)
    let other = try TestDatabase.connect(to: world.databaseURL)
    let network = try other.withTransaction { () throws -> ScriptedNetwork in
      let shard = try #require(try other.run(Shards.lock(seqno)))
      #expect(shard.wave == 1)
      let seoul = (1..<4).map {
        Claims.Entry(device: DispatcherWorld.device($0), userKey: UserKey(clientUID: "0000000\($0)"), attempts: 0)
      }
      _ = try other.run(Claims.create(seqno, node: UUIDValue(high: 0, low: 0xff), seoul))
      try move(1, to: Self.late, world)
      let network = try world.addNode()
      // The node that has sent these has also looked for devices of the message to claim.
      for _ in 0..<2 { _ = try world.finished(try world.send(#"{"clientUids":["00000004"]}"#)) }
      #expect(!network.log.contains { $0.seqno == seqno }, "it is not known yet whom the other node claims")
      try other.run(
        Shards.advance(shard, to: .keys(after: "v", upto: "v"), claimed: 3, makesBlock: false, exhausted: true))
      return network
    }
    _ = try poll("not everything is claimed") {
      try world.count("shards WHERE seqno = \(seqno) AND NOT exhausted") == 0 ? true : nil
    }
    _ = try poll("London got nothing") {
      let claims = try world.count("claims WHERE seqno = \(seqno)")
      return try world.funnel(seqno).funnel.accepted == 3 && claims == 1 ? true : nil
    }
    #expect(network.log.filter { $0.seqno == seqno }.map(\.device.low).sorted() == [4, 5, 6])
    #expect(try world.funnel(seqno).funnel.targeted == 6)
  }

  @Test func `a wave that came at night has an hour from the morning, also if it is opened late`() throws {
    let world = try world()
    let seqno = try send(world, after: "1 hour")
    _ = try poll("it is not planned") {
      try world.count("messages WHERE seqno = \(seqno) AND planned") == 1 ? true : nil
    }
    world.stop()
    try world.connection.script(
      """
      UPDATE waves SET due_at = now() - interval '2 hours', opened = NOT sweeps;
      UPDATE messages SET due_at = now() - interval '2 hours'
      """)
    func late() throws -> [Int16] { try world.connection.run(Lateness.waves()).map(\.wave) }
    func openedLate() throws -> [Bool] {
      try world.connection.script("UPDATE waves SET opened = false")
      return try world.connection.run(Waves.open()).map(\.isLate)
    }
    #expect(try late() == [1, 2])
    #expect(try openedLate() == [true, true])
    // In both zones it was ten in the evening, and an ad.
    try world.connection.script("UPDATE messages SET put_off_until = due_at + interval '10 hours'")
    #expect(try late() == [])
    #expect(try openedLate() == [false, false])
    try world.connection.script("UPDATE messages SET put_off_until = due_at + interval '59 min'")
    #expect(try late() == [1, 2])
  }

  @Test func `a wave that waits for the message's own pace or canary is not late`() throws {
    let world = try world()
    // One device, and the next one tomorrow.
    try world.connection.script(
      "INSERT INTO gates (seqno, pace_devices, pace_wait, tokens) VALUES (700, 1, 86400, 1000000)")
    let seqno = try send(world)
    _ = try poll("Seoul got nothing") { try world.funnel(seqno).funnel.accepted == 1 ? true : nil }
    try untilLondon(world)
    _ = try poll("London's time has not come") {
      try world.count("waves WHERE NOT opened AND NOT sweeps") == 0 ? true : nil
    }
    world.stop()
    try world.connection.script("UPDATE waves SET due_at = now() - interval '2 hours' WHERE NOT sweeps")
    func late() throws -> [Int16] { try world.connection.run(Lateness.waves()).map(\.wave) }
    #expect(try late() == [])
    // Since the pace would have let it through, something else has held it back for an hour.
    try world.connection.script(
      "UPDATE gates SET counted_at = now() - interval '2 hours', ready_at = now() - interval '61 min'")
    #expect(try late() == [2])
    try world.connection.script("UPDATE gates SET canary_phase = 1, canary_until = now() - interval '61 min'")
    #expect(try late() == [])
    // The verdict came late, because the first devices were off. The rest has an hour from then.
    #expect(try world.connection.run(Gates.endCanary(seqno, in: [.watching], as: .passed)))
    #expect(try late() == [])
    try world.connection.script("UPDATE gates SET canary_until = now() - interval '61 min'")
    #expect(try late() == [2])
  }
}
