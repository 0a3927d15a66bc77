import Domain
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher

/// For how long it is known who got what.
@Suite struct HistoryTests {
  private let database: TestDatabase
  private let connection: Connection
  private let now = SystemClock().wallTime
  private static let device = "00000000-0000-0000-0000-000000000001"

  /// Messages 1…3 of the first range are long over, 2000001 of the third one has just ended.
  init() throws {
    database = try TestDatabase.make()
    connection = try database.connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    try connection.script(
      """
      SELECT add_seqno_range(1000000);
      SELECT add_seqno_range(1000000);
      INSERT INTO psids (app, psid, network, kind, device, bound_at) VALUES (1, 'token', 1, 1, '\(Self.device)', now());
      INSERT INTO users (app, user_key, badge) VALUES (1, 'ukim', 5);
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at) VALUES ('\(Self.device)', 1, 'ukim', 1, 1, 1, 'token', 'd', now(), now(), now());
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        finished_at)
      SELECT n, 1, 4, 1, '{}', '', 1, at, at, at FROM
        (SELECT n, now() - CASE WHEN n < 10 THEN interval '100 days' ELSE interval '2 days' END AS at
         FROM unnest(ARRAY[1, 2, 3, 2000001]) n) m;
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT seqno, '\(Self.device)', now(), 1, 1, 'ukim' FROM messages;
      INSERT INTO message_totals (seqno, writer, accepted) SELECT seqno, 1, 1 FROM messages;
      INSERT INTO badge_ledger (app, user_key, seqno, increment) SELECT 1, 'ukim', seqno, 1 FROM messages;
      SELECT setval('messages_seqno_seq', 2000001);
      """)
  }

  private func number(_ sql: String) throws -> Int64 {
    try connection.run(Statement("number \(sql.hashValue)", sql)).int64(0, 0)
  }

  private func worker(_ days: Int32?, messages: Int32? = nil) -> RetentionWorker {
    var keeping = RetentionPolicy()
    keeping.historyDays = days
    keeping.messageDays = messages
    return RetentionWorker(keeping, clock: SystemClock())
  }

  /// A minute passes for the ranges that were closed.
  private func age() throws {
    try connection.script("UPDATE seqno_ranges SET closed_at = closed_at - interval '2 minutes'")
  }

  private func confirm(_ seqno: Seqno, read: BadgeOption? = nil) throws -> OperationAnswer.Confirmed? {
    let batch = OperationBatch(
      [.confirm([Operation.Confirmation(seqno: seqno, psid: "token", read: read, isGenuine: true)])], writer: 7,
      node: UUIDValue(high: 1, low: 1), policies: AppPolicies([] as [App]), now: now, readAt: SystemClock().now)
    try batch.run(on: connection)
    guard case .success(.confirmed(let results)) = batch.results[0] else { return nil }
    return results.first
  }

  private var partitions: Int64 {
    get throws {
      try number(
        "SELECT count(*) FROM pg_inherits WHERE inhparent::regclass::text IN ('outcomes', 'row_receipts', 'row_reads')")
    }
  }

  @Test func `a range whose messages are long over is dropped, and what confirms them is answered and leaves nothing`()
    throws
  {
    let worker = worker(90)
    #expect(try confirm(1)?.status == .recorded)
    try worker.look(connection)
    // Closed, and still there for whoever began before.
    try worker.turn(connection)
    #expect(try partitions == 9)
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE closed_at IS NOT NULL") == 2)
    try age()
    try worker.turn(connection)
    #expect(try partitions == 3)
    #expect(try number("SELECT count(*) FROM outcomes") == 1)
    for option in [nil, .keep, .force(9)] as [BadgeOption?] {
      let late = try #require(try confirm(2, read: option))
      #expect(late.status == .unknownMessage && late.isForgotten && late.badge == nil)
    }
    #expect(try number("SELECT badge::bigint FROM users") == 5)
    #expect(try confirm(2_000_001, read: .keep)?.status == .recorded)
    // The ledger is left with what is still kept; numbers stay.
    try worker.turn(connection)
    #expect(try number("SELECT min(seqno) FROM badge_ledger") == 2_000_001)
    #expect(try number("SELECT count(*) FROM message_totals WHERE seqno < 10 AND accepted = 1") == 3)
    #expect(
      try number("SELECT count(*) FROM audit_log WHERE action IN ('history.close', 'history.drop')") == 4)
  }

  @Test func `nothing is dropped while one message of the range is open or too young, or when all is kept`() throws {
    try connection.script("UPDATE messages SET state = 3, finished_at = NULL WHERE seqno = 2")
    // The empty range behind it goes all the same.
    try worker(90).look(connection)
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE closed_at IS NOT NULL AND from_seqno = 1") == 0)
    try connection.script("UPDATE messages SET state = 4, finished_at = now() - interval '80 days' WHERE seqno = 2")
    try worker(90).look(connection)
    try worker(nil).look(connection)
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE closed_at IS NOT NULL AND from_seqno = 1") == 0)
    try worker(70).look(connection)
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE closed_at IS NOT NULL AND from_seqno = 1") == 1)
    // The range in use never goes.
    try worker(1).look(connection)
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE closed_at IS NOT NULL AND from_seqno > 1000001") == 0)
  }

  @Test func `a node with a shorter time removes nothing that another node keeps, or kept until a day ago`() throws {
    let other = UUIDValue(high: 7, low: 7)
    _ = try connection.run(Nodes.beat(other, seconds: 600))
    let closed = "SELECT count(*) FROM seqno_ranges WHERE closed_at IS NOT NULL AND from_seqno = 1"
    for days in [120, 0] {
      try connection.run(NodeSettings.report(other, #"{"UPMC_KEEP_HISTORY_DAYS":"\#(days)"}"#))
      try worker(70).look(connection)
      #expect(try number(closed) == 0, "\(days)")
    }
    // It ended long ago, but no node has worked since: the one that starts now may have a shorter time by mistake.
    try connection.script("UPDATE nodes SET alive_until = now() - interval '30 days'")
    try connection.run(Nodes.bury())
    try worker(70).look(connection)
    #expect(try number(closed) == 0)
    // After a day of work it is forgotten. A node that has reported nothing is no reason to wait.
    try connection.script("UPDATE nodes SET left_nothing_at = now() - interval '25 hours'")
    try connection.run(Nodes.bury())
    _ = try connection.run(Nodes.beat(UUIDValue(high: 8, low: 8), seconds: 600))
    try worker(70).look(connection, removesOld: false)
    #expect(try number(closed) == 0)
    try worker(70).look(connection)
    #expect(try number(closed) == 1)
  }

  @Test func `a time that is shorter than on an ended node is reported until that node is forgotten`() throws {
    func report(_ low: UInt64, _ history: Int, _ messages: Int) throws {
      let node = UUIDValue(high: 7, low: low)
      _ = try connection.run(Nodes.beat(node, seconds: 600))
      try connection.run(
        NodeSettings.report(
          node, #"{"UPMC_KEEP_HISTORY_DAYS":"\#(history)","UPMC_KEEP_MESSAGES_DAYS":"\#(messages)"}"#))
    }
    func shortenings(_ own: String = "{}") throws -> [String] {
      try connection.run(NodeSettings.shortenings(with: own)).map { "\($0.name): \($0.before), now \($0.now)" }
    }
    try report(1, 90, 0)
    #expect(try shortenings() == [])
    try connection.script("UPDATE nodes SET alive_until = now() - interval '1 second'")
    // Without a live node, there are only the settings of a node that is about to start to compare it with.
    #expect(try shortenings() == [])
    let history = "UPMC_KEEP_HISTORY_DAYS: 90, now 7"
    #expect(try shortenings(#"{"UPMC_KEEP_HISTORY_DAYS":"7"}"#) == [history])
    try report(2, 7, 400)
    #expect(try shortenings() == [history, "UPMC_KEEP_MESSAGES_DAYS: 0, now 400"])
    try report(3, 90, 0)
    #expect(try shortenings() == [])
  }

  @Test func `the longer of two times applies, and for ever is the longest`() {
    var policy = RetentionPolicy()
    policy.historyDays = 30
    policy.messageDays = 400
    let table: [(others: (Int32?, Int32?), kept: [Int32?])] = [
      ((nil, nil), [30, 400]), ((7, 30), [30, 400]), ((90, 500), [90, 500]), ((0, 0), [nil, nil]),
      ((nil, 0), [30, nil]),
    ]
    for row in table {
      let kept = policy.longer(historyDays: row.others.0, messageDays: row.others.1)
      #expect([kept.historyDays, kept.messageDays] == row.kept, "\(row)")
    }
    policy.historyDays = nil
    #expect(policy.longer(historyDays: 90, messageDays: 400).historyDays == nil)
  }

  @Test func `a busy table is left alone at once, and dropped another time`() throws {
    let worker = worker(90)
    try worker.look(connection)
    try age()
    let reader = try database.connect()
    try reader.script("BEGIN; SELECT FROM row_receipts LIMIT 1")
    // It comes back, though the reader stays.
    try worker.turn(connection)
    // What nobody uses is gone; a writer need not wait behind us.
    #expect(try partitions == 8)
    try database.connect().script(
      "SET lock_timeout = '50ms'; INSERT INTO row_receipts VALUES (2000001, '\(Self.device)', now())")
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE dropped_at IS NOT NULL") == 0)
    try reader.script("COMMIT")
    try worker.turn(connection)
    #expect(try partitions == 3)
  }

  @Test func `what is done in another database keeps no table from being dropped`() throws {
    let worker = worker(90)
    try worker.look(connection)
    try age()
    // Copies of one template: the same tables have the same numbers in both.
    let other = try TestDatabase.make()
    let reader = try other.connect()
    try reader.script("BEGIN; SELECT FROM outcomes LIMIT 1")
    let isOld =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(other.name)' AND xact_start < clock_timestamp() - interval '1 second'"
    while try number(isOld) == 0 {}
    try worker.turn(connection)
    #expect(try partitions == 3)
  }

  @Test func `two nodes drop at once, and a step that is undone by a kill is done by the next`() throws {
    try worker(90).look(connection)
    try age()
    // Killed in the middle of it.
    let victim = try database.connect()
    try victim.script("BEGIN; SELECT drop_seqno_range(1, 'row_reads')")
    try worker(90).turn(connection)
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE from_seqno = 1 AND dropped_at IS NOT NULL") == 0)
    try victim.script("ROLLBACK")
    try onTwoThreads(database.url) { connection in
      for _ in 0..<20 { try RetentionWorker(RetentionPolicy(), clock: SystemClock()).turn(connection) }
    }
    #expect(try partitions == 3)
    #expect(try number("SELECT count(*) FROM audit_log WHERE action = 'history.drop'") == 2)
  }

  @Test func `after a time the next message opens a range, however few there were`() throws {
    try connection.script("SELECT setval('messages_seqno_seq', 3); UPDATE seqno_ranges SET made_at = now()")
    try worker(nil).look(connection)
    #expect(try number("SELECT last_value FROM messages_seqno_seq") == 3)
    try worker(90).look(connection)
    #expect(try number("SELECT nextval('messages_seqno_seq')") == 1_000_001)
    // The first of this one has not come: nothing is left out twice.
    try worker(90).look(connection)
    #expect(try number("SELECT nextval('messages_seqno_seq')") == 1_000_002)
  }

  @Test func `of messages that are not to be kept only the numbers are left after 48 hours`() throws {
    let texts = #"'{"appId":"a","audience":{"clientUids":["kim"]},"alert":"code 1234","dbIn":false'"#
    try connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        finished_at, unknown_entries, keeps_history)
      SELECT n, 1, 4, 1, (\(texts) || CASE n WHEN 12 THEN ',"badge":{"increment":1}}' ELSE '}' END)::json, '', 1, now(), now(),
        now() - CASE n WHEN 11 THEN interval '47 hours' ELSE interval '49 hours' END, '["lee"]', false
      FROM generate_series(10, 12) n;
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT n, '\(Self.device)', now(), 1, 1, 'ukim' FROM generate_series(10, 12) n;
      INSERT INTO badge_ledger (app, user_key, seqno, increment) SELECT 1, 'ukim', n, 0 FROM generate_series(10, 12) n;
      INSERT INTO message_totals (seqno, writer, accepted) SELECT n, 1, 1 FROM generate_series(10, 12) n;
      """)
    let worker = worker(90)
    #expect(try confirm(10)?.status == .recorded)
    try worker.turn(connection)
    // Nothing is added from now on; the rows go when nobody can be in the middle of adding one.
    #expect(try confirm(10, read: .keep)?.isForgotten == true)
    #expect(try number("SELECT count(*) FROM outcomes WHERE seqno = 10") == 1)
    try connection.script("UPDATE messages SET forgotten_at = forgotten_at - interval '2 minutes'")
    try worker.turn(connection)
    for table in ["outcomes", "row_receipts", "row_reads", "badge_ledger"] {
      #expect(try number("SELECT count(*) FROM \(table) WHERE seqno = 10") == 0, "\(table)")
    }
    #expect(try number("SELECT count(*) FROM outcomes WHERE seqno IN (11, 12)") == 2)
    let text = try connection.run(
      Statement("what is left", "SELECT request::text || unknown_entries::text FROM messages WHERE seqno = 10"))
    #expect(!text.text(0, 0).contains("kim") && !text.text(0, 0).contains("1234") && !text.text(0, 0).contains("lee"))
    let funnel = try ReportService.funnel(10, for: .commandLine, on: connection)
    #expect(funnel.funnel.accepted == 1 && funnel.funnel.received == 1)
    #expect { try ReportService.deliveries(of: 10, PageRequest(), for: .commandLine, on: connection) } throws: {
      ($0 as? Problem)?.code == .notKept
    }
  }

  @Test func `what a resend still has to look up is kept until it has ended`() throws {
    try connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, resend_of,
        resend_to)
      VALUES (2000002, 1, 3, 1, '{}', '', 1, now(), now() + interval '1 day', 2, 1);
      UPDATE messages SET keeps_history = false WHERE seqno = 2
      """)
    let worker = worker(90)
    try worker.look(connection)
    try worker.turn(connection)
    let closed = "SELECT count(*) FROM seqno_ranges WHERE closed_at IS NOT NULL AND from_seqno < 10"
    let forgotten = "SELECT count(*) FROM messages WHERE forgotten_at IS NOT NULL"
    #expect(try number(closed) == 0 && number(forgotten) == 0)
    try connection.script("UPDATE messages SET state = 4, finished_at = now() WHERE seqno = 2000002")
    try worker.look(connection)
    try worker.turn(connection)
    #expect(try number(closed) == 1 && number(forgotten) == 1)
  }

  @Test func `messages long over go with their numbers, but never before their history`() throws {
    try worker(90, messages: 95).look(connection)
    #expect(try number("SELECT count(*) FROM messages") == 4)
    try age()
    let worker = worker(90, messages: 95)
    try worker.turn(connection)
    try worker.look(connection)
    #expect(try number("SELECT count(*) FROM messages") == 4)
    // The history has been gone for the days between.
    try connection.script("UPDATE seqno_ranges SET closed_at = closed_at - interval '6 days'")
    try worker.look(connection)
    #expect(try number("SELECT count(*) FROM messages") == 1)
    #expect(try number("SELECT count(*) FROM message_totals") == 1)
    // A range is forgotten with its last message, so statements that check what is kept read only the others.
    #expect(try number("SELECT min(from_seqno) FROM seqno_ranges") == 2_000_001)
    #expect(try confirm(1)?.status == .unknownMessage)
  }

  @Test func `unregistered devices and former tokens are forgotten when their time is over`() throws {
    try connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, model, bound_at,
        registered_at, created_at, unregistered_at)
      SELECT gen_random_uuid(), 1, 'gx', 1, 1, s, 'p', 'id' || s || d, 'phone', now() - interval '200 days',
        now() - interval '200 days', now(), CASE s WHEN 2 THEN now() - d * interval '1 day' END
      FROM unnest(ARRAY[1, 2]) s, unnest(ARRAY[10, 100]) d;
      INSERT INTO former_psids (app, psid, device, ended_at)
      SELECT 1, 'old' || d, gen_random_uuid(), now() - d * interval '1 day' FROM unnest(ARRAY[29, 32]) d
      """)
    try worker(90).look(connection)
    let left = try connection.run(
      Statement("devices left", "SELECT device_id FROM devices WHERE model = 'phone' ORDER BY device_id"))
    #expect(left.map { left.text($0, 0) } == ["id110", "id1100", "id210"])
    #expect(try number("SELECT count(*) FROM former_psids") == 1)
  }

  @Test func `a range that was left is closed by time, also where no message comes after it`() throws {
    try connection.script("DELETE FROM messages WHERE seqno > 10; SELECT setval('messages_seqno_seq', 1000000)")
    let closed = "SELECT count(*) FROM seqno_ranges WHERE closed_at IS NOT NULL"
    try worker(90).look(connection)
    // Somebody may still hold a number of it.
    #expect(try number(closed) == 0)
    try connection.script("UPDATE seqno_ranges SET left_at = left_at - interval '25 hours'")
    try worker(90).look(connection)
    #expect(try number(closed) == 1)
    // The range whose numbers are given next stays.
    #expect(try number("SELECT from_seqno FROM seqno_ranges WHERE closed_at IS NOT NULL") == 1)
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE left_at IS NOT NULL") == 1)
  }

  @Test func `the last range in use goes too when nothing is sent for long`() throws {
    try connection.script(
      """
      DELETE FROM messages WHERE seqno > 10;
      SELECT setval('messages_seqno_seq', 3);
      """)
    let worker = worker(90)
    try worker.look(connection)
    try connection.script("UPDATE seqno_ranges SET left_at = left_at - interval '25 hours'")
    try worker.look(connection)
    try age()
    try worker.turn(connection)
    #expect(try number("SELECT count(*) FROM outcomes WHERE seqno < 10") == 0)
    #expect(try number("SELECT nextval('messages_seqno_seq')") == 1_000_001)
  }

  @Test func `the look through the ledger waits for nobody, and comes again for what somebody held`() throws {
    let worker = worker(90)
    try worker.look(connection)
    try age()
    try worker.turn(connection)
    // Whoever counts has locked one entry, and is about to take another that the look has passed.
    try connection.script(
      """
      UPDATE seqno_ranges SET swept_at = NULL;
      INSERT INTO badge_ledger (app, user_key, seqno, increment) SELECT 1, 'ukim', n, 1 FROM generate_series(1, 3) n
      ON CONFLICT DO NOTHING
      """)
    let counting = try database.connect()
    try counting.script(
      """
      SET lock_timeout = '2s'; BEGIN;
      UPDATE badge_ledger SET negatives = 0 WHERE user_key = 'ukim' AND seqno = 2
      """)
    try connection.script("SET lock_timeout = '1ms'")
    let again = self.worker(90)
    try again.turn(connection)
    #expect(try number("SELECT count(*) FROM badge_ledger WHERE seqno < 10") == 1)
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE dropped_at IS NOT NULL AND swept_at IS NULL") > 0)
    try counting.script("UPDATE badge_ledger SET negatives = 0 WHERE user_key = 'ukim' AND seqno = 1; COMMIT")
    try again.turn(connection)
    #expect(try number("SELECT count(*) FROM badge_ledger WHERE seqno < 10") == 0)
    #expect(try number("SELECT count(*) FROM seqno_ranges WHERE dropped_at IS NOT NULL AND swept_at IS NULL") == 0)
  }
}
