internal import Reactor

/// I1: user-space instructions of a request, from its first byte read to its response written, the kernel's not
/// included. Independent of the machine's mood, so two commits can be compared without a pair of runs.
struct Instructions: Scenario {
  let name = "I1"
  let summary = "instructions of GET /health and of a receipt that is durable before its response (callgrind)"

  private static let threads = 2
  /// Seconds until a response: the server is some fifty times slower than without callgrind.
  private static let patience = 60

  func measure(_ plan: Plan) throws -> Outcome {
    var plan = plan
    // Instructions of the server do not depend on how much PostgreSQL holds.
    plan.storedReceipts = 0
    let scratch = try ScratchDirectory()
    let stage = try ReceiptStage(plan, scratch: scratch)
    defer { stage.close() }
    let callgrind = try Callgrind(in: scratch.path) {
      try DurableReceipts.startOurs(plan, stage, scratch, prefix: $0)
    }
    let server = callgrind.program
    defer { server.stop() }
    var outcome = Outcome(scenario: name)
    // Two connections show what a request costs alone; 256 share wake-ups and commits.
    for connections in [2, 256] {
      report("GET /health", try health(callgrind, plan, connections: connections), connections, limit: 2000)
    }
    for connections in [2, 256] {
      let cost = try receipts(callgrind, plan, stage, scratch, connections: connections)
      report("receipt", cost, connections, limit: 9000)
    }
    func report(_ label: String, _ cost: Double, _ connections: Int, limit: Double) {
      let label = "\(label), \(connections) connections"
      plan.say("  \(label): \(Int(cost)) instructions")
      guard connections > 2 else { return outcome.circumstances.append((label, "\(Int(cost)) instructions")) }
      outcome.requirements.append(
        Requirement(label: label, unit: "instructions", value: cost.rounded(), side: .atMost, limit: limit))
    }
    return outcome
  }

  private func health(_ callgrind: Callgrind, _ plan: Plan, connections: Int) throws -> Double {
    let wrk = Wrk(connections: connections, seconds: plan.seconds, timeout: Self.patience)
    _ = try wrk.run(port: callgrind.program.port, path: "/health")
    var requests = 0
    let spent = try callgrind.count(profile: Self.profile("health", connections, plan)) {
      requests = try wrk.run(port: callgrind.program.port, path: "/health").requests
    }
    return spent / Double(requests)
  }

  private func receipts(
    _ callgrind: Callgrind, _ plan: Plan, _ stage: ReceiptStage, _ scratch: ScratchDirectory, connections: Int
  ) throws -> Double {
    let load = try ReceiptLoad(stage, scratch: scratch, atLeast: plan.seconds * 20_000, threads: Self.threads)
    defer { load.removeFiles() }
    let wrk = Wrk(
      connections: connections, seconds: plan.seconds, threads: Self.threads, script: load.script,
      timeout: Self.patience)
    var requests = 0
    let spent = try callgrind.count(profile: Self.profile("receipt", connections, plan)) {
      requests = try wrk.run(port: callgrind.program.port, path: "/v1/receipts").requests
    }
    let recorded = try stage.recorded(load.messages)
    guard recorded >= requests else {
      throw MeasuringError("the server answered \(requests) receipts and stored \(recorded)")
    }
    return spent / Double(requests)
  }

  private static func profile(_ request: String, _ connections: Int, _ plan: Plan) -> String? {
    plan.profiles.map { "\($0)/\(request)-\(connections).callgrind" }
  }
}
