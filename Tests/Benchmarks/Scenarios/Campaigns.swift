internal import Reactor

/// P2, P2S, P3 and P4: a campaign to a million devices, its outcomes durable, to the strict simulator or to a bare sink.
struct Campaigns: Scenario {
  /// P2: against the same server without outcome rows.
  static let plain = Campaigns(
    name: "P2", summary: "a campaign to a million devices with durable outcomes, against the same without outcome rows",
    kind: .plain)
  /// P2S: the same to a sink that checks nothing, so that nearly all of the measured cost is the product's.
  static let bare = Campaigns(
    name: "P2S", summary: "the same to a bare HTTP/2 sink, which takes less of the machine than the simulator",
    kind: .bare)
  /// P3: urgent sends during a campaign.
  static let urgent = Campaigns(
    name: "P3", summary: "an urgent send every 50 ms while a campaign runs, against the same on an idle server",
    kind: .urgent)
  /// P4: moving a badge for everyone.
  static let badge = Campaigns(
    name: "P4", summary: "a campaign that moves a million badges, against one that moves none", kind: .badge)

  enum Kind { case plain, bare, urgent, badge }

  let name: String
  let summary: String
  let kind: Kind
  private static let withBadge = #","badge":{"increment":1}"#

  func measure(_ plan: Plan) throws -> Outcome {
    let stage = try CampaignStage(
      plan, devices: plan.campaignDevices, network: kind == .bare ? .sink : .simulator(keepsDeliveries: kind == .urgent)
    )
    defer { stage.close() }
    var outcome = Outcome(scenario: name)
    outcome.circumstances = stage.circumstances
    let ours = try stage.startOurs()
    defer { ours.stop() }
    // Warm-up: prepares statements and connections.
    _ = try Latencies.untilOutcome(try ours.sendUrgent(1, stage), ours)
    switch kind {
    case .plain, .bare: try measurePlain(plan, stage, ours, &outcome)
    case .urgent: try measureUrgent(plan, stage, ours, &outcome)
    case .badge: try measureBadge(plan, stage, ours, &outcome)
    }
    return outcome
  }

  private func measurePlain(_ plan: Plan, _ stage: CampaignStage, _ ours: Center, _ outcome: inout Outcome) throws {
    // Two servers on one database would share its work, so each runs alone.
    ours.stop()
    let pairs = try PairedRuns(plan: plan, label: "campaign").measure(
      ours: { try Self.alone(try stage.startOurs(), stage) },
      peer: { try Self.alone(try stage.startHandicapped("--without-outcomes"), stage) },
      show: Self.show)
    outcome.comparisons = [comparison(pairs, "a million devices", peer: "without outcome rows", target: 0.9, stage)]
    outcome.requirements = [
      Requirement(
        label: "whole campaign", unit: "s", value: Median.of(pairs.map(\.ours.seconds)), side: .atMost, limit: 15),
      Requirement(
        label: "first push", unit: "ms", value: Median.of(pairs.map(\.ours.firstPushMilliseconds)), side: .atMost,
        limit: 500),
      Requirement(
        label: "server memory", unit: "MiB",
        value: Double(pairs.map(\.ours.peakResidentBytes).max() ?? 0) / 1_048_576, side: .atMost, limit: 128),
    ]
  }

  private static func alone(_ center: Center, _ stage: CampaignStage) throws -> CampaignRun {
    defer { center.stop() }
    _ = try center.sendUrgent(stage, SystemClock())
    return try CampaignRun(center, stage)
  }

  private func measureUrgent(_ plan: Plan, _ stage: CampaignStage, _ ours: Center, _ outcome: inout Outcome) throws {
    let pairs = try PairedRuns(plan: plan, label: "urgent").measure(
      ours: {
        let run = try CampaignRun(ours, stage, sendsUrgent: true)
        return try UrgentRun(run.urgent, campaignSeconds: run.seconds, ours)
      },
      peer: { try UrgentRun(try ours.sendUrgent(UrgentRun.idleSends, stage), campaignSeconds: 0, ours) },
      show: {
        "request to simulator: p99 \(Outcome.number(Latencies.percentile(0.99, of: $0.toSimulator))) ms during the campaign, "
          + "\(Outcome.number(Latencies.percentile(0.99, of: $1.toSimulator))) ms idle"
      })
    let (arrivals, idle) = (pairs.flatMap(\.ours.toSimulator), pairs.flatMap(\.peers.toSimulator))
    let outcomes = pairs.flatMap(\.ours.toOutcome)
    outcome.comparisons = [
      Comparison(
        label: "99th percentile", unit: "1/ms", peer: "idle server", target: nil,
        pairs: pairs.map {
          (
            1 / Latencies.percentile(0.99, of: $0.ours.toSimulator),
            1 / Latencies.percentile(0.99, of: $0.peers.toSimulator)
          )
        },
        details: [
          ("p50Milliseconds", Latencies.percentile(0.5, of: arrivals)),
          ("maxMilliseconds", arrivals.max() ?? 0),
          ("idleP50Milliseconds", Latencies.percentile(0.5, of: idle)),
          ("idleP99Milliseconds", Latencies.percentile(0.99, of: idle)),
          ("toOutcomeRowP50Milliseconds", Latencies.percentile(0.5, of: outcomes)),
          ("toOutcomeRowP99Milliseconds", Latencies.percentile(0.99, of: outcomes)),
          ("campaignSeconds", Median.of(pairs.map(\.ours.campaignSeconds))), ("urgentSends", Double(arrivals.count)),
        ])
    ]
    outcome.requirements = [
      Requirement(
        label: "urgent, request to simulator, 99th percentile", unit: "ms",
        value: Latencies.percentile(0.99, of: arrivals), side: .atMost, limit: 100)
    ]
  }

  private func measureBadge(_ plan: Plan, _ stage: CampaignStage, _ ours: Center, _ outcome: inout Outcome) throws {
    let pairs = try PairedRuns(plan: plan, label: "campaign").measure(
      ours: { try CampaignRun(ours, stage, Self.withBadge) }, peer: { try CampaignRun(ours, stage) }, show: Self.show)
    outcome.comparisons = [comparison(pairs, "a million badges", peer: "without badges", target: 0.75, stage)]
  }

  private static func show(_ ours: CampaignRun, _ peer: CampaignRun) -> String {
    "\(Outcome.number(ours.seconds)) s (first push \(Int(ours.firstPushMilliseconds)) ms, "
      + "\(ours.peakResidentBytes >> 20) MiB), peer \(Outcome.number(peer.seconds)) s"
  }

  private static func microseconds(_ seconds: [Double], _ stage: CampaignStage) -> Double {
    Median.of(seconds) * 1e6 / Double(stage.devices)
  }

  private func comparison(
    _ pairs: [(ours: CampaignRun, peers: CampaignRun)], _ label: String, peer: String, target: Double,
    _ stage: CampaignStage
  ) -> Comparison {
    Comparison(
      label: label, unit: "pushes/s", peer: peer, target: target,
      pairs: pairs.map { (Double(stage.devices) / $0.ours.seconds, Double(stage.devices) / $0.peers.seconds) },
      details: [
        ("seconds", Median.of(pairs.map(\.ours.seconds))), ("peerSeconds", Median.of(pairs.map(\.peers.seconds))),
        ("firstPushMilliseconds", Median.of(pairs.map(\.ours.firstPushMilliseconds))),
        ("serverMicrosecondsAPush", Self.microseconds(pairs.map(\.ours.processorSeconds), stage)),
        ("postgresMicrosecondsAPush", Self.microseconds(pairs.map(\.ours.databaseSeconds), stage)),
        ("peerPostgresMicrosecondsAPush", Self.microseconds(pairs.map(\.peers.databaseSeconds), stage)),
        ("walBytesAPush", Median.of(pairs.map(\.ours.walBytes)) / Double(stage.devices)),
        ("peakMiB", Double(pairs.map(\.ours.peakResidentBytes).max() ?? 0) / 1_048_576),
      ])
  }
}

/// Urgent sends and their latencies.
struct UrgentRun {
  static let idleSends = 200

  let campaignSeconds: Double
  /// Milliseconds from each request to the simulator.
  let toSimulator: [Double]
  /// Milliseconds from each request to its outcome row.
  let toOutcome: [Double]

  init(_ sends: [UrgentSend], campaignSeconds: Double, _ center: Center) throws {
    self.campaignSeconds = campaignSeconds
    toSimulator = try Latencies.untilArrival(sends, center)
    toOutcome = try Latencies.untilOutcome(sends, center)
  }
}
