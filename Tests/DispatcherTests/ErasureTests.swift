import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher

/// Erased persons are taken out of deliveries to devices that others have by now.
@Suite struct ErasureTests {
  private let database: TestDatabase
  private let connection: Connection

  /// Messages 1…6 of one app went to 20 devices each, of users u1…u20; message 7 belongs to another app. The devices are
  /// nobody's now.
  init() throws {
    database = try TestDatabase.make()
    connection = try database.connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('com.example.bank', '', 'bank'), ('com.example.other', '', 'other');
      INSERT INTO users (app, user_key, badge) SELECT 1, 'u' || n, 0 FROM generate_series(1, 20) n;
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        finished_at)
      SELECT n, CASE n WHEN 7 THEN 2 ELSE 1 END, 4, 1, '{}', '', 20, now(), now(), now() FROM generate_series(1, 7) n;
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT s, ('00000000-0000-0000-0000-0000000000' || to_char(n, 'FM00'))::uuid, now(), 1, 1, 'u' || n
      FROM generate_series(1, 7) s, generate_series(1, 20) n;
      SELECT setval('messages_seqno_seq', 7);
      """)
  }

  private func number(_ sql: String) throws -> Int64 {
    try connection.run(Statement("number \(sql.hashValue)", sql)).int64(0, 0)
  }

  private func erase(_ persons: [Int]) throws {
    for person in persons {
      _ = try PersonRights.erase("\(person)", of: "com.example.bank", by: .commandLine, on: connection)
    }
  }

  private func step(_ deliveries: Int) throws -> Bool {
    try connection.transaction(attempts: 1) { () throws(PostgresError) in
      try Erasures.step(deliveries: deliveries, on: connection)
    }
  }

  private func walk(_ deliveries: Int) throws -> Int {
    var steps = 0
    while try step(deliveries) { steps += 1 }
    return steps
  }

  /// A minute passes for what was looked at and had not ended.
  private func age() throws {
    try connection.script("UPDATE erasure_rests SET looked_at = looked_at - interval '2 minutes'")
  }

  private func named(_ persons: [Int]) throws -> Int64 {
    let names = persons.map { "'u\($0)'" }.joined(separator: ", ")
    return try number("SELECT count(*) FROM outcomes WHERE seqno < 7 AND user_key IN (\(names))")
  }

  @Test func `one walk serves all who are erased, in parts that end within a message`() throws {
    let persons = Array(1...15)
    try erase(persons)
    // 120 deliveries of messages up to the newest, and the other app's 20: not so many for each person.
    #expect(try walk(8) == 18)
    #expect(try named(persons) == 0)
    #expect(try named(Array(16...20)) == 30)
    #expect(try number("SELECT count(*) FROM outcomes WHERE seqno = 7 AND user_key = 'u1'") == 1)
    #expect(try number("SELECT count(*) FROM outcomes WHERE user_key = 'g' || device") == 90)
    #expect(try number("SELECT count(*) FROM erasures") == 0)
    #expect(try number("SELECT count(*) FROM erasure_rests") == 0)
  }

  @Test func `whoever comes later joins where the walk stands, and is looked for all the way round`() throws {
    try erase([1])
    for _ in 0..<9 { #expect(try step(8)) }
    #expect(try named([1]) == 2)
    try erase([2, 3])
    var steps = 9
    while try number("SELECT count(*) FROM erasures WHERE user_key = 'u1'") == 1 {
      #expect(try step(8))
      steps += 1
    }
    #expect(steps == 18)
    #expect(try named([1]) == 0)
    // What lay before it when they joined.
    #expect(try named([2, 3]) == 8)
    #expect(try walk(8) == 9)
    #expect(try named([1, 2, 3]) == 0)
    #expect(try number("SELECT count(*) FROM erasures") == 0)
  }

  @Test func `a delivery under way keeps its name until it has ended, and no longer`() throws {
    try connection.script("UPDATE outcomes SET status = 6 WHERE seqno = 3 AND user_key IN ('u1', 'u2', 'u3')")
    try erase([1, 2])
    _ = try walk(1_000)
    #expect(try named([1, 2]) == 2)
    #expect(try number("SELECT count(*) FROM erasures") == 0)
    _ = try Erasures.takeOutRests(on: connection)
    #expect(try named([1, 2]) == 2)
    try connection.script("UPDATE outcomes SET status = 1 WHERE seqno = 3 AND user_key = 'u1'")
    try age()
    #expect(try Erasures.takeOutRests(on: connection) == 1)
    #expect(try named([1]) == 0 && named([2]) == 1)
    // Its history goes before it has ended: nothing is left to look for.
    try connection.script("DELETE FROM outcomes WHERE seqno = 3 AND user_key = 'u2'")
    try age()
    #expect(try Erasures.takeOutRests(on: connection) == 1)
    #expect(try number("SELECT count(*) FROM erasure_rests") == 0)
    #expect(try named([3]) == 6)
  }

  @Test func `nobody joins while a transaction or a claim of that time may still write the name`() throws {
    let old = try database.connect()
    try old.script("BEGIN; SELECT FROM users LIMIT 1")
    try erase([1])
    #expect(try walk(1_000) == 0)
    // What it had read before, it writes now: as a new message, and as a claim.
    try old.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at)
      VALUES (nextval('messages_seqno_seq'), 1, 3, 1, '{}', '', 1, now(), now() + interval '1 day');
      INSERT INTO claims (seqno, node, devices, user_keys) VALUES (8, gen_random_uuid(),
        ARRAY['00000000-0000-0000-0000-000000000001'::uuid], ARRAY['u1']);
      COMMIT
      """)
    #expect(try walk(1_000) == 0)
    try connection.script(
      """
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      VALUES (8, '00000000-0000-0000-0000-000000000001', now(), 1, 1, 'u1');
      DELETE FROM claims
      """)
    #expect(try walk(1_000) == 1)
    #expect(try number("SELECT count(*) FROM outcomes WHERE user_key = 'u1'") == 1)
    #expect(try number("SELECT count(*) FROM erasures") == 0)
  }

  @Test func `the same name in later messages is somebody again`() throws {
    try erase([1])
    #expect(try step(8))
    try connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        finished_at) VALUES (nextval('messages_seqno_seq'), 1, 4, 1, '{}', '', 1, now(), now(), now());
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      VALUES (8, '00000000-0000-0000-0000-000000000001', now(), 1, 1, 'u1');
      """)
    try erase([2])
    _ = try walk(8)
    #expect(try named([1, 2]) == 0)
    #expect(try number("SELECT count(*) FROM outcomes WHERE seqno = 8 AND user_key = 'u1'") == 1)
  }

  @Test func `a step that is undone by a kill is done by the next, and two nodes never walk at once`() throws {
    try erase([1, 2, 3])
    #expect(try step(8))
    let victim = try database.connect()
    try victim.script("BEGIN")
    #expect(try Erasures.step(deliveries: 8, on: victim))
    // The place is the victim's until it ends.
    #expect(try !step(8))
    #expect(try Erasures.takeOutRests(on: connection) == 0)
    let pid = victim.backendPID
    _ = try number("SELECT pg_terminate_backend(\(pid))::int::bigint")
    while try number("SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid)") == 1 {}
    #expect(try walk(8) == 17)
    #expect(try named([1, 2, 3]) == 0)

    try erase([4, 5, 6, 7])
    try onTwoThreads(database.url) { connection in
      var keeping = RetentionPolicy()
      keeping.historyDays = nil
      for _ in 0..<40 { try RetentionWorker(keeping, clock: SystemClock()).turn(connection) }
    }
    _ = try walk(1_000)
    #expect(try named([4, 5, 6, 7]) == 0)
    #expect(try number("SELECT count(*) FROM erasures") == 0)
  }

  @Test func `whoever is erased again while looked for is looked for anew`() throws {
    try erase([1])
    for _ in 0..<9 { #expect(try step(8)) }
    try connection.script("INSERT INTO users (app, user_key, badge) VALUES (1, 'u1', 0)")
    try erase([1])
    #expect(try number("SELECT count(*) FROM erasures WHERE lap IS NULL AND seen_at IS NULL") == 1)
    #expect(try walk(8) == 18)
    #expect(try named([1]) == 0)
  }

  @Test func `a page is found along the key, however many deliveries there are`() throws {
    try connection.script(
      """
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT 6, gen_random_uuid(), now(), 1, 1, 'gx' FROM generate_series(1, 20000);
      ANALYZE outcomes
      """)
    try erase([20])
    let reading = try database.connect()
    try reading.script("BEGIN; SET LOCAL enable_seqscan = off")
    #expect(try Erasures.step(deliveries: 100, on: reading))
    let plan = try reading.run(
      Statement(
        "page plan",
        """
        EXPLAIN SELECT seqno, device FROM outcomes
        WHERE seqno >= 6 AND (seqno, device) > (6, '00000000-0000-0000-0000-000000000000') AND seqno <= 7
        ORDER BY seqno, device LIMIT 1 OFFSET 100
        """))
    let text = plan.map { plan.text($0, 0) }.joined(separator: "\n")
    #expect(text.contains("Index") && !text.contains("Sort"), "\(text)")
    try reading.script("COMMIT")
  }
}
