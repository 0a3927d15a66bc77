import Postgres
import Reactor

/// S7: for messages with a fallback, each user either confirmed in time or exactly one SMS was requested; never both,
/// neither, or two. Checked when everything is at rest.
struct ShortMessages {
  /// How long no decision may be made after the last message has ended; deadlines are a few seconds.
  private static let timeout = Duration.seconds(60)
  /// The fallback that messages of the torture request.
  static let request = #","sms":true,"fallback":{"after":"PT4S"}"#

  let verdict: Verdict
  let connection: Connection

  private func count(_ sql: String) throws -> Int64 {
    try connection.run(Statement("torture-sms-\(sql.hashValue)", "SELECT (\(sql))::bigint")).int64(0, 0)
  }

  func check() throws {
    try wait()
    for (what, sql) in Self.violations {
      let found = try count(sql)
      if found > 0 { verdict.violate("S7", "\(found) \(what)") }
    }
    let asked = try count("SELECT count(*) FROM fallbacks WHERE decision = 2")
    let confirmed = try count("SELECT count(*) FROM fallbacks WHERE decision = 1")
    let late = try count("SELECT count(*) FROM fallbacks WHERE late_at IS NOT NULL")
    let people = try count("SELECT count(*) FROM fallbacks")
    let events = try count("SELECT count(*) FROM events WHERE event_kind = 'sms.requested'")
    Console.say(
      """
      short messages: \(people) persons, \(events) events, \(asked) asked for, \(confirmed) confirmed in time, \(late) \
      confirmed after all
      """)
  }

  private func wait() throws {
    let clock = SystemClock()
    var end = clock.now + Self.timeout
    let pause = try Wakeup()
    var before = Int64.max
    while clock.now < end {
      let left = try count("SELECT count(*) FROM fallbacks WHERE decision IS NULL")
      guard left > 0 else { return }
      if left < before { end = clock.now + Self.timeout }
      before = left
      _ = pause.wait(atMost: .milliseconds(500))
    }
  }

  /// Selects who has confirmed messages with fallbacks, one message at a time, as the views require.
  private static let confirmed = """
    SELECT m.seqno, c.user_key FROM (SELECT DISTINCT seqno FROM fallbacks) m
    CROSS JOIN LATERAL (
      SELECT o.user_key FROM (SELECT * FROM deliveries WHERE seqno = m.seqno OFFSET 0) o
      JOIN (SELECT * FROM receipts WHERE seqno = m.seqno OFFSET 0) r USING (device)) c
    """

  /// Each forbidden state and the query that finds it.
  private static let violations: [(what: String, sql: String)] = [
    ("short messages were never decided about", "SELECT count(*) FROM fallbacks WHERE decision IS NULL"),
    (
      "short messages have no event though they were asked for, or have one though they were not",
      """
      SELECT count(*) FROM fallbacks f
      FULL JOIN (SELECT subject FROM events WHERE event_kind = 'sms.requested') e
        ON e.subject = f.seqno || ' ' || f.user_key
      WHERE (f.decision = 2) IS DISTINCT FROM (e.subject IS NOT NULL)
      """
    ),
    (
      "people confirmed, and neither in time nor late",
      """
      SELECT count(*) FROM (\(Self.confirmed)) o JOIN fallbacks f ON f.seqno = o.seqno AND f.user_key = o.user_key
      WHERE f.decision = 2 AND f.late_at IS NULL
      """
    ),
    (
      "people are said to have confirmed, and no device of theirs has",
      """
      WITH confirmed AS MATERIALIZED (\(Self.confirmed))
      SELECT count(*) FROM fallbacks f WHERE (f.decision = 1 OR f.late_at IS NOT NULL) AND NOT EXISTS (
        SELECT FROM confirmed o
        WHERE o.seqno = f.seqno AND o.user_key = f.user_key)
      """
    ),
    (
      "people were sent a message with a fallback and have none",
      """
      SELECT count(*) FROM (
        SELECT DISTINCT m.seqno, o.user_key FROM messages m
        CROSS JOIN LATERAL (SELECT user_key FROM deliveries WHERE seqno = m.seqno AND status = 1 OFFSET 0) o
        WHERE m.fallback IS NOT NULL AND o.user_key LIKE 'u%') s
      LEFT JOIN fallbacks f USING (seqno, user_key) WHERE f.seqno IS NULL
      """
    ),
  ]
}
