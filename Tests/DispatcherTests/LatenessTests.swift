import Domain
import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher

/// Reserved messages that were planned in time, and of which nobody has got anything an hour later.
@Suite struct LatenessTests {
  private func world(_ script: @escaping ScriptedNetwork.Script = { _, _, _ in .accepted }) throws -> DispatcherWorld {
    let world = try DispatcherWorld(script)
    try world.makeDevices(1..<6)
    return world
  }

  /// A reserved message whose time is now.
  private func reserve(_ world: DispatcherWorld, _ seqno: Seqno = 700, _ more: String = "") throws -> Seqno {
    try world.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, due_at)
      SELECT \(seqno), \(world.app), 1, 1,
        '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"}\(more)}', '', 5,
        now() - interval '1 hour', now() + interval '3 days', now()
      """)
    for dispatcher in world.dispatchers { dispatcher.poke() }
    return seqno
  }

  private func planned(_ seqno: Seqno, _ world: DispatcherWorld) throws {
    _ = try poll("it was not planned") {
      try world.count("messages WHERE seqno = \(seqno) AND planned") == 1 ? true : nil
    }
  }

  private func pass(_ minutes: Int, for seqno: Seqno, _ world: DispatcherWorld) throws {
    try world.connection.script(
      "UPDATE messages SET due_at = now() - interval '\(minutes) min' WHERE seqno = \(seqno)")
  }

  private func failed(_ seqno: Seqno, _ world: DispatcherWorld) throws {
    let end = try world.finished(seqno)
    #expect(end.funnel.state == .failed && end.reasons == #"{ "late" : 5 }"#, "\(end)")
    #expect((end.funnel.targeted, end.funnel.skipped, end.funnel.pending) == (5, 5, 0), "\(end)")
    #expect(end.funnel.stateReason?.contains("nobody had got it 60 minutes later") == true, "\(end)")
  }

  @Test func `one whose app is paused fails, and a resumed app does not send it`() throws {
    let world = try world()
    try world.connection.run(AppPauses.pause(world.app, reason: "a flood"))
    let seqno = try reserve(world)
    try planned(seqno, world)
    try pass(59, for: seqno, world)
    // One without a time waits as long as it is worth something.
    let atOnce = try world.send()
    try planned(atOnce, world)
    try pass(61, for: seqno, world)
    try failed(seqno, world)
    try world.resume()
    #expect(try world.finished(atOnce).funnel.accepted == 5)
    #expect(world.network.log.allSatisfy { $0.seqno == atOnce } && world.network.log.count == 5)
  }

  @Test func `one that finds its own credential at fault fails, and takes its badges back`() throws {
    let world = try world { _, _, _ in .credentialFault(reason: "InvalidProviderToken") }
    let seqno = try reserve(world, 700, #","badge":{"increment":1}"#)
    _ = try world.paused()
    try world.settled(seqno)
    #expect(try world.count("outcomes WHERE seqno = \(seqno) AND status = 6") == 5)
    try pass(61, for: seqno, world)
    try failed(seqno, world)
    #expect(try world.count("users WHERE badge > 0") == 0)
    #expect(try world.count("outcomes WHERE seqno = \(seqno) AND status = 5 AND reason = 'late'") == 5)
    let tries = world.network.log.count
    world.network.answer { _, _, _ in .accepted }
    try world.resume()
    #expect(try world.finished(world.send()).funnel.accepted == 5)
    #expect(world.network.log.count == tries + 5)
  }

  /// Everything went down between planning and the first claim.
  private func planned(minutesLate: Int, _ seqno: Seqno, _ world: DispatcherWorld, _ more: String = "") throws {
    try world.connection.script(
      """
      BEGIN;
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, due_at,
        frozen_at, planned)
      SELECT \(seqno), \(world.app), 2, 1,
        '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"}}', '', 5,
        now() - interval '1 day', now() + interval '3 days', now() - interval '\(minutesLate) min', now(), true;
      INSERT INTO shards (seqno, shard, after_key, upto_key, cursor_key, targeted) VALUES (\(seqno), 0, '', 'v', '', 5);
      \(more);
      COMMIT
      """)
  }

  @Test func `one that was planned and never claimed fails when it is found an hour late, and goes out before`() throws
  {
    let world = try world()
    try planned(minutesLate: 59, 701, world)
    try planned(minutesLate: 61, 702, world)
    try failed(702, world)
    #expect(try world.finished(701).funnel.accepted == 5)
    #expect(Set(world.network.log.map(\.seqno)) == [701])
  }

  @Test func `one that has begun goes on, and one that waits for the hours of the day waits`() throws {
    let world = try world()
    // Its window opens in three hours; the other's would have been open an hour ago.
    let window = { (seqno: Seqno, from: Int, to: Int) in
      """
      INSERT INTO gates (seqno, window_opens, window_closes)
      SELECT \(seqno), (t + interval '\(from) h')::time, (t + interval '\(to) h')::time
      FROM (SELECT now() AT TIME ZONE 'Asia/Seoul' AS t) local
      """
    }
    try planned(minutesLate: 120, 703, world, window(703, 3, 5))
    // Two hours ago it was open.
    try planned(minutesLate: 120, 704, world, window(704, -3, 5))
    try planned(
      minutesLate: 120, 705, world, "INSERT INTO message_totals (seqno, writer, accepted) VALUES (705, 9, 1)")
    try failed(704, world)
    _ = try poll("it did not go on") { try world.funnel(705).funnel.accepted == 6 ? true : nil }
    let waiting = try world.funnel(703).funnel
    #expect(waiting.state == .sending && waiting.pending == 5, "\(waiting)")
    #expect(Set(world.network.log.map(\.seqno)) == [705])
  }

  @Test func `a message whose window closed before its hour was over waits for the next day`() throws {
    let world = try world()
    // It closed an hour ago.
    let window = { (seqno: Seqno) in
      """
      INSERT INTO gates (seqno, window_opens, window_closes, counted_at)
      SELECT \(seqno), (t - interval '10 h')::time, (t - interval '1 h')::time, now() - interval '1 day'
      FROM (SELECT now() AT TIME ZONE 'Asia/Seoul' AS t) local
      """
    }
    // The first message had half an hour of the window left, the second one five minutes more than an hour.
    try planned(minutesLate: 90, 710, world, window(710))
    try planned(minutesLate: 125, 711, world, window(711))
    try failed(711, world)
    #expect(try world.connection.run(Lateness.messages()) == [])
    let waiting = try world.funnel(710).funnel
    #expect(waiting.state == .sending && waiting.pending == 5, "\(waiting)")
    #expect(world.network.log.isEmpty)
  }

  @Test func `a message whose first portion reached nobody waits for the next portion`() throws {
    let world = try world()
    // The first portion was due 61 minutes ago; the next one is due in an hour.
    try planned(
      minutesLate: 120, 709, world,
      """
      INSERT INTO gates (seqno, pace_devices, pace_wait, counted_at, ready_at)
      VALUES (709, 1, 7200, now() - interval '61 min', now() + interval '59 min')
      """)
    func late() throws -> [Seqno] { try world.connection.run(Lateness.messages()) }
    #expect(try late() == [])
    // Its pace is removed: from now on the message itself holds nothing back.
    world.stop()
    try world.connection.run(Gates.setPace(709, nil))
    #expect(try late() == [])
    try world.connection.script("UPDATE gates SET ready_at = now() - interval '61 min'")
    #expect(try late() == [709])
    // The canary has stopped it instead, and an operator will decide.
    try world.connection.script("UPDATE gates SET canary_phase = 3; UPDATE messages SET state = 3")
    #expect(try late() == [])
  }

  @Test func `a message whose first canary reached nobody has an hour for the next one`() throws {
    let world = try world()
    world.stop()
    // The network was asked about the last of the canary's devices for two hours, and it is gone now.
    try planned(
      minutesLate: 120, 712, world,
      """
      INSERT INTO gates (seqno, canary_phase, canary_devices, canary_wait, canary_limit, canary_claimed, canary_until)
      VALUES (712, 1, 1, 60, 10, 1, now() - interval '119 min')
      """)
    func late() throws -> [Seqno] { try world.connection.run(Lateness.messages()) }
    let canary = try #require(try world.connection.run(Gates.watched()).first)
    #expect(try late() == [])
    try world.connection.run(Gates.replaceCanary(canary, atLeast: 1_000))
    #expect(try world.count("gates WHERE canary_phase = 0 AND canary_claimed < 0") == 1)
    #expect(try late() == [])
    #expect(try world.connection.run(MessageRecords.find(712))?.holds.canaryUntil == nil)
    // An hour later, something else is holding it back.
    try world.connection.script("UPDATE gates SET canary_until = now() - interval '61 min'")
    #expect(try late() == [712])
  }

  @Test func `a message that waited for the morning has an hour from then, not from its own time`() throws {
    let world = try world { _, _, _ in .retry(reason: "ServiceUnavailable", after: 3_600) }
    // The whole day is night.
    try world.connection.script(
      """
      UPDATE devices SET consent_ad = true;
      UPDATE apps SET ad_night_from = '00:00', ad_night_to = '23:59:59.999'
      """)
    let seqno = try reserve(world, 700, #","kind":"ad""#)
    _ = try poll("they do not wait for the morning") {
      try world.count("outcomes WHERE status = 6 AND reason = 'night' AND due_at > now()") == 5 ? true : nil
    }
    try world.settled(seqno)
    // The morning comes two hours after the due time, and the network accepts nothing yet.
    try world.connection.script(
      """
      UPDATE apps SET ad_night_from = NULL, ad_night_to = NULL;
      UPDATE messages SET due_at = now() - interval '2 hours';
      UPDATE outcomes SET due_at = now()
      """)
    _ = try poll("they are not tried in the morning", every: .milliseconds(20)) {
      try world.count("outcomes WHERE status = 6 AND reason = 'ServiceUnavailable' AND due_at > now()") == 5
        ? true : nil
    }
    try world.settled(seqno)
    #expect(try world.connection.run(Lateness.messages()).isEmpty)
    #expect(try world.funnel(seqno).funnel.state == .sending)
    // An hour after the morning, still nobody has received it.
    try world.connection.script("UPDATE messages SET put_off_until = now() - interval '61 min'")
    try failed(seqno, world)
  }

  @Test(arguments: [(120, 180), (62, 30)])
  func `an ad whose app is paused when the night is on, or begins within the hour, has an hour from the morning`(
    minutesLate: Int, minutesOfNight: Int
  ) throws {
    let world = try world()
    world.stop()
    // The night ends in an hour.
    try planned(
      minutesLate: minutesLate, 713, world,
      """
      UPDATE apps SET ad_night_from = (t - interval '\(minutesOfNight) min')::time,
        ad_night_to = (t + interval '1 h')::time
      FROM (SELECT now() AT TIME ZONE 'Asia/Seoul' AS t) local
      """)
    func late() throws -> [Seqno] { try world.connection.run(Lateness.messages()) }
    #expect(try late() == [713])
    try world.connection.run(#require(Lateness.reckonHours(713, window: nil, isAd: true)))
    #expect(
      try world.count("messages WHERE put_off_until - now() BETWEEN interval '55 min' AND interval '60 min'") == 1)
    #expect(try late() == [])
    // So has one that is found before it was planned.
    try world.connection.script("UPDATE messages SET state = 0, planned = false, frozen_at = NULL")
    func failLate() throws -> Int { try Schedules.failLate(on: world.connection) { _, _ in } }
    #expect(try failLate() == 0)
    try world.connection.script("UPDATE messages SET put_off_until = now() - interval '61 min'")
    #expect(try failLate() == 1)
  }

  @Test func `a message with a window of the devices' clocks has an hour from its opening`() throws {
    let world = try world()
    world.stop()
    try planned(minutesLate: 120, 714, world)
    // It was due at half past eleven in the evening.
    try world.connection.script(
      """
      UPDATE messages SET due_at = date_trunc('day', now() AT TIME ZONE 'Asia/Seoul') AT TIME ZONE 'Asia/Seoul'
        - interval '30 min'
      """)
    let json = """
      {"appId":"a.b","audience":{"all":true},"alert":"x","window":{"from":"08:00","to":"10:00","zone":"device"}}
      """
    let window = try MessageRequest(json: Array(json.utf8)).window
    try world.connection.run(#require(Lateness.reckonHours(714, window: window, isAd: false)))
    #expect(try world.count("messages WHERE put_off_until = due_at + interval '510 min'") == 1)
  }

  @Test func `one with a window waits while PostgreSQL does not know the app's time zone`() throws {
    let world = try world()
    // By UTC, its window was open when it was due.
    try planned(
      minutesLate: 120, 706, world,
      """
      UPDATE apps SET time_zone = 'Mars/Base' WHERE app = \(world.app);
      UPDATE messages SET request = '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"},
        "window":{"from":"00:00","to":"23:59","zone":"app"}}' WHERE seqno = 706;
      INSERT INTO gates (seqno, window_opens, window_closes)
      SELECT 706, (t - interval '3 h')::time, (t + interval '5 h')::time FROM (SELECT now() AT TIME ZONE 'UTC' AS t) utc
      """)
    _ = try poll("it was not set aside") {
      try world.count("messages WHERE seqno = 706 AND state = 3 AND state_reason LIKE 'Set aside: %Mars/Base%'") == 1
        ? true : nil
    }
    #expect(try world.connection.run(Lateness.messages()).isEmpty)
    // Now that the zone is known, so is that its hour is over.
    try world.connection.script("UPDATE apps SET time_zone = 'UTC' WHERE app = \(world.app)")
    try failed(706, world)
    #expect(world.network.log.isEmpty)
  }

  /// A reserved message that was due two hours ago, when everything was down. Its window opens and closes so many hours
  /// from now by UTC.
  private func reserved(_ seqno: Seqno, opens: Int, closes: Int, zone: String, _ world: DispatcherWorld) throws {
    try world.connection.script(
      """
      BEGIN;
      UPDATE apps SET time_zone = '\(zone)' WHERE app = \(world.app);
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, due_at)
      SELECT \(seqno), \(world.app), 0, 1, '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},
        "alert":{"body":"x"},"window":{"from":"00:00","to":"23:59","zone":"app"}}', '', 5, now() - interval '1 day',
        now() + interval '3 days', now() - interval '2 hours';
      INSERT INTO gates (seqno, window_opens, window_closes)
      SELECT \(seqno), (t + interval '\(opens) h')::time, (t + interval '\(closes) h')::time
      FROM (SELECT now() AT TIME ZONE 'UTC' AS t) utc;
      COMMIT
      """)
    for dispatcher in world.dispatchers { dispatcher.poke() }
  }

  @Test func `one that is found late, and whose window has not opened since, is planned and waits for it`() throws {
    let world = try world()
    try reserved(707, opens: 3, closes: 5, zone: "UTC", world)
    try planned(707, world)
    let waiting = try world.funnel(707).funnel
    #expect(waiting.state == .sending && waiting.pending == 5, "\(waiting)")
    #expect(world.network.log.isEmpty)
  }

  @Test func `one that is found late is set aside while PostgreSQL does not know when its window opens`() throws {
    let world = try world()
    // By UTC, it was open when the message was due.
    try reserved(708, opens: -3, closes: 5, zone: "Mars/Base", world)
    _ = try poll("it was not set aside") {
      try world.count("messages WHERE seqno = 708 AND state = 3 AND state_reason LIKE 'Set aside: %Mars/Base%'") == 1
        ? true : nil
    }
    let late = try Schedules.failLate(on: world.connection) { _, _ in }
    #expect(late == 0)
    #expect(try world.count("messages WHERE seqno = 708 AND state = 3") == 1)
    try world.connection.script("UPDATE apps SET time_zone = 'UTC' WHERE app = \(world.app)")
    let end = try world.finished(708)
    #expect(end.funnel.state == .failed && end.reasons == #"{ "late" : 5 }"#, "\(end)")
    #expect(world.network.log.isEmpty)
  }

  @Test func `a zone that was open in time, and of which nobody was claimed, is left out`() throws {
    let world = try world()
    try world.connection.script(
      """
      UPDATE devices SET time_zone = CASE WHEN device <= '\(DispatcherWorld.device(3))' THEN 'Asia/Seoul'
        ELSE 'Europe/London' END;
      UPDATE apps SET paused_reason = 'a flood';
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, due_at, local_time)
      SELECT 700, \(world.app), 1, 1, '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"}}',
        '', now(), now() + interval '3 days', now(), now() AT TIME ZONE 'Asia/Seoul'
      """)
    _ = try poll("Seoul was not opened") { try world.count("waves WHERE opened") == 1 ? true : nil }
    try world.connection.script("UPDATE waves SET due_at = now() - interval '61 min' WHERE opened")
    _ = try poll("Seoul was not left out") { try world.funnel(700).funnel.skipped == 3 ? true : nil }
    try world.resume()
    try world.connection.script("UPDATE waves SET due_at = now() WHERE NOT opened")
    let end = try world.finished(700)
    #expect((end.funnel.targeted, end.funnel.accepted, end.funnel.skipped) == (5, 2, 3), "\(end)")
    #expect(world.network.log.map(\.device.low).sorted() == [4, 5])
  }
}
