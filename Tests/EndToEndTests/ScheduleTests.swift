import Foundation
import Operations
import Postgres
import Simulator
import TestSupport
import TestTier
import Testing
import Time

/// Messages that go out later: at a time, at local time, again and again, within a window.
@Suite(.slow, .serialized) struct ScheduleTests {
  /// A moment as RFC 3339 writes it.
  private func text(_ moment: Timestamp) -> String { moment.description }

  /// The wall clock in a zone, some seconds from now.
  private func wall(_ world: World, _ zone: String, seconds: Int) throws -> String {
    let rows = try world.connection.run(
      Statement(
        "wall\(zone)\(seconds)",
        "SELECT to_char((now() + interval '\(seconds) s') AT TIME ZONE '\(zone)', 'YYYY-MM-DD\"T\"HH24:MI:SS')"))
    return rows.text(0, 0)
  }

  private func schedule(_ world: World, _ more: String, audience: String = #"{"all":true}"#) throws -> Reply {
    let reply = try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":\#(audience),"alert":"B",\#(more)}"#)
    #expect(reply.status == 202 && reply.string("state") == "scheduled", "\(reply.text)")
    return reply
  }

  // MARK: At a time

  @Test func `a reserved message waits for its time, and its audience is frozen then`() throws {
    let world = try World()
    try world.populate(5)
    let later = world.now + .seconds(3_600)
    let reply = try schedule(world, "\"sendAt\":\"\(text(later))\",\"expiresIn\":\"PT10M\"")
    #expect(reply.int("targeted") == 5 && reply["estimate"] as? Bool == true)
    #expect(reply.string("sendAt") == text(later))
    let seqno = try #require(reply.string("seqno"))
    // Two more come before it is due.
    try world.register("d1", token: World.token("a1"), user: "kim")
    try world.register("d2", token: World.token("b2"), user: "lee")
    #expect(try world.funnel(seqno)["estimate"] as? Bool == true)
    // Make it due now, however long the registrations took.
    let due = world.now + .seconds(2)
    try world.connection.script(
      """
      UPDATE messages SET due_at = '\(text(due))', expires_at = '\(text(due))'::timestamptz + (expires_at - due_at)
      """)
    let ended = try world.finishedExactly(seqno)
    #expect(ended.int("targeted") == 7 && ended.int("accepted") == 7 && ended["estimate"] == nil, "\(ended.text)")
    let first = Timestamp(microseconds: try #require(world.simulator.allDeliveries().map(\.atMicroseconds).min()))
    #expect(first >= Timestamp(milliseconds: due.milliseconds), "sent \(due - first) too early")
    // Due messages are looked for every second. A busy machine takes longer, but not until a slower walk finds them.
    #expect(first <= due + .seconds(15 * Sanitizers.slowness), "sent \(first - due) late")
    // It is worth something for as long as it was asked for, from when it was due.
    #expect(
      try world.count("SELECT extract(epoch FROM expires_at - due_at)::bigint FROM messages") == 600)
    #expect(try world.payloads(World.token("a1")).count == 1)
  }

  @Test func `a reserved message is cancelled before its time, and cannot be paused`() throws {
    let world = try World()
    try world.populate(5)
    let seqno = try #require(
      try schedule(world, "\"sendAt\":\"\(text(world.now + .seconds(3_600)))\"").string("seqno"))
    let refusal = try world.control("pause", seqno)
    #expect(refusal.status == 409 && refusal.text.contains("scheduled"), "\(refusal.text)")
    let reply = try world.control("cancel", seqno)
    #expect(reply.string("state") == "cancelled" && reply.int("cancelled") == 5 && reply.int("pending") == 0)
    try world.checkAccount(seqno)
  }

  @Test func `one that is found more than an hour late fails, and nobody gets it`() throws {
    let world = try World()
    try world.populate(5)
    let due = world.now + .seconds(3_600)
    let late = try #require(try schedule(world, "\"sendAt\":\"\(text(due))\"").string("seqno"))
    let justInTime = try #require(try schedule(world, "\"sendAt\":\"\(text(due))\"").string("seqno"))
    // As if the server had been away.
    try world.connection.script(
      """
      UPDATE messages SET due_at = now() - interval '61 minutes', expires_at = now() + interval '1 day'
      WHERE seqno = \(late);
      UPDATE messages SET due_at = now() - interval '59 minutes', expires_at = now() + interval '1 day'
      WHERE seqno = \(justInTime);
      """)
    let failed = try world.finishedExactly(late)
    #expect(failed.string("state") == "failed", "\(failed.text)")
    #expect(failed.int("skipped") == 5 && failed["reasons"] as? [String: Int] == ["late": 5])
    #expect(failed.string("stateReason")?.contains("61 minutes late") == true)
    #expect(try world.finishedExactly(justInTime).int("accepted") == 5)
    #expect(world.simulator.counters().deliveries == 5)
  }

  @Test func `one that was too late is sent again to everyone who was to get it`() throws {
    let world = try World()
    try world.populate(5)
    let due = "\"sendAt\":\"\(text(world.now + .seconds(3_600)))\""
    func late(_ audience: String) throws -> String {
      let seqno = try #require(try schedule(world, due, audience: audience).string("seqno"))
      try world.connection.script(
        "UPDATE messages SET due_at = now() - interval '61 min', expires_at = now() + interval '1 day' WHERE state = 0")
      #expect(try world.finishedExactly(seqno).int("accepted") == 0)
      return seqno
    }
    let all = try late(#"{"all":true}"#)
    // Nobody has got it, so there is nobody who has not read it.
    #expect(try world.control("resend", all, #"{"to":"not-read"}"#).int("targeted") == 0)
    let reply = try world.control("resend", all, #"{"to":"failed"}"#)
    #expect(reply.status == 202 && reply.int("targeted") == 5, "\(reply.text)")
    let again = try #require(reply.string("seqno"))
    let ended = try world.finishedExactly(again)
    #expect(ended.string("state") == "completed" && ended.int("accepted") == 5, "\(ended.text)")
    // All of them have got that one.
    #expect(try world.control("resend", again, #"{"to":"failed"}"#).int("targeted") == 0)

    let named = try world.control("resend", late(#"{"clientUids":["0000002","nobody"]}"#), #"{"to":"failed"}"#)
    #expect(named.int("targeted") == 1 && named["unknown"] as? [String] == ["nobody"], "\(named.text)")
    #expect(try world.finishedExactly(try #require(named.string("seqno"))).int("accepted") == 1)
    #expect(world.simulator.counters().deliveries == 6)
  }

  @Test func `times that make no sense are refused`() throws {
    let world = try World()
    let now = world.now
    for (members, pointer) in [
      ("\"sendAt\":\"\(text(now - .seconds(3_700)))\"", "/sendAt"),
      ("\"sendAt\":\"\(text(now + .seconds(400 * 86_400)))\"", "/sendAt"),
      (#""localTime":"2020-01-01T09:00""#, "/localTime"),
      (
        "\"sendAt\":\"\(text(now + .seconds(86_400)))\",\"repeat\":{\"every\":\"day\",\"until\":\"2020-01-01\"}",
        "/repeat/until"
      ),
    ] {
      let reply = try world.client.call(
        "POST", "/v1/admin/messages", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"B",\#(members)}"#)
      #expect(reply.status == 422 && reply.string("type") == "upmc:impossible", "\(reply.text)")
      #expect(reply.text.contains(pointer), "\(members): \(reply.text)")
    }
    #expect(try world.count("SELECT count(*) FROM messages") == 0)
  }

  // MARK: Again and again

  @Test func `each occurrence of a repetition is a message, until the last day`() throws {
    let world = try World()
    try world.populate(2)
    let due = world.now + .milliseconds(1_500)
    // Two occurrences: today and tomorrow, as the app's clock counts days.
    let tomorrow = String(try wall(world, "Asia/Seoul", seconds: 86_402).prefix(10))
    let first = try #require(
      try schedule(
        world,
        "\"sendAt\":\"\(text(due))\",\"repeat\":{\"every\":\"day\",\"until\":\"\(tomorrow)\"},\"pace\":{\"perSecond\":9}"
      ).string("seqno"))
    #expect(try world.finishedExactly(first).int("accepted") == 2)
    #expect(try world.count("SELECT count(*) FROM messages") == 2)
    #expect(
      try world.count(
        "SELECT extract(epoch FROM max(due_at) - min(due_at))::bigint FROM messages WHERE schedule = 1") == 86_400)
    #expect(try world.count("SELECT count(*) FROM gates WHERE pace_devices = 9") == 2)
    // Tomorrow comes, two hours late: that one fails, and there is none after it.
    try world.connection.script("UPDATE messages SET due_at = now() - interval '2 hours' WHERE state = 0")
    let second = String(try world.count("SELECT max(seqno) FROM messages"))
    #expect(try world.finishedExactly(second).string("state") == "failed")
    #expect(try world.count("SELECT count(*) FROM messages WHERE state = 0") == 0)
    #expect(world.simulator.counters().deliveries == 2)
  }

  @Test func `a missed occurrence fails and the next one is kept`() throws {
    let world = try World()
    try world.populate(2)
    let first = try #require(
      try schedule(
        world,
        "\"sendAt\":\"\(text(world.now + .seconds(86_400)))\",\"repeat\":{\"every\":\"week\",\"until\":\"2099-01-01\"}"
      ).string("seqno"))
    try world.connection.script(
      """
      UPDATE schedules SET first_local = first_local - interval '3 days';
      UPDATE messages SET due_at = due_at - interval '3 days'
      """)
    #expect(try world.finishedExactly(first).string("state") == "failed")
    #expect(try world.count("SELECT count(*) FROM messages WHERE state = 0 AND due_at > now()") == 1)
    // Cancelling the scheduled occurrence ends the repetition.
    let second = String(try world.count("SELECT max(seqno) FROM messages"))
    #expect(try world.control("cancel", second).string("state") == "cancelled")
    #expect(try world.count("SELECT count(*) FROM schedules WHERE ended_at IS NOT NULL") == 1)
  }

  // MARK: Local time

  @Test func `each zone gets it when its own clock shows the time; zones that are too late are left out`() throws {
    let world = try World()
    // Seoul, an unknown zone (which counts as the app's, Seoul), New York hours later, Auckland hours ago.
    try world.populate(40, zones: ["Asia/Seoul", "Middle/Earth", "America/New_York", "Pacific/Auckland"])
    let local = try wall(world, "Asia/Seoul", seconds: 2)
    let seqno = try #require(
      try schedule(world, "\"localTime\":\"\(local)\",\"expiresIn\":\"PT1H\"").string("seqno"))
    let some = try poll("nothing arrived") {
      try world.checkAccount(seqno)
      let funnel = try world.funnel(seqno)
      return funnel.int("accepted") == 20 && funnel.int("skipped") == 10 ? funnel : nil
    }
    #expect(some.int("targeted") == 40 && some.int("pending") == 10, "\(some.text)")
    #expect(some["reasons"] as? [String: Int] == ["late": 10])
    // What has its time still to come must not expire with the others.
    try world.connection.script("UPDATE waves SET due_at = now() WHERE NOT opened")
    let ended = try world.finishedExactly(seqno)
    #expect(ended.int("accepted") == 30 && ended.string("state") == "completed", "\(ended.text)")
    #expect(world.simulator.counters().deliveries == 30)
    // Once more to those who failed: the zone that was left out.
    let again = try world.control("resend", seqno, #"{"to":"failed"}"#)
    #expect(again.status == 202 && again.string("resendOf") == seqno, "\(again.text)")
    let reached = try world.finishedExactly(try #require(again.string("seqno")))
    #expect(reached.int("targeted") == 10 && reached.int("accepted") == 10, "\(reached.text)")
    #expect(Set(world.simulator.allDeliveries().map(\.token)).count == 40)
  }

  // MARK: Window

  @Test func `outside of the window deliveries wait, and go out when it opens`() throws {
    let world = try World()
    try world.populate(30, zones: ["Asia/Seoul", ""])
    let opens = try wall(world, "Asia/Seoul", seconds: 7_200).dropFirst(11).prefix(5)
    let closes = try wall(world, "Asia/Seoul", seconds: 10_800).dropFirst(11).prefix(5)
    let window = "\"from\":\"\(opens)\",\"to\":\"\(closes)\""
    let byApp = try world.send(#"{"all":true}"#, ",\"window\":{\(window)}")
    let byDevice = try world.send(#"{"all":true}"#, ",\"window\":{\(window),\"zone\":\"device\"}")
    let short = try world.send(#"{"all":true}"#, ",\"window\":{\(window),\"zone\":\"device\"},\"expiresIn\":\"PT3S\"")
    _ = try poll("not all wait") {
      for seqno in [byApp, byDevice, short] { try world.checkAccount(seqno) }
      return try world.account(byDevice).deferred == 30 && world.account(byApp).unclaimed == 30 ? true : nil
    }
    // Never past the expiry.
    let expired = try world.finishedExactly(short)
    #expect(expired.int("expired") == 30 && expired.string("state") == "expired", "\(expired.text)")
    #expect(world.simulator.counters().deliveries == 0)
    // The time comes.
    try world.connection.script(
      """
      UPDATE gates SET window_opens = '00:00', window_closes = '23:59:59.999';
      UPDATE waits SET due_at = now() WHERE seqno = \(byDevice)
      """)
    #expect(try world.finishedExactly(byApp).int("accepted") == 30)
    // By the devices' clocks the window is still closed: looked at anew, they wait on.
    _ = try poll("not looked at again") {
      try world.checkAccount(byDevice)
      return try world.count("SELECT count(*) FROM deliveries WHERE seqno = \(byDevice) AND due_at > now()") == 30
        ? true : nil
    }
    #expect(try world.control("cancel", byDevice).int("cancelled") == 30)
  }
}
