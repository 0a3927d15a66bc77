import Foundation
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// What waits in a block for its hours is a row a block, is found by whoever asks, leaves when its time has come, and
/// ends with its message.
@Suite struct WaitingBlockTests {
  private static let (devices, awake, refusing) = (40, 1...8, 9...10)
  private static let asleep = devices - awake.count - refusing.count
  private let world: DispatcherWorld

  /// It is night for all but the first eight, and two have not agreed to ads.
  init() throws {
    world = try DispatcherWorld()
    try world.makeDevices(1..<1 + Self.devices)
    try world.connection.script(
      """
      UPDATE devices SET consent_ad = true, time_zone = '\(Self.zone(hour: 0))';
      UPDATE devices SET time_zone = '\(Self.zone(hour: 12))' WHERE device <= '\(DispatcherWorld.device(8))';
      UPDATE devices SET consent_ad = false
      WHERE device IN ('\(DispatcherWorld.device(9))', '\(DispatcherWorld.device(10))');
      """)
  }

  /// A zone in which it is now about this hour.
  private static func zone(hour: Int) -> String {
    var offset = hour - Int(Date().timeIntervalSince1970 / 3600) % 24
    if offset < -11 { offset += 24 }
    if offset > 12 { offset -= 24 }
    // The names of these zones count to the west.
    return offset == 0 ? "Etc/GMT" : "Etc/GMT\(offset > 0 ? "-" : "+")\(abs(offset))"
  }

  /// Sends an ad; answers when those who sleep wait.
  private func send(accepted: Int = awake.count) throws -> Seqno {
    let seqno = try world.send(#"{"all":true}"#, #","kind":"ad","badge":{"increment":1}"#)
    _ = try poll("they do not wait for the morning") {
      let funnel = try world.funnel(seqno).funnel
      let waiting = try world.count("waits w, unnest(w.places) WHERE seqno = \(seqno) AND reason = 'night'")
      return funnel.accepted == accepted && waiting == Self.asleep && funnel.skipped == Self.refusing.count ? true : nil
    }
    try checkInvariants()
    return seqno
  }

  private func checkInvariants() throws {
    for question in Invariants.all { #expect(try world.connection.run(question.broken) == 0, "\(question.promise)") }
  }

  /// It is morning everywhere, and what waits is due.
  private func dawn() throws {
    try world.connection.script(
      """
      UPDATE apps SET ad_night_from = NULL, ad_night_to = NULL;
      UPDATE waits SET due_at = date_trunc('second', now()) - interval '1 second';
      """)
  }

  private func user(_ number: Int) -> String { String(String(100_000_000 + number).dropFirst()) }

  @Test func `a night is a row a block, and everybody is told why and until when`() throws {
    let seqno = try send()
    #expect(try world.count("waits WHERE due_at > now() AND due_at = date_trunc('second', due_at)") == 1)
    #expect(try world.count("outcomes") == 0 && world.count("claims") == 0)
    #expect(try world.funnel(seqno).funnel.pending == Int64(Self.asleep))
    #expect(
      try world.count("deliveries WHERE seqno = \(seqno) AND status = 6 AND reason = 'night' AND due_at > now()")
        == Self.asleep)
    let rows = try world.connection.run(
      Statement("test-waiting", "SELECT status, attempts FROM deliveries WHERE seqno = 1 AND status = 6"))
    #expect(rows.count == Self.asleep && rows.int16(0, 0) == 6 && rows.int16(0, 1) == 0)
    let pages = try DeliveryPages.next(of: seqno, after: .start, status: .deferred, limit: 100, on: world.connection)
    #expect(pages.count == Self.asleep && pages.allSatisfy { $0.reason == "night" && $0.attempts == 0 })
    let all = try DeliveryPages.next(of: seqno, after: .start, limit: 100, on: world.connection)
    #expect(Set(all.map(\.device)).count == Self.devices)
    let person = UserKey(clientUID: user(20))
    let explained = try world.connection.run(
      Explanations.deliveries(seqno, of: person, on: [DispatcherWorld.device(20)], searching: false))
    #expect(explained.map(\.status) == [.deferred] && explained.map(\.reason) == ["night"])
    #expect(explained.first?.dueAt != nil)
    #expect(try world.connection.run(Explanations.claimed(seqno, of: person)).isEmpty)
    let listed = try world.connection.run(
      PersonMessages.deliveries(
        of: [seqno], for: Users.Key(app: world.app, userKey: person), on: [DispatcherWorld.device(20)]))
    #expect(listed[seqno]?.map(\.status) == [.deferred] && listed[seqno]?.first?.at != nil)
  }

  @Test func `for a device that is off, an ad is kept until the night begins there, whatever its expiry`() throws {
    try world.connection.script(
      "UPDATE devices SET consent_night_ad = true WHERE device = '\(DispatcherWorld.device(1))'")
    let seqno = try send()
    let times = try world.connection.run(
      Statement(
        "test-night",
        """
        SELECT extract(epoch FROM (date_trunc('day', wall) + interval '21 hours') AT TIME ZONE zone)::bigint,
          (SELECT floor(extract(epoch FROM expires_at))::bigint FROM messages WHERE seqno = \(seqno))
        FROM (SELECT zone, now() AT TIME ZONE zone AS wall FROM (VALUES ('\(Self.zone(hour: 12))')) AS v(zone)) local
        """))
    let (nightBegins, expires) = (times.int64(0, 0), times.int64(0, 1))
    #expect(nightBegins < expires)
    let kept = Dictionary(uniqueKeysWithValues: world.network.log.map { ($0.device, $0.keptUntilSeconds) })
    // A person who agreed to ads at night may be shown it then.
    for (device, until) in kept {
      #expect(until == (device == DispatcherWorld.device(1) ? expires : nightBegins), "\(device)")
    }
    #expect(kept.count == Self.awake.count)
    // A message that is no ad is kept until it expires.
    let notice = try world.send(#"{"all":true}"#)
    _ = try world.finished(notice)
    let others = world.network.log.filter { $0.seqno == notice }
    #expect(others.count == Self.devices && others.allSatisfy { $0.keptUntilSeconds > nightBegins })
  }

  @Test func `when its time has come each gets it once, and a byte says so, whoever was left out hours before`() throws
  {
    let seqno = try send()
    // A device accepted a minute after the others gets its own row, so let the waiting ones set the block's time.
    try world.connection.script(
      "UPDATE block_states SET left_out_at = left_out_at - interval '8 hours', accepted_at = NULL")
    try dawn()
    let end = try world.finished(seqno).funnel
    #expect((end.targeted, end.accepted, end.skipped) == (40, 38, 2) && end.resent == 0, "\(end)")
    #expect(try world.count("waits") == 0 && world.count("outcomes") == 0)
    #expect(world.network.log.count == 38 && Set(world.network.log.map(\.device)).count == 38)
    #expect(try world.badge(user(20)) == 1)
    try checkInvariants()
  }

  @Test func `who is accepted hours after the others of the block has a row with the time of it`() throws {
    let seqno = try send()
    try world.connection.script("UPDATE block_states SET accepted_at = accepted_at - interval '8 hours'")
    try dawn()
    #expect(try world.finished(seqno).funnel.accepted == 38)
    #expect(try world.count("outcomes WHERE status = 1 AND attempts = 1") == Self.asleep)
    #expect(try world.count("deliveries WHERE status = 1 AND at > now() - interval '1 hour'") == Self.asleep)
  }

  @Test func `found while it is still night, it waits on`() throws {
    let seqno = try send()
    try world.connection.script("UPDATE waits SET due_at = now() - interval '1 second', reason = 'x'")
    _ = try poll("it does not wait again") {
      try world.count("waits w, unnest(w.places) WHERE reason = 'night'") == Self.asleep ? true : nil
    }
    #expect(world.network.log.count == Self.awake.count)
    try dawn()
    #expect(try world.finished(seqno).funnel.accepted == 38)
  }

  @Test func `what waits is not taken up before the block's claim has ended, and not forgotten then`() throws {
    world.network.hold([DispatcherWorld.device(1)])
    let seqno = try send(accepted: Self.awake.count - 1)
    #expect(try world.count("claims") == 1)
    try dawn()
    let taken = try world.connection.withTransaction {
      try Waits.takeUp(
        since: 0, at: SystemClock().wallTime, lanes: [.normal], devices: 100, mostRows: 100,
        node: UUIDValue(high: 9, low: 9), on: world.connection)
    }
    #expect(taken.claims.isEmpty && taken.someAreClaimed)
    #expect(world.network.log.count == Self.awake.count)
    world.network.answerHeld()
    let end = try world.finished(seqno).funnel
    #expect((end.accepted, end.skipped, end.resent) == (38, 2, 0), "\(end)")
    #expect(world.network.log.count == 38)
  }

  @Test func `of two nodes that find it due one takes it`() throws {
    let seqno = try send()
    world.stop()
    try world.connection.script("UPDATE messages SET state = 1")
    try world.connection.script(
      """
      UPDATE waits SET due_at = now() - interval '1 second';
      INSERT INTO waits (seqno, block, due_at, at, reason, places)
      SELECT seqno, block, due_at - interval '1 second', at, reason, places[1:10] FROM waits;
      UPDATE waits SET places = places[11:] WHERE cardinality(places) > 10;
      """)
    try checkInvariants()
    let claims = try Inbox<Int>(capacity: 100)
    try onTwoThreads(world.databaseURL) { connection in
      for _ in 0..<5 {
        try connection.withTransaction {
          try connection.script("SELECT 1 FROM messages WHERE seqno = \(seqno)")
          let taken = try Waits.takeUp(
            since: 0, at: SystemClock().wallTime, lanes: [.normal], devices: 100, mostRows: 100,
            node: UUIDValue(high: 9, low: 9), on: connection)
          for claim in taken.claims { _ = claims.offer(claim.entries.count) }
        }
      }
    }
    #expect(claims.takeAll().isEmpty, "a paused message's are left alone")
    try world.connection.script("UPDATE messages SET state = 2, lane = 2")
    try onTwoThreads(world.databaseURL) { connection in
      try connection.withTransaction {
        let taken = try Waits.takeUp(
          since: 0, at: SystemClock().wallTime, lanes: [.bulk], devices: 100, mostRows: 100,
          node: UUIDValue(high: 9, low: 9), on: connection)
        for claim in taken.claims { _ = claims.offer(claim.entries.count) }
      }
    }
    #expect(claims.takeAll() == [Self.asleep])
    #expect(try world.count("claims WHERE block IS NOT NULL") == 1)
  }

  @Test func `in the morning deliveries go out no faster than the message's pace, until the pace is removed`() throws {
    let seqno = try send()
    let woken = 7
    try world.connection.run(Gates.setPace(seqno, Pace(devices: Int32(woken), waitSeconds: 86_400)))
    try dawn()
    // Seven of the block, and the next ones tomorrow.
    _ = try poll("it is not as the pace says") {
      try world.funnel(seqno).funnel.accepted == Int64(Self.awake.count + woken) ? true : nil
    }
    try world.settled(seqno)
    #expect(try world.count("waits w, unnest(w.places) WHERE seqno = \(seqno)") == Int64(Self.asleep - woken))
    #expect(try world.count("gates WHERE ready_at > now() + interval '23 hours'") == 1)
    #expect(world.network.log.count == Self.awake.count + woken)
    try checkInvariants()
    try world.connection.run(Gates.setPace(seqno, nil))
    let end = try world.finished(seqno).funnel
    #expect((end.accepted, end.skipped, end.resent) == (38, 2, 0), "\(end)")
    #expect(Set(world.network.log.map(\.device)).count == 38 && world.network.log.count == 38)
    try checkInvariants()
  }

  @Test func `no SMS is requested while its push waits for the pace, and its delay begins with the push`() throws {
    let seqno = try send()
    try world.connection.script(
      """
      UPDATE messages SET fallback = 1, request = (request::jsonb || '{"sms":true,"fallback":{"after":"PT3M"}}')::json;
      INSERT INTO fallbacks (seqno, user_key, app, due_at)
      SELECT \(seqno), user_key, app, now() - interval '1 minute' FROM devices
      WHERE device > '\(DispatcherWorld.device(10))'
      """)
    let woken = 7
    try world.connection.run(Gates.setPace(seqno, Pace(devices: Int32(woken), waitSeconds: 86_400)))
    try dawn()
    _ = try poll("it is not as the pace says") {
      try world.funnel(seqno).funnel.accepted == Int64(Self.awake.count + woken) ? true : nil
    }
    #expect(try world.count("fallbacks WHERE due_at > now() + interval '1 minute'") == Int64(woken))
    let due = try world.connection.run(Fallbacks.due(atMost: 100))
    #expect(due.count == Self.asleep - woken)
    #expect(due.allSatisfy { $0.decision == nil && $0.waitsUntil != nil })
    // Without a pace, an SMS has nothing left to wait for.
    world.stop()
    try world.connection.run(Gates.setPace(seqno, nil))
    #expect(try world.connection.run(Fallbacks.due(atMost: 100)).allSatisfy { $0.decision == .asked })
  }

  @Test(arguments: ["waits", "outcomes"])
  func `the delay of an SMS goes on while its push waits for the push network, also in a message with a pace`(
    _ table: String
  ) throws {
    let seqno = try send()
    world.stop()
    try world.connection.script(
      """
      UPDATE messages SET fallback = 1, request = (request::jsonb || '{"sms":true,"fallback":{"after":"PT3M"}}')::json;
      INSERT INTO fallbacks (seqno, user_key, app, due_at)
      SELECT \(seqno), user_key, app, now() - interval '1 minute' FROM devices
      WHERE device > '\(DispatcherWorld.device(10))';
      UPDATE waits SET reason = 'NotProcessed';
      """)
    if table == "outcomes" {
      // As if each of them had been tried once before, and so had a row of its own.
      try world.connection.script(
        """
        INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key, reason)
        SELECT \(seqno), device, now(), now(), 6, 0, user_key, 'NotProcessed' FROM devices
        WHERE device > '\(DispatcherWorld.device(10))';
        DELETE FROM waits
        """)
    }
    try world.connection.run(Gates.setPace(seqno, Pace(devices: 1_000)))
    try dawn()
    let network = try world.addNode()
    _ = try poll("they do not leave") { network.log.count == Self.asleep ? true : nil }
    #expect(try world.count("fallbacks WHERE due_at < now()") == Self.asleep)
  }

  @Test func `a cancellation ends what waits and takes the counts back`() throws {
    let seqno = try send()
    #expect(try world.badge(user(20)) == 1)
    try world.connection.run(Controls.beginCancelling(seqno))
    for dispatcher in world.dispatchers { dispatcher.poke() }
    let end = try world.finished(seqno)
    #expect((end.funnel.accepted, end.funnel.cancelled, end.funnel.skipped) == (8, 30, 2), "\(end)")
    #expect(end.funnel.state == .cancelled)
    #expect(try world.count("waits") == 0)
    #expect(try world.count("deliveries WHERE status = 4 AND reason = 'cancelled'") == Self.asleep)
    #expect(try world.badge(user(20)) == 0 && world.badge(user(1)) == 1)
    try checkInvariants()
  }

  @Test func `a person who waits and is erased keeps the name until it is over`() throws {
    let seqno = try send()
    _ = try PersonRights.erase(user(20), of: DispatcherWorld.appID, by: .commandLine, on: world.connection)
    try world.walkErasures()
    #expect(try world.count("erasure_rests") == 1)
    _ = try Erasures.takeOutRests(on: world.connection)
    #expect(try world.count("erasure_rests WHERE looked_at IS NOT NULL") == 1)
    try dawn()
    let end = try world.finished(seqno).funnel
    #expect((end.accepted, end.skipped) == (37, 3), "\(end)")
    try world.connection.script("UPDATE erasure_rests SET looked_at = looked_at - interval '2 minutes'")
    _ = try Erasures.takeOutRests(on: world.connection)
    #expect(try world.count("block_deliveries(\(seqno), 'u\(user(20))')") == 0)
    #expect(try world.count("erasure_rests") == 0)
  }
}
