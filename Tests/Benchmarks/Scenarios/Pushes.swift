internal import JSON
internal import Reactor

/// P1: the client's cost of one push over TLS, on one connection, to a sink that accepts everything.
struct Pushes: Scenario {
  let name = "P1"
  let summary = "pushes over TLS to a bare HTTP/2 sink, against h2load and aioapns"

  /// Pushes per run: about a second each.
  private static let count = 150_000
  private static let countOfPython = 4_000
  private static let streams = 500

  func measure(_ plan: Plan) throws -> Outcome {
    let scratch = try ScratchDirectory()
    let authority = scratch.file("authority.pem")
    let port = try Loopback.freePort()
    let command = [plan.program, "sink", "--port", String(port), "--authority", authority]
    let sink = try Program("the sink", command, port: port, log: scratch.file("sink.log"))
    let h2load = try H2Load(scratch: scratch, payload: try PushLoad().payload)
    let python = try PythonClient(scratch: scratch, program: plan.program, authority: authority)
    let ours = { try Self.run(plan.program, port, authority) }
    let show = { (ours: PushRun, peer: PushRun) in
      "ours \(Int(ours.perProcessorSecond)), peer \(Int(peer.perProcessorSecond)) pushes/CPU s"
    }

    var outcome = Outcome(scenario: name)
    let first = try PairedRuns(plan: plan, label: "h2load").measure(
      ours: ours, peer: { try h2load.run(port: port, count: Self.count, streams: Self.streams) }, show: show)
    outcome.comparisons.append(Self.comparison("h2load", 1.5, first))
    let second = try PairedRuns(plan: plan, label: "aioapns").measure(
      ours: ours, peer: { try python.run(port: port, count: Self.countOfPython, inFlight: Self.streams) }, show: show)
    outcome.comparisons.append(Self.comparison("aioapns", 80, second))
    outcome.circumstances.append(("connection", "one, \(Self.streams) requests in flight"))
    sink.stop()
    return outcome
  }

  private static func run(_ program: String, _ port: UInt16, _ authority: String) throws -> PushRun {
    let command = [
      program, "push", "--port", String(port), "--authority", authority, "--count", String(count),
      "--streams", String(streams),
    ]
    let report = try ChildProcess.run(command, atMost: .seconds(180))
    guard report.succeeded else { throw MeasuringError("our client: \(report.text)") }
    var accepted = 0
    var microseconds = 0
    var processorMicroseconds = 0
    var reader = JSONReader(report.output)
    try reader.readObject { reader, name throws(JSONError) in
      let value = Int(try reader.readInteger())
      switch name {
      case "accepted": accepted = value
      case "microseconds": microseconds = value
      case "processorMicroseconds": processorMicroseconds = value
      default: break
      }
    }
    guard accepted == count else { throw MeasuringError("our client: \(accepted) of \(count) were accepted") }
    return PushRun(
      pushes: accepted, seconds: Double(microseconds) / 1e6, processorSeconds: Double(processorMicroseconds) / 1e6)
  }

  private static func comparison(
    _ peer: String, _ target: Double, _ pairs: [(ours: PushRun, peers: PushRun)]
  ) -> Comparison {
    Comparison(
      label: "1 connection", unit: "pushes/client CPU s", peer: peer, target: target,
      pairs: pairs.map { ($0.ours.perProcessorSecond, $0.peers.perProcessorSecond) },
      details: [
        ("pushesPerSecond", Median.of(pairs.map(\.ours.perSecond))),
        ("peerPushesPerSecond", Median.of(pairs.map(\.peers.perSecond))),
      ])
  }
}
