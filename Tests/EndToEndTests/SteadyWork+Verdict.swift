import Postgres
import Simulator
import Store
import TestSupport
import Testing

/// What was answered, held against what is stored and what the network received.
extension SteadyWork {
  /// Waits until every message has ended.
  func waitForMessages(_ connection: Connection) throws {
    _ = try poll("\(now.sent.count) messages have not ended") {
      (try? Self.number("SELECT count(*) FROM messages WHERE state < 4", connection)) == 0 ? true : nil
    }
  }

  /// Nothing that was answered is lost, nothing is there twice, and the account is exact.
  func verify(_ connection: Connection, _ simulator: Simulator) throws {
    let told = now
    let stored = try connection.run(
      Statement("steady-messages", "SELECT idempotency_key, seqno FROM messages ORDER BY seqno"))
    var known: [String: String] = [:]
    for row in 0..<stored.count {
      let key = stored.text(row, 0)
      #expect(known[key] == nil, "\(key) became two messages")
      known[key] = "\(stored.int64(row, 1))"
    }
    #expect(told.sent.allSatisfy { known[$0.key] == $0.value }, "an answered send is not there")
    let devices = try connection.run(Statement("steady-devices", "SELECT device_id FROM devices"))
    let there = Set((0..<devices.count).map { devices.text($0, 0) })
    #expect(told.registered.isSubset(of: there), "an answered registration is not there")
    let receipts = try connection.run(Statement("steady-receipts", "SELECT seqno FROM receipts"))
    let confirmed = (0..<receipts.count).map { "\(receipts.int64($0, 0))" }
    #expect(told.confirmed.isSubset(of: Set(confirmed)), "an answered receipt is not there")
    #expect(
      try Self.number("SELECT coalesce(sum(received), 0)::bigint FROM message_totals", connection)
        == Int64(confirmed.count), "receipts are counted otherwise than they are there")
    #expect(
      try Self.number(
        """
        SELECT count(*) FROM messages m LEFT JOIN (
          SELECT seqno, sum(decided) AS decided
          FROM message_totals GROUP BY seqno) t USING (seqno)
        WHERE m.targeted IS DISTINCT FROM coalesce(t.decided, 0)
        """, connection) == 0, "targeted is not what was decided")
    #expect(try Self.number("SELECT count(*) FROM claims", connection) == 0)
    for question in Invariants.all { #expect(try connection.run(question.broken) == 0, "\(question.promise)") }
    #expect(try Self.number("SELECT count(*) FROM users WHERE badge > 1", connection) == 0, "a badge moved twice")
    // Each delivery that counts as accepted reached the network, and once, but for those counted as resent.
    let accepted = try Self.number("SELECT coalesce(sum(accepted), 0)::bigint FROM message_totals", connection)
    let resent = try Self.number("SELECT coalesce(sum(resent), 0)::bigint FROM message_totals", connection)
    let received = Int64(simulator.counters().accepted)
    #expect(received >= accepted && received <= accepted + resent, "\(received) received, \(accepted) + \(resent)")
  }

  static func number(_ sql: String, _ connection: Connection) throws -> Int64 {
    try connection.run(Statement("steady-\(sql.hashValue)", sql)).int64(0, 0)
  }
}

extension Duration {
  var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
