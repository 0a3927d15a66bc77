import Postgres
import Reactor
import TestSupport
import Testing
import Time

@testable import Domain
@testable import Store

/// Somebody keeps an old snapshot (a backup, a forgotten session): PostgreSQL removes nothing, and what is looked for
/// all the time must not walk over what was done meanwhile.
@Suite struct HeldSnapshotTests {
  private static let sends = 20_000
  private let database: TestDatabase
  private let holder: Connection
  private let log: PlanLog
  /// As a thread of the dispatcher.
  private let connection: Connection

  /// A node that is alive has claimed and sent many messages, one that is gone as many, while a snapshot was kept.
  init() throws {
    database = try TestDatabase.make()
    var keeping = TestDatabase.patientOptions
    // Nobody ends its session, as nobody ends a backup's.
    keeping.idleInTransactionTimeout = nil
    holder = try database.connect(options: keeping)
    try holder.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM apps")
    let writer = try database.connect()
    try writer.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('com.example.bank', '', 'bank');
      INSERT INTO nodes (node, alive_until) VALUES ('\(Self.alive)', now() + interval '1 hour');
      INSERT INTO nodes (node, alive_until) VALUES ('\(Self.gone)', now() - interval '5 minutes')
      """)
    for node in [Self.alive, Self.gone] {
      try writer.script(
        """
        INSERT INTO messages (app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at,
          planned)
        SELECT 1, 2, n % 3, '{}', '', 1, now(), now() + interval '1 day', now(), true
        FROM generate_series(1, \(Self.sends)) n;
        INSERT INTO claims (seqno, node, devices, user_keys)
        SELECT seqno, '\(node)', ARRAY[gen_random_uuid()], ARRAY['u1'] FROM messages WHERE state = 2
        """)
      try writer.script(
        "DELETE FROM claims; UPDATE messages SET state = 4, finished_at = now() WHERE state = 2")
    }
    log = try PlanLog(of: database)
    var options = TestDatabase.patientOptions
    options.readsByIndex = true
    connection = try database.connect(options: options)
  }

  private static let alive = "00000000-0000-0000-0000-0000000000aa"
  private static let gone = "00000000-0000-0000-0000-0000000000bb"
  private static let node = UUIDValue(high: 0, low: 0xaa)

  /// As autovacuum does meanwhile: it removes nothing, and notes that nothing is there.
  private func noteEmpty() throws { try database.connect().script("VACUUM (ANALYZE) claims, messages") }

  /// Each several times, as threads do: the first plans of a statement are others than the later ones.
  private func expectShort(_ times: Int = 8, _ look: () throws -> Void) throws {
    for _ in 0..<times { try look() }
    let entries = try entries(of: log)
    #expect(entries.count >= times)
    for entry in entries {
      #expect(entry.blocks < 200, "\(entry.blocks) pages: \(entry.sql)\n\(entry.parts.joined(separator: "\n"))")
    }
  }

  /// What our own session has run: the log is that of the server, and other tests are at work on it.
  private func entries(of log: PlanLog) throws -> [PlanLog.Entry] {
    try log.entries().filter { $0.process == connection.backendPID && !$0.sql.contains("set_config") }
  }

  @Test(arguments: [false, true])
  func `claims of dead nodes are found without walking over those of others`(isVacuumed: Bool) throws {
    if isVacuumed { try noteEmpty() }
    try connection.run(Nodes.bury())
    let start = try PlanLog(of: database)
    for _ in 0..<8 {
      #expect(
        try connection.run(Claims.adopt(node: Self.node, lanes: Lane.allCases, claims: 100, devices: 100)).isEmpty)
    }
    for entry in try entries(of: start) {
      #expect(entry.blocks < 200, "\(entry.blocks) pages: \(entry.sql)\n\(entry.parts.joined(separator: "\n"))")
    }
    // Whether a row tells of them or not.
    try database.connect().script(
      """
      INSERT INTO claims (seqno, node, devices, user_keys) SELECT 1, n::uuid, ARRAY[gen_random_uuid()], ARRAY['u1'] FROM
        unnest(ARRAY['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001',
          '00000000-0000-0000-0000-0000000000ab', 'f0000000-0000-0000-0000-000000000000',
          '00000000-0000-0000-0000-0000000000cc']) n;
      INSERT INTO nodes (node, alive_until) VALUES ('00000000-0000-0000-0000-0000000000cc', now() - interval '1 second')
      """)
    var adopted: [ClaimID] = []
    for _ in 0..<3 {
      adopted += try connection.run(
        Claims.adopt(node: Self.node, lanes: Lane.allCases, claims: 100, devices: 100)
      ).map(\.hold.claim)
    }
    #expect(Set(adopted).count == 5 && adopted.count == 5, "\(adopted)")
  }

  @Test(arguments: [false, true])
  func `a node's own claims and the open messages are found where they begin`(isVacuumed: Bool) throws {
    if isVacuumed { try noteEmpty() }
    let (lastClaim, last) = (try connection.run(Claims.last()), try connection.run(Messages.last()))
    let starts = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, last) })
    try expectShort { try look(lastClaim, last, starts) }
  }

  private func look(_ lastClaim: ClaimID, _ last: Seqno, _ starts: [Lane: Seqno]) throws {
    #expect(try connection.run(Claims.ofNode(Self.node, from: lastClaim)).isEmpty)
    #expect(try connection.run(Vitals.snapshot(claimsFrom: lastClaim)).claims == 0)
    #expect(try connection.run(Vitals.waiting(from: starts)).isEmpty)
    for lane in Lane.allCases {
      #expect(try connection.run(Controls.open(lane, from: last, limit: 1_000)).count == 0)
      #expect(try connection.run(Messages.unfinished(lane, from: last, atMost: 1_000)).isEmpty)
    }
    #expect(try connection.run(Messages.claimable(Lane.allCases, atMost: 100)).isEmpty)
    #expect(try connection.run(Messages.unplanned(Lane.allCases, atMost: 100)).isEmpty)
    #expect(try connection.run(Lateness.messages()).isEmpty)
    #expect(try connection.run(Lateness.waves()).isEmpty)
  }

  @Test(arguments: [false, true]) func `what is written about a claim is found by its number`(isVacuumed: Bool) throws {
    if isVacuumed { try noteEmpty() }
    let last = try connection.run(Claims.last())
    let hold = Claims.Hold(claim: last)
    try expectShort {
      try connection.run(Claims.finish([hold], node: Self.node))
      _ = try connection.run(Claims.held([hold], node: Self.node))
      _ = try connection.transaction { () throws(PostgresError) in
        try connection.run(Claims.lock([hold], node: Self.node))
      }
      try connection.run(Claims.release([hold], node: Self.node))
      _ = try Claims.undecided([hold], on: connection)
      _ = try connection.run(Claims.own(of: [connection.run(Messages.last())], node: Self.node))
    }
  }

  @Test func `the newest claims of many deliveries are found by reading each claim once`() throws {
    let writer = try database.connect()
    // Deferred and taken up again, all of them, while their first claim was still open.
    try writer.script(
      """
      INSERT INTO claims (seqno, node, devices, user_keys)
      SELECT 900000, '\(Self.alive)', array_agg(md5(n::text)::uuid), array_agg('u1'::text)
      FROM generate_series(1, 4) c, generate_series(1, 500) n GROUP BY c
      """)
    let devices = try writer.run(
      Statement("test-claimed-devices", "SELECT md5(n::text)::uuid FROM generate_series(1, 500) n")
    ).decode { $0.device() }
    let deliveries = Set(devices.map { Confirmations.Delivery(seqno: 900_000, device: $0) })
    let last = try connection.run(Claims.last())
    try expectShort {
      let newest = try connection.run(Claims.newest(of: deliveries))
      #expect(newest.count == devices.count && newest.values.allSatisfy { $0 == last })
    }
  }

  @Test func `an erasure waits for those who may write, and for no other transaction`() throws {
    try connection.script("INSERT INTO erasures (app, user_key, upto_seqno) VALUES (1, 'u1', 0)")
    // The one that was kept is ours by name; it might write.
    #expect(try !step())
    #expect(try settled() == 0)
    try holder.script("ROLLBACK")
    var foreign = TestDatabase.patientOptions
    foreign.idleInTransactionTimeout = nil
    foreign.applicationName = "pg_dump"
    let backup = try database.connect(options: foreign)
    try backup.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM apps")
    while try step() {}
    #expect(try count("erasures") == 0)
    try backup.script("ROLLBACK")
  }

  private func step() throws -> Bool {
    try connection.transaction { () throws(PostgresError) in try Erasures.step(deliveries: 100, on: connection) }
  }

  private func settled() throws -> Int64 { try count("erasures WHERE upto_claim IS NOT NULL") }

  private func count(_ what: String) throws -> Int64 {
    try connection.run(Statement("count \(what)", "SELECT count(*) FROM \(what)")).int64(0, 0)
  }

  // MARK: Due

  @Test func `what is not due by the database's clock is not taken, whatever a node's clock says`() throws {
    try connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, planned)
      VALUES (900000, 1, 2, 1, '{}', '', 2, now(), now() + interval '1 day', true);
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key) VALUES
        (900000, gen_random_uuid(), now(), now() + interval '1 hour', 6, 1, 'u1'),
        (900000, gen_random_uuid(), now(), now() - interval '1 second', 6, 1, 'u2')
      """)
    let ahead = SystemClock().wallTime + .seconds(5 * 3_600)
    let due = try connection.run(Claims.due(since: 0, at: ahead, lanes: Lane.allCases, limit: 10))
    #expect(due.map(\.entry.userKey.text) == ["u2"])
  }

  @Test func `a search for due deliveries does not read those that wait for the morning`() throws {
    try database.connect().script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, planned)
      VALUES (900000, 1, 2, 1, '{}', '', 20001, now(), now() + interval '2 days', true);
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key)
      SELECT 900000, gen_random_uuid(), now(), now() + CASE WHEN n = 0 THEN '-1 second' ELSE '8 hours' END::interval,
        6, 0, 'u' || n
      FROM generate_series(0, 20000) n
      """)
    var found: [String] = []
    try expectShort {
      let due = try connection.run(
        Claims.due(since: 0, at: SystemClock().wallTime + .seconds(60), lanes: Lane.allCases, limit: 10))
      found += due.map(\.entry.userKey.text)
    }
    #expect(found == ["u0"])
  }
}

@Suite struct QueueStartTests {
  private static let began = Instant(nanoseconds: 1_000_000_000_000)

  private func at(_ seconds: Int) -> Instant { Self.began + .seconds(seconds) }

  @Test func `a look begins where nothing was lower for a minute, and sometimes at the beginning`() {
    var start = QueueStart<Seqno>()
    for second in 0..<60 {
      #expect(start.begin(at: at(second)) == 0, "second \(second)")
      start.looked(from: 0, found: Seqno(Int64(100 + second)), began: at(second), ended: at(second))
    }
    // The lowest of the last minute.
    #expect(start.begin(at: at(61)) == 100)
    start.looked(from: 100, found: 500, began: at(61), ended: at(61))
    #expect(start.begin(at: at(100)) > 100)
    // What was opened again below it is found a minute after the last look from the beginning.
    #expect(start.begin(at: at(59 + 60)) == 0)
    start.looked(from: 0, found: 7, began: at(119), ended: at(119))
    #expect(start.begin(at: at(120)) == 7)
  }

  @Test func `a look from the beginning that has become dear is made seldomer`() {
    var start = QueueStart<Seqno>()
    start.looked(from: 0, found: 5, began: at(0), ended: at(3))
    #expect(start.begin(at: at(899)) == 5)
    #expect(start.begin(at: at(904)) == 0)
  }

  @Test func `a thread rests four times as long as a look took, and not for long`() {
    var pause = PollBackoff(usual: .milliseconds(200))
    #expect(pause.after(.milliseconds(1), at: at(0)) == .milliseconds(200))
    #expect(pause.after(.seconds(1), at: at(0)) == .seconds(4))
    #expect(pause.after(.seconds(9), at: at(0)) == .seconds(5))
  }

  @Test func `a queue into which nothing has come for a while is looked at once a second, until something comes`() {
    var pause = PollBackoff(usual: .milliseconds(200))
    #expect(pause.after(.milliseconds(1), at: at(0)) == .milliseconds(200))
    #expect(pause.after(.milliseconds(1), at: at(4)) == .milliseconds(200))
    #expect(pause.after(.milliseconds(1), at: at(5)) == .seconds(1))
    #expect(pause.after(.seconds(1), at: at(6)) == .seconds(4))
    pause.stir(at: at(7))
    #expect(pause.after(.milliseconds(1), at: at(11)) == .milliseconds(200))
    #expect(pause.after(.milliseconds(1), at: at(12)) == .seconds(1))
  }
}
