import Postgres
import TestSupport
import Testing

@testable import Store

/// How messages are looked at when they may be over: the plan must fit busy times, though it is made in quiet ones.
@Suite struct MessageEndsTests {
  @Test func `the plan made for empty tables reads no table through`() throws {
    // As the dispatcher's threads look.
    var options = TestDatabase.patientOptions
    options.readsByIndex = true
    let connection = try Connection(TestDatabase.make().url, options: options)
    try connection.script("ANALYZE; SET plan_cache_mode = force_generic_plan")
    let plan = try connection.withTransaction { () throws(PostgresError) -> [String] in
      try Messages.finish([1], at: 0, within: connection)
      let rows = try connection.run(
        Statement("explain", #"EXPLAIN (COSTS OFF) EXECUTE "messages-lock-done"('{1}')"#))
      return rows.map { rows.text($0, 0) }
    }
    #expect(!plan.isEmpty)
    #expect(!plan.contains { $0.contains("Seq Scan") }, "\(plan.joined(separator: "\n"))")
  }
}
