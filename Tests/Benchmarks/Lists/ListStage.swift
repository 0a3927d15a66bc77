internal import FoundationEssentials
internal import Operations
internal import Postgres
internal import Server

/// The environment of lists and statistics: a private PostgreSQL with many devices, messages and deliveries, and a
/// server. PostgreSQL generates the rows itself; the product's own statements would take hours.
final class ListStage {
  static let appID = "com.example.benchmark"

  let port: UInt16
  let apiKey: String
  /// A user, a device token and a message from the middle of the data.
  let user: String
  let token: String
  let message: Int
  private let scratch: ScratchDirectory
  private let database: Database
  private let server: Program

  /// - Parameter campaigns: number of messages that went to all devices.
  init(_ plan: Plan, devices: Int, messages: Int, campaigns: Int) throws {
    scratch = try ScratchDirectory()
    var configuration = Configuration()
    configuration.dataDirectory = scratch.file("data")
    plan.say("  making a private PostgreSQL")
    database = try Database(configuration)
    try database.migrate(configuration)
    _ = try MasterKeyFile.load(configuration)
    let connection = try Connection(database.url)
    _ = try Administration.createApp(
      Self.appID, name: "Benchmark", timeZone: "Asia/Seoul", by: .commandLine, on: connection)
    apiKey = try Administration.createKey(.admin, appID: nil, by: .commandLine, on: connection).apiKey
    for (what, sql) in Self.rows(devices: devices, messages: messages, campaigns: campaigns) {
      try Interruption.check()
      plan.say("  \(what)")
      try connection.script(sql)
    }
    try connection.script("VACUUM (ANALYZE)")
    try connection.script("CHECKPOINT")
    user = "user\(devices / 2)"
    let digits = String(devices / 2)
    token = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    message = messages / 2
    port = try Loopback.freePort()
    server = try Program(
      "upmc serve", [try plan.sibling("upmc"), "serve"],
      environment: [
        "UPMC_LISTEN=127.0.0.1:\(port)", "UPMC_DATABASE_URL=\(database.url)",
        "UPMC_MASTER_KEY_FILE=\(configuration.dataDirectory)/master.key", "UPMC_LOG_LEVEL=warning",
      ], port: port, log: scratch.file("server.log"))
  }

  /// Users whose erasure is not complete.
  func erasures() throws -> Int64 {
    try Connection(database.url).run(Statement("benchmark-erasures", "SELECT count(*) FROM erasures")).int64(0, 0)
  }

  func close() {
    server.stop()
    database.close()
  }

  /// One user per device; a tenth of all in one group; messages over a year, those in the middle to everyone;
  /// statistics of a year.
  private static func rows(devices: Int, messages: Int, campaigns: Int) -> [(String, String)] {
    let first = messages / 2
    let last = first + campaigns - 1
    return [
      (
        "\(devices) users with a device each",
        """
        DO $$ BEGIN
        INSERT INTO users (app, user_key, name, badge)
        SELECT 1, 'uuser' || n, 'User ' || n, n % 10 FROM generate_series(1, \(devices)) n;
        INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
          created_at, platform, app_version)
        SELECT md5(n::text)::uuid, 1, 'uuser' || n, 1, 1, 1, lpad(n::text, 8, '0') || repeat(md5(n::text), 2), 'd' || n,
          now(), now(), now(), 'iOS', '2.' || n % 20 FROM generate_series(1, \(devices)) n;
        INSERT INTO psids (app, psid, network, kind, device, bound_at)
        SELECT 1, psid, 1, 1, device, now() FROM devices;
        END $$
        """
      ),
      (
        "groups and their members, devices put aside",
        """
        DO $$ BEGIN
        INSERT INTO groups (app, name) SELECT 1, 'group ' || n FROM generate_series(1, 1000) n;
        INSERT INTO group_members (app, user_key, groupseq, joined_at)
        SELECT 1, 'uuser' || n, CASE WHEN n % 10 = 0 THEN 1 ELSE 1 + n % 1000 END, now()
        FROM generate_series(1, \(devices)) n WHERE n % 10 < 2;
        UPDATE devices SET quarantined_at = now(), quarantine_reason = 'BadDeviceToken', quarantine_seqno = 1
        WHERE substr(psid, 8, 1) = '7' AND substr(psid, 7, 1) = '7';
        END $$
        """
      ),
      (
        "\(messages) messages",
        """
        DO $$ BEGIN
        INSERT INTO messages (app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at,
          planned, finished_at)
        SELECT 1, 4, n % 3, ('{"appId":"\(appID)","audience":{"all":true},"alert":"Message ' || n || '"}')::json, '\\x00',
          1000, t, t + interval '1 day', t, true, t + interval '1 minute'
        FROM generate_series(1, \(messages)) n, LATERAL (SELECT now() - interval '1 year' * n / \(messages) AS t) at;
        INSERT INTO message_totals (seqno, writer, accepted, rejected, received, read)
        SELECT seqno, w, 480, 20, 400, 100 FROM messages, generate_series(1, 2) w;
        INSERT INTO reason_totals (seqno, reason, writer, count)
        SELECT seqno, r, 1, 20 FROM messages, unnest(ARRAY['Unregistered', 'BadDeviceToken']) r;
        END $$
        """
      ),
      (
        "\(campaigns) of them to everybody, in blocks",
        """
        DO $$ BEGIN
        CREATE TEMP TABLE block AS
        SELECT number, count(*) AS count, min(user_key) AS first_key,
          string_agg(uuid_send(device), ''::bytea ORDER BY n) AS devices,
          string_agg(substring(int4send(key_end::integer) FROM 2), ''::bytea ORDER BY n)
            || string_agg(convert_to(user_key, 'UTF8'), ''::bytea ORDER BY n) AS user_keys,
          -- One of a hundred was refused, and has a row.
          string_agg(CASE WHEN n % 100 = 0 THEN '\\x02'::bytea ELSE '\\x01'::bytea END, ''::bytea ORDER BY n) AS states
        FROM (
          SELECT *, n / 2000 AS number, sum(octet_length(user_key)) OVER (PARTITION BY n / 2000 ORDER BY n) AS key_end
          FROM (SELECT device, user_key, row_number() OVER (ORDER BY user_key, device) - 1 AS n FROM devices) d) d
        GROUP BY number;
        FOR campaign IN \(first)..\(last) LOOP
          INSERT INTO blocks (seqno, block, devices_count, first_key, devices, user_keys)
          SELECT campaign, number, count, first_key, devices, user_keys FROM block ORDER BY number;
          INSERT INTO block_states (seqno, block, states, accepted_at) SELECT campaign, number, states, now() FROM block;
        END LOOP;
        INSERT INTO outcomes (seqno, device, user_key, status, reason, attempts, at)
        SELECT campaign, device, user_key, 2, 'Unregistered', 1, now()
        FROM generate_series(\(first), \(last)) campaign,
          (SELECT device, user_key, row_number() OVER (ORDER BY user_key, device) - 1 AS n FROM devices) d
        WHERE n % 100 = 0;
        INSERT INTO row_receipts (seqno, device, at) SELECT \(first), device, now() FROM devices;
        UPDATE messages SET targeted = \(devices) WHERE seqno BETWEEN \(first) AND \(last);
        UPDATE message_totals SET accepted = \(devices - devices / 100), rejected = \(devices / 100), received = \(devices),
          read = 0 WHERE seqno BETWEEN \(first) AND \(last) AND writer = 1;
        DELETE FROM message_totals WHERE seqno BETWEEN \(first) AND \(last) AND writer = 2;
        END $$
        """
      ),
      (
        "the audit log and a year of statistics",
        """
        DO $$ BEGIN
        INSERT INTO audit_log (actor, role, origin, request_id, action, app, object)
        SELECT 'kim', 'admin', '192.0.2.1', 'r' || n, CASE WHEN n % 100 = 0 THEN 'app.change' ELSE 'message.send' END, 1,
          n::text FROM generate_series(1, \(messages)) n;
        INSERT INTO statistics_minutes (app, at, network, lane, app_version, reason, writer, accepted, received)
        SELECT 1, date_trunc('minute', now()) - m * interval '1 minute', 1, l, '2.' || v, '', 1, 5, 4
        FROM generate_series(0, 1439) m, generate_series(0, 2) l, generate_series(0, 4) v;
        INSERT INTO statistics_hours (app, at, network, lane, app_version, reason, accepted, rejected, expired, cancelled,
          skipped, received, read, joined, "left")
        SELECT 1, date_trunc('hour', now()) - h * interval '1 hour', 1, l, '2.' || v, '', 5, 0, 0, 0, 0, 4, 1, 1, 0
        FROM generate_series(0, 62 * 24) h, generate_series(0, 2) l, generate_series(0, 4) v;
        INSERT INTO statistics_days (app, at, network, lane, app_version, reason, accepted, rejected, expired, cancelled,
          skipped, received, read, joined, "left")
        SELECT 1, (date_trunc('day', now() AT TIME ZONE 'Asia/Seoul') - d * interval '1 day') AT TIME ZONE 'Asia/Seoul',
          1, l, '2.' || v, '', 5, 0, 0, 0, 0, 4, 1, 1, 0
        FROM generate_series(0, 999) d, generate_series(0, 2) l, generate_series(0, 4) v;
        END $$
        """
      ),
    ]
  }
}
