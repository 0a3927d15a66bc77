internal import Postgres
internal import Reactor

/// H5: the cost of receipts in three patterns (a burst after a campaign, the same burst repeated, a trickle over all
/// messages of a day), including folding; and whether a long-running dump slows them down.
struct ReceiptLoads: Scenario {
  let name = "H5"
  let summary = "receipts as a burst, repeated, as a trickle over many messages, and beside a dump"

  private static let connections = 256
  /// Request rate that a run is prepared for, in receipts a second.
  private static let leastRate = 150_000
  private static let trickle = (rate: 100, messages: 50, seconds: 30)

  func measure(_ plan: Plan) throws -> Outcome {
    let scratch = try ScratchDirectory()
    let stage = try ReceiptStage(plan, scratch: scratch)
    defer { stage.close() }
    let server = try DurableReceipts.startOurs(plan, stage, scratch)
    defer { server.stop() }
    var (bursts, repeats): ([ReceiptCost], [ReceiptCost]) = ([], [])
    var rates: [(ours: Double, peers: Double)] = []
    var tables: [Double] = []
    for number in 1...plan.pairs {
      let load = try ReceiptLoad(stage, scratch: scratch, atLeast: Self.leastRate * plan.seconds, threads: 2)
      defer { load.removeFiles() }
      let burst = try send(load, server, stage, plan)
      let before = try stage.recorded(load.messages)
      let again = try send(load, server, stage, plan)
      let after = try stage.recorded(load.messages)
      bursts.append(burst.cost)
      repeats.append(again.cost)
      let beside = try ReceiptLoad(stage, scratch: scratch, atLeast: Self.leastRate * plan.seconds, threads: 2)
      defer { beside.removeFiles() }
      let dump = try Connection(stage.databaseURL)
      try dump.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM apps")
      let slowed = try send(beside, server, stage, plan)
      tables.append(try Self.logBytes(dump) / 1_048_576)
      try dump.script("ROLLBACK")
      rates.append((slowed.rate, burst.rate))
      plan.say(
        "  run \(number) of \(plan.pairs): burst \(Int(burst.rate))/s, \(Self.words(burst.cost)); repeated "
          + "\(Int(again.rate))/s, \(Self.words(again.cost)), \(after - before) counted besides; beside a dump \(Int(slowed.rate))/s"
      )
      guard before >= Int64(burst.cost.receipts) else { throw MeasuringError("\(before) receipts are there") }
    }
    let trickled = try trickle(server, stage)
    plan.say("  trickle: \(Self.words(trickled))")
    return outcome(bursts, repeats, rates, trickled, tables)
  }

  private static func words(_ cost: ReceiptCost) -> String {
    "\(Outcome.number(cost.serverMicroseconds)) + \(Outcome.number(cost.databaseMicroseconds)) µs, "
      + "\(Outcome.number(cost.walBytes)) B of WAL"
  }

  private func send(
    _ load: ReceiptLoad, _ server: Program, _ stage: ReceiptStage, _ plan: Plan
  ) throws -> (cost: ReceiptCost, rate: Double) {
    try Interruption.check()
    var rate = 0.0
    let cost = try ReceiptCost(server, stage) {
      let report = try Wrk(connections: Self.connections, seconds: plan.seconds, script: load.script).run(
        port: server.port, path: "/v1/receipts")
      rate = report.requestsPerSecond
      // The rest is folded ten minutes later: that cost belongs to the burst.
      try Self.fold(stage)
      return report.requests
    }
    return (cost, rate)
  }

  private func trickle(_ server: Program, _ stage: ReceiptStage) throws -> ReceiptCost {
    let all = try ReceiptLoad.requests(
      stage, count: 2 * Self.trickle.rate * Self.trickle.seconds, messages: Self.trickle.messages)
    // A message of this day has had its burst, so its blocks have rows.
    let requests = Array(all[..<(all.count / 2)])
    _ = try PacedReceipts(rate: Self.leastRate).run(Array(all[(all.count / 2)...]), port: server.port)
    try Self.fold(stage)
    return try ReceiptCost(server, stage) {
      let report = try PacedReceipts(rate: Self.trickle.rate).run(requests, port: server.port)
      try Self.fold(stage)
      return report.accepted
    }
  }

  /// Folds as if ten minutes had passed.
  private static func fold(_ stage: ReceiptStage) throws {
    let connection = try Connection(stage.databaseURL)
    let pause = try Wakeup()
    let count = Statement("benchmark-log", "SELECT count(*) FROM confirmation_log")
    while try connection.run(count).int64(0, 0) > 0 {
      try Interruption.check()
      try connection.script("UPDATE confirmation_log SET logged_at = '-infinity' WHERE logged_at > '-infinity'")
      _ = pause.wait(atMost: .milliseconds(200))
    }
  }

  private static func logBytes(_ connection: Connection) throws -> Double {
    Double(
      try connection.run(Statement("benchmark-log-bytes", "SELECT pg_total_relation_size('confirmation_log')"))
        .int64(0, 0))
  }

  private func outcome(
    _ bursts: [ReceiptCost], _ repeats: [ReceiptCost], _ rates: [(ours: Double, peers: Double)],
    _ trickled: ReceiptCost, _ tables: [Double]
  ) -> Outcome {
    var outcome = Outcome(scenario: name)
    outcome.comparisons = [
      Comparison(
        label: "a burst beside a dump", unit: "receipts/s", peer: "without it", target: 0.9, pairs: rates)
    ]
    func require(_ label: String, _ unit: String, _ value: Double, _ limit: Double) {
      outcome.requirements.append(
        Requirement(label: label, unit: unit, value: value, side: .atMost, limit: limit))
    }
    require("the server, of a burst", "µs a receipt", Median.of(bursts.map(\.serverMicroseconds)), 10)
    require("PostgreSQL, of a burst", "µs a receipt", Median.of(bursts.map(\.databaseMicroseconds)), 3)
    require("WAL of a burst", "bytes a receipt", Median.of(bursts.map(\.walBytes)), 85)
    require("WAL of repetitions", "bytes a receipt", Median.of(repeats.map(\.walBytes)), 85)
    require("WAL of a trickle, with page images", "bytes a receipt", trickled.walBytes, 2_000)
    outcome.circumstances = [
      ("repeated", "\(Self.words(repeats[repeats.count / 2])) each"), ("trickle", Self.words(trickled)),
      ("the log beside the dump", tables.map { "\(Int($0))" }.joined(separator: ", ") + " MiB"),
      ("devices", "\(ReceiptStage.deviceCount)"),
    ]
    return outcome
  }
}
