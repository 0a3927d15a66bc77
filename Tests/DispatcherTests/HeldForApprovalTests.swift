import Domain
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher

/// Messages of one person that turn out too large when their audience is frozen: nothing of them leaves before somebody
/// else has looked.
@Suite struct HeldForApprovalTests {
  private let world: DispatcherWorld
  private let kim: Caller
  private let lee: Caller

  init() throws {
    world = try DispatcherWorld()
    try world.connection.script("UPDATE apps SET approval_above = 2")
    kim = try Self.account("kim@example.com", world)
    lee = try Self.account("lee@example.com", world)
  }

  private static var now: Timestamp { SystemClock().wallTime }

  private static func account(_ login: String, _ world: DispatcherWorld) throws -> Caller {
    let link = try ConsoleAccounts.create(
      login, name: login, role: .operator, appID: nil, by: .commandLine, on: world.connection, now: now)
    return Caller(role: .operator, app: nil, apiKey: nil, account: link.account, name: login)
  }

  private func ask(
    _ caller: Caller, _ audience: String = #"{"all":true}"#, _ more: String = ""
  ) throws -> SendAnswer {
    let body = #"{"appId":"\#(DispatcherWorld.appID)","audience":\#(audience),"alert":"x"\#(more)}"#
    defer { for dispatcher in world.dispatchers { dispatcher.poke() } }
    return try SendService.send(
      SendRequest(body: Array(body.utf8), idempotencyKey: nil, caller: caller), on: world.connection, now: Self.now)
  }

  private func seqno(_ answer: SendAnswer) throws -> Seqno {
    guard case .accepted(let accepted) = answer else { throw DispatcherWorld.Missing() }
    return accepted.seqno
  }

  private func approval(_ answer: SendAnswer) throws -> Approvals.Number {
    guard case .waiting(let waiting) = answer else { throw DispatcherWorld.Missing() }
    return waiting.approval
  }

  /// Reserved for nobody, and then its audience is filled, and its time comes.
  private func reserveAndFill(_ devices: Range<Int>, _ caller: Caller, _ more: String = "") throws -> Seqno {
    let later = (Self.now + .seconds(600)).description
    let seqno = try seqno(try ask(caller, #"{"all":true}"#, #","sendAt":"\#(later)"\#(more)"#))
    try world.makeDevices(devices)
    try comeDue(seqno)
    return seqno
  }

  private func comeDue(_ seqno: Seqno) throws {
    try world.connection.script("UPDATE messages SET due_at = now() WHERE seqno = \(seqno)")
    for dispatcher in world.dispatchers { dispatcher.poke() }
  }

  private func waiting(_ seqno: Seqno) throws -> ApprovalService.Entry {
    try poll("message \(seqno) does not wait") {
      let page = try ApprovalService.list(
        of: nil, state: "waiting", PageRequest(limit: nil, cursor: nil), by: lee, on: world.connection,
        now: Self.now)
      return page.items.first { $0.seqno == seqno }
    }
  }

  @discardableResult
  private func approve(_ number: Approvals.Number, _ caller: Caller) throws -> SendAnswer {
    defer { for dispatcher in world.dispatchers { dispatcher.poke() } }
    return try ApprovalService.approve(
      number, hosting: ContentHosting(publicURL: nil), by: caller, on: world.connection, now: Self.now)
  }

  private func expectWaiting(_ seqno: Seqno, _ devices: Int64) throws {
    let funnel = try world.funnel(seqno).funnel
    #expect(funnel.state == .paused && funnel.targeted == devices && funnel.pending == devices, "\(funnel)")
    #expect(funnel.stateReason?.contains("second person") == true, "\(funnel)")
    #expect(world.network.log.allSatisfy { $0.seqno != seqno })
  }

  @Test func `an audience that is filled after the request waits when it is frozen, and goes when it is approved`()
    throws
  {
    let seqno = try reserveAndFill(1..<11, kim)
    let entry = try waiting(seqno)
    #expect(entry.targeted == 10 && entry.requestedBy == "kim@example.com")
    try expectWaiting(seqno, 10)
    #expect(throws: Problem.self) { try approve(entry.number, kim) }
    #expect(throws: Problem.self) {
      try ControlService.control(.resume, seqno, for: kim, on: world.connection, now: Self.now)
    }
    try expectWaiting(seqno, 10)
    #expect(try self.seqno(approve(entry.number, lee)) == seqno)
    let end = try world.finished(seqno).funnel
    #expect(end.accepted == 10 && end.targeted == 10, "\(end)")
    #expect(try self.seqno(approve(entry.number, lee)) == seqno, "asked again it answers the same")
    #expect(world.network.log.count == 10)
  }

  @Test func `one that stays small is not held, whatever else it is`() throws {
    let seqno = try reserveAndFill(1..<3, kim)
    #expect(try world.finished(seqno).funnel.accepted == 2)
    #expect(try world.count("approvals") == 0)
  }

  @Test func `a program's message is not held`() throws {
    let key = Caller(role: .sender, app: nil, apiKey: 1, name: "back office")
    let seqno = try reserveAndFill(1..<11, key)
    #expect(try world.finished(seqno).funnel.accepted == 10)
  }

  @Test func `what was approved may grow by a tenth, and is asked about again beyond`() throws {
    try world.makeDevices(1..<11)
    let later = (Self.now + .seconds(600)).description
    let tenth = try approval(ask(kim, #"{"all":true}"#, #","sendAt":"\#(later)""#))
    let first = try seqno(approve(tenth, lee))
    let second = try seqno(approve(approval(ask(kim, #"{"all":true}"#, #","sendAt":"\#(later)""#)), lee))
    try world.makeDevices(11..<12)
    try comeDue(first)
    #expect(try world.finished(first).funnel.accepted == 11)
    try world.makeDevices(12..<13)
    try comeDue(second)
    #expect(try waiting(second).targeted == 12)
    try expectWaiting(second, 12)
    try approve(waiting(second).number, lee)
    #expect(try world.finished(second).funnel.accepted == 12)
  }

  @Test func `small messages of one person add up within the hour, also when they are asked for at once`() throws {
    try world.makeDevices(1..<11)
    func to(_ one: Int, _ other: Int) -> String {
      #"{"devices":["\#(DispatcherWorld.device(one))","\#(DispatcherWorld.device(other))"]}"#
    }
    #expect(try world.finished(seqno(ask(kim, to(1, 2)))).funnel.accepted == 2)
    #expect(try world.finished(seqno(ask(lee, to(1, 2)))).funnel.accepted == 2, "lee has sent nothing yet")
    let third = try approval(ask(kim, to(3, 4)))
    let entry = try ApprovalService.show(third, by: lee, on: world.connection, now: Self.now)
    #expect(String(decoding: entry.json, as: UTF8.self).contains(#""because":"hour","sentWithinHour":2"#))
    // An hour later.
    try world.connection.script(
      "UPDATE messages SET asked_at = asked_at - interval '61 min', frozen_at = frozen_at - interval '61 min'")
    // Two that were accepted in the same moment, before either was counted.
    let both = try (0..<2).map { number in
      var new = Messages.New(
        app: world.app, lane: .normal,
        request: #"{"appId":"\#(DispatcherWorld.appID)","audience":\#(to(5 + number, 7 + number)),"alert":"x"}"#,
        requestSHA256: [], idempotencyKey: nil, apiKey: nil, targeted: 2, unknownEntries: "[]", keepsHistory: true,
        now: Self.now, expiresAt: Self.now + .seconds(86_400))
      new.asked = (.account(try #require(kim.account)), Self.now)
      return try #require(try world.connection.run(Messages.create(new)))
    }
    for dispatcher in world.dispatchers { dispatcher.poke() }
    _ = try poll("neither is decided") {
      try world.count("messages WHERE seqno = ANY('{\(both[0]),\(both[1])}') AND state IN (3, 4)") == 2 ? true : nil
    }
    #expect(try world.count("messages WHERE held = 2") == 1)
    #expect(world.network.log.count == 6)
  }

  /// Accepted before anybody had counted it.
  private func insert(
    _ audience: String = #"{"all":true}"#, by caller: Caller? = nil, byLocalTime: Bool = false
  ) throws -> Seqno {
    var new = Messages.New(
      app: world.app, lane: .normal,
      request: #"{"appId":"\#(DispatcherWorld.appID)","audience":\#(audience),"alert":"x"}"#,
      requestSHA256: [], idempotencyKey: nil, apiKey: nil, targeted: nil, unknownEntries: "[]", keepsHistory: true,
      now: Self.now, expiresAt: Self.now + .seconds(86_400))
    new.asked = (.account(try #require((caller ?? kim).account)), Self.now)
    if byLocalTime {
      new.dueAt = Self.now
      // Five minutes from now in Seoul.
      new.localTime = LocalTime(String((Self.now + .seconds(9 * 3600 + 300)).description.prefix(19)))
    }
    let seqno = try #require(try world.connection.run(Messages.create(new)))
    for dispatcher in world.dispatchers { dispatcher.poke() }
    return seqno
  }

  private func expectCancelled(_ seqno: Seqno) throws {
    let end = try world.finished(seqno).funnel
    #expect(end.state == .cancelled && end.cancelled == 10 && end.targeted == 10 && end.pending == 0, "\(end)")
    #expect(world.network.log.isEmpty)
  }

  @Test func `rejected, nothing of it goes out and every device is counted`() throws {
    try world.makeDevices(1..<11)
    let seqno = try insert()
    let number = try waiting(seqno).number
    let entry = try ApprovalService.reject(number, reason: "no", by: lee, on: world.connection, now: Self.now)
    #expect(entry.state == "rejected" && entry.seqno == seqno)
    try expectCancelled(seqno)
    #expect(throws: Problem.self) { try approve(number, lee) }
  }

  @Test func `cancelled by whoever asked, nobody can approve it any more`() throws {
    try world.makeDevices(1..<11)
    let seqno = try insert()
    let number = try waiting(seqno).number
    _ = try ControlService.control(.cancel, seqno, for: kim, on: world.connection, now: Self.now)
    try expectCancelled(seqno)
    #expect(throws: Problem.self) { try approve(number, lee) }
    let entry = try ApprovalService.show(number, by: lee, on: world.connection, now: Self.now)
    #expect(entry.state == "rejected")
  }

  @Test func `left for a week, it is cancelled`() throws {
    try world.makeDevices(1..<11)
    let seqno = try insert()
    let number = try waiting(seqno).number
    try world.connection.script("UPDATE approvals SET ends_at = now() - interval '1 s'")
    try expectCancelled(seqno)
    #expect(throws: Problem.self) { try approve(number, lee) }
    #expect(try ApprovalService.show(number, by: lee, on: world.connection, now: Self.now).state == "expired")
  }

  @Test func `one that is paused while it is counted is counted when it is resumed`() throws {
    try world.makeDevices(1..<11)
    // Planned while it is paused.
    let seqno = try #require(
      try world.connection.withTransaction { () throws -> Seqno? in
        let seqno = try insert()
        try world.connection.run(Controls.setState(seqno, .paused, reason: nil))
        return seqno
      })
    for dispatcher in world.dispatchers { dispatcher.poke() }
    _ = try poll("it was not planned") {
      try world.count("messages WHERE seqno = \(seqno) AND planned") == 1 ? true : nil
    }
    #expect(try world.count("approvals") == 0)
    _ = try ControlService.control(.resume, seqno, for: kim, on: world.connection, now: Self.now)
    #expect(try waiting(seqno).targeted == 10)
    try expectWaiting(seqno, 10)
    try approve(waiting(seqno).number, lee)
    #expect(try world.finished(seqno).funnel.accepted == 10)
  }

  @Test func `lists, segments and each device's own clock are all counted before the first is sent to`() throws {
    try world.makeDevices(1..<11)
    let devices = (1..<11).map { #""\#(DispatcherWorld.device($0))""# }.joined(separator: ",")
    let seqnos = [
      try insert(#"{"devices":[\#(devices)]}"#), try insert(#"{"members":true}"#),
      try insert(#"{"segment":{"member":true}}"#), try insert(byLocalTime: true),
    ]
    for seqno in seqnos { _ = try poll("\(seqno) is open") { try isDecided(seqno) } }
    #expect(try world.count("messages WHERE held = 2 AND targeted = 10") == 4)
    #expect(world.network.log.isEmpty)
  }

  private func isDecided(_ seqno: Seqno) throws -> Bool? {
    try world.count("messages WHERE seqno = \(seqno) AND (held = 2 OR state > 3)") == 1 ? true : nil
  }

  @Test func `a repetition is counted each time, and goes on at the size that was approved`() throws {
    try world.makeDevices(1..<11)
    let later = (Self.now + .seconds(600)).description
    let until = (Self.now + .seconds(10 * 86_400)).description.prefix(10)
    let answer = try ask(
      kim, #"{"all":true}"#, #","sendAt":"\#(later)","repeat":{"every":"day","until":"\#(until)"}"#)
    let first = try seqno(approve(approval(answer), lee))
    try comeDue(first)
    #expect(try world.finished(first).funnel.accepted == 10)
    let second = try poll("there is no second") { () throws -> Seqno? in
      let rows = try world.connection.run(
        Statement("test-second", "SELECT seqno FROM messages WHERE occurrence = 1 AND state = 0"))
      return rows.count == 1 ? rows.seqno(0, 0) : nil
    }
    try world.makeDevices(11..<31)
    try comeDue(second)
    #expect(try waiting(second).targeted == 30)
    try expectWaiting(second, 30)
    try approve(waiting(second).number, lee)
    #expect(try world.finished(second).funnel.accepted == 30)
    #expect(try world.count("messages WHERE occurrence = 2 AND approved_for = 30") == 1)
  }

  @Test func `whatever program looks at it, the database lets nothing that is held be sent`() throws {
    try world.makeDevices(1..<11)
    let seqno = try insert()
    _ = try waiting(seqno)
    #expect(throws: PostgresError.self) {
      try world.connection.run(Controls.setState(seqno, .sending, reason: nil))
    }
    try expectWaiting(seqno, 10)
  }

  @Test func `the command line is held as an account is, and is one person for each Unix user`() throws {
    try world.makeDevices(1..<11)
    let here = Caller.commandLine(of: "park")
    let number = try approval(ask(here))
    for own in [here, try Self.account("park@example.com", world)] {
      #expect(throws: Problem.self) { try approve(number, own) }
    }
    #expect(throws: Problem.self, "the program itself is nobody") { try approve(number, .commandLine) }
    #expect(try world.count("messages") == 0)
    let entry = try ApprovalService.show(number, by: lee, on: world.connection, now: Self.now)
    #expect(entry.requestedBy == "command line (park)")
    let seqno = try seqno(approve(number, .commandLine(of: "choi")))
    #expect(try world.finished(seqno).funnel.accepted == 10)
  }

  @Test func `one that was small when it was frozen and has grown before it is claimed is held as well`() throws {
    try world.makeDevices(1..<13)
    try world.connection.script("UPDATE devices SET tags = '{vip}' WHERE user_key <= 'u00000002'")
    // Frozen and planned, and nothing may be claimed yet.
    try world.connection.run(AppPauses.pause(world.app, reason: "a look"))
    let seqno = try seqno(ask(kim, #"{"segment":{"tags":{"any":["vip"]}}}"#))
    _ = try poll("it was not planned") {
      try world.count("messages WHERE seqno = \(seqno) AND planned AND state = 2 AND targeted = 2") == 1 ? true : nil
    }
    try world.connection.script("UPDATE devices SET tags = '{vip}'")
    try world.resume()
    #expect(try waiting(seqno).targeted == 12)
    try expectWaiting(seqno, 12)
    try approve(waiting(seqno).number, lee)
    let end = try world.finished(seqno).funnel
    #expect(end.accepted == 12 && end.targeted == 12, "\(end)")
  }

  @Test func `whoever raises what one person may send is held to the former number for a day`() throws {
    try world.makeDevices(1..<11)
    let link = try ConsoleAccounts.create(
      "admin@example.com", name: "A", role: .admin, appID: nil, by: .commandLine, on: world.connection, now: Self.now)
    let admin = Caller(role: .admin, app: nil, apiKey: nil, account: link.account, name: "admin@example.com")
    func set(_ most: Int64, _ caller: Caller) throws {
      var change = Administration.AppChange()
      change.approvalAbove = most
      _ = try Administration.change(DispatcherWorld.appID, change, by: caller, on: world.connection)
    }
    try set(0, admin)
    _ = try approval(ask(admin))
    // By a key of their own as well.
    try world.connection.script("DELETE FROM approval_loosenings; UPDATE apps SET approval_above = 2")
    _ = try Administration.createKey(.admin, appID: nil, name: "k", by: admin, on: world.connection)
    try set(100, Caller(role: .admin, app: nil, apiKey: 1, name: "k"))
    _ = try approval(ask(admin))
    // Accepted before, and frozen after.
    let seqno = try insert(by: admin)
    #expect(try waiting(seqno).targeted == 10)
    // For others it holds at once, and for themselves tomorrow.
    #expect(try world.finished(self.seqno(ask(kim))).funnel.accepted == 10)
    try world.connection.script("UPDATE approval_loosenings SET at = at - interval '25 hours'")
    #expect(try world.finished(self.seqno(ask(admin))).funnel.accepted == 10)
  }
}
