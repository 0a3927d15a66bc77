import Domain
import Postgres
import Store
import TestSupport
import Testing

/// The export and the erasure of a person's data among more messages than one statement may read.
@Suite struct PersonExportTests {
  private static let messages = 50_000
  private let database: TestDatabase

  /// Every ten thousandth message went to Kim's phone, and the last one to Lee's as well.
  init() throws {
    database = try TestDatabase.make()
    let connection = try database.connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('com.example.bank', '', 'bank');
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT ('00000000-0000-8000-8000-00000000000' || n)::uuid, 1, CASE n WHEN 1 THEN 'ukim' ELSE 'ulee' END, 1, 1, 1,
        repeat(n::text, 64), 'phone' || n, now(), now(), now() FROM generate_series(1, 2) n;
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, created_at, expires_at, frozen_at,
        finished_at, targeted, planned)
      SELECT n, 1, 4, 1, '{}', '', now(), now(), now(), now(), 1, true FROM generate_series(1, \(Self.messages)) n;
      SELECT setval('messages_seqno_seq', \(Self.messages));
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key)
      SELECT n, device, now(), 1, 1, user_key FROM devices, generate_series(10000, \(Self.messages), 10000) n
      WHERE user_key = 'ukim' OR n = \(Self.messages);
      INSERT INTO row_reads (seqno, device, at) SELECT seqno, device, now() FROM outcomes WHERE seqno = 20000
      """)
    // As autovacuum does, so that plans are those of a large table.
    try connection.script("VACUUM (ANALYZE) messages")
  }

  @Test func `an export has all deliveries, newest first, and no statement reads all messages`() throws {
    let log = try PlanLog(of: database)
    let connection = try database.connect()
    let export = try PersonErasure.export(
      Users.Key(app: 1, userKey: UserKey(clientUID: "kim")), on: connection)
    #expect(export.map(\.name) == PersonErasure.partNames)
    let deliveries = try #require(export.last?.rows)
    let seqnos = deliveries.matches(of: /"seqno":(\d+)/).map { String($0.1) }
    #expect(seqnos == ["50000", "40000", "30000", "20000", "10000"], "\(deliveries)")
    #expect(deliveries.matches(of: /"read_at":null/).count == 4, "\(deliveries)")
    #expect(deliveries.hasPrefix("[{") && deliveries.hasSuffix("}]"), "\(deliveries)")

    let read = try log.expectReads(atMost: Self.messages - 5_000, by: connection)
    #expect(read.contains { $0.sql.contains("FROM outcomes") }, "nothing was explained")
  }

  @Test func `an erasure finds the events that name the person without reading all others`() throws {
    let connection = try database.connect()
    try connection.script(
      """
      INSERT INTO events (app, event_kind, at, data)
      SELECT 1, 'message.finished', now(), json_build_object('seqno', n::text)
      FROM generate_series(1, \(Self.messages)) n;
      INSERT INTO events (app, event_kind, at, data)
      SELECT 1, kind, now(), json_build_object('clientUid', person)
      FROM unnest(ARRAY['kim', 'lee']) person, unnest(ARRAY['sms.requested', 'token.dropped', 'device.added']) kind
      """)
    try connection.script("VACUUM (ANALYZE) events")
    let log = try PlanLog(of: database)
    let eraser = try database.connect()
    let devices = try eraser.withTransaction {
      try PersonErasure.erase(Users.Key(app: 1, userKey: UserKey(clientUID: "kim")), on: eraser)
    }
    #expect(devices == 1)
    let left = try connection.run(
      Statement("persons in events", "SELECT data->>'clientUid' FROM events WHERE event_kind <> 'message.finished'"))
    #expect(left.map { left.text($0, 0) } == ["lee", "lee", "lee"])
    try log.expectReads(atMost: Self.messages / 2, by: eraser, in: "DELETE FROM events")
  }

  @Test func `an erasure finds the person's tokens without reading all others`() throws {
    let connection = try database.connect()
    try connection.script(
      """
      INSERT INTO psids (app, psid, network, kind, device, bound_at)
      SELECT app, psid, network, kind, device, now() FROM devices, generate_series(1, 2) kind
      UNION ALL SELECT 1, 'token' || n, 1, 1, gen_random_uuid(), now() FROM generate_series(1, \(Self.messages)) n;
      INSERT INTO former_psids (app, psid, device, ended_at)
      SELECT 1, 'former', device, now() FROM devices
      UNION ALL SELECT 1, 'former' || n, gen_random_uuid(), now() FROM generate_series(1, \(Self.messages)) n
      """)
    try connection.script("VACUUM (ANALYZE) psids")
    try connection.script("VACUUM (ANALYZE) former_psids")
    let log = try PlanLog(of: database)
    let eraser = try database.connect()
    let devices = try eraser.withTransaction {
      try PersonErasure.erase(Users.Key(app: 1, userKey: UserKey(clientUID: "kim")), on: eraser)
    }
    #expect(devices == 1)
    let left = try connection.run(
      Statement("tokens left", "SELECT (SELECT count(*) FROM psids), (SELECT count(*) FROM former_psids)"))
    // Lee's, and those of all others.
    #expect(left.int64(0, 0) == Int64(Self.messages) + 2 && left.int64(0, 1) == Int64(Self.messages) + 1)
    try log.expectReads(atMost: Self.messages / 2, by: eraser, in: "DELETE FROM psids")
  }

  @Test func `an export and an erasure find the person's short messages without reading all others`() throws {
    let connection = try database.connect()
    try connection.script(
      """
      INSERT INTO fallbacks (seqno, user_key, app, due_at, decision, decided_at)
      SELECT n, CASE WHEN n % 10000 = 0 THEN 'ukim' ELSE 'u' || n END, 1, now(), 1, now()
      FROM generate_series(1, \(Self.messages)) n
      """)
    try connection.script("VACUUM (ANALYZE) fallbacks")
    let log = try PlanLog(of: database)
    let kim = Users.Key(app: 1, userKey: UserKey(clientUID: "kim"))
    let eraser = try database.connect()
    let exported = try PersonErasure.export(kim, on: eraser).first { $0.name == "shortMessages" }
    #expect(exported?.rows.matches(of: /"seqno"/).count == 5)
    _ = try eraser.withTransaction { try PersonErasure.erase(kim, on: eraser) }
    let left = try connection.run(Statement("short messages left", "SELECT count(*) FROM fallbacks"))
    #expect(left.int64(0, 0) == Int64(Self.messages) - 5)
    let found = try log.expectReads(atMost: Self.messages / 2, by: eraser, in: "FROM fallbacks")
    #expect(found.count == 2, "\(found.map(\.sql))")
  }

  @Test func `a person without deliveries has an empty list`() throws {
    let export = try PersonErasure.export(
      Users.Key(app: 1, userKey: UserKey(clientUID: "park")), on: try database.connect())
    #expect(export.last?.rows == "[]")
  }
}
