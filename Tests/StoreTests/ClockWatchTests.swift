import Postgres
import Store
import TestSupport
import Testing

/// The database's clock cannot be set here; what was seen of it can.
@Suite struct ClockWatchTests {
  private let connection: Connection

  init() throws {
    connection = try TestDatabase.make().connect()
  }

  private func isSteady() throws -> Bool { try connection.run(ClockWatch.read()).isSteady }

  @Test func `a clock that nobody has seen before is believed, and goes on being believed`() throws {
    #expect(try isSteady())
    #expect(try isSteady())
    try connection.script("UPDATE clock_watch SET seen_at = now() - interval '9 minutes'")
    #expect(try isSteady())
  }

  @Test(arguments: ["+ interval '30 days'", "- interval '30 days'", "- interval '11 minutes'", "+ interval '1 minute'"])
  func `a clock that has jumped is not believed for an hour`(seen: String) throws {
    try connection.script("UPDATE clock_watch SET seen_at = now() \(seen)")
    #expect(try !isSteady())
    #expect(try !isSteady())
    try connection.script("UPDATE clock_watch SET steady_since = steady_since - interval '59 minutes'")
    #expect(try !isSteady())
    try connection.script("UPDATE clock_watch SET steady_since = steady_since - interval '2 minutes'")
    #expect(try isSteady())
  }

  @Test func `marks of the future are named, brought back, and named no more`() throws {
    #expect(try connection.run(FutureWatermarks.find()) == nil)
    try connection.script(
      """
      INSERT INTO nodes (node, alive_until) VALUES
        (gen_random_uuid(), now() + interval '30 days'), (gen_random_uuid(), now() + interval '9 seconds');
      UPDATE statistics_progress SET hours_upto = date_trunc('hour', now()) + interval '24 days';
      INSERT INTO apps (app_id, name, client_key) VALUES ('a', 'a', 'a');
      INSERT INTO device_send_meters (device, window_began, sent) VALUES
        (gen_random_uuid(), now() + interval '30 days', 7), (gen_random_uuid(), now(), 7)
      """)
    let named = try #require(try connection.run(FutureWatermarks.find()))
    #expect(named.contains("statistics") && named.contains("1 leases"), "\(named)")
    var count = 0
    for query in FutureWatermarks.corrections { count += try connection.run(query) }
    #expect(count == 3)
    #expect(try connection.run(FutureWatermarks.find()) == nil)
    for query in FutureWatermarks.corrections { #expect(try connection.run(query) == 0) }
  }

  private func count(_ what: String) throws -> Int64 {
    try connection.run(Statement("test count", "SELECT count(*) FROM \(what)", isKept: false)).int64(0, 0)
  }

  @Test func `retries that a clock a year ahead has written are due at once, and no others`() throws {
    // Of each kind, one time that a correct clock has written, and one or two from a clock a year ahead.
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('a', 'a', 'a');
      INSERT INTO outcomes (seqno, device, at, due_at, status, attempts, user_key)
      SELECT 1, gen_random_uuid(), now(), now() + wait, 6, 1, 'ukim' FROM unnest('{30 days,1 year}'::interval[]) wait;
      INSERT INTO waits (seqno, block, due_at, at, reason, places) VALUES
        (1, 0, date_trunc('second', now()) + interval '30 days', now(), 'night', '{0}'),
        (1, 0, date_trunc('second', now()) + interval '1 year', now(), 'night', '{1,2}'),
        (1, 0, date_trunc('second', now()) + interval '2 years', now(), 'night', '{3}')
      """)
    for query in FutureWatermarks.corrections { _ = try connection.run(query) }
    #expect(try count("outcomes WHERE due_at <= now()") == 1)
    #expect(try count("outcomes WHERE due_at > now() + interval '29 days'") == 1)
    #expect(try count("waits, unnest(places) place WHERE due_at <= now()") == 3)
    #expect(try count("waits WHERE due_at > now() + interval '29 days' AND places = '{0}'") == 1)
    for query in FutureWatermarks.corrections { #expect(try connection.run(query) == 0) }
  }
}
