/// P6: does a push cost the same, regardless of the number of devices and of the nodes that share the work?
///
/// Every size gets as many consecutive pushes as the largest, so that only the number of devices differs: the first
/// million pushes of a fresh database are cheaper than the tenth, because PostgreSQL defers writing what they changed.
struct Growth: Scenario {
  let name = "P6"
  let summary = "time of a push with ten thousand to ten million devices, and with one, two and four nodes"
  private static let smallest = 10_000
  private static let nodeDevices = 1_000_000
  /// Limits the number of small campaigns, which would otherwise run on until they reach that many pushes.
  private static let mostCampaigns = 20
  private static let nodeCampaigns = 3

  func measure(_ plan: Plan) throws -> Outcome {
    var outcome = Outcome(scenario: name)
    var perPush: [(devices: Int, microseconds: Double)] = []
    var devices = Self.smallest
    while devices <= plan.growthDevices {
      let campaigns = min(Self.mostCampaigns, plan.growthDevices / devices)
      let microseconds = try measure(plan, devices: devices, nodes: 1, campaigns: campaigns)
      perPush.append((devices, microseconds))
      plan.say("  \(devices) devices: \(Outcome.number(microseconds)) µs a push")
      devices *= 10
    }
    // A small campaign is mostly start and end, so only the largest two must not differ.
    if let last = perPush.last, let before = perPush.dropLast().last {
      outcome.requirements.append(
        Requirement(
          label: "\(last.devices) devices against \(before.devices)", unit: "× time a push",
          value: last.microseconds / before.microseconds, side: .atMost, limit: 1.1))
    }
    if let first = perPush.first, let last = perPush.last {
      outcome.requirements.append(
        Requirement(
          label: "\(last.devices) devices against \(first.devices)", unit: "× time a push",
          value: last.microseconds / first.microseconds, side: .atMost, limit: 1.1))
    }
    for nodes in [1, 2, 4] {
      let devices = min(Self.nodeDevices, plan.growthDevices)
      let microseconds = try measure(plan, devices: devices, nodes: nodes, campaigns: Self.nodeCampaigns)
      plan.say("  \(nodes) nodes: \(Outcome.number(microseconds)) µs a push")
      outcome.circumstances.append(("µs a push with \(nodes) nodes", Outcome.number(microseconds)))
    }
    for (devices, microseconds) in perPush {
      outcome.circumstances.append(("µs a push with \(devices) devices", Outcome.number(microseconds)))
    }
    return outcome
  }

  /// Microseconds per push over all campaigns: includes what PostgreSQL defers, above all checkpoints.
  private func measure(_ plan: Plan, devices: Int, nodes: Int, campaigns: Int) throws -> Double {
    let stage = try CampaignStage(plan, devices: devices)
    defer { stage.close() }
    let centers = try (0..<nodes).map { _ in try stage.startOurs() }
    defer { for center in centers { center.stop() } }
    _ = try Latencies.untilOutcome(try centers[0].sendUrgent(1, stage), centers[0])
    var seconds = 0.0
    for _ in 0..<campaigns {
      let run = try CampaignRun(centers[0], stage)
      seconds += run.seconds
      if devices >= Self.nodeDevices {
        let quarters = run.quarters.map(Outcome.number).joined(separator: ", ")
        plan.say("    a campaign in \(Outcome.number(run.seconds)) s; by quarters \(quarters) µs a push")
      }
    }
    return seconds * 1_000_000 / Double(devices * campaigns)
  }
}
