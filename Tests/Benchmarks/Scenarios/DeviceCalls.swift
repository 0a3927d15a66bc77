/// H3: the other device calls, which update existing rows: reads that change a badge count, registrations of known
/// devices, and the mix of a busy hour.
struct DeviceCalls: Scenario {
  /// Whether each flush of the log takes a millisecond longer.
  let isSlowDisk: Bool

  var name: String { isSlowDisk ? "H3F" : "H3" }
  var summary: String {
    "reads, registrations and the mixture of a busy hour, against pgbench doing the same SQL"
      + (isSlowDisk ? "; each flush takes 1 ms longer" : "")
  }

  private static let connections = 256
  /// Minimum request rate that a run is prepared for, per second.
  private static let leastRate = 60_000
  /// Messages that pgbench confirms at random: enough that hardly any confirmation is a repetition.
  private static let peerMessages = 200

  private struct Run {
    let report: Wrk.Report
    let processorSeconds: Double
  }

  func measure(_ plan: Plan) throws -> Outcome {
    let scratch = try ScratchDirectory()
    let stage = try ReceiptStage(plan, scratch: scratch)
    defer { stage.close() }
    if isSlowDisk { try stage.slowDownFlushes() }
    let server = try DurableReceipts.startOurs(plan, stage, scratch)
    defer { server.stop() }
    let scripts = try PeerScripts(stage, scratch: scratch, messages: Self.peerMessages)

    var outcome = Outcome(scenario: name)
    for mix in [RequestMix.reads, .registrations, .mixed] {
      let peer = PgBench(databaseURL: stage.databaseURL, scripts: try scripts.files(of: mix))
      // Warm-up: prepares statements and fills caches.
      var rate = Self.leastRate
      _ = try Self.run(server, stage, scratch, mix, seconds: 1, rate: rate)
      _ = try peer.run(seconds: 1)
      let pairs = try PairedRuns(plan: plan, label: mix.name).measure(
        ours: {
          let run = try Self.run(server, stage, scratch, mix, seconds: plan.seconds, rate: rate)
          rate = max(rate, Int(run.report.requestsPerSecond))
          return run
        },
        peer: { try peer.run(seconds: plan.seconds) },
        show: { "ours \(Int($0.report.requestsPerSecond)), pgbench \(Int($1.transactionsPerSecond))/s" })
      outcome.comparisons.append(Self.comparison(mix, pairs))
    }
    outcome.circumstances = [
      ("stored before", "\(plan.storedReceipts) receipts"), ("devices", "\(ReceiptStage.deviceCount)"),
      ("pgbench", "16 clients, prepared, the product's own statements for one row"),
      ("durability", isSlowDisk ? ReceiptStage.slowFlushes : "PostgreSQL's default"),
    ]
    return outcome
  }

  private static func run(
    _ server: Program, _ stage: ReceiptStage, _ scratch: ScratchDirectory, _ mix: RequestMix, seconds: Int, rate: Int
  ) throws -> Run {
    let load = try ReceiptLoad(stage, scratch: scratch, atLeast: rate * seconds * 3 / 2, threads: 2, mix: mix)
    defer { load.removeFiles() }
    let wrk = Wrk(connections: connections, seconds: seconds, script: load.script)
    let before = server.tree.processorSeconds
    let report = try wrk.run(port: server.port, path: "/v1/receipts")
    let spent = server.tree.processorSeconds - before
    guard report.requests < load.count - connections else {
      throw MeasuringError("\(load.count) requests were prepared, and too few: \(report.requests) were sent")
    }
    return Run(report: report, processorSeconds: spent)
  }

  private static func comparison(_ mix: RequestMix, _ pairs: [(ours: Run, peers: PgBench.Report)]) -> Comparison {
    Comparison(
      label: mix.name, unit: "operations/s", peer: "pgbench", target: 2.5,
      pairs: pairs.map { ($0.ours.report.requestsPerSecond, $0.peers.transactionsPerSecond) },
      details: [
        ("p50Milliseconds", Median.of(pairs.map(\.ours.report.median))),
        ("p99Milliseconds", Median.of(pairs.map(\.ours.report.percentile99))),
        ("peerMeanMilliseconds", Median.of(pairs.map(\.peers.latency))),
        ("serverProcessorSeconds", Median.of(pairs.map(\.ours.processorSeconds))),
      ])
  }
}
