import Foundation
import Postgres
import Testing
import Time

/// When a message was received and read is what the device says, as far as that can be.
@Suite(.serialized) struct ConfirmationTimeTests {
  private static let token = World.token("a1")
  private static let hour = hours(1)

  private static func hours(_ count: Int) -> Duration { .seconds(3_600 * count) }

  /// A message that was sent two hours ago.
  private func message(_ world: World) throws -> String {
    let seqno = try world.send(#"{"clientUids":["kim"]}"#)
    _ = try world.finished(seqno)
    try world.connection.script(
      "UPDATE messages SET created_at = now() - interval '2 hours' WHERE seqno = \(seqno)")
    return seqno
  }

  private func world() throws -> World {
    let world = try World()
    try world.register("d1", token: Self.token, user: "kim")
    return world
  }

  private func time(_ moment: Timestamp) -> String {
    let formatter = ISO8601DateFormatter()
    return formatter.string(from: Date(timeIntervalSince1970: Double(moment.seconds)))
  }

  private func confirm(_ world: World, _ list: String, _ seqno: String, at: String?) throws -> Reply {
    let time = at.map { #","at":"\#($0)""# } ?? ""
    return try world.client.call(
      "POST", "/v1/\(list)",
      #"{"\#(list)":[{"seqno":"\#(seqno)","psid":"\#(Self.token)","pushkey":"\#(try world.pushkey(seqno, Self.token))"\#(time)}]}"#
    )
  }

  /// Seconds between what is stored and a time.
  private func distance(_ world: World, _ table: String, _ seqno: String, from moment: Timestamp) throws -> Int64 {
    try world.count(
      "SELECT abs(extract(epoch FROM at) - \(moment.seconds))::bigint FROM \(table) WHERE seqno = \(seqno)")
  }

  @Test(arguments: ["receipts", "reads"])
  func `the time that a device says is kept, no earlier than the send and no later than now`(list: String) throws {
    let world = try world()
    for (said, kept) in [
      (Self.hours(-1), Self.hours(-1)), (Self.hours(-5), Self.hours(-2)), (Self.hours(3), .zero), (nil, .zero),
    ] as [(Duration?, Duration)] {
      let seqno = try message(world)
      let now = world.now
      let reply = try confirm(world, list, seqno, at: said.map { time(now + $0) })
      #expect(reply.result["status"] as? String == "recorded", "\(reply.text)")
      // A minute, however long the call took.
      let most = 60 + world.now.seconds - now.seconds
      #expect(try distance(world, list, seqno, from: now + kept) <= most)
      #expect(try distance(world, "receipts", seqno, from: now + kept) <= most, "a read proves that it was received")
      // The first one counts, whatever a second one says.
      #expect(try confirm(world, list, seqno, at: time(now)).result["status"] as? String == "recorded")
      #expect(try distance(world, list, seqno, from: now + kept) <= most)
    }
  }

  @Test func `it is what the list of deliveries and the explanation show`() throws {
    let world = try world()
    let seqno = try message(world)
    let said = time(world.now - Self.hour)
    _ = try confirm(world, "receipts", seqno, at: said)
    for path in ["deliveries", "users/kim/explain"] {
      let reply = try world.client.call("GET", "/v1/admin/messages/\(seqno)/\(path)", bearer: world.apiKey)
      #expect(reply.text.contains(String(said.dropLast())), "\(reply.text)")
    }
  }

  @Test func `several confirmations of one delivery in one call keep the first receipt and read`() throws {
    let world = try world()
    let seqno = try message(world)
    let key = try world.pushkey(seqno, Self.token)
    let now = world.now
    let entries = [now - Self.hour / 2, now - Self.hour].map { at in
      #"{"seqno":"\#(seqno)","psid":"\#(Self.token)","pushkey":"\#(key)","at":"\#(time(at))"}"#
    }
    let reply = try world.client.call("POST", "/v1/reads", #"{"reads":[\#(entries.joined(separator: ","))]}"#)
    #expect(
      (reply["results"] as? [[String: Any]])?.compactMap { $0["status"] as? String } == ["recorded", "recorded"])
    #expect(try world.count("SELECT count(*) FROM reads") == 1)
    #expect(try distance(world, "reads", seqno, from: now - Self.hour / 2) <= 60)
  }

  @Test func `a time that is none is refused`() throws {
    let world = try world()
    let seqno = try message(world)
    let reply = try confirm(world, "receipts", seqno, at: "yesterday")
    #expect(reply.status == 400 && reply.text.contains("/receipts/0/at"), "\(reply.text)")
  }
}
