internal import FoundationEssentials
internal import HTTPClient
internal import Reactor
import Time

/// P7: sends to one user each over 64 connections, all durable, to the strict simulator; against the same server with
/// one statement and one commit per step.
struct SingleSends: Scenario {
  let name = "P7"
  let summary = "sends to one user over 64 connections, against one statement a step over 16 database connections"
  private static let connections = 64

  func measure(_ plan: Plan) throws -> Outcome {
    let stage = try CampaignStage(plan, devices: min(plan.campaignDevices, 100_000))
    defer { stage.close() }
    let pairs = try PairedRuns(plan: plan, label: "sends").measure(
      ours: { try Self.alone(try stage.startOurs(), plan, stage) },
      peer: { try Self.alone(try stage.startHandicapped("--without-batches"), plan, stage) },
      show: { "ours \(Int($0.perSecond)), peer \(Int($1.perSecond)) sends/s; p99 \(Int($0.percentile(0.99))) ms" })
    let all = pairs.flatMap(\.ours.milliseconds)
    var outcome = Outcome(scenario: name)
    outcome.circumstances = stage.circumstances
    outcome.comparisons = [
      Comparison(
        label: "\(Self.connections) connections", unit: "sends/s", peer: "one statement a step", target: 16,
        pairs: pairs.map { ($0.ours.perSecond, $0.peers.perSecond) },
        details: [
          ("p50Milliseconds", Latencies.percentile(0.5, of: all)),
          ("p99Milliseconds", Latencies.percentile(0.99, of: all)),
          ("peerP99Milliseconds", Median.of(pairs.map { $0.peers.percentile(0.99) })),
          ("serverProcessorSeconds", Median.of(pairs.map(\.ours.processorSeconds))),
        ])
    ]
    outcome.requirements = [
      Requirement(
        label: "sends", unit: "sends/s", value: Median.of(pairs.map(\.ours.perSecond)), side: .atLeast, limit: 5000),
      Requirement(
        label: "request to outcome, 99th percentile", unit: "ms", value: Latencies.percentile(0.99, of: all),
        side: .atMost, limit: 100),
    ]
    return outcome
  }

  private static func alone(_ center: Center, _ plan: Plan, _ stage: CampaignStage) throws -> SingleSendRun {
    defer { center.stop() }
    // Warm-up: prepares statements and the connection to the simulator.
    _ = try Latencies.untilOutcome(try center.sendUrgent(5, stage), center)
    return try SingleSendRun(center, stage, connections: connections, seconds: plan.seconds)
  }
}

/// As many sends as the connections complete in the given seconds; each connection waits for its response.
final class SingleSendRun {
  private(set) var perSecond = 0.0
  /// From each request to its outcome row.
  private(set) var milliseconds: [Double] = []
  private(set) var processorSeconds = 0.0

  private let client: HTTPClient
  private let loop: EventLoop
  private let stage: CampaignStage
  private let clock = SystemClock()
  private let deadline: Instant
  private var sends: [(seqno: String, sentAt: Int64)] = []
  private var open = 0
  private var failure: String?

  init(_ center: Center, _ stage: CampaignStage, connections: Int, seconds: Int) throws {
    self.stage = stage
    loop = try EventLoop()
    var configuration = HTTPClient.Configuration()
    configuration.connections = connections
    client = HTTPClient(
      try HTTPOrigin(host: "127.0.0.1", port: center.program.port), loop: loop, configuration: configuration)
    let start = clock.now
    deadline = start + .seconds(seconds)
    let processorBefore = center.program.tree.processorSeconds
    for _ in 0..<connections { sendNext() }
    while open > 0 { loop.turn(atMost: .milliseconds(100)) }
    if let failure { throw MeasuringError(failure) }
    perSecond = Double(sends.count) / ((clock.now - start).milliseconds / 1000)
    processorSeconds = center.program.tree.processorSeconds - processorBefore
    client.close()
    milliseconds = try Latencies.untilOutcome(sends, center)
  }

  func percentile(_ fraction: Double) -> Double { Latencies.percentile(fraction, of: milliseconds) }

  private func sendNext() {
    guard clock.now < deadline, failure == nil else { return }
    open += 1
    let user = Int.random(in: 0..<stage.devices)
    let body =
      #"{"appId":"\#(StageDevices.appID)","audience":{"clientUids":["user\#(user)"]},"alert":"Code 123456","lane":"urgent"}"#
    let request = HTTPRequest(
      "POST", "/v1/admin/messages",
      headers: [("Authorization", "Bearer \(stage.apiKey)"), ("Content-Type", "application/json")],
      body: Array(body.utf8))
    let sentAt = clock.wallTime.microseconds
    client.send(request) { [self] result in
      open -= 1
      switch result {
      case .success(let answer) where answer.status == 202:
        if let seqno = try? Fields(answer.body).text["seqno"] { sends.append((seqno, sentAt)) }
      case .success(let answer): failure = "a send was answered \(answer.status): \(answer.text)"
      case .failure(let error): failure = "a send failed: \(error)"
      }
      sendNext()
    }
  }
}
