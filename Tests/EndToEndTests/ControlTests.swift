import Domain
import Foundation
import Postgres
import Reactor
import Simulator
import TestSupport
import TestTier
import Testing
import Time

@testable import Server

/// Pause, resume and cancel while a message runs, on one node and on two. How soon they take effect is measured by P5 of
/// `upmc-benchmark`.
@Suite(.slow, .serialized) struct ControlTests {
  /// Slow enough that a message is found in the midst of it: a round trip of 0.2 s.
  private func slowWorld() throws -> World {
    try World {
      $0.latency = .milliseconds(200)
      $0.keepsPayloads = false
    }
  }

  /// Slow enough that much of the message is left when the test controls it, even if the machine stalls for seconds,
  /// and more than once: sixteen thousand last for twenty.
  private static let slowly = #","lane":"bulk","pace":{"perSecond":800}"#

  /// Pauses a running message and checks everything that is promised about it.
  private func pause(_ seqno: String, _ world: World) throws -> Reply {
    let reply = try world.control("pause", seqno)
    #expect(reply.status == 200 && reply.string("state") == "paused", "\(reply.text)")
    let targeted = try #require(reply.int("targeted"))
    let decided = ["pending", "accepted", "rejected", "expired", "cancelled", "skipped"].compactMap { reply.int($0) }
    #expect(decided.count == 6 && decided.reduce(0, +) == targeted)
    // What was under way is answered or handed back, and then nothing moves: exact all the while.
    _ = try poll("not handed back") { try world.checkAccount(seqno).underWay == 0 ? true : nil }
    let deliveries = world.simulator.counters().deliveries
    try world.wait(until: world.now + .seconds(1)) { try world.checkAccount(seqno) }
    let account = try world.checkAccount(seqno)
    #expect(account.underWay == 0 && account.pending > 0, "\(account)")
    #expect(account.accepted == Int64(deliveries) && world.simulator.counters().deliveries == deliveries)
    #expect(try world.funnel(seqno).string("state") == "paused")
    return reply
  }

  @Test func `a paused message sends nothing, and all of it when it is resumed`() throws {
    let world = try slowWorld()
    try world.populate(16_000)
    let seqno = try world.send(#"{"all":true}"#, Self.slowly + #","badge":{"increment":1}"#)
    try world.delivered(300) { try world.checkAccount(seqno) }
    _ = try pause(seqno, world)
    #expect(try world.control("pause", seqno).string("state") == "paused")
    #expect(try world.control("resume", seqno).string("state") == "sending")
    #expect(try world.setPace(seqno, "null").status == 200)
    let ended = try world.finishedExactly(seqno)
    #expect(ended.string("state") == "completed" && ended.int("accepted") == 16_000, "\(ended.text)")
    #expect(world.simulator.counters().deliveries == 16_000 && world.simulator.counters().duplicates == 0)
    #expect(try world.count("SELECT count(*) FROM users WHERE badge = 1") == 16_000)
    #expect(try world.control("resume", seqno).status == 409)
  }

  /// A claim's transaction can block on a user's row, or on a slow disk, for longer than a pause may take.
  @Test func `a claim that was under way when its message was paused sends nothing`() throws {
    let world = try World()
    try world.populate(200)
    let other = try world.database.connect()
    try other.script("BEGIN; LOCK TABLE users IN SHARE MODE")
    let seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)
    _ = try poll("no claim waits for the users") {
      try world.count("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'users'::regclass") > 0
        ? true : nil
    }
    #expect(try world.control("pause", seqno).string("state") == "paused")
    try world.wait(until: world.now + .milliseconds(600))
    try other.script("COMMIT")
    _ = try poll("nothing was claimed and handed back") {
      let account = try world.checkAccount(seqno)
      return try account.underWay == 0 && world.count("SELECT count(*) FROM blocks") == 1 ? true : nil
    }
    #expect(world.simulator.counters().deliveries == 0)
    #expect(try world.control("resume", seqno).string("state") == "sending")
    #expect(try world.finishedExactly(seqno).int("accepted") == 200)
    #expect(try world.count("SELECT count(*) FROM users WHERE badge = 1") == 200)
  }

  @Test func `a cancelled message ends with an exact account, and sends nothing more`() throws {
    let world = try slowWorld()
    try world.populate(16_000)
    let seqno = try world.send(#"{"all":true}"#, Self.slowly + #","badge":{"increment":1}"#)
    try world.delivered(300) { try world.checkAccount(seqno) }
    let reply = try world.control("cancel", seqno)
    #expect(reply.status == 200, "\(reply.text)")
    let ended = try world.finishedExactly(seqno)
    #expect(ended.string("state") == "cancelled" && ended.int("pending") == 0, "\(ended.text)")
    let accepted = try #require(ended.int("accepted"))
    let cancelled = try #require(ended.int("cancelled"))
    #expect(accepted + cancelled == 16_000 && cancelled > 0, "\(ended.text)")
    #expect(ended["reasons"] as? [String: Int] == ["cancelled": cancelled])
    try world.wait(until: world.now + .seconds(1)) { try world.checkAccount(seqno) }
    #expect(world.simulator.counters().deliveries == accepted)
    // Only those who got it have it on their icon.
    #expect(try world.count("SELECT coalesce(sum(badge), 0) FROM users") == Int64(accepted))
    #expect(try world.control("cancel", seqno).text == world.funnel(seqno).text)
    #expect(try world.count("SELECT count(*) FROM claims") == 0)
  }

  @Test func `two nodes both obey`() throws {
    let world = try slowWorld()
    let second = try world.startNode()
    defer { second.stop() }
    try world.populate(16_000)
    // Slow enough that both nodes get a share.
    let seqno = try world.send(#"{"all":true}"#, Self.slowly)
    _ = try poll("only one node claims", every: .milliseconds(20)) {
      try world.checkAccount(seqno)
      return try world.count("SELECT count(DISTINCT node) FROM claims") == 2 ? true : nil
    }
    _ = try pause(seqno, world)
    #expect(try world.control("resume", seqno).status == 200)
    let before = world.simulator.counters().deliveries
    try world.delivered(before + 300) { try world.checkAccount(seqno) }
    #expect(try world.control("cancel", seqno).status == 200)
    let ended = try world.finishedExactly(seqno)
    #expect(ended.string("state") == "cancelled")
    #expect((ended.int("accepted") ?? 0) + (ended.int("cancelled") ?? 0) == 16_000)
    #expect(ended.int("accepted") == world.simulator.counters().deliveries)
  }

  @Test func `what waits for its next try is paused and cancelled too`() throws {
    let world = try World()
    try world.populate(200)
    var fault = Fault(.answer)
    fault.reason = "ServiceUnavailable"
    try world.simulator.add(fault)
    let seqno = try world.send(#"{"all":true}"#)
    _ = try poll("nothing was tried", every: .milliseconds(20)) {
      world.simulator.counters().requests >= 200 ? true : nil
    }
    #expect(try world.control("pause", seqno).string("state") == "paused")
    _ = try poll("not handed back") { try world.checkAccount(seqno).underWay == 0 ? true : nil }
    world.simulator.removeFaults()
    #expect(try world.account(seqno).pending == 200)
    #expect(try world.control("cancel", seqno).string("state") == "cancelled")
    #expect(try world.funnel(seqno).int("cancelled") == 200)
    #expect(world.simulator.counters().deliveries == 0)
  }

  @Test func `a small message behind a large one, and an urgent one, go out at once`() throws {
    let world = try slowWorld()
    try world.populate(12_000)
    let users = (1...50).map { "\"\(String(repeating: "0", count: 7 - String($0).count))\($0)\"" }
    let audience = "{\"clientUids\":[\(users.joined(separator: ","))]}"
    // Where little of the large one is left before the others are there, as when this thread stood, that is begun anew.
    _ = try poll("the large one was nearly over each time") { () -> Bool? in
      let before = world.simulator.counters().deliveries
      let large = try world.send(#"{"all":true}"#, #","lane":"bulk""#)
      try world.delivered(before + 300)
      let small = try world.send(audience, #","lane":"bulk""#)
      let urgent = try world.send(audience, #","lane":"urgent""#)
      let rest = try world.checkAccount(large)
      #expect(try world.finishedExactly(urgent).int("accepted") == 50)
      #expect(try world.finishedExactly(small).int("accepted") == 50)
      _ = try world.control("cancel", large)
      _ = try world.finishedExactly(large)
      guard rest.pending > 2_000 else { return nil }
      let ended = "SELECT finished_at FROM messages WHERE seqno ="
      for other in [small, urgent] {
        let isFirst = "SELECT count(*) WHERE (\(ended) \(other)) < (\(ended) \(large))"
        #expect(try world.count(isFirst) == 1, "the large one was sent first: \(rest)")
      }
      return true
    }
  }

  /// The server dies after a cancellation was answered in part: whoever comes next ends it, and knows what may have
  /// arrived.
  @Test func `a cancellation survives a kill`() throws {
    let world = try slowWorld()
    let process = try world.process()
    world.server.stop()
    try world.populate(6_000)
    try process.start()
    // Slow enough that it lasts for half a minute.
    let pace = #","lane":"bulk","pace":{"perSecond":200}"#
    let seqno = try world.insertSend(#"{"all":true}"#, pace + #","badge":{"increment":1}"#)
    try world.delivered(300)
    try world.connection.script(
      "UPDATE messages SET state = 3, cancelled_at = now(), state_reason = 'x' WHERE seqno = \(seqno)")
    process.kill()
    try process.start()
    _ = try poll("the cancellation has not ended", every: .milliseconds(20)) {
      try world.checkAccount(seqno)
      return try world.count("SELECT count(*) FROM messages WHERE state = 5") == 1 ? true : nil
    }
    let account = try world.checkAccount(seqno)
    #expect(account.pending == 0 && account.targeted == 6_000)
    let received = Int64(world.simulator.counters().deliveries)
    // What was under way may have arrived; it was not sent again, and is counted apart.
    #expect(world.simulator.counters().duplicates == 0)
    #expect(account.accepted <= received)
    #expect(
      try world.count("SELECT coalesce(sum(count), 0) FROM reason_totals WHERE reason = 'unknown-not-resent'")
        >= received - account.accepted)
    #expect(try world.count("SELECT count(*) FROM claims") == 0)
    #expect(try world.count("SELECT coalesce(sum(badge), 0) FROM users") == account.accepted)
  }

  @Test func `a lane that is full refuses sends, to one user too, and no other lane does`() throws {
    let world = try World()
    try world.register("d1", token: World.token("a1"), user: "kim")
    try world.connection.script(
      """
      INSERT INTO messages (app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at, planned)
      SELECT app, 2, 2, '{}', '', 1, now(), now(), now(), true FROM apps, generate_series(1, \(Domain.Limits.openMessages))
      """)
    func send(_ audience: String, _ lane: String) throws -> Reply {
      try world.client.call(
        "POST", "/v1/admin/messages", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","audience":\#(audience),"alert":"B","lane":"\#(lane)"}"#)
    }
    #expect(try send(#"{"all":true}"#, "bulk").status == 503)
    // Whoever is named goes past the planner: it is refused within a second.
    let refused = try poll("the group stays open") {
      let reply = try send(#"{"clientUids":["kim"]}"#, "bulk")
      return reply.status == 503 ? reply : nil
    }
    #expect(refused.text.contains("lane bulk"), "\(refused.text)")
    let urgent = try send(#"{"clientUids":["kim"]}"#, "urgent")
    #expect(urgent.status == 202, "\(urgent.text)")
    #expect(try world.finished(try #require(urgent.string("seqno"))).int("accepted") == 1)
  }
}
