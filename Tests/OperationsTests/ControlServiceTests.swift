import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// Control of messages at the database, without a dispatcher: what is written, and the numbers.
@Suite struct ControlServiceTests {
  let world: BatchWorld

  init() throws {
    world = try BatchWorld()
    try world.populate()
  }

  private func control(_ control: MessageControl, _ seqno: Seqno = 1) throws(Problem) -> Funnel {
    try ControlService.control(control, seqno, for: .commandLine, on: world.connection, now: world.now).funnel
  }

  private func problem(_ body: () throws(Problem) -> Void) -> Problem? {
    do throws(Problem) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private func sendToAll(_ more: String = "") throws {
    _ = try world.send(world.request(#"{"all":true}"#, #""alert":"hi"\#(more)"#))
  }

  // MARK: Pause and resume

  @Test func `a queued message is paused and resumed, and repeating changes nothing`() throws {
    try sendToAll()
    for _ in 1...2 { #expect(try control(.pause).state == .paused) }
    for _ in 1...2 { #expect(try control(.resume).state == .queued) }
    let funnel = try control(.pause)
    #expect(funnel.targeted == 4 && funnel.pending == 4)
  }

  @Test func `a message whose audience is frozen goes on sending`() throws {
    try sendToAll()
    try world.connection.script("UPDATE messages SET state = 2, frozen_at = now()")
    #expect(try control(.pause).state == .paused)
    #expect(try control(.resume).state == .sending)
  }

  @Test func `every change is announced`() throws {
    let listener = try TestDatabase.connect(to: world.databaseURL)
    try listener.listen(ControlService.channel)
    try sendToAll()
    for change in MessageControl.allCases {
      _ = try control(change)
      let heard = try listener.notifications(waitingAtMost: .patience)
      #expect(heard.map(\.payload) == ["1"], "\(change)")
    }
  }

  @Test(arguments: [
    (MessageState.completed, "completed"), (.expired, "expired"), (.failed, "failed"), (.cancelled, "cancelled"),
  ])
  func `a message that has ended is not paused, resumed or paced, and the refusal says how it stands`(
    state: MessageState, name: String
  ) throws {
    try sendToAll()
    try world.connection.script("UPDATE messages SET state = \(state.rawValue), finished_at = now()")
    let refusals = [
      problem { () throws(Problem) in _ = try control(.pause) },
      problem { () throws(Problem) in _ = try control(.resume) },
      problem { () throws(Problem) in
        _ = try ControlService.setPace(Pace(devices: 1), of: 1, for: .commandLine, on: world.connection)
      },
    ]
    for refusal in refusals {
      #expect(refusal?.code == .wrongState && refusal?.code.status == 409)
      #expect(refusal?.detail.contains(name) == true)
    }
  }

  @Test func `to another app's caller the message does not exist, and a viewer may not`() throws {
    try sendToAll()
    let foreign = Caller(role: .admin, app: world.app.number + 1, apiKey: 1)
    let viewer = Caller(role: .viewer, app: nil, apiKey: 1)
    for (caller, code) in [(foreign, Problem.Code.unknownMessage), (viewer, .forbidden)] {
      let refusal = problem { () throws(Problem) in
        _ = try ControlService.control(.cancel, 1, for: caller, on: world.connection, now: world.now)
      }
      #expect(refusal?.code == code)
    }
    #expect(problem { () throws(Problem) in _ = try control(.pause, 99) }?.code == .unknownMessage)
    #expect(try control(.pause).state == .paused)
  }

  // MARK: Cancel

  @Test func `what was never planned is cancelled as it was counted, again and again`() throws {
    try sendToAll()
    for _ in 1...2 {
      let funnel = try control(.cancel)
      #expect(funnel.state == .cancelled)
      #expect(funnel.targeted == 4 && funnel.cancelled == 4 && funnel.pending == 0)
    }
    #expect(try world.count("SELECT count(*) FROM messages WHERE finished_at IS NOT NULL") == 1)
    #expect(try world.count("SELECT count FROM reason_totals WHERE reason = 'cancelled'") == 4)
  }

  @Test func `the unclaimed rest of shards, deferred deliveries and what no shard holds are cancelled exactly`() throws
  {
    try sendToAll(#","badge":{"increment":1}"#)
    // Two shards of a plan that is not finished: one claimed in part, one deferred, one accepted.
    try world.connection.script(
      """
      UPDATE messages SET state = 2, frozen_at = now(), targeted = 60;
      INSERT INTO shards (seqno, shard, after_key, upto_key, cursor_key, targeted, claimed, exhausted)
      VALUES (1, 0, '', 'a', 'a', 20, 20, true), (1, 1, 'a', 'b', 'aa', 30, 12, false);
      """)
    let kim = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    let lee = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "lee"))
    _ = try world.connection.run(Users.saveCounts([(kim, 3), (lee, 5)]))
    let claimed = try world.connection.run(
      Ledger.claim([
        Ledger.Claim(key: Ledger.Key(user: kim, seqno: 1), deliveries: 2, increment: 1),
        Ledger.Claim(key: Ledger.Key(user: lee, seqno: 1), deliveries: 1, increment: 1),
      ]))
    #expect(claimed.count == 2)
    try write(("phone", .deferred, .zero), ("pad", .accepted, nil), ("other", .deferred, .zero))
    try world.connection.script(
      "INSERT INTO message_totals (seqno, writer, accepted, rejected) VALUES (1, 9, 20, 10)")
    let funnel = try control(.cancel)
    #expect(funnel.state == .cancelled, "\(funnel)")
    // 18 of the second shard, 10 in none, 2 deferred.
    #expect(funnel.targeted == 60 && funnel.cancelled == 30 && funnel.accepted == 20 && funnel.rejected == 10)
    let counts = try world.connection.run(Users.find([kim, lee]))
    // kim has it on another device; all of lee's ended negative.
    #expect(counts[kim]?.badge == 3 && counts[lee]?.badge == 4)
  }

  @Test func `what is under way keeps a message from being cancelled, and its numbers stay exact`() throws {
    try sendToAll()
    try world.connection.script(
      """
      UPDATE messages SET state = 2, frozen_at = now(), planned = true;
      INSERT INTO shards (seqno, shard, after_key, upto_key, cursor_key, targeted, claimed)
      VALUES (1, 0, '', 'z', 'a', 4, 1);
      INSERT INTO claims (seqno, node, devices, user_keys)
      VALUES (1, gen_random_uuid(), ARRAY[gen_random_uuid()], ARRAY['ukim']);
      """)
    let funnel = try control(.cancel)
    #expect(funnel.state == .paused && funnel.cancelled == 3 && funnel.pending == 1)
    #expect(funnel.stateReason == "It is being cancelled.")
    #expect(problem { () throws(Problem) in _ = try control(.resume) }?.detail.contains("being cancelled") == true)
    // The last one comes home.
    try world.connection.script(
      "DELETE FROM claims; INSERT INTO message_totals (seqno, writer, accepted) VALUES (1, 9, 1)")
    let ended = try control(.cancel)
    #expect(ended.state == .cancelled && ended.cancelled == 3 && ended.accepted == 1 && ended.stateReason == nil)
  }

  private func write(_ outcomes: (String, OutcomeStatus, Duration?)...) throws {
    let records = try outcomes.map { installation, status, dueAt in
      let device = try #require(try world.record(installation))
      return Outcomes.Record(
        seqno: 1, device: device.device, userKey: device.userKey, status: status, attempts: 1, reason: nil,
        dueAt: dueAt.map { world.now + $0 })
    }
    _ = try world.connection.run(Outcomes.write(records, at: world.now))
  }

  // MARK: Pace

  @Test func `a pace is set, changed and ended`() throws {
    try sendToAll(#","pace":{"perSecond":5}"#)
    #expect(try pace() == Pace(devices: 5))
    for pace in [Pace(devices: 70), Pace(devices: 1_000, waitSeconds: 60), nil] {
      _ = try ControlService.setPace(pace, of: 1, for: .commandLine, on: world.connection)
      #expect(try self.pace() == pace)
    }
    try sendToAll()
    #expect(try world.count("SELECT count(*) FROM gates") == 1)
    _ = try ControlService.setPace(Pace(devices: 9), of: 2, for: .commandLine, on: world.connection)
    #expect(try world.count("SELECT pace_devices::bigint FROM gates WHERE seqno = 2") == 9)
  }

  private func pace() throws -> Pace? {
    try world.connection.transaction { () throws(PostgresError) in try world.connection.run(Gates.lock(1)) }?.pace
  }

  @Test func `while its app is being deleted a message is stopped, but neither resumed nor paced`() throws {
    try sendToAll(#","pace":{"perSecond":5}"#)
    #expect(try world.connection.run(AppDeletions.ask(world.app.number, graceDays: 1, reason: "It is being deleted.")))
    #expect(try control(.pause).state == .paused)
    let refusals = [
      problem { () throws(Problem) in _ = try control(.resume) },
      problem { () throws(Problem) in
        _ = try ControlService.setPace(Pace(devices: 70), of: 1, for: .commandLine, on: world.connection)
      },
    ]
    #expect(refusals.map { $0?.code } == [.conflict, .conflict])
    #expect(try pace() == Pace(devices: 5))
    #expect(try control(.cancel).state == .cancelled)
  }

  @Test func `the same pace again gives no new portion`() throws {
    try sendToAll(#","pace":{"devices":100,"wait":"PT1M"}"#)
    try world.connection.script("UPDATE gates SET tokens = 7")
    _ = try ControlService.setPace(
      Pace(devices: 100, waitSeconds: 60), of: 1, for: .commandLine, on: world.connection)
    #expect(try world.count("SELECT tokens FROM gates") == 7)
  }

  @Test(arguments: [("{}", "/pace"), (#"{"pace":{"perSecond":0}}"#, "/pace/perSecond"), (#"{"lane":"bulk"}"#, "/lane")])
  func `a wrong change is named`(body: String, pointer: String) {
    let refusal = problem { () throws(Problem) in _ = try ControlService.PaceChange.object.read(body: Array(body.utf8))
    }
    #expect(refusal?.fields.first?.pointer == pointer)
  }

  // MARK: Room

  @Test func `as many messages as there is room for are taken in each lane, one more is refused`() throws {
    for _ in 1...2 { try sendToAll(#","lane":"bulk""#) }
    func check(_ lane: Lane, limit: Int) -> Problem? {
      problem { () throws(Problem) in try SendQueue.checkRoom(in: lane, on: world.connection, limit: limit) }
    }
    #expect(check(.bulk, limit: 3) == nil)
    #expect(check(.bulk, limit: 2)?.code == .busy)
    #expect(check(.bulk, limit: 2)?.code.status == 503)
    #expect(check(.urgent, limit: 1) == nil)
    _ = try control(.cancel)
    #expect(check(.bulk, limit: 2) == nil)
  }

  @Test func `a full lane refuses sends, and nothing is stored`() throws {
    try sendToAll()
    try world.connection.script(
      """
      INSERT INTO messages (app, state, lane, request, request_sha256, created_at, expires_at)
      SELECT app, state, lane, request, request_sha256, created_at, expires_at
      FROM messages, generate_series(2, \(Domain.Limits.openMessages))
      """)
    #expect(world.sendProblem(world.request(#"{"all":true}"#))?.code == .busy)
    #expect(try world.count("SELECT count(*) FROM messages") == Int64(Domain.Limits.openMessages))
    #expect(world.sendProblem(world.request(#"{"all":true}"#, #""alert":"hi","lane":"urgent""#)) == nil)
    _ = try control(.cancel)
    #expect(world.sendProblem(world.request(#"{"all":true}"#)) == nil)
  }
}
