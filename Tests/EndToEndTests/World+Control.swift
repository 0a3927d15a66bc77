import Foundation
import Operations
import Postgres
import Reactor
import Simulator
import TestSupport
import Testing
import Time

/// What tests of control need: many devices at once, control calls, and the account of a message at an instant.
extension World {
  /// Registers `count` devices of as many users, quicker than through the API. Their tokens count from 1.
  /// - Parameter zones: of the devices, in turn.
  func populate(_ count: Int, zones: [String] = [""]) throws {
    let names = zones.map { "'\($0)'" }.joined(separator: ",")
    try connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, time_zone, bound_at,
        registered_at, created_at)
      SELECT ('00000000-0000-8000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, app, 'u' || lpad(n::text, 7, '0'), 1, 1, 1,
        lpad(to_hex(n), 64, '0'), n::text, (ARRAY[\(names)])[1 + (n - 1) % \(zones.count)], t, t, t
      FROM apps, generate_series(1, \(count)) n, LATERAL (SELECT now() - interval '1 hour' AS t) times
      """)
  }

  /// The token of the device with this number.
  static func token(number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  func control(_ action: String, _ seqno: String, _ body: String = "") throws -> Reply {
    try client.call("POST", "/v1/admin/messages/\(seqno)/\(action)", bearer: apiKey, body)
  }

  func setPace(_ seqno: String, _ pace: String) throws -> Reply {
    try client.call("PATCH", "/v1/admin/messages/\(seqno)", bearer: apiKey, "{\"pace\":\(pace)}")
  }

  /// Microseconds since 1970.
  var now: Timestamp { SystemClock().wallTime }

  /// Waits for a moment to have passed, looking at something meanwhile.
  func wait(until moment: Timestamp, _ look: () throws -> Void = {}) throws {
    _ = try poll("the clock stands still", every: .milliseconds(20)) {
      try look()
      return now > moment ? true : nil
    }
  }

  // MARK: The account

  /// A message at one instant: its totals, and the rows that they must agree with.
  struct Account {
    let targeted: Int64
    let accepted: Int64
    let decided: Int64
    /// What pending is made of.
    let unclaimed: Int64
    let underWay: Int64
    let deferred: Int64
    let acceptedRows: Int64
    let isPlanned: Bool

    var pending: Int64 { targeted - decided }
    /// I2, against the rows: what is pending is unclaimed, under way or deferred, each device once.
    var isExact: Bool {
      acceptedRows == accepted && pending >= 0 && (!isPlanned || pending == unclaimed + underWay + deferred)
    }
  }

  private static let accountStatement = Statement(
    "test-account",
    """
    -- A state is below 16, so that its two digits are nowhere but where a byte is.
    WITH blocks AS (SELECT encode(states, 'hex') AS states FROM block_states WHERE seqno = $1)
    SELECT coalesce(m.targeted, 0), t.accepted, t.decided,
      (SELECT coalesce(sum(targeted - claimed), 0)::bigint FROM shards s WHERE s.seqno = m.seqno AND NOT exhausted),
      (SELECT count(DISTINCT k.device) FROM claims c, unnest(c.devices) k(device)
        LEFT JOIN outcomes o ON o.seqno = $1 AND o.device = k.device
        WHERE c.seqno = m.seqno AND (o.device IS NULL OR o.status = 6 AND o.due_at IS NULL))
        + (SELECT coalesce(sum((length(states) - length(replace(states, '00', ''))) / 2), 0)::bigint FROM blocks),
      (SELECT count(*) FROM outcomes o WHERE o.seqno = m.seqno AND status = 6 AND due_at IS NOT NULL)
        + (SELECT coalesce(sum(cardinality(places)), 0)::bigint FROM waits w WHERE w.seqno = m.seqno),
      (SELECT count(*) FROM outcomes o WHERE o.seqno = m.seqno AND status = 1)
        + (SELECT coalesce(sum((length(states) - length(replace(states, '01', ''))) / 2), 0)::bigint FROM blocks), m.planned
    FROM messages m, LATERAL (
      SELECT coalesce(sum(accepted), 0)::bigint AS accepted,
        coalesce(sum(decided), 0)::bigint AS decided
      FROM message_totals t WHERE t.seqno = m.seqno) t
    WHERE m.seqno = $1
    """)

  func account(_ seqno: String) throws -> Account {
    let rows = try connection.run(Self.accountStatement, Parameters(Int64(seqno)))
    return Account(
      targeted: rows.int64(0, 0), accepted: rows.int64(0, 1), decided: rows.int64(0, 2), unclaimed: rows.int64(0, 3),
      underWay: rows.int64(0, 4), deferred: rows.int64(0, 5), acceptedRows: rows.int64(0, 6),
      isPlanned: rows.bool(0, 7))
  }

  /// Looks at the account, and complains if it is not exact.
  @discardableResult
  func checkAccount(_ seqno: String) throws -> Account {
    let account = try account(seqno)
    #expect(account.isExact, "\(account)")
    return account
  }

  /// Asks until the message has ended, checking the account each time.
  func finishedExactly(_ seqno: String) throws -> Reply {
    try poll("message \(seqno) has not ended", every: .milliseconds(20)) {
      try checkAccount(seqno)
      let reply = try funnel(seqno)
      return ["completed", "failed", "expired", "cancelled"].contains(reply.string("state")) ? reply : nil
    }
  }

  func count(_ sql: String) throws -> Int64 {
    try connection.run(Statement("count\(sql.hashValue)", "SELECT (\(sql))::bigint")).int64(0, 0)
  }

  /// Waits until the simulator has taken so many pushes.
  func delivered(_ count: Int, _ look: () throws -> Void = {}) throws {
    _ = try poll("not even \(count) pushes have arrived: \(simulator.counters())", every: .milliseconds(20)) {
      try look()
      return simulator.counters().deliveries >= count ? true : nil
    }
  }

  // MARK: A server that can be killed

  /// A server process on this world's database; not started yet.
  func process(_ more: [String: String] = [:]) throws -> ServerProcess {
    let authority = TemporaryDirectory.make() + "/ca.pem"
    TemporaryDirectory.write(authority, started.authorityPEM)
    let variables = [
      "UPMC_DATABASE_URL": database.url,
      "UPMC_MASTER_KEY": World.masterKeyText,
      "UPMC_CA_FILE": authority, "UPMC_APNS_PRODUCTION_URL": "https://\(started.endpoints.apns)",
      "UPMC_APNS_SANDBOX_URL": "https://\(started.endpoints.sandbox)",
      "UPMC_APNS_CHANNELS_PRODUCTION_URL": "https://\(started.endpoints.channels ?? "")",
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
    ]
    return try ServerProcess(variables.merging(more) { $1 })
  }

  /// Sends as the command line does, without a server to ask.
  func insertSend(_ audience: String, _ more: String = "") throws -> String {
    let body = #"{"appId":"\#(World.appID)","audience":\#(audience),"alert":"B"\#(more)}"#
    let answer = try SendService.send(
      SendRequest(body: Array(body.utf8), idempotencyKey: nil, caller: .commandLine), on: connection, now: now)
    guard case .accepted(let accepted) = answer else { throw WaitedInVain("not accepted") }
    return String(accepted.seqno)
  }
}
