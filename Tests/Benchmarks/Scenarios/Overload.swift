/// H4: how well-behaved devices fare while others hold 10,000 silent connections, and while many times more receipts
/// are in flight than the server can commit.
struct Overload: Scenario {
  let name = "H4"
  let summary = "receipts beside 10,000 slow connections, and in an overload: p99 of those that are accepted"

  private static let slowConnections = 10_000
  /// Receipts a second from well-behaved devices.
  private static let rate = 1_000
  /// Keep-alive connections that each always have a receipt in flight. 256 keep the server fully busy (H2).
  private static let busyConnections = 256
  private static let overloadConnections = 12 * busyConnections

  private struct Case {
    let label: String
    var reports: [PacedReceipts.Report] = []
    var percentile99: Double { Median.of(reports.map(\.percentile99)) }
    var accepted: Int { reports.reduce(0) { $0 + $1.accepted } }
    var refused: Int { reports.reduce(0) { $0 + $1.refused } }
    var failed: Int { reports.reduce(0) { $0 + $1.failed } }
  }

  func measure(_ plan: Plan) throws -> Outcome {
    let scratch = try ScratchDirectory()
    let stage = try ReceiptStage(plan, scratch: scratch)
    defer { stage.close() }
    let server = try DurableReceipts.startOurs(
      plan, stage, scratch,
      settings: ["UPMC_MAX_CONNECTIONS=\(Self.slowConnections + Self.overloadConnections + 1_000)"])
    defer { server.stop() }
    let capacity = try Self.crowd(server, stage, scratch, connections: Self.busyConnections, seconds: plan.seconds)
    plan.say("  capacity: \(Int(capacity.requestsPerSecond)) receipts/s")

    var quiet = Case(label: "alone")
    var slow = Case(label: "beside \(Self.slowConnections) slow connections")
    var overload = Case(label: "in the overload")
    var crowds: [Wrk.Report] = []
    var resident: [Double] = []
    // Measured before the overload, so that ten thousand disconnecting clients do not disturb it.
    for _ in 1...plan.pairs { quiet.reports.append(try Self.paced(server, stage, plan)) }
    for number in 1...plan.pairs {
      try Interruption.check()
      let clients = try SlowClients(Self.slowConnections, port: server.port)
      slow.reports.append(try Self.paced(server, stage, plan))
      let (crowd, report) = try Self.overloaded(server, stage, scratch, plan)
      clients.stop()
      crowds.append(crowd)
      overload.reports.append(report)
      resident.append(Double(server.tree.residentBytes) / 1_048_576)
      plan.say(
        "  run \(number) of \(plan.pairs): p99 \(quiet.reports[number - 1].percentile99) ms alone, "
          + "\(slow.reports.last!.percentile99) ms beside slow ones, \(report.percentile99) ms in the overload; "
          + "\(Int(crowd.requestsPerSecond)) asked, \(crowd.refusals * 100 / max(1, crowd.requests)) % refused; "
          + "\(Int(resident.last!)) MiB")
    }
    return outcome([quiet, slow, overload], capacity, crowds, resident)
  }

  // MARK: Runs

  private static func paced(_ server: Program, _ stage: ReceiptStage, _ plan: Plan) throws -> PacedReceipts.Report {
    let requests = try ReceiptLoad.requests(stage, count: rate * plan.seconds)
    return try PacedReceipts(rate: rate).run(requests, port: server.port)
  }

  /// All clients at once; refusals are expected.
  private static func crowd(
    _ server: Program, _ stage: ReceiptStage, _ scratch: ScratchDirectory, connections: Int, seconds: Int
  ) throws -> Wrk.Report {
    let load = try ReceiptLoad(stage, scratch: scratch, atLeast: 150_000 * seconds, threads: 2)
    defer { load.removeFiles() }
    var wrk = Wrk(connections: connections, seconds: seconds, script: load.script)
    wrk.allowsRefusals = true
    return try wrk.run(port: server.port, path: "/v1/receipts")
  }

  /// The well-behaved devices within the crowd.
  private static func overloaded(
    _ server: Program, _ stage: ReceiptStage, _ scratch: ScratchDirectory, _ plan: Plan
  ) throws -> (Wrk.Report, PacedReceipts.Report) {
    let requests = try ReceiptLoad.requests(stage, count: rate * plan.seconds)
    let load = try ReceiptLoad(stage, scratch: scratch, atLeast: 250_000 * (plan.seconds + 2), threads: 2)
    defer { load.removeFiles() }
    var wrk = Wrk(connections: overloadConnections, seconds: plan.seconds + 2, script: load.script)
    wrk.allowsRefusals = true
    let running = try wrk.start(port: server.port, path: "/v1/receipts", output: scratch.file("crowd"))
    let report = try PacedReceipts(rate: rate).run(requests, port: server.port)
    return (try running.report(), report)
  }

  private func outcome(_ cases: [Case], _ capacity: Wrk.Report, _ crowds: [Wrk.Report], _ resident: [Double]) -> Outcome
  {
    var outcome = Outcome(scenario: name)
    for entry in cases {
      outcome.requirements.append(
        Requirement(
          label: "99th percentile, \(entry.label)", unit: "ms", value: entry.percentile99, side: .atMost, limit: 50))
    }
    outcome.requirements.append(
      Requirement(
        label: "receipts without an answer", unit: "receipts", value: Double(cases.reduce(0) { $0 + $1.failed }),
        side: .atMost, limit: 0))
    outcome.requirements.append(
      Requirement(
        label: "memory after the last run, of that after the first", unit: "×",
        value: (resident.last ?? 0) / (resident.first ?? 1), side: .atMost, limit: 1.1))
    let asked = Median.of(crowds.map(\.requestsPerSecond))
    let refused = Median.of(crowds.map { Double($0.refusals) / Double(max(1, $0.requests)) })
    outcome.circumstances = [
      ("capacity", "\(Int(capacity.requestsPerSecond)) receipts/s over \(Self.busyConnections) connections"),
      ("overload", "\(Self.overloadConnections) connections with a receipt under way each"),
      ("asked in the overload", "\(Int(asked)) receipts/s, \(Int(refused * 100)) % told 503"),
      ("times the capacity asked", Outcome.number(asked / max(1, capacity.requestsPerSecond))),
      ("memory", resident.map { "\(Int($0))" }.joined(separator: ", ") + " MiB after each run"),
      ("well-behaved", "\(Self.rate) receipts/s; \(cases[2].accepted) accepted and \(cases[2].refused) told 503 there"),
    ]
    return outcome
  }
}
