internal import ArgumentParser
internal import FoundationEssentials
internal import Reactor

/// Runs scenarios and prints their outcomes.
struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Run scenarios (the default).",
    discussion: "Scenarios:\n" + scenarios.map { "  \($0.name)  \($0.summary)" }.joined(separator: "\n"))

  static let scenarios: [any Scenario] = [
    SmallRequests(), Instructions(), DurableReceipts(), DurableReceipts(isSlowDisk: true),
    DeviceCalls(isSlowDisk: false),
    DeviceCalls(isSlowDisk: true), Overload(), ReceiptLoads(), Pushes(), Campaigns.plain, Campaigns.bare,
    Campaigns.urgent,
    Campaigns.badge, Controls(),
    Growth(),
    SingleSends(), Months(), ColdStart(), PacedMessages(), BodyWork(),
  ]

  @Argument(help: "Scenarios to run, by name; all when none is named.")
  var names: [String] = []

  @Flag(help: "Print one JSON object for each scenario instead of a table.")
  var json = false

  @Option(help: "Pairs of runs, at least \(BenchmarkCommand.Limits.leastPairs).")
  var runs = BenchmarkCommand.Limits.leastPairs

  @Option(help: "Seconds of each run.")
  var seconds = 3

  @Option(help: "Million receipts that are stored before H2 begins.")
  var storedMillions = 10.0

  @Option(help: "Thousand devices that campaigns go to, and messages of F1.")
  var campaignThousands = 1000

  @Option(help: "Thousand devices that P6 grows to.")
  var growthThousands = 10_000

  @Option(help: "Million messages that are over, up to which P8 grows: 0, 3 or 30.")
  var finishedMillions = 3

  @Option(help: "Thousand sends beside a kept snapshot in P8; 2000 are two hours of 280 a second.")
  var heldThousands = 500

  @Option(help: "Directory with the programs of Tests/Peers; without it, peers/release beside this one's.")
  var peers: String?

  @Option(help: "Directory that keeps the profiles of I1, for callgrind_annotate --inclusive=yes.")
  var profiles: String?

  @Flag(help: "List the scenarios and end.")
  var list = false

  func validate() throws {
    let least = BenchmarkCommand.Limits.leastPairs
    guard runs >= least else { throw ValidationError("--runs is at least \(least)") }
    guard (1...600).contains(seconds) else { throw ValidationError("--seconds is 1…600") }
    guard (0...100).contains(storedMillions) else { throw ValidationError("--stored-millions is 0…100") }
    guard [0, 3, 30].contains(finishedMillions) else { throw ValidationError("--finished-millions is 0, 3 or 30") }
    guard (0...10_000).contains(heldThousands) else { throw ValidationError("--held-thousands is 0…10000") }
    let known = Self.scenarios.map(\.name)
    if let stranger = names.first(where: { !known.contains($0.uppercased()) }) {
      throw ValidationError("\(stranger) is no scenario; there are \(known.joined(separator: ", "))")
    }
  }

  func run() throws {
    if list {
      for scenario in Self.scenarios { print("\(scenario.name)  \(scenario.summary)") }
      return
    }
    let wanted = Set(names.map { $0.uppercased() })
    let program = URL(filePath: CommandLine.arguments[0]).path
    let plan = Plan(
      pairs: runs, seconds: seconds, storedReceipts: Int(storedMillions * 1_000_000),
      campaignDevices: campaignThousands * 1000,
      growthDevices: growthThousands * 1000, finishedMessages: finishedMillions * 1_000_000,
      heldSends: heldThousands * 1000, peers: peers ?? Self.peersBeside(program), program: program,
      profiles: profiles)
    // Load generators inherit the limit.
    DescriptorLimit.raise()
    try Interruption.watch()
    var hasFailed = false
    for scenario in Self.scenarios where wanted.isEmpty || wanted.contains(scenario.name) {
      plan.say("\(scenario.name): \(scenario.summary)")
      let outcome: Outcome
      do {
        outcome = try scenario.measure(plan)
      } catch {
        hasFailed = true
        outcome = Outcome(scenario: scenario.name, failure: "\(error)")
        plan.say("\(scenario.name) failed: \(error)")
        try Interruption.check()
      }
      print(json ? outcome.json : outcome.table)
      StandardStreams.flush()
    }
    if hasFailed { throw ExitCode.failure }
  }

  /// `.build/release` may be a symbolic link, so the parent is taken from the path, not from the file system.
  private static func peersBeside(_ program: String) -> String {
    URL(filePath: program).deletingLastPathComponent().deletingLastPathComponent().appending(path: "peers/release").path
  }
}
