internal import FoundationEssentials

/// H2: receipts that are durable before the response, one per request and never sent before, against the same server
/// with one transaction per receipt.
struct DurableReceipts: Scenario {
  /// Whether each flush of the log takes a millisecond longer.
  var isSlowDisk = false

  var name: String { isSlowDisk ? "H2F" : "H2" }
  var summary: String {
    "durable receipts over 256 connections, against one transaction each over 16 database connections"
      + (isSlowDisk ? "; each flush takes 1 ms longer" : "")
  }

  private static let connections = 256
  /// wrk's threads, each with its own file of requests.
  private static let threads = 2
  /// Minimum request rates that a run is prepared for, per second: on a busy machine one run says little about the
  /// next.
  private static let leastRates = (ours: 120_000, single: 40_000)

  private struct Run {
    let report: Wrk.Report
    let processorSeconds: Double
    let residentBytes: Int
  }

  func measure(_ plan: Plan) throws -> Outcome {
    let stranger = try Hummingbird(plan)
    let scratch = try ScratchDirectory()
    let stage = try ReceiptStage(plan, scratch: scratch)
    defer { stage.close() }
    if isSlowDisk { try stage.slowDownFlushes() }
    let ours = try Self.startOurs(plan, stage, scratch)
    let single = try Self.startSingle(plan, stage, scratch)
    let hummingbird = try stranger.start(in: scratch, databaseURL: stage.databaseURL)
    defer {
      ours.stop()
      single.stop()
      hummingbird.stop()
    }
    // Warm-up: prepares statements and fills caches.
    var rates = Self.leastRates
    _ = try Self.run(ours, stage, scratch, seconds: 1, rate: rates.ours)
    _ = try Self.run(single, stage, scratch, seconds: 1, rate: rates.single)

    let pairs = try PairedRuns(plan: plan, label: "receipts").measure(
      ours: { try Self.run(ours, stage, scratch, seconds: plan.seconds, rate: rates.ours, next: &rates.ours) },
      peer: { try Self.run(single, stage, scratch, seconds: plan.seconds, rate: rates.single, next: &rates.single) },
      show: {
        "ours \(Int($0.report.requestsPerSecond)), one by one \(Int($1.report.requestsPerSecond)) receipts/s"
      })
    _ = try Self.run(hummingbird, stage, scratch, seconds: 1, rate: rates.single)
    let strangers = try PairedRuns(plan: plan, label: "receipts").measure(
      ours: { try Self.run(ours, stage, scratch, seconds: plan.seconds, rate: rates.ours, next: &rates.ours) },
      peer: { try Self.run(hummingbird, stage, scratch, seconds: plan.seconds, rate: rates.single) },
      show: {
        "ours \(Int($0.report.requestsPerSecond)), Hummingbird \(Int($1.report.requestsPerSecond)) receipts/s"
      })
    return outcome(plan, pairs, strangers)
  }

  // MARK: Servers

  /// - Parameters:
  ///   - settings: additional variables, `NAME=value` each.
  ///   - prefix: a program that runs the server, and its options.
  static func startOurs(
    _ plan: Plan, _ stage: ReceiptStage, _ scratch: ScratchDirectory, settings: [String] = [], prefix: [String] = []
  ) throws -> Program {
    try startOurs(
      plan, databaseURL: stage.databaseURL, masterKeyFile: stage.masterKeyFile, scratch, settings: settings,
      prefix: prefix)
  }

  static func startOurs(
    _ plan: Plan, databaseURL: String, masterKeyFile: String, _ scratch: ScratchDirectory, settings: [String] = [],
    prefix: [String] = []
  ) throws -> Program {
    let port = try Loopback.freePort()
    let server = try plan.sibling("upmc")
    let environment = [
      "UPMC_LISTEN=127.0.0.1:\(port)", "UPMC_DATABASE_URL=\(databaseURL)",
      "UPMC_MASTER_KEY_FILE=\(masterKeyFile)", "UPMC_LOG_LEVEL=warning",
    ]
    let startUp = prefix.isEmpty ? BenchmarkCommand.Limits.startUp : .seconds(120)
    let program = try Program(
      "upmc serve", prefix + [server, "serve"], environment: environment + settings, port: port,
      log: scratch.file("upmc.log"), startUp: startUp)
    try program.awaitHealth(atMost: startUp)
    return program
  }

  private static func startSingle(_ plan: Plan, _ stage: ReceiptStage, _ scratch: ScratchDirectory) throws -> Program {
    let port = try Loopback.freePort()
    let command = [
      plan.program, "receive", "--port", String(port), "--database", stage.databaseURL, "--master-key-file",
      stage.masterKeyFile,
    ]
    return try Program("the server without batches", command, port: port, log: scratch.file("single.log"))
  }

  // MARK: Runs

  private static func run(
    _ program: Program, _ stage: ReceiptStage, _ scratch: ScratchDirectory, seconds: Int, rate: Int
  ) throws -> Run {
    let load = try ReceiptLoad(stage, scratch: scratch, atLeast: rate * seconds * 3 / 2, threads: threads)
    defer { load.removeFiles() }
    let wrk = Wrk(connections: connections, seconds: seconds, threads: threads, script: load.script)
    let before = program.tree.processorSeconds
    let report = try wrk.run(port: program.port, path: "/v1/receipts")
    let spent = program.tree.processorSeconds - before
    guard report.requests < load.count - connections else {
      throw MeasuringError("\(load.count) receipts were prepared, and too few: \(report.requests) were sent")
    }
    // Acknowledged receipts must be stored: a fast refusal is no receipt.
    let recorded = try stage.recorded(load.messages)
    guard recorded >= report.requests else {
      throw MeasuringError("\(program.name) answered \(report.requests) receipts and stored \(recorded)")
    }
    return Run(report: report, processorSeconds: spent, residentBytes: program.tree.residentBytes)
  }

  private static func run(
    _ program: Program, _ stage: ReceiptStage, _ scratch: ScratchDirectory, seconds: Int, rate: Int,
    next: inout Int
  ) throws -> Run {
    let run = try run(program, stage, scratch, seconds: seconds, rate: rate)
    next = max(rate, Int(run.report.requestsPerSecond))
    return run
  }

  private func outcome(
    _ plan: Plan, _ pairs: [(ours: Run, peers: Run)], _ strangers: [(ours: Run, peers: Run)]
  ) -> Outcome {
    let rate = Median.of(pairs.map(\.ours.report.requestsPerSecond))
    let percentile99 = Median.of(pairs.map(\.ours.report.percentile99))
    var outcome = Outcome(scenario: name)
    outcome.comparisons = [
      Self.comparison("one transaction each", target: 12, pairs),
      Self.comparison("Hummingbird and a pool of 16", target: isSlowDisk ? nil : 10, strangers),
    ]
    // With a slow disk only the ratio is meaningful.
    outcome.requirements =
      isSlowDisk
      ? []
      : [
        Requirement(label: "receipts", unit: "receipts/s", value: rate, side: .atLeast, limit: 80_000),
        Requirement(label: "99th percentile", unit: "ms", value: percentile99, side: .atMost, limit: 5),
      ]
    outcome.circumstances = [
      ("stored before", "\(plan.storedReceipts) receipts"), ("devices", "\(ReceiptStage.deviceCount)"),
      (
        "durability",
        isSlowDisk
          ? ReceiptStage.slowFlushes : "PostgreSQL's default (fsync, synchronous_commit, full_page_writes on)"
      ),
    ]
    return outcome
  }

  private static func comparison(
    _ peer: String, target: Double?, _ pairs: [(ours: Run, peers: Run)]
  ) -> Comparison {
    Comparison(
      label: "\(connections) connections, \(peer)", unit: "receipts/s", peer: peer, target: target,
      pairs: pairs.map { ($0.ours.report.requestsPerSecond, $0.peers.report.requestsPerSecond) },
      details: [
        ("p50Milliseconds", Median.of(pairs.map(\.ours.report.median))),
        ("peerP50Milliseconds", Median.of(pairs.map(\.peers.report.median))),
        ("p99Milliseconds", Median.of(pairs.map(\.ours.report.percentile99))),
        ("peerP99Milliseconds", Median.of(pairs.map(\.peers.report.percentile99))),
        ("serverProcessorSeconds", Median.of(pairs.map(\.ours.processorSeconds))),
        ("peerProcessorSeconds", Median.of(pairs.map(\.peers.processorSeconds))),
        ("residentMiB", Median.of(pairs.map { Double($0.ours.residentBytes) / 1_048_576 })),
      ])
  }
}
