import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// One item that cannot be handled, of each kind and for each thread: it is set aside and says why, the rest goes on.
@Suite struct FailureIsolationTests {
  /// What a newer release may have stored: this program knows no such kind of message.
  private static let unreadable = #","kind":"telegram""#

  private func state(_ seqno: Seqno, _ world: DispatcherWorld) throws -> (state: MessageState, reason: String?) {
    let funnel = try world.funnel(seqno).funnel
    return (funnel.state, funnel.stateReason)
  }

  /// Until it is paused, with words that begin as all of them do.
  private func expectSetAside(_ seqno: Seqno, _ world: DispatcherWorld) throws {
    let reason = try poll("message \(seqno) was not set aside") {
      let now = try state(seqno, world)
      return now.state == .paused ? now.reason ?? "" : nil
    }
    #expect(reason.hasPrefix("Set aside: "), "\(reason)")
  }

  /// One more message goes out, whatever else there is.
  private func expectOthersGoOn(_ world: DispatcherWorld, accepted: Int64, _ more: String = "") throws {
    let end = try world.finished(try world.send(#"{"all":true}"#, more)).funnel
    #expect(end.accepted == accepted, "\(end)")
  }

  @Test func `a field that this program does not know is left out`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    let seqno = try world.send(#"{"all":true}"#, #","newerField":{"a":[1]}"#)
    #expect(try world.finished(seqno).funnel.accepted == 3)
  }

  @Test(arguments: [#"{"all":true}"#, #"{"clientUids":["00000001"]}"#])
  func `a request that cannot be read stops no planning`(audience: String) throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    let seqno = try world.send(audience, Self.unreadable)
    try expectOthersGoOn(world, accepted: 3)
    try expectSetAside(seqno, world)
    #expect(world.network.log.allSatisfy { $0.seqno != seqno })
  }

  @Test func `what is set aside takes nobody's place in planning until it is resumed`() throws {
    let world = try DispatcherWorld()
    world.stop()
    let aside = try world.send()
    try world.connection.run(Controls.setAside(aside, because: "x"))
    let next = try world.send()
    #expect(try world.connection.run(Messages.unplanned(Lane.allCases, atMost: 1)) == [next])
    try world.connection.run(Controls.setState(aside, .queued, reason: nil))
    #expect(try world.connection.run(Messages.unplanned(Lane.allCases, atMost: 1)) == [aside])
  }

  @Test func `one that was planned by a newer program stops no claiming`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    try world.connection.withTransaction {
      let seqno = try world.send(#"{"all":true}"#, Self.unreadable)
      try world.connection.script(
        """
        UPDATE messages SET state = 2, planned = true, frozen_at = now(), targeted = 3 WHERE seqno = \(seqno);
        INSERT INTO shards (seqno, shard, after_key, upto_key, cursor_key, targeted) VALUES (\(seqno), 0, '', 'v', '', 3)
        """)
    }
    try expectOthersGoOn(world, accepted: 3)
    try expectSetAside(1, world)
    #expect(try world.count("shards WHERE seqno = 1 AND NOT exhausted") == 1)
  }

  @Test func `one that is due again stops nothing else that is due`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    let good = try world.connection.withTransaction {
      for more in [Self.unreadable, ""] {
        let seqno = try world.send(#"{"all":true}"#, more)
        try world.connection.script(
          """
          UPDATE messages SET state = 2, planned = true, frozen_at = now(), targeted = 1 WHERE seqno = \(seqno);
          INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key)
          VALUES (\(seqno), '\(DispatcherWorld.device(1))', now(), now() - interval '1 second', 6, 1, 'u00000001')
          """)
      }
      return Seqno(2)
    }
    #expect(try world.finished(good).funnel.accepted == 1)
    try expectSetAside(1, world)
    // It waits as before.
    #expect(try world.count("outcomes WHERE seqno = 1 AND status = 6 AND due_at IS NOT NULL") == 1)
  }

  /// - Parameter hasGate: true if the messages have a pace, so that each is claimed in a transaction of its own.
  @Test(arguments: [false, true])
  func `a message whose deferred deliveries cannot be claimed stops no other that is due`(hasGate: Bool) throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    try world.connection.script("ALTER TABLE claims ADD CONSTRAINT poison CHECK (seqno <> 1)")
    try world.connection.withTransaction {
      for _ in 1...2 {
        let seqno = try world.send()
        try world.connection.script(
          """
          UPDATE messages SET state = 2, planned = true, frozen_at = now(), targeted = 1 WHERE seqno = \(seqno);
          INSERT INTO gates (seqno) SELECT \(seqno) WHERE \(hasGate);
          INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key)
          VALUES (\(seqno), '\(DispatcherWorld.device(1))', now(), now() - interval '1 second', 6, 1, 'u00000001')
          """)
      }
    }
    #expect(try world.finished(2).funnel.accepted == 1)
    try expectSetAside(1, world)
    #expect(try world.count("outcomes WHERE seqno = 1 AND status = 6 AND due_at IS NOT NULL") == 1)
  }

  /// - Parameter state: of the one that cannot be read: being sent, or paused by an operator.
  @Test(arguments: [MessageState.sending, .paused])
  func `one whose claims a dead node has left stops no taking over, and nothing of it is lost`(
    state: MessageState
  ) throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    try world.connection.withTransaction {
      for (more, state) in [(Self.unreadable, state), ("", MessageState.sending)] {
        let seqno = try world.send(#"{"all":true}"#, more)
        try world.connection.script(
          """
          UPDATE messages SET state = \(state.rawValue), planned = true, frozen_at = now(), targeted = 1
          WHERE seqno = \(seqno);
          INSERT INTO claims (seqno, node, devices, user_keys)
          VALUES (\(seqno), '00000000-0000-0000-0000-000000000077', '{\(DispatcherWorld.device(1))}', '{u00000001}')
          """)
      }
    }
    #expect(try world.finished(2).funnel.accepted == 1)
    try expectSetAside(1, world)
    #expect(try world.count("claims WHERE seqno = 1") == 1)
    for question in Invariants.all { #expect(try world.connection.run(question.broken) == 0, "\(question.promise)") }
  }

  @Test func `one that cannot be read can be cancelled, and stops nothing that is reserved`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    let reserved = try world.connection.withTransaction {
      let seqno = try world.send(#"{"all":true}"#, Self.unreadable)
      try world.connection.script(
        """
        UPDATE messages SET state = 3, cancelled_at = now(), planned = true, frozen_at = now(), targeted = 4
        WHERE seqno = \(seqno);
        INSERT INTO shards (seqno, shard, after_key, upto_key, cursor_key, targeted, claimed)
        VALUES (\(seqno), 0, '', 'v', 'u00000001', 4, 1);
        INSERT INTO claims (seqno, node, devices, user_keys)
        VALUES (\(seqno), '00000000-0000-0000-0000-000000000077', '{\(DispatcherWorld.device(1))}', '{u00000001}')
        """)
      let other = try world.send(#"{"all":true}"#)
      try world.connection.script("UPDATE messages SET state = 0, due_at = now() WHERE seqno = \(other)")
      return other
    }
    #expect(try world.finished(reserved).funnel.accepted == 3)
    let end = try world.finished(1).funnel
    #expect(end.state == .cancelled && end.cancelled == 3 && end.skipped == 1, "\(end)")
  }

  @Test func `one that repeats and cannot be read stops nothing else that is reserved`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    try world.connection.withTransaction {
      for more in [Self.unreadable, ""] {
        let seqno = try world.send(#"{"all":true}"#, more)
        try world.connection.script(
          """
          UPDATE messages SET state = 0, due_at = now() WHERE seqno = \(seqno);
          INSERT INTO schedules (app, unit, first_local, is_local, last_day)
          VALUES (\(world.app), 'day', now() AT TIME ZONE 'Asia/Seoul', false, now()::date + 30);
          UPDATE messages SET schedule = currval(pg_get_serial_sequence('schedules', 'schedule')), occurrence = 0
          WHERE seqno = \(seqno)
          """)
      }
    }
    #expect(try world.finished(2).funnel.accepted == 3)
    try expectSetAside(1, world)
    // Both come again.
    #expect(try world.count("messages WHERE occurrence = 1 AND state = 0") == 2)
  }

  // MARK: Words of others

  @Test(arguments: [6_000, 200_000])
  func `an answer of a network that no index can hold stops nobody's outcomes`(length: Int) throws {
    let word = (0..<length).map { _ in String(Int.random(in: 0...9)) }.joined()
    let world = try DispatcherWorld { _, target, _ in
      DispatcherWorld.number(target) == 2 ? .rejected(reason: word) : .accepted
    }
    try world.makeDevices(1..<300)
    let end = try world.finished(try world.send()).funnel
    #expect((end.accepted, end.rejected) == (298, 1), "\(end)")
    try expectOthersGoOn(world, accepted: 298)
  }

  @Test func `an answer with a character that no text may have stops nobody's outcomes`() throws {
    let world = try DispatcherWorld { _, target, _ in
      DispatcherWorld.number(target) == 2 ? .badToken(reason: "Bad\0Token", since: nil) : .accepted
    }
    try world.makeDevices(1..<5)
    let end = try world.finished(try world.send()).funnel
    #expect((end.accepted, end.rejected) == (3, 1), "\(end)")
  }

  @Test func `a device's version that no index can hold stops nobody's outcomes`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<300)
    try world.connection.script(
      """
      UPDATE devices SET app_version = (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 400) n)
      WHERE device = '\(DispatcherWorld.device(7))'
      """)
    let end = try world.finished(try world.send()).funnel
    #expect(end.accepted == 299, "\(end)")
  }

  @Test func `an outcome that no table takes is halved out, and all others are written`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<400)
    try world.connection.script(
      "ALTER TABLE block_states ADD CONSTRAINT poison CHECK (get_byte(states, 6) = 0 OR seqno > 1)")
    let seqno = try world.send()
    try expectOthersGoOn(world, accepted: 399)
    try expectSetAside(seqno, world)
    let funnel = try poll("not all others were written") {
      let funnel = try world.funnel(seqno).funnel
      return funnel.accepted == 398 ? funnel : nil
    }
    #expect(funnel.pending == 1, "\(funnel)")
    // It is as unknown as after a crash, and is sent again when the message is resumed.
    try world.connection.script(
      "ALTER TABLE block_states DROP CONSTRAINT poison; UPDATE messages SET state = 2 WHERE seqno = 1")
    let end = try world.finished(seqno).funnel
    #expect((end.accepted, end.unknown, end.resent) == (399, 1, 1), "\(end)")
    #expect(try world.count("claims") == 0)
  }

  // MARK: Besides messages

  @Test func `a count that cannot be told stops nobody else's`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    try world.connection.script(
      """
      ALTER TABLE badge_syncs ADD CONSTRAINT poison CHECK (user_key <> 'u00000002' OR attempts = 0);
      INSERT INTO badge_syncs (app, user_key, due_at)
      SELECT \(world.app), 'u' || to_char(n, 'FM00000000'), now() FROM generate_series(1, 20) n
      """)
    _ = try poll("the others wait for ever") { try world.count("badge_syncs") == 0 ? true : nil }
  }

  @Test func `a message that cannot be forgotten keeps none of the others from being forgotten`() throws {
    let world = try DispatcherWorld()
    try world.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, finished_at,
        forgotten_at, planned)
      SELECT n, \(world.app), 4, 1, '{"dbIn":false}', '', 0, now(), now(), now(), now() - interval '1 hour', true
      FROM generate_series(1, 7) n;
      ALTER TABLE messages ADD CONSTRAINT poison CHECK (seqno <> 3 OR emptied_at IS NULL);
      INSERT INTO erasures (app, user_key, upto_seqno) VALUES (\(world.app), 'u9', 7)
      """)
    _ = try poll("the others wait for ever") {
      try world.count("messages WHERE emptied_at IS NOT NULL") == 6 && world.count("erasures") == 0 ? true : nil
    }
    _ = try poll("it is not put off") {
      try world.count("messages WHERE seqno = 3 AND forgotten_at > now() + interval '1 hour'") == 1 ? true : nil
    }
  }

  // MARK: Time zones

  /// Another app, in a zone that PostgreSQL does not know, with device 255.
  private func makeLostApp(_ world: DispatcherWorld) throws -> App.Number {
    let lost = try world.connection.run(
      Apps.create(appID: "com.example.mars", name: "", clientKey: "mars", timeZone: "Mars/Base", identity: .open)
    ).app.number
    try world.connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, consent_ad, bound_at,
        registered_at, created_at)
      VALUES ('\(DispatcherWorld.device(255))', \(lost), 'umars', 1, 1, 1, repeat('f', 64), 'd', true,
        now() - interval '1 hour', now() - interval '1 hour', now())
      """)
    return lost
  }

  @Test func `an app whose time zone PostgreSQL does not know any more stops no other`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    let lost = try makeLostApp(world)
    let request = #"{"appId":"com.example.mars","audience":{"all":true},"alert":{"body":"x"}"#
    let window = #","window":{"from":"00:00","to":"23:59","zone":"app"}"#
    // 700 has no time of its own, 701 and 702 a window, 703 repeats. 702 was planned when the zone was still known.
    try world.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at)
      SELECT n, \(lost), 1, 1, CASE WHEN n IN (701, 702) THEN '\(request)\(window)}' ELSE '\(request)}' END::json, '',
        now(), now() + interval '1 day'
      FROM generate_series(700, 703) n;
      INSERT INTO gates (seqno, window_opens, window_closes) VALUES (701, '00:00', '23:59'), (702, '00:00', '23:59');
      UPDATE messages SET state = 2, planned = true, frozen_at = now(), targeted = 1 WHERE seqno = 702;
      INSERT INTO shards (seqno, shard, after_key, upto_key, cursor_key, targeted) VALUES (702, 0, '', 'v', '', 1);
      INSERT INTO schedules (app, unit, first_local, is_local, last_day)
      VALUES (\(lost), 'day', now() AT TIME ZONE 'UTC', false, now()::date + 30);
      UPDATE messages SET state = 0, due_at = now(), occurrence = 0,
        schedule = currval(pg_get_serial_sequence('schedules', 'schedule')) WHERE seqno = 703
      """)
    try expectOthersGoOn(world, accepted: 3)
    for seqno: Seqno in [701, 702] {
      try expectSetAside(seqno, world)
      #expect(try state(seqno, world).reason?.contains("time zone Mars/Base") == true)
    }
    for seqno: Seqno in [700, 703] { #expect(try world.finished(seqno).funnel.accepted == 1) }
    #expect(world.network.log.allSatisfy { $0.seqno != 701 && $0.seqno != 702 })
    // It comes again a day later.
    #expect(
      try world.count(
        "messages n JOIN messages m ON m.seqno = 703 WHERE n.occurrence = 1 AND n.due_at = m.due_at + interval '1 day'")
        == 1)
    // Its operator names another zone, and resumes it.
    try world.connection.script(
      "UPDATE apps SET time_zone = 'UTC' WHERE app = \(lost); UPDATE messages SET state = 2 WHERE seqno = 702")
    #expect(try world.finished(702).funnel.accepted == 1)
  }

  @Test func `in a zone that PostgreSQL does not know any more codes are sent, and ads are not`() throws {
    let world = try DispatcherWorld()
    let lost = try makeLostApp(world)
    let numbers = try world.connection.run(
      DirectSends.number([world.app, lost], at: SystemClock().wallTime))
    #expect(numbers.count == 2)
    let device = DispatcherWorld.device(255)
    let times = try world.connection.run(
      Waves.localTimes(
        [device], of: 1, appTimeZone: "Mars/Base", local: nil, expiresInSeconds: 60, window: nil, isAd: true))
    #expect(times[device]?.nightEndsAt != nil && times[device]?.opensAt == nil)
  }

  @Test func `a message has no more waves than it can number, whatever zones there are`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<1_201)
    try world.connection.script(
      """
      INSERT INTO time_zones SELECT 'A+' || n / 60 || ':' || n % 60 FROM generate_series(1, 1200) n;
      UPDATE devices d SET time_zone = 'A+' || n / 60 || ':' || n % 60
      FROM (SELECT device, row_number() OVER (ORDER BY device) AS n FROM devices) t WHERE t.device = d.device;
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, due_at, local_time)
      SELECT 700, \(world.app), 1, 1, '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"}}',
        '', now(), now() + interval '3 days', now(), now() AT TIME ZONE 'Asia/Seoul'
      """)
    world.dispatchers[0].poke()
    let waves = try poll("it was not planned") {
      try world.count("messages WHERE seqno = 700 AND planned") == 1 ? try world.count("waves") : nil
    }
    #expect(waves == 1_000)
    #expect(try world.funnel(700).funnel.targeted == 1_200)
  }

  @Test func `more made-up zones than there are waves stop no planning`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<34_001)
    try world.connection.script(
      """
      UPDATE devices d SET time_zone = 'A+' || n / 3600 || ':' || n / 60 % 60 || ':' || n % 60
      FROM (SELECT device, row_number() OVER (ORDER BY device) AS n FROM devices) t WHERE t.device = d.device
      """)
    try world.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, due_at, local_time)
      SELECT 700, \(world.app), 1, 1, '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"}}',
        '', now(), now() + interval '3 days', now(), now() AT TIME ZONE 'Asia/Seoul'
      """)
    // They live in the app's zone, where it is time.
    let end = try world.finished(700).funnel
    #expect(end.accepted == 34_000, "\(end)")
    #expect(try world.count("waves WHERE seqno = 700") == 2)
  }
}
