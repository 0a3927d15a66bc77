import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher

/// What messages leave behind.
@Suite struct RetentionTests {
  @Test func `what messages long over have left goes, and nothing of those that go on`() throws {
    let connection = try TestDatabase.make().connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    // 1 is long over, 2 has just ended, 3 goes on.
    try connection.script(
      """
      INSERT INTO schedules (app, unit, first_local, is_local, last_day, created_at)
      SELECT app, 'day', now(), false, current_date, now() - interval '9 days' FROM apps, generate_series(1, 3);
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, finished_at,
        due_at, schedule, occurrence)
      SELECT n, app, CASE n WHEN 3 THEN 2 ELSE 4 END, 1, '{}', '', 0, now(), now(),
        CASE n WHEN 1 THEN now() - interval '3 days' WHEN 2 THEN now() END, now(), n, 0
      FROM apps, generate_series(1, 3) n;
      INSERT INTO gates (seqno) SELECT generate_series(1, 3);
      INSERT INTO waves (seqno, wave, due_at, zones) SELECT n, w, now(), '{}' FROM generate_series(1, 3) n,
        generate_series(1, 2) w;
      INSERT INTO shards (seqno, shard, targeted) SELECT n, 0, 0 FROM generate_series(1, 3) n;
      """)
    for query in Retention.prune(atMost: 100) { _ = try connection.run(query) }
    for (table, column) in [("gates", "seqno"), ("waves", "seqno"), ("shards", "seqno"), ("schedules", "schedule")] {
      let left = try connection.run(
        Statement("left in \(table)", "SELECT DISTINCT \(column) FROM \(table) ORDER BY \(column)"))
      #expect(left.map { left.int64($0, 0) } == [2, 3], "\(table)")
    }
  }

  @Test func `if messages are kept for a day, their gates, waves and shards go with them`() throws {
    let connection = try TestDatabase.make().connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    // It ended a day and a half ago, in a range whose history is gone.
    try connection.script(
      """
      SELECT add_seqno_range(1000000);
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        finished_at)
      SELECT 1, app, 4, 1, '{}', '', 0, at, at, at FROM apps, (SELECT now() - interval '36 hours' AS at) t;
      INSERT INTO gates (seqno) VALUES (1);
      INSERT INTO waves (seqno, wave, due_at, zones) VALUES (1, 1, now(), '{}');
      INSERT INTO shards (seqno, shard, targeted) VALUES (1, 0, 0);
      SELECT setval('messages_seqno_seq', 1000001);
      UPDATE seqno_ranges SET closed_at = now() - interval '5 minutes', dropped_at = now() - interval '4 minutes'
      WHERE from_seqno = 1
      """)
    var keeping = RetentionPolicy()
    (keeping.historyDays, keeping.messageDays) = (1, 1)
    let worker = RetentionWorker(keeping, clock: SystemClock())
    for _ in 0..<2 { try worker.look(connection) }
    for table in ["messages", "gates", "waves", "shards"] {
      let left = try connection.run(Statement("left in \(table) without days", "SELECT count(*) FROM \(table)"))
      #expect(left.int64(0, 0) == 0, "\(table)")
    }
  }

  /// - Parameter days: how long history is kept; however short that is, 90 days are long ago.
  @Test(arguments: [1, 90] as [Int32])
  func `devices that were refused long ago and have been silent since are emptied, and no others`(days: Int32) throws {
    let connection = try TestDatabase.make().connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    // 1 and 4 were refused long ago; so were 2 and 5, which have called or registered since. 3 was refused yesterday, 6
    // never. 4 is a guest.
    try connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at, seen_at, refused_at, quarantined_at, quarantine_reason)
      SELECT device, 1, CASE n WHEN 4 THEN 'g' || device ELSE 'u' || n END, 1, 1, state, repeat(n::text, 64), 'd' || n,
        began, began, began, seen, refused, aside, CASE WHEN aside IS NOT NULL THEN 'x' END
      FROM (VALUES
          (1, 3, NULL::timestamptz, now() - interval '91 days', NULL::timestamptz),
          (2, 3, now() - interval '3 days', now() - interval '91 days', NULL),
          (3, 3, NULL, now() - interval '1 day', NULL),
          (4, 1, NULL, NULL, now() - interval '91 days'),
          (5, 1, now() - interval '3 days', NULL, now() - interval '91 days'),
          (6, 1, NULL, NULL, NULL)) t(n, state, seen, refused, aside),
        LATERAL (SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid AS device,
          now() - interval '400 days' AS began) d;
      INSERT INTO psids (app, psid, network, kind, device, bound_at)
      SELECT app, psid, network, kind, device, bound_at FROM devices, generate_series(1, 2) kind;
      INSERT INTO users (app, user_key, badge) SELECT app, user_key, 1 FROM devices
      """)
    var keeping = RetentionPolicy()
    keeping.historyDays = days
    for _ in 0..<2 { try RetentionWorker(keeping, clock: SystemClock()).look(connection) }
    func number(_ select: String) throws -> Int64 {
      try connection.run(Statement("test \(select.hashValue)", "SELECT \(select)")).int64(0, 0)
    }
    let emptied = "state = 2 AND psid = '' AND device_id = '' AND user_key = 'g' || device"
    #expect(try number("count(*) FROM devices WHERE \(emptied)") == 2)
    #expect(try number("count(*) FROM devices WHERE \(emptied) AND right(device::text, 1) IN ('1', '4')") == 2)
    #expect(try number("count(*) FROM psids") == 8)
    #expect(try number("count(*) FROM users") == 5)
    #expect(try number("count(*) FROM users WHERE user_key LIKE 'g%'") == 0)
    // 1 was counted when its token was refused.
    #expect(try number("coalesce(sum(\"left\"), 0)::bigint FROM statistics_minutes") == 1)
  }

  @Test func `the minutes of devices that sent are forgotten when they are long over`() throws {
    let connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO device_send_meters (device, window_began, sent)
      SELECT gen_random_uuid(), now() - n * interval '30 minutes', n FROM generate_series(0, 5) n
      """)
    func left() throws -> [Int32] {
      let rows = try connection.run(Statement("meters left", "SELECT sent FROM device_send_meters ORDER BY sent"))
      return rows.map { rows.int32($0, 0) }
    }
    for query in Retention.prune(atMost: 2) { _ = try connection.run(query) }
    #expect(try left().count == 4)
    for query in Retention.prune(atMost: 100) { _ = try connection.run(query) }
    #expect(try left() == [0, 1])
  }

  @Test func `who joined a group while it was deleted is no member of it any more`() throws {
    let connection = try TestDatabase.make().connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    // There never was a group 6.
    try connection.script(
      """
      INSERT INTO groups (app, name) SELECT 1, 'g' || n FROM generate_series(1, 5) n;
      DELETE FROM groups WHERE groupseq IN (1, 3, 4);
      INSERT INTO group_members (app, user_key, groupseq, joined_at)
      SELECT 1, 'u' || u, g, now() FROM generate_series(1, 3) u, generate_series(1, 6) g
      """)
    func left() throws -> [Int64] {
      let rows = try connection.run(Statement("members left", "SELECT groupseq FROM group_members ORDER BY groupseq"))
      return rows.map { rows.int64($0, 0) }
    }
    for query in Retention.prune(atMost: 2) { _ = try connection.run(query) }
    #expect(try left().count == 16)
    for query in Retention.prune(atMost: 100) { _ = try connection.run(query) }
    #expect(try left() == [2, 2, 2, 5, 5, 5])
  }

  @Test func `what was told to a webhook while it was deleted neither waits nor is kept for ever`() throws {
    let connection = try TestDatabase.make().connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    // There is no webhook 2 or 3 any more. The first event is told to all of them, the second to those that are gone.
    try connection.script(
      """
      INSERT INTO webhooks (app, url, sealed, kinds, created_at)
      SELECT 1, 'https://a/', '\\x00', '{webhook.test}', now() FROM generate_series(1, 4) n;
      DELETE FROM webhooks WHERE webhook IN (2, 3);
      INSERT INTO events (app, event_kind, at, data)
      SELECT 1, 'webhook.test', now() - interval '31 days', '{}' FROM generate_series(1, 2) n;
      INSERT INTO event_deliveries (event, webhook, due_at)
      SELECT e, w, now() FROM generate_series(1, 2) e, generate_series(1, 4) w WHERE e = 1 OR w IN (2, 3)
      """)
    func left(_ column: String, _ table: String) throws -> [Int64] {
      let rows = try connection.run(
        Statement("\(column)s left in \(table)", "SELECT \(column)::bigint FROM \(table) ORDER BY \(column)"))
      return rows.map { rows.int64($0, 0) }
    }
    for query in Retention.prune(atMost: 2) { _ = try connection.run(query) }
    #expect(try left("webhook", "event_deliveries").count == 4)
    for query in Retention.prune(atMost: 100) { _ = try connection.run(query) }
    #expect(try left("webhook", "event_deliveries") == [1, 4])
    #expect(try left("event", "events") == [1])
  }

  @Test func `a busy webhook is deleted at once, and retention deletes the rest of its deliveries`() throws {
    let connection = try TestDatabase.make().connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    // Each tenth was given up.
    try connection.script(
      """
      INSERT INTO webhooks (app, url, sealed, kinds, created_at)
      SELECT 1, 'https://a/', '\\x00', '{webhook.test}', now() FROM generate_series(1, 2) n;
      INSERT INTO events (app, event_kind, at, data)
      SELECT 1, 'webhook.test', now(), '{}' FROM generate_series(1, \(Webhooks.deletedDeliveries + 20)) n;
      INSERT INTO event_deliveries (event, webhook, state, due_at, ended_at)
      SELECT event, 1, CASE WHEN event % 10 = 0 THEN 2 ELSE 1 END, now(), now() FROM events;
      INSERT INTO event_deliveries (event, webhook, state, due_at, ended_at) VALUES (1, 2, 1, now(), now());
      -- The last one waits, with a content, and for too long.
      UPDATE events SET sealed = '\\x00' WHERE event = (SELECT max(event) FROM events);
      UPDATE event_deliveries SET state = 0, ended_at = NULL, due_at = now() - interval '8 days'
      WHERE event = (SELECT max(event) FROM events)
      """)
    func left() throws -> [Int64] {
      let rows = try connection.run(
        Statement("deliveries left", "SELECT count(*) FROM event_deliveries GROUP BY webhook ORDER BY webhook"))
      return rows.map { rows.int64($0, 0) }
    }
    #expect(try connection.run(ContentWipe.events(atMost: 10, longestSeconds: .max)) == 0)
    let before = try connection.run(Vitals.webhooks())
    #expect(before.waiting == 1 && before.dead > 1000)
    try connection.run(Webhooks.delete(1))
    #expect(try left() == [20, 1])
    // Nobody can replay what is left: nobody is told of it, and no content is kept for it.
    let after = try connection.run(Vitals.webhooks())
    #expect(after.waiting == 0 && after.dead == 0)
    #expect(try connection.run(EventDeliveries.giveUpOverdue(atMost: 100)) == 0)
    #expect(try connection.run(ContentWipe.events(atMost: 10, longestSeconds: .max)) == 1)
    for query in Retention.prune(atMost: 15) { _ = try connection.run(query) }
    #expect(try left() == [5, 1])
    for query in Retention.prune(atMost: 15) { _ = try connection.run(query) }
    #expect(try left() == [1])
  }

  @Test func `an event that no webhook takes for a week is given up, can be replayed, and is not kept for ever`()
    throws
  {
    let connection = try TestDatabase.make().connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    // The second webhook is off. Events 1 and 2 have waited for 8 days, 3 for 6. 4 was delivered. 5 is old and was just
    // replayed. 6 is older than events are kept.
    try connection.script(
      """
      INSERT INTO webhooks (app, url, sealed, kinds, active, created_at)
      SELECT 1, 'https://a/', '\\x00', '{webhook.test}', n = 1, now() FROM generate_series(1, 2) n;
      INSERT INTO events (app, event_kind, at, data)
      SELECT 1, 'webhook.test', now() - interval '1 day' * days, '{}' FROM unnest(ARRAY[8, 8, 6, 8, 20, 40]) days;
      INSERT INTO event_deliveries (event, webhook, due_at, state, attempts, reason)
      SELECT event, 1, CASE WHEN event = 5 THEN now() ELSE at END, CASE WHEN event = 4 THEN 1 ELSE 0 END,
        CASE WHEN event = 2 THEN 3 ELSE 0 END, CASE WHEN event = 2 THEN 'no answer in time' END FROM events;
      INSERT INTO event_deliveries (event, webhook, due_at) SELECT event, 2, at FROM events WHERE event = 1
      """)
    func deliveries(_ state: Events.State) throws -> [[Int64]] {
      let rows = try connection.run(
        Statement(
          "deliveries that are \(state)",
          """
          SELECT event, webhook FROM event_deliveries WHERE state = \(state.rawValue)
            AND (ended_at IS NOT NULL) = (state = 2) ORDER BY event, webhook
          """))
      return rows.map { [rows.int64($0, 0), rows.int64($0, 1)] }
    }
    let worker = RetentionWorker(RetentionPolicy(), clock: SystemClock())
    try worker.look(connection)
    #expect(try deliveries(.waiting) == [[3, 1], [5, 1]])
    #expect(try deliveries(.delivered) == [[4, 1]])
    #expect(try deliveries(.dead) == [[1, 1], [1, 2], [2, 1], [6, 1]])
    #expect(try connection.run(Vitals.webhooks()).dead == 4)
    let entries = try connection.run(Events.list(1, before: .max, state: .dead, bytes: 1_000_000, limit: 10)).records
    #expect(Set(entries.map(\.reason)) == ["it waited for 7 days: the webhook was off or did not answer"])

    #expect(try connection.run(Events.replay(.dead, to: 1, limit: 10)) == 3)
    try worker.look(connection)
    #expect(try deliveries(.waiting) == [[1, 1], [2, 1], [3, 1], [5, 1], [6, 1]])
    #expect(try deliveries(.dead) == [[1, 2]])

    // Their webhooks still take none, and two more weeks pass.
    try connection.script(
      """
      UPDATE event_deliveries SET due_at = due_at - interval '8 days' WHERE state = 0;
      UPDATE event_deliveries SET ended_at = ended_at - interval '8 days' WHERE state = 2
      """)
    try worker.look(connection)
    #expect(try deliveries(.dead).count == 6)
    try connection.script("UPDATE event_deliveries SET ended_at = ended_at - interval '8 days' WHERE state = 2")
    try worker.look(connection)
    #expect(try deliveries(.dead) == [[1, 1], [1, 2], [2, 1], [3, 1], [5, 1]])
    let left = try connection.run(Statement("events that are left", "SELECT event FROM events ORDER BY event"))
    #expect(left.map { left.int64($0, 0) } == [1, 2, 3, 4, 5])
  }

  @Test func `what one statement does not remove goes in the same look, however much there is`() throws {
    let connection = try TestDatabase.make().connect()
    let many = 2 * Limits.prunedRows + 1
    try connection.script(
      """
      INSERT INTO device_send_meters (device, window_began, sent)
      SELECT gen_random_uuid(), now() - interval '2 hours', 1 FROM generate_series(1, \(many));
      INSERT INTO former_users (device, app, user_key, ended_at)
      SELECT gen_random_uuid(), 1, 'u', now() - interval '32 days' FROM generate_series(1, \(many))
      """)
    try RetentionWorker(RetentionPolicy(), clock: SystemClock()).look(connection)
    for table in ["device_send_meters", "former_users"] {
      let left = try connection.run(Statement("left of \(table)", "SELECT count(*) FROM \(table)"))
      #expect(left.int64(0, 0) == 0, "\(table)")
    }
  }

  @Test func `a device's former user is kept for as long as the history of the messages that the user got`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<41)
    let seqno = try world.send()
    _ = try world.finished(seqno)
    try world.settled(seqno)
    #expect(try world.count("blocks WHERE seqno = \(seqno)") > 0)
    world.stop()
    // It was sent 50 days ago. The first device got another user ten days after that, the second one ten days before.
    try world.connection.script(
      """
      UPDATE messages SET created_at = now() - interval '50 days';
      UPDATE devices SET user_key = 'uother'
      WHERE device IN ('\(DispatcherWorld.device(1))', '\(DispatcherWorld.device(2))');
      UPDATE former_users SET ended_at = now() - CASE WHEN device = '\(DispatcherWorld.device(1))'
        THEN interval '40 days' ELSE interval '60 days' END
      """)
    let worker = RetentionWorker(RetentionPolicy(), clock: SystemClock())
    try worker.look(world.connection)
    #expect(try world.count("former_users WHERE user_key = 'u00000001'") == 1)
    #expect(try world.count("former_users") == 1)
    #expect(try world.connection.run(Resends.unreached(of: seqno, among: [DispatcherWorld.device(1)])).isEmpty)
    let delivery = Confirmations.Delivery(seqno: seqno, device: DispatcherWorld.device(1))
    let sentTo = try world.connection.run(Confirmations.sentTo([delivery]))[delivery]
    #expect(sentTo?.userKey.text == "u00000001", "a read counts for somebody else: \(String(describing: sentTo))")

    // It is deleted with the history.
    try world.connection.script("UPDATE seqno_ranges SET closed_at = now() WHERE from_seqno <= \(seqno)")
    try worker.look(world.connection)
    #expect(try world.count("former_users") == 0)
  }

  @Test func `a node that stops begins no further round of removing`() throws {
    let connection = try TestDatabase.make().connect()
    let many = Int64(2 * Limits.prunedRows + 1)
    try connection.script(
      """
      INSERT INTO device_send_meters (device, window_began, sent)
      SELECT gen_random_uuid(), now() - interval '2 hours', 1 FROM generate_series(1, \(many))
      """)
    func left() throws -> Int64 {
      try connection.run(Statement("meters that are left", "SELECT count(*) FROM device_send_meters")).int64(0, 0)
    }
    // It is told to stop as soon as the first rows are gone.
    let worker = RetentionWorker(
      RetentionPolicy(), clock: SystemClock(), isStopping: { (try? left() < many) ?? true })
    try worker.look(connection)
    #expect(try left() == many - Int64(Limits.prunedRows))
  }

  @Test func `counts of what identities refused go when no report shows them any more`() throws {
    let connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO identity_refusals (app, day, writer, unproved)
      SELECT 1, current_date - n, 1, n FROM unnest(ARRAY[0, 30, 95, 400]) n
      """)
    for query in Retention.prune(atMost: 100) { _ = try connection.run(query) }
    let left = try connection.run(
      Statement("refusals left", "SELECT unproved FROM identity_refusals ORDER BY unproved"))
    #expect(left.map { left.int64($0, 0) } == [0, 30])
  }

  @Test func `lines of people that imports refused or left lying go after a month, their numbers stay`() throws {
    let connection = try TestDatabase.make().connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    try connection.script(
      """
      INSERT INTO imports (app, kind, skips_errors, created_by, created_at, rest)
      SELECT 1, 1, false, 'kim', now() - n * interval '20 days', 'kim,' FROM generate_series(1, 2) n;
      INSERT INTO import_errors (import, line, text, error) SELECT n, 1, 'kim', 'x' FROM generate_series(1, 2) n;
      INSERT INTO import_parts (import, part, lines) SELECT n, 1, '\\x00' FROM generate_series(1, 2) n
      """)
    for query in Retention.prune(atMost: 100) { _ = try connection.run(query) }
    for (table, numbers) in [("imports", [1, 2]), ("import_errors", [1]), ("import_parts", [1])] as [(String, [Int64])]
    {
      let left = try connection.run(Statement("left in \(table)", "SELECT import FROM \(table) ORDER BY import"))
      #expect(left.map { left.int64($0, 0) } == numbers, "\(table)")
    }
    let begun = try connection.run(Statement("left of lines", "SELECT import FROM imports WHERE rest <> ''"))
    #expect(begun.map { begun.int64($0, 0) } == [1])
  }

  @Test func `a message that cannot be forgotten is put off, and not one that another node has just let go`() throws {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    _ = try connection.run(
      Apps.create(appID: "com.example.bank", name: "", clientKey: "key", timeZone: "UTC", identity: .open))
    try connection.script(
      """
      \(SickRow.function())
      CREATE TRIGGER sick BEFORE UPDATE OF emptied_at ON messages FOR EACH ROW WHEN (NEW.seqno = 2)
        EXECUTE FUNCTION fail();
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        finished_at, forgotten_at, planned)
      SELECT n, app, 4, 1, '{"dbIn":false}', '', 0, now(), now(), now(), now() - (3 - n) * interval '1 hour', true
      FROM apps, generate_series(1, 2) n
      """)
    // Another node has the one that was marked first.
    let forgotten = try SickRow.meet(
      in: database.url, lock: "SELECT FROM messages WHERE seqno = 1 FOR UPDATE"
    ) { try RetentionWorker(RetentionPolicy(), clock: SystemClock()).empty(of: 1, $0) }
    #expect(forgotten == 0)
    let late = try connection.run(
      Statement("put off for a day", "SELECT seqno FROM messages WHERE forgotten_at > now() ORDER BY seqno"))
    #expect(late.map { late.int64($0, 0) } == [2])
    // The other one is forgotten at once.
    #expect(try RetentionWorker(RetentionPolicy(), clock: SystemClock()).empty(of: 1, connection) == 1)
    let left = try connection.run(
      Statement("not yet forgotten", "SELECT seqno FROM messages WHERE emptied_at IS NULL ORDER BY seqno"))
    #expect(left.map { left.int64($0, 0) } == [2])
  }
}
