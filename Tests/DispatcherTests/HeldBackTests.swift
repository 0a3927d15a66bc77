import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// What a canary or a pace holds back is not forgotten behind it.
@Suite struct HeldBackTests {
  /// Sends with a gate, in one transaction as the API does.
  private func send(
    _ world: DispatcherWorld, _ audience: String = #"{"all":true}"#, pace: Pace? = nil, canary: Canary? = nil
  ) throws -> Seqno {
    let seqno = try world.connection.withTransaction {
      let seqno = try world.send(audience)
      if let gate = Gates.create(seqno, pace: pace, canary: canary, window: nil) { try world.connection.run(gate) }
      return seqno
    }
    for dispatcher in world.dispatchers { dispatcher.poke() }
    return seqno
  }

  private static let canary = Canary(size: .devices(1), waitSeconds: 1, maxRejectedPercent: 10)

  /// Devices with a low number come first, and there is no provider for them.
  private func worldWithUnreachable(reachable: Int) throws -> DispatcherWorld {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<1_101, network: .fcm)
    try world.makeDevices(2_000..<2_000 + reachable)
    return world
  }

  @Test func `a canary of devices that can get nothing is replaced, and the message comes to an end`() throws {
    let world = try worldWithUnreachable(reachable: 5)
    let end = try world.finished(try send(world, canary: Self.canary)).funnel
    #expect((end.targeted, end.accepted, end.skipped) == (1_105, 5, 1_100), "\(end)")
  }

  @Test func `a canary that takes another's place still stops the rest`() throws {
    let world = try worldWithUnreachable(reachable: 1_500)
    world.network.answer { _, _, _ in .rejected(reason: "PayloadTooLarge") }
    let seqno = try send(world, canary: Self.canary)
    _ = try poll("the canary does not stop it") {
      try world.funnel(seqno).funnel.state == .paused ? true : nil
    }
    let stopped = try world.funnel(seqno).funnel
    #expect(stopped.rejected > 0 && stopped.pending.map { $0 > 0 } == true, "\(stopped)")
  }

  @Test func `a canary that fails while its message is paused stops it when it is resumed`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<101)
    let canary = Canary(size: .devices(1), waitSeconds: 86_400, maxRejectedPercent: 10)
    let seqno = try send(world, canary: canary)
    _ = try poll("the canary is not taken") { try world.funnel(seqno).funnel.accepted == 1 ? true : nil }
    try world.connection.withTransaction {
      try world.connection.run(Controls.setState(seqno, .paused, reason: nil))
      try world.connection.script("UPDATE message_totals SET rejected = accepted, accepted = NULL WHERE accepted > 0")
    }
    for dispatcher in world.dispatchers { dispatcher.poke() }
    #expect(try world.count("messages WHERE state_reason IS NOT NULL") == 0)
    try world.connection.run(Controls.setState(seqno, .sending, reason: nil))
    _ = try poll("the canary does not stop it") {
      try world.count("messages WHERE state = 3 AND state_reason LIKE 'The canary stopped it%'") == 1 ? true : nil
    }
    #expect(try world.funnel(seqno).funnel.pending == 99)
  }

  @Test func `what a canary holds back at the message's end expires`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<101)
    let canary = Canary(size: .devices(1), waitSeconds: 86_400, maxRejectedPercent: 10)
    try expectRestExpires(try send(world, canary: canary), world)
  }

  @Test func `what a pace holds back at the message's end expires at once`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<101)
    try expectRestExpires(try send(world, pace: Pace(devices: 1, waitSeconds: 3_600)), world)
  }

  @Test func `a pace also holds for deferred deliveries with rows of their own`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<6)
    // They waited for a window that has opened.
    try world.connection.script(
      """
      BEGIN;
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at,
        planned)
      SELECT 700, \(world.app), 2, 1,
        '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"}}', '', 5,
        now() - interval '1 day', now() + interval '1 day', now(), true;
      INSERT INTO gates (seqno, pace_devices, pace_wait, tokens) VALUES (700, 2, 86400, 2000000);
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key, reason)
      SELECT 700, device, now(), now(), 6, 0, user_key, 'window' FROM devices;
      COMMIT
      """)
    _ = try poll("it is not as the pace says") { try world.funnel(700).funnel.accepted == 2 ? true : nil }
    try world.settled(700)
    #expect(try world.count("outcomes WHERE status = 6 AND due_at <= now()") == 3)
    #expect(try world.count("gates WHERE ready_at > now() + interval '23 hours'") == 1)
    try world.connection.run(Gates.setPace(700, nil))
    #expect(try world.finished(700).funnel.accepted == 5)
    #expect(world.network.log.count == 5)
  }

  /// Expires a message once its first device has got it, and expects that the other 99 expire.
  private func expectRestExpires(_ seqno: Seqno, _ world: DispatcherWorld) throws {
    _ = try poll("the first has not got it") { try world.funnel(seqno).funnel.accepted == 1 ? true : nil }
    let network = try world.expire(seqno)
    let end = try world.finished(seqno).funnel
    #expect((end.targeted, end.accepted, end.expired) == (100, 1, 99), "\(end)")
    #expect(network.log.isEmpty)
  }

  @Test func `an expired message ends even if PostgreSQL no longer knows the app's time zone`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<4)
    world.stop()
    let request = #"{"appId":"\#(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"}"#
    // 700 has a window, 701 is an ad, and a device of 702 waits for the window.
    try world.connection.script(
      """
      BEGIN;
      UPDATE apps SET time_zone = 'Mars/Base' WHERE app = \(world.app);
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at,
        planned)
      SELECT n, \(world.app), 2, 1, CASE WHEN n = 701 THEN '\(request),"kind":"ad"}'
          ELSE '\(request),"window":{"from":"00:00","to":"23:59","zone":"app"}}' END::json, '',
        CASE WHEN n = 702 THEN 1 ELSE 3 END, now() - interval '1 day', now() - interval '1 minute', now(), true
      FROM generate_series(700, 702) n;
      INSERT INTO gates (seqno, window_opens, window_closes) VALUES (700, '00:00', '23:59'), (702, '00:00', '23:59');
      INSERT INTO shards (seqno, shard, after_key, upto_key, cursor_key, targeted)
      SELECT n, 0, '', 'v', '', 3 FROM generate_series(700, 701) n;
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key, reason)
      VALUES (702, '\(DispatcherWorld.device(1))', now(), now(), 6, 0, 'u00000001', 'window');
      COMMIT
      """)
    let network = try world.addNode()
    let ends = [Seqno(700): Int64(3), Seqno(701): 3, Seqno(702): 1]
    for (seqno, devices) in ends {
      let end = try world.finished(seqno).funnel
      #expect(end.state == .expired && end.expired == devices, "\(end)")
    }
    #expect(network.log.isEmpty)
  }

  @Test(arguments: [
    #"{"groups":["1"]}"#, #"{"clientUids":["a","b","c","d","e"]}"#, #"{"all":true}"#,
  ])
  func `a canary counts devices, also where users are named who have several`(audience: String) throws {
    let world = try DispatcherWorld()
    try world.connection.script("INSERT INTO groups (app, name) VALUES (\(world.app), 'all')")
    for (index, user) in ["a", "b", "c", "d", "e"].enumerated() {
      try world.makeDevices(10 * index + 1..<10 * index + 4, user: user)
      try world.connection.script(
        "INSERT INTO group_members VALUES (1, now() - interval '1 hour', \(world.app), 'u\(user)')")
    }
    let canary = Canary(size: .devices(4), waitSeconds: 86_400, maxRejectedPercent: 10)
    let seqno = try send(world, audience, canary: canary)
    let claimed = try poll("the canary is not claimed") {
      let claimed = try world.connection.run(
        Statement("test-canary", "SELECT coalesce(max(canary_claimed), 0) FROM gates WHERE canary_phase = 1")
      ).int64(0, 0)
      return claimed > 0 ? claimed : nil
    }
    // Three of the first user, and those of a second one: a user's devices stay together.
    #expect(claimed == 6)
    let funnel = try world.funnel(seqno).funnel
    #expect(funnel.targeted == 15 && funnel.accepted <= 6, "\(funnel)")
  }
}
