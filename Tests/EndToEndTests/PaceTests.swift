import Foundation
import Postgres
import Simulator
import Store
import TestSupport
import TestTier
import Testing
import Time

@testable import Server

/// How fast a message goes out, and its canary.
@Suite(.slow, .serialized) struct PaceTests {
  /// What a gate has let go: when (microseconds by the database's clock), and how many devices.
  private struct Passing {
    let at: Timestamp
    let devices: Int64
  }

  /// From now on it is noted what gates let go: on a busy machine pushes arrive late and close together, so when they
  /// arrive says nothing about the pace.
  private func watchGates(_ world: World) throws {
    try world.database.connect().script(
      """
      CREATE TABLE passings (at timestamptz NOT NULL, devices bigint NOT NULL);
      CREATE FUNCTION note_passing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO passings SELECT counted_at, coalesce(NEW.devices_count, cardinality(NEW.devices)) FROM gates WHERE seqno = NEW.seqno;
        RETURN NULL;
      END $$;
      -- When the claim commits: its gate has been written by then.
      CREATE CONSTRAINT TRIGGER note_passing AFTER INSERT ON claims DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION note_passing();
      """)
  }

  private func passings(_ world: World) throws -> [Passing] {
    let rows = try world.database.connect().run(
      Statement("passings", "SELECT at, sum(devices)::bigint FROM passings GROUP BY at ORDER BY at"), Parameters())
    return rows.map { Passing(at: rows.timestamp($0, 0), devices: rows.int64($0, 1)) }
  }

  /// Most devices within any second.
  private func mostInASecond(_ passings: [Passing]) -> Int64 {
    passings.map { first in
      passings.filter { $0.at >= first.at && $0.at - first.at <= .seconds(1) }.map(\.devices).reduce(0, +)
    }.max() ?? 0
  }

  @Test func `n a second are n a second, also on two nodes`() throws {
    let world = try World()
    let second = try world.startNode()
    defer { second.stop() }
    try world.populate(900)
    try watchGates(world)
    let seqno = try world.send(#"{"all":true}"#, #","lane":"bulk","pace":{"perSecond":300}"#)
    // Another message is not held back by it.
    #expect(try world.finishedExactly(try world.send(#"{"clientUids":["0000001"]}"#)).int("accepted") == 1)
    let ended = try world.finishedExactly(seqno)
    #expect(ended.int("accepted") == 900, "\(ended.text)")
    let passings = try passings(world)
    #expect(passings.map(\.devices).reduce(0, +) == 900)
    // Half a second's worth may come at once after a moment without.
    #expect(mostInASecond(passings) <= 450, "\(mostInASecond(passings)) within a second")
  }

  @Test func `portions with a wait between them`() throws {
    let world = try World()
    try world.populate(50)
    try watchGates(world)
    let seqno = try world.send(#"{"all":true}"#, #","pace":{"devices":20,"wait":"PT2S"}"#)
    #expect(try world.finishedExactly(seqno).int("accepted") == 50)
    let passings = try passings(world)
    #expect(passings.map(\.devices) == [20, 20, 10])
    for (one, next) in zip(passings, passings.dropFirst()) { #expect(next.at - one.at >= .seconds(2)) }
  }

  @Test func `a pace is changed while the message runs`() throws {
    let world = try World()
    try world.populate(2_000)
    let seqno = try world.send(#"{"all":true}"#, #","pace":{"perSecond":1}"#)
    try world.delivered(3)
    #expect(world.simulator.counters().deliveries < 100)
    let reply = try world.setPace(seqno, "null")
    #expect(reply.status == 200 && (reply.int("pending") ?? 0) > 1_800, "\(reply.text)")
    #expect(try world.finishedExactly(seqno).int("accepted") == 2_000)
    #expect(try world.setPace(seqno, #"{"perSecond":1}"#).status == 409)
  }

  // MARK: Canary

  @Test func `a canary that is rejected stops the rest, and says why`() throws {
    let world = try World()
    try world.populate(2_000)
    var fault = Fault(.answer)
    fault.reason = "BadCollapseId"
    try world.simulator.add(fault)
    let seqno = try world.send(
      #"{"all":true}"#, #","lane":"bulk","canary":{"devices":50,"wait":"PT1H","maxRejectedPercent":10}"#)
    let stopped = try poll("the canary does not stop it") {
      try world.checkAccount(seqno)
      let reply = try world.funnel(seqno)
      return reply.string("state") == "paused" ? reply : nil
    }
    #expect(stopped.string("stateReason")?.contains("canary") == true, "\(stopped.text)")
    #expect(stopped.int("targeted") == 2_000)
    // It stops while others of the canary are still on their way.
    _ = try poll("the canary does not end") { try world.checkAccount(seqno).underWay == 0 ? true : nil }
    let tried = world.simulator.counters().requests
    #expect(tried <= 50)
    world.simulator.removeFaults()
    // Who resumes it all the same sends the rest.
    #expect(try world.control("resume", seqno).string("state") == "sending")
    let ended = try world.finishedExactly(seqno)
    #expect(ended.int("rejected") == tried && ended.int("accepted") == 2_000 - tried, "\(ended.text)")
  }

  @Test func `a canary that is taken lets the rest follow, after its time`() throws {
    let world = try World()
    try world.populate(1_000)
    let seqno = try world.send(#"{"all":true}"#, #","canary":{"percent":10,"wait":"PT1H"}"#)
    try world.delivered(100) { try world.checkAccount(seqno) }
    #expect(world.simulator.counters().deliveries == 100)
    #expect(try world.count("SELECT count(*) FROM gates WHERE canary_until > now() + interval '55 minutes'") == 1)
    // The hour ends in two seconds.
    let until = try world.connection.run(
      Statement(
        "until",
        """
        UPDATE gates SET canary_until = clock_timestamp() + interval '2 s'
        RETURNING (extract(epoch FROM canary_until) * 1000000)::bigint
        """)
    ).int64(0, 0)
    #expect(try world.finishedExactly(seqno).int("accepted") == 1_000)
    let times = world.simulator.allDeliveries().map(\.atMicroseconds).sorted()
    #expect(times[100] >= until, "\(until - times[100]) µs too early")
  }
}
