import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

/// What is asked about an app's devices reads few of them, however many there are.
@Suite struct LargeAppTests {
  private static let devices = 50_000
  private let database: TestDatabase

  /// Devices in Seoul and in New York, and some in a zone that PostgreSQL does not know; one in Paris has left.
  init() throws {
    database = try TestDatabase.make()
    let connection = try database.connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key, time_zone)
      SELECT 'com.example.' || n, '', 'key' || n, 'Asia/Seoul' FROM generate_series(1, 2) n;
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at, time_zone)
      SELECT gen_random_uuid(), 1, 'u' || n, 1, 1, 1, 'p' || n, 'd' || n, now(), now(), now(),
        CASE n % 3 WHEN 0 THEN 'Asia/Seoul' WHEN 1 THEN 'America/New_York' ELSE 'Mars/Base' END
      FROM generate_series(1, \(Self.devices)) n
      UNION ALL SELECT gen_random_uuid(), 1, 'ux', 1, 1, 2, 'px', 'dx', now(), now(), now(), 'Europe/Paris'
      UNION ALL SELECT gen_random_uuid(), 2, 'uy', 1, 1, 1, 'py', 'dy', now(), now(), now(), 'Asia/Tokyo';
      INSERT INTO schedules (app, unit, first_local, is_local, last_day)
      VALUES (1, 'day', '2030-01-01T09:00:00', true, '2030-01-31');
      INSERT INTO messages (seqno, app, state, lane, request, created_at, expires_at, due_at, local_time, schedule,
        occurrence)
      VALUES (1, 1, 0, 1, '{}', now(), '2030-01-02T00:00:00Z', '2030-01-01T00:00:00Z', '2030-01-01T09:00:00', 1, 0);
      SELECT setval('messages_seqno_seq', 1)
      """)
    try connection.script("VACUUM (ANALYZE) devices")
  }

  private func readsFew(_ body: (Connection) throws -> Void) throws {
    let log = try PlanLog(of: database)
    let connection = try database.connect()
    try body(connection)
    try log.expectReads(atMost: Self.devices / 10, by: connection, in: "devices")
  }

  @Test func `a message by local time is due in the zones of its app's devices`() throws {
    try readsFew(findsZones)
  }

  @Test func `the doctor finds out whether an app has devices in Apple's sandbox`() throws {
    try readsFew { connection in
      #expect(try !connection.run(Diagnosis.hasSandboxDevices(of: 1)))
      try database.connect().script("UPDATE devices SET environment = 2 WHERE device_id IN ('d7', 'dy')")
      for app in [1, 2] as [App.Number] { #expect(try connection.run(Diagnosis.hasSandboxDevices(of: app))) }
    }
  }

  private func findsZones(_ connection: Connection) throws {
    let local = try #require(LocalTime("2030-01-01T09:00:00"))
    let span = try connection.run(Waves.span(app: 1, local, appTimeZone: "Asia/Seoul"))
    #expect(span.first.description.hasPrefix("2030-01-01T00:00:00"))
    #expect(span.last.description.hasPrefix("2030-01-01T14:00:00"))

    try connection.run(Waves.create(Seqno(1), app: 1, local, appTimeZone: "Asia/Seoul"))
    let waves = try connection.run(
      Statement(
        "waves made",
        """
        SELECT array_to_string(ARRAY(SELECT z FROM unnest(zones) z ORDER BY z COLLATE "C"), ' ') FROM waves
        WHERE seqno = 1 ORDER BY wave
        """))
    // An unknown zone counts as the app's; the last wave is for those who move.
    #expect(waves.map { waves.text($0, 0) } == [" Asia/Seoul", "America/New_York", ""])

    let next = try #require(try connection.run(Schedules.continueAfter(Seqno(1))))
    let due = try connection.run(
      Statement("next due", "SELECT due_at = '2030-01-02T00:00:00Z' FROM messages WHERE seqno = \(next)"))
    #expect(due.bool(0, 0))
  }
}
