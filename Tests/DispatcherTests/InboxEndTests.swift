import Domain
import Operations
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher

/// How entries of inboxes end, and what stays for as long as they do.
@Suite struct InboxEndTests {
  private let database: TestDatabase
  private let connection: Connection
  private static let device = "00000000-0000-0000-0000-000000000001"

  /// Messages 1 and 2 are 100 days over and their history is gone; 1 stays in kim's inbox for a year, 2 was in none.
  init() throws {
    database = try TestDatabase.make()
    connection = try database.connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    try connection.script(
      """
      SELECT add_seqno_range(1000000);
      SELECT setval('messages_seqno_seq', 1000001);
      UPDATE seqno_ranges SET closed_at = now() - interval '50 days', dropped_at = now() - interval '50 days'
      WHERE from_seqno = 1;
      INSERT INTO users (app, user_key, badge) VALUES (1, 'ukim', 5);
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at) VALUES ('\(Self.device)', 1, 'ukim', 1, 1, 1, 'token', 'd',
          now() - interval '200 days', now(), now());
      INSERT INTO psids (app, psid, network, kind, device, bound_at) VALUES (1, 'token', 1, 1, '\(Self.device)', now());
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        finished_at, inbox_seconds)
      SELECT n, 1, 4, 1, '{}', '', 1, at, at, at, CASE n WHEN 1 THEN 31536000 END
      FROM (SELECT n, now() - interval '100 days' AS at FROM generate_series(1, 2) n) m;
      INSERT INTO inbox_messages (seqno, app, sent_at, ends_at, send_date, request)
      SELECT 1, 1, created_at, created_at + interval '365 days', '', request FROM messages WHERE seqno = 1;
      INSERT INTO inbox_entries (app, user_key, seqno, ends_at) SELECT 1, 'ukim', seqno, ends_at FROM inbox_messages
      """)
  }

  private func number(_ sql: String) throws -> Int64 {
    try connection.run(Statement("number \(sql.hashValue)", sql)).int64(0, 0)
  }

  private func keep() throws {
    var keeping = RetentionPolicy()
    keeping.messageDays = 95
    let worker = RetentionWorker(keeping, clock: SystemClock())
    try worker.turn(connection)
    try worker.look(connection)
  }

  private func read(_ seqno: Seqno, by psid: String = "token") throws -> OperationAnswer.Confirmed? {
    let clock = SystemClock()
    let apps = try connection.run(Apps.all()).map(\.app)
    let batch = OperationBatch(
      [.confirm([Operation.Confirmation(seqno: seqno, psid: psid, read: .keep, isGenuine: true)])], writer: 7,
      node: UUIDValue(high: 1, low: 1), policies: AppPolicies(apps), now: clock.wallTime,
      readAt: clock.now)
    try batch.run(on: connection)
    guard case .success(.confirmed(let results)) = batch.results[0] else { return nil }
    return results.first
  }

  @Test func `a message stays for as long as it is in an inbox, and is read there; the others go when they did`() throws
  {
    try keep()
    #expect(try number("SELECT sum(seqno)::bigint FROM messages") == 1)
    #expect(try read(1)?.status == .recorded && read(1)?.status == .recorded)
    #expect(try read(2)?.status == .unknownMessage)
    #expect(try number("SELECT count(*) FROM inbox_entries WHERE read_at > now() - interval '1 hour'") == 1)
    // What it did to the count is long forgotten.
    #expect(try number("SELECT badge::bigint FROM users") == 5)
    #expect(try number("SELECT count(*) FROM badge_ledger") == 0)
    try connection.script(
      """
      UPDATE messages SET finished_at = finished_at - interval '300 days';
      UPDATE inbox_entries SET ends_at = ends_at - interval '300 days';
      UPDATE inbox_messages SET ends_at = ends_at - interval '300 days'
      """)
    try keep()
    for table in ["messages", "inbox_entries", "inbox_messages"] {
      #expect(try number("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
  }

  @Test func `whom a message was never meant for reads nothing, and no count moves`() throws {
    try connection.script(
      """
      INSERT INTO users (app, user_key, badge) VALUES (1, 'ulee', 5);
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT id::uuid, 1, key, 1, 1, 1, token, token, at, at, at
      FROM (VALUES ('00000000-0000-0000-0000-000000000002', 'ulee', 'lees', now() - interval '9 days'),
        ('00000000-0000-0000-0000-000000000003', 'ukim', 'late', now())) AS t(id, key, token, at);
      INSERT INTO psids (app, psid, network, kind, device, bound_at)
      SELECT 1, psid, 1, 1, device, bound_at FROM devices WHERE psid <> 'token';
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        finished_at, inbox_seconds)
      VALUES (1000001, 1, 4, 1, '{}', '', 1, now() - interval '1 hour', now(), now(), 31536000);
      INSERT INTO inbox_messages (seqno, app, sent_at, ends_at, send_date, request)
      SELECT seqno, 1, created_at, created_at + interval '365 days', '', request FROM messages WHERE seqno = 1000001;
      INSERT INTO inbox_entries (app, user_key, seqno, ends_at)
      SELECT 1, 'ukim', seqno, ends_at FROM inbox_messages WHERE seqno = 1000001
      """)
    // Kim's other device came later, and nobody vouches for it.
    for token in ["lees", "late"] {
      #expect(try read(1_000_001, by: token)?.status == .unknownMessage, "\(token)")
    }
    #expect(try number("SELECT sum(badge)::bigint FROM users") == 10)
    #expect(try number("SELECT count(*) FROM badge_ledger") == 0)
    #expect(try number("SELECT count(*) FROM reads") == 0)
    #expect(try number("SELECT count(*) FROM inbox_entries WHERE read_at IS NOT NULL") == 0)
    #expect(try read(1_000_001)?.status == .recorded)
  }

  @Test func `entries end a part at a time, and one that is being read just now waits for nobody`() throws {
    try connection.script(
      """
      INSERT INTO inbox_entries (app, user_key, seqno, ends_at)
      SELECT 1, 'u' || n, 1, now() - n * interval '1 second' FROM generate_series(1, 9) n
      """)
    let reader = try database.connect()
    try reader.script("BEGIN; UPDATE inbox_entries SET read_at = now() WHERE user_key = 'u9'")
    #expect(try connection.run(Inboxes.end(atMost: 5)) == 5)
    // The oldest first.
    #expect(try number("SELECT count(*) FROM inbox_entries WHERE user_key IN ('u1', 'u2', 'u3')") == 3)
    #expect(try connection.run(Inboxes.end(atMost: 5)) == 3)
    try reader.script("COMMIT")
    #expect(try connection.run(Inboxes.end(atMost: 5)) == 1)
    #expect(try number("SELECT count(*) FROM inbox_entries WHERE user_key = 'ukim'") == 1)
  }

  @Test func `what entries show stays as long as the last of them`() throws {
    try connection.script("UPDATE messages SET request = '{\"alert\":\"x\"}'")
    let now = SystemClock().wallTime
    func entry(_ user: String, days: Int64) -> Inboxes.New {
      let key = Inboxes.Key(
        user: Users.Key(app: 1, userKey: UserKey(clientUID: user)), seqno: 2)
      return Inboxes.New(key: key, endsAt: now + .seconds(days * 86_400), filled: nil)
    }
    // It waited for a second person in between, or another node knows it as it was before that.
    for (user, days) in [("kim", Int64(1)), ("lee", 8), ("min", 1)] {
      for query in Inboxes.create([entry(user, days: days)]) { try connection.run(query) }
    }
    let rest = "SELECT count(*) FROM inbox_messages WHERE seqno = 2 AND ends_at > now() + interval '7 days'"
    #expect(try number(rest) == 1)
    #expect(try number("SELECT count(*) FROM inbox_entries WHERE seqno = 2") == 3)
  }

  @Test func `what was being claimed while its person was erased does not stay`() throws {
    _ = try PersonRights.erase("kim", of: "com.example.bank", by: .commandLine, on: connection)
    #expect(try number("SELECT count(*) FROM inbox_entries") == 0)
    // A claim that began before is committed after it; and the name is somebody's again later.
    try connection.script(
      """
      INSERT INTO inbox_entries (app, user_key, seqno, ends_at) VALUES
        (1, 'ukim', 1, now() + interval '9 days'), (1, 'ukim', 9000000, now() + interval '9 days'),
        (1, 'ulee', 1, now() + interval '9 days')
      """)
    for _ in 0..<3 {
      _ = try connection.transaction(attempts: 1) { () throws(PostgresError) in
        try Erasures.step(deliveries: 100, on: connection)
      }
    }
    #expect(try number("SELECT count(*) FROM erasures") == 0)
    #expect(try number("SELECT count(*) FROM inbox_entries WHERE user_key = 'ukim' AND seqno = 1") == 0)
    #expect(try number("SELECT count(*) FROM inbox_entries") == 2)
  }
}
