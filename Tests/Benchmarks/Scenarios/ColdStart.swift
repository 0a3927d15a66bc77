internal import Reactor

/// C1: how long `upmc serve` takes to become ready with a migrated database, and its memory when idle.
struct ColdStart: Scenario {
  let name = "C1"
  let summary = "cold start of upmc serve with a migrated database, and idle memory"
  private static let idle = Duration.seconds(2)

  func measure(_ plan: Plan) throws -> Outcome {
    let stage = try CampaignStage(plan, devices: 1)
    defer { stage.close() }
    var starts: [Double] = []
    var resident: [Double] = []
    let pause = try Wakeup()
    for number in 1...plan.pairs {
      try Interruption.check()
      let begin = SystemClock().now
      let center = try stage.startOurs()
      _ = try center.isReady(within: .seconds(10))
      starts.append((SystemClock().now - begin).milliseconds)
      _ = pause.wait(atMost: Self.idle)
      resident.append(Double(center.program.tree.residentBytes) / 1_048_576)
      center.stop()
      plan.say("  start \(number): \(Int(starts[number - 1])) ms, \(Int(resident[number - 1])) MiB")
    }
    var outcome = Outcome(scenario: name)
    outcome.requirements = [
      Requirement(label: "start to ready", unit: "ms", value: Median.of(starts), side: .atMost, limit: 300),
      Requirement(label: "idle memory", unit: "MiB", value: Median.of(resident), side: .atMost, limit: 40),
    ]
    return outcome
  }
}
