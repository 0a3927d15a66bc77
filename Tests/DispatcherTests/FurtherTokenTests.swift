import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher
@testable import Domain

/// What answers tell about tokens beside a device's ordinary one.
@Suite struct FurtherTokenTests {
  private static let voip = #","pushType":"voip""#

  /// Two devices with a token for calls, given an hour ago.
  private func world(_ script: @escaping ScriptedNetwork.Script) throws -> DispatcherWorld {
    let world = try DispatcherWorld(script)
    try world.makeDevices(1..<3)
    try world.connection.script(
      """
      INSERT INTO psids (app, psid, network, kind, device, bound_at)
      SELECT app, 'call' || device_id, network, \(TokenKind.voip.rawValue), device, now() - interval '1 hour'
      FROM devices
      """)
    return world
  }

  private static let anHourAfter1970 = Timestamp(seconds: 3_600)

  @Test func `a dead token for calls is never tried again, and its device stays`() throws {
    let world = try world { _, target, _ in
      DispatcherWorld.number(target) == 1 && target.psid.hasPrefix("call")
        ? .badToken(reason: "Unregistered", since: .max) : .accepted
    }
    let first = try world.finished(try world.send(#"{"all":true}"#, Self.voip))
    #expect((first.funnel.accepted, first.funnel.rejected) == (1, 1), "\(first)")
    let second = try world.finished(try world.send(#"{"all":true}"#, Self.voip))
    #expect((second.funnel.accepted, second.funnel.skipped) == (1, 1), "\(second)")
    #expect(second.reasons.contains("no-token"))
    #expect(try world.finished(try world.send()).funnel.accepted == 2)
    #expect(try world.count("former_psids WHERE psid = 'calld1'") == 1)
    #expect(try world.quarantine().isEmpty)
  }

  @Test func `whoever waits for a token that dies has not locked its device, which sets that token`() throws {
    let world = try world { _, target, _ in
      DispatcherWorld.number(target) == 1 && target.psid.hasPrefix("call")
        ? .badToken(reason: "Unregistered", since: .max) : .accepted
    }
    // As a device that sets its token does: first the token, then its row.
    let device = try TestDatabase.connect(to: world.databaseURL)
    try device.script("BEGIN; SELECT FROM psids WHERE psid = 'calld1' FOR UPDATE")
    let seqno = try world.send(#"{"all":true}"#, Self.voip)
    _ = try poll("nothing waits for the token") { try world.connection.waitingSessions() > 0 ? true : nil }
    let free = Statement("test-free-devices", "SELECT device FROM devices FOR UPDATE SKIP LOCKED")
    #expect(try device.run(free).count == 2)
    try device.script("COMMIT")
    #expect(try world.finished(seqno).funnel.rejected == 1)
    #expect(try world.count("former_psids WHERE psid = 'calld1'") == 1)
  }

  // MARK: Live Activities

  private static func activity(_ more: String = "") -> String {
    #","pushType":"liveactivity","liveActivity":{"event":"update","timestamp":1,"contentState":{}\#(more)}"#
  }

  /// Two devices with two activities each.
  private func activities(_ script: @escaping ScriptedNetwork.Script) throws -> DispatcherWorld {
    let world = try DispatcherWorld(script)
    try world.makeDevices(1..<3)
    try world.connection.script(
      """
      INSERT INTO psids (app, psid, network, kind, device, bound_at, activity, activity_type)
      SELECT app, a || device_id, network, \(TokenKind.liveActivityUpdate.rawValue), device,
        now() - interval '1 hour', a, 'Type of ' || a
      FROM devices, (VALUES ('one'), ('two')) AS n(a)
      """)
    return world
  }

  @Test func `all activities of a device get a message, in one delivery`() throws {
    let world = try activities { _, _, _ in .accepted }
    let all = try world.finished(try world.send(#"{"all":true}"#, Self.activity()))
    #expect((all.funnel.targeted, all.funnel.accepted) == (2, 2))
    #expect(world.network.log.map(\.psid).sorted() == ["oned1", "oned2", "twod1", "twod2"])
    let named = try world.send(#"{"all":true}"#, Self.activity(#","activityId":"two""#))
    #expect(try world.finished(named).funnel.accepted == 2)
    #expect(world.network.log.filter { $0.seqno == named }.map(\.psid).sorted() == ["twod1", "twod2"])
    let typed = try world.send(#"{"all":true}"#, Self.activity(#","attributesType":"Type of one""#))
    #expect(try world.finished(typed).funnel.accepted == 2)
    #expect(world.network.log.filter { $0.seqno == typed }.map(\.psid).sorted() == ["oned1", "oned2"])
    let unknown = try world.finished(try world.send(#"{"all":true}"#, Self.activity(#","activityId":"three""#)))
    #expect(unknown.funnel.skipped == 2 && unknown.reasons.contains("no-token"))
  }

  @Test func `a dead activity does not keep the other one from its update, and goes`() throws {
    let world = try activities { _, target, _ in
      target.psid.hasPrefix("one") ? .badToken(reason: "Unregistered", since: .max) : .accepted
    }
    #expect(try world.finished(try world.send(#"{"all":true}"#, Self.activity())).funnel.accepted == 2)
    #expect(try world.count("psids WHERE kind = \(TokenKind.liveActivityUpdate.rawValue)") == 2)
    #expect(try world.quarantine().isEmpty)
  }

  @Test func `an activity that is busy gets its update later, and the other one no second`() throws {
    let world = try activities { _, target, attempt in
      target.psid == "oned1" && attempt < 3 ? .notProcessed : .accepted
    }
    let seqno = try world.send(#"{"all":true}"#, Self.activity())
    #expect(try world.finished(seqno).funnel.accepted == 2)
    #expect(world.network.log.filter { $0.psid == "twod1" }.count == 1)
    #expect(world.network.log.filter { $0.psid == "oned1" }.count > 1)
  }

  @Test func `what one activity has got is not called cancelled while the other one waits`() throws {
    let world = try activities { _, _, attempt in
      attempt == 1 ? .accepted : .retry(reason: "ServiceUnavailable", after: 3_600)
    }
    let seqno = try world.send(#"{"all":true}"#, Self.activity())
    _ = try poll("the second activities do not wait") {
      try world.count("outcomes WHERE status = 6 AND due_at IS NOT NULL") == 2 ? true : nil
    }
    try world.connection.run(Controls.beginCancelling(seqno))
    let (end, reasons) = try world.finished(seqno)
    #expect((end.cancelled, end.skipped) == (0, 2) && reasons.contains("unknown-not-resent"), "\(end) \(reasons)")
  }

  /// Only the memory knows which activities are done, so a second try from the database would go to both.
  @Test func `an update that must not be sent twice is not repeated to one activity while another waits`() throws {
    let world = try activities { _, _, attempt in
      attempt == 1 ? .accepted : .retry(reason: "ServiceUnavailable", after: 3_600)
    }
    let seqno = try world.send(#"{"all":true}"#, Self.activity() + #","onUnknown":"skip""#)
    #expect(try world.finished(seqno).funnel.accepted == 2)
    #expect(try world.count("outcomes WHERE status = 6") == 0)
    #expect(world.network.log.map(\.psid).sorted() == ["oned1", "oned2", "twod1", "twod2"])
  }

  @Test func `in a long outage, an activity that has its update gets no second one, however full the memory is`() throws
  {
    let world = try activities { _, _, attempt in attempt == 1 ? .accepted : .notProcessed }
    // As if so many others waited for the network that what comes back is to wait in the database.
    world.dispatchers[0].shared.admit(Limits.windowDevices / 2)
    let seqno = try world.send(#"{"all":true}"#, Self.activity())
    _ = try poll("the second activities were not tried for long enough") { () -> Bool? in
      let tries = world.network.log.dropFirst(2).map(\.at)
      guard let first = tries.first, let last = tries.last else { return nil }
      return last - first >= Limits.outageDeferral + .seconds(1) ? true : nil
    }
    let updated = Set(world.network.log.prefix(2).map(\.psid))
    world.network.answer { _, _, _ in .accepted }
    #expect(try world.finished(seqno).funnel.accepted == 2)
    #expect(world.network.log.filter { updated.contains($0.psid) }.count == 2)
    #expect(Set(world.network.log.map(\.psid)).count == 4)
  }

  @Test func `when every activity refuses, the delivery is rejected with the last word`() throws {
    let world = try activities { _, target, _ in
      .badToken(reason: target.psid.hasPrefix("one") ? "Unregistered" : "ExpiredToken", since: 1)
    }
    let ended = try world.finished(try world.send(#"{"all":true}"#, Self.activity()))
    #expect((ended.funnel.accepted, ended.funnel.rejected) == (0, 2))
    #expect(world.network.log.count == 4)
  }

  @Test func `what an app says to Android stands where a message says nothing`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<2)
    try world.connection.script(
      ##"UPDATE apps SET android = '{"channelId":"bank","color":"#112233","newer":1}'"##)
    _ = try world.finished(try world.send(#"{"all":true}"#, #","android":{"channelId":"loans","priority":"normal"}"#))
    let android = try #require(world.network.android.last)
    #expect((android.channelID, android.color, android.priority) == ("loans", "#112233", .normal))
  }

  @Test func `one that was given after it is said to have died is kept`() throws {
    let world = try world { _, _, attempt in
      attempt == 1 ? .badToken(reason: "Unregistered", since: Self.anHourAfter1970) : .accepted
    }
    _ = try world.finished(try world.send(#"{"all":true}"#, Self.voip))
    #expect(try world.count("psids WHERE kind = \(TokenKind.voip.rawValue)") == 2)
  }
}
