import Foundation
import Postgres
import Reactor
import Server
import TestSupport
import TestTier
import Testing

/// A node's clock is wrong, or jumps, and everything else is real.
@Suite(.slow, .serialized) struct WrongClockEndToEndTests {
  private func complaints(_ world: World) throws -> [String] {
    let reply = try world.client.call("GET", "/ready")
    #expect(reply.status == 200, "\(reply.text)")
    return reply["complaints"] as? [String] ?? []
  }

  private func ready(_ world: World, _ words: String) throws {
    _ = try poll("it does not say \(words)") {
      try complaints(world).contains { $0.contains(words) } ? true : nil
    }
  }

  @Test func `a node says that its clock is wrong, sends nothing, and goes on by itself when it is right`() throws {
    let clock = ShiftedClock(seconds: 660)
    let world = try World(server: { $0.benchmarkOverrides.clock = clock })
    #expect(try world.register("d1", token: World.token("a1"), user: "kim").status == 201)
    try ready(world, "660 s ahead of the database's: nothing is sent")
    let seqno = try world.sendCode(#","expiresIn":"PT10M""#)
    // Accepted for good, by the database's time: it lives for ten minutes from now.
    #expect(try world.number("SELECT count(*) FROM messages WHERE created_at > now() + interval '1 minute'") == 0)
    #expect(try world.number("SELECT count(*) FROM devices WHERE bound_at > now() + interval '1 second'") == 0)
    clock.jump(to: 3)
    try world.expectDelivered(seqno)
    try ready(world, "s ahead of the database's: set both by NTP")
    clock.jump(to: 0)
    _ = try poll("it still complains") {
      try complaints(world).contains { $0.contains("clock") } ? nil : true
    }
  }

  @Test func `a clock that is a month ahead for a minute leaves no trace`() throws {
    let clock = ShiftedClock()
    let world = try World(server: { $0.benchmarkOverrides.clock = clock })
    try world.register("d1", token: World.token("a1"), user: "kim")
    try world.expectDelivered(try world.sendCode())
    let file = try world.client.call(
      "POST", "/v1/admin/audiences/csv?appId=\(World.appID)", bearer: world.apiKey, "CUID\nkim\n",
      type: "text/csv")
    #expect(file.status == 201, "\(file.text)")
    clock.jump(to: 30 * 86_400)
    // It looks after what is over at least once meanwhile, and mints a provider token where it would.
    try world.connection.script("UPDATE clock_watch SET seen_at = NULL; DELETE FROM apns_tokens")
    _ = try poll("it does not look") {
      try world.number("SELECT count(*) FROM clock_watch WHERE seen_at IS NOT NULL") == 1 ? true : nil
    }
    try world.replaceCredential()
    let seqno = try world.sendCode()
    clock.jump(to: 0)
    try world.expectDelivered(seqno)
    #expect(try world.number("SELECT count(*) FROM csv_audiences") == 1)
    #expect(try world.number("SELECT count(*) FROM statistics_progress WHERE hours_upto > now()") == 0)
    #expect(try world.number("SELECT count(*) FROM apps WHERE paused_reason IS NOT NULL") == 0)
  }
}
