import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher
@testable import Domain

/// The circuit breaker, with the real database.
@Suite struct FloodTests {
  private static let bad = SubmissionResult.badToken(reason: "BadDeviceToken", since: nil)

  @Test func `a flood of refused tokens pauses the app, says why, and leaves no trace`() throws {
    let world = try DispatcherWorld { _, _, _ in Self.bad }
    try world.makeDevices(1..<301)
    let seqno = try world.send()
    let reason = try world.paused()
    #expect(reason.contains("BadDeviceToken") && reason.contains("APNS production"), "\(reason)")
    #expect(reason.contains("upmc app resume \(DispatcherWorld.appID)"))
    try world.settled(seqno)
    #expect(try world.quarantine().isEmpty)
    #expect(try world.count("devices WHERE state = 1") == 300)
    let (funnel, reasons) = try world.funnel(seqno)
    #expect(
      funnel.pending == 300 && funnel.targeted == 300 && funnel.state == .sending && reasons == "{}",
      "\(funnel) \(reasons)")

    world.network.answer { _, _, _ in .accepted }
    try world.resume()
    #expect(try world.finished(seqno).funnel.accepted == 300)
  }

  @Test func `messages that were complete are open again with what the flood refused of them`() throws {
    let world = try DispatcherWorld { _, _, _ in Self.bad }
    try world.makeDevices(1..<91)
    let first = try world.finished(try world.send())
    #expect(first.funnel.rejected == 90 && first.funnel.state == .failed)
    #expect(try world.quarantine().count == 90)
    try world.makeDevices(100..<130)
    let second = try world.send(
      #"{"devices":[\#((100..<130).map { "\"\(DispatcherWorld.device($0))\"" }.joined(separator: ","))]}"#)
    _ = try world.paused()
    try world.settled(second)
    #expect(try world.quarantine().isEmpty)
    let reopened = try world.funnel(first.funnel.seqno)
    #expect(reopened.funnel.state == .sending && reopened.funnel.pending == 90 && reopened.reasons == "{}")
    #expect(try world.funnel(second).funnel.pending == 30)
    world.network.answer { _, _, _ in .accepted }
    try world.resume()
    #expect(try world.finished(first.funnel.seqno).funnel.accepted == 90)
    #expect(try world.finished(second).funnel.accepted == 30)
  }

  @Test func `a delivery that was sent again before its flood was noticed arrives once`() throws {
    let world = try DispatcherWorld { _, _, _ in .rejected(reason: "TopicDisallowed") }
    try world.makeDevices(1..<91)
    let first = try world.finished(try world.send()).funnel
    #expect(first.rejected == 90)
    // The hundredth refusal is one of this message.
    let again = try world.connection.withTransaction {
      let again = try world.send()
      try world.connection.script(
        "UPDATE messages SET resend_of = \(first.seqno), resend_to = 0 WHERE seqno = \(again)")
      return again
    }
    _ = try world.paused()
    try world.settled(again)
    world.network.answer { _, _, _ in .accepted }
    try world.resume()
    #expect(try world.finished(again).funnel.accepted == 90)
    let end = try world.funnel(first.seqno).funnel
    #expect(end.state == .failed && end.rejected == 90 && end.pending == 0, "\(end)")
    #expect(world.network.log.count { $0.seqno == first.seqno } == 90)
  }

  @Test func `who was told that a message had ended is told that it has not`() throws {
    let world = try DispatcherWorld { _, _, _ in Self.bad }
    try world.hear([.messageFinished, .messageReopened])
    try world.makeDevices(1..<91)
    let first = try world.finished(try world.send()).funnel.seqno
    try world.makeDevices(100..<130)
    let second = try world.send(
      #"{"devices":[\#((100..<130).map { "\"\(DispatcherWorld.device($0))\"" }.joined(separator: ","))]}"#)
    _ = try world.paused()
    try world.settled(second)
    world.network.answer { _, _, _ in .accepted }
    try world.resume()
    _ = try world.finished(first)
    _ = try world.finished(second)
    #expect(try world.told(of: first) == ["message.finished", "message.reopened", "message.finished"])
    #expect(try world.told(of: second) == ["message.finished"], "it had never ended")
  }

  @Test func `devices of the other environment are no flood, however many`() throws {
    let world = try DispatcherWorld { route, _, _ in route.environment == .sandbox ? .accepted : Self.bad }
    try world.makeDevices(1..<301)
    #expect(try world.finished(try world.send()).funnel.accepted == 300)
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
  }

  @Test func `dead tokens are no flood, however many`() throws {
    let world = try DispatcherWorld { _, _, _ in
      .badToken(reason: "Unregistered", since: Timestamp(milliseconds: 4_000_000_000_000))
    }
    try world.makeDevices(1..<301)
    #expect(try world.finished(try world.send()).funnel.rejected == 300)
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
    #expect(try world.count("devices WHERE state = 3") == 300)
  }

  @Test func `a topic that is disallowed for a few refuses them, and nothing is paused or put aside`() throws {
    let world = try DispatcherWorld { _, target, _ in
      DispatcherWorld.number(target) < 100 ? .rejected(reason: "TopicDisallowed") : .accepted
    }
    try world.makeDevices(1..<151)
    let end = try world.finished(try world.send()).funnel
    #expect((end.rejected, end.accepted) == (99, 51))
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
    #expect(try world.quarantine().isEmpty)
  }

  @Test func `a topic that is disallowed for everyone is a flood`() throws {
    let world = try DispatcherWorld { _, _, _ in .rejected(reason: "TopicDisallowed") }
    try world.makeDevices(1..<121)
    let seqno = try world.send()
    #expect(try world.paused().contains("TopicDisallowed"))
    try world.settled(seqno)
    #expect(try world.funnel(seqno).funnel.pending == 120)
    world.network.answer { _, _, _ in .accepted }
    try world.resume()
    #expect(try world.finished(seqno).funnel.accepted == 120)
  }

  @Test func `of a flood that comes in all at once nothing stays refused`() throws {
    let world = try DispatcherWorld { _, _, _ in .rejected(reason: "TopicDisallowed") }
    try world.makeDevices(1..<501)
    world.network.hold((1..<501).map(DispatcherWorld.device))
    let seqno = try world.send()
    _ = try poll("not all were sent to") { world.network.held == 500 ? true : nil }
    world.network.answerHeld()
    #expect(try world.paused().contains("TopicDisallowed"))
    try world.settled(seqno)
    let (funnel, reasons) = try world.funnel(seqno)
    #expect(funnel.pending == 500 && funnel.rejected == 0 && reasons == "{}", "\(funnel) \(reasons)")
    world.network.answer { _, _, _ in .accepted }
    try world.resume()
    #expect(try world.finished(seqno).funnel.accepted == 500)
  }

  @Test func `after the resumption the count begins anew`() throws {
    let world = try DispatcherWorld { _, _, _ in Self.bad }
    try world.makeDevices(1..<151)
    let seqno = try world.send()
    _ = try world.paused()
    try world.settled(seqno)
    // Sixty more refusals: a flood only together with those from before.
    world.network.answer { _, target, _ in DispatcherWorld.number(target) <= 60 ? Self.bad : .accepted }
    try world.resume()
    let ended = try world.finished(seqno)
    #expect(ended.funnel.accepted == 90 && ended.funnel.rejected == 60)
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
    #expect(try world.quarantine().count == 60)
  }

  /// A refusal that is asked about at the other environment, one that is not, and one that says nothing of the token;
  /// a few of each, and enough of each for a flood of their own.
  @Test(
    arguments: [
      Self.bad, .badToken(reason: "DeviceTokenNotForTopic", since: nil), .rejected(reason: "TopicDisallowed"),
    ], [40, 120])
  func `an answer to what was sent before the resumption is held against nobody`(
    _ refusal: SubmissionResult, _ late: Int
  ) throws {
    let world = try DispatcherWorld { _, _, _ in refusal }
    let devices = (1..<1 + late).map(DispatcherWorld.device)
    try world.makeDevices(1..<1 + late)
    world.network.hold(devices)
    let seqno = try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)
    _ = try poll("not all were sent to") { world.network.held == late ? true : nil }
    try world.makeDevices(1000..<1150)
    let flood = try world.send(
      #"{"devices":[\#((1000..<1150).map { "\"\(DispatcherWorld.device($0))\"" }.joined(separator: ","))]}"#)
    _ = try world.paused()
    try world.settled(flood)

    world.network.answer { route, _, _ in route.environment == .production ? .accepted : refusal }
    try world.resume()
    world.network.answerHeld()
    let (funnel, reasons) = try world.finished(seqno)
    #expect((funnel.accepted, funnel.rejected) == (Int64(late), 0) && reasons == "{}", "\(reasons)")
    #expect(try world.finished(flood).funnel.accepted == 150)
    #expect(try world.quarantine().isEmpty)
    #expect(try world.connection.run(AppPauses.reason(of: world.app)) == nil)
    #expect(try world.badge("00000001") == 1)
  }

  @Test func `a node that is a little behind the database's clock believes a resumption all the same`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<2)
    let seqno = try world.send()
    _ = try world.finished(seqno)
    // Read before the resumption, so that the token was read earlier however late this runs.
    let now = SystemClock().wallTime - .milliseconds(900)
    try world.resume()
    let finding = TokenFinding(
      kind: .refused(reason: "BadDeviceToken"),
      route: PushRoute(app: world.app, network: .apns, environment: .production),
      delivery: Confirmations.Delivery(seqno: seqno, device: DispatcherWorld.device(1)),
      psid: String(repeating: "0", count: 63) + "1", readAt: now - .milliseconds(100))
    try world.connection.withTransaction {
      let care = try TokenMaintenance([finding], CircuitBreaker(), faulty: [], now: now, world.connection)
      try care.changeDevices(world.connection, writer: 1)
    }
    #expect(try world.quarantine().isEmpty)
  }

  @Test func `what another node has put aside meanwhile belongs to the same flood`() throws {
    let world = try DispatcherWorld { _, _, _ in Self.bad }
    let other = try world.addNode { _, _, _ in Self.bad }
    try world.makeDevices(1..<2001)
    var seqnos: [Seqno] = []
    for part in 0..<40 {
      let devices = (1 + part * 50..<51 + part * 50).map { "\"\(DispatcherWorld.device($0))\"" }
      seqnos.append(try world.send(#"{"devices":[\#(devices.joined(separator: ","))]}"#))
    }
    _ = try world.paused()
    _ = try poll("claims remain") { try world.count("claims") == 0 ? true : nil }
    #expect(!other.log.isEmpty || !world.network.log.isEmpty)
    #expect(try world.quarantine().isEmpty, "no node keeps a part of the flood")
    for seqno in seqnos {
      let funnel = try world.funnel(seqno).funnel
      #expect(funnel.decided == 0, "message \(seqno)")
    }
  }

  @Test func `an increment is taken back once, given again with the delivery, and taken back at its end`() throws {
    let world = try DispatcherWorld { _, _, _ in Self.bad }
    try world.makeDevices(1..<3, user: "kim")
    try world.makeDevices(10..<98)
    let first = try world.finished(try world.send(#"{"all":true}"#, #","badge":{"increment":2}"#))
    #expect(first.funnel.rejected == 90)
    #expect(try world.badge("kim") == 0, "taken back: nothing was delivered")
    try world.makeDevices(200..<215)
    _ = try world.send(
      #"{"devices":[\#((200..<215).map { "\"\(DispatcherWorld.device($0))\"" }.joined(separator: ","))]}"#)
    _ = try world.paused()
    #expect(try world.badge("kim") == 2, "given again: it may still be delivered")
    // One of the user's devices is reached, the other is not: the increment stands.
    world.network.answer { _, target, _ in DispatcherWorld.number(target) == 1 ? Self.bad : .accepted }
    try world.resume()
    let ended = try world.finished(first.funnel.seqno)
    #expect(ended.funnel.accepted == 89 && ended.funnel.rejected == 1)
    #expect(try world.badge("kim") == 2)
    #expect(world.network.log.last { $0.device == DispatcherWorld.device(2) }?.badge == 2)
  }

  @Test func `a user whose devices are all put aside keeps the count as it was`() throws {
    let world = try DispatcherWorld { _, _, _ in Self.bad }
    try world.makeDevices(1..<3, user: "kim")
    #expect(try world.finished(try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)).funnel.rejected == 2)
    #expect(try world.badge("kim") == 0)
    #expect(try world.finished(try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)).funnel.skipped == 2)
    #expect(try world.badge("kim") == 0)
    // Reached through the other environment after a refusal: it counts once.
    _ = try world.connection.run(Quarantine.release([DispatcherWorld.device(1), DispatcherWorld.device(2)], since: 0))
    world.network.answer { route, _, _ in route.environment == .sandbox ? .accepted : Self.bad }
    #expect(try world.finished(try world.send(#"{"all":true}"#, #","badge":{"increment":1}"#)).funnel.accepted == 2)
    #expect(try world.badge("kim") == 1)
    #expect(world.network.log.suffix(4).map(\.badge) == [1, 1, 1, 1])
  }
}
