internal import Postgres
internal import Server

/// H1: the cost of one small request at the product's HTTP handler, against nginx returning a constant and against
/// Hummingbird.
///
/// Measured in requests per second of the *server's* CPU time, because the load generator shares the machine and would
/// hide the difference. The POST is a receipt with an invalid pushkey: we read, check and answer it without touching
/// the database; nginx discards its body, Hummingbird collects it, and both return a constant.
struct SmallRequests: Scenario {
  let name = "H1"
  let summary =
    "GET /health and receipts that prove nothing, at the product's own address, against constants of nginx and Hummingbird 2"

  private struct Run {
    let report: Wrk.Report
    let perProcessorSecond: Double
    let residentBytes: Int
  }

  func measure(_ plan: Plan) throws -> Outcome {
    let stranger = try Hummingbird(plan)
    let scratch = try ScratchDirectory()
    var configuration = Configuration()
    configuration.dataDirectory = scratch.file("data")
    let database = try Database(configuration)
    defer { database.close() }
    try database.migrate(configuration)
    _ = try MasterKeyFile.load(configuration)
    let ours = try DurableReceipts.startOurs(
      plan, databaseURL: database.url, masterKeyFile: configuration.dataDirectory + "/master.key", scratch)
    let nginx = try Nginx.start(in: scratch)
    let hummingbird = try stranger.start(in: scratch)
    let peers = [(program: nginx, target: 1.2), (program: hummingbird, target: 6)]
    let post = try ["/echo", "/v1/receipts"].map {
      try scratch.write(PostScript.text(path: $0), to: "post\($0.count).lua")
    }

    var outcome = Outcome(scenario: name)
    for (label, paths, scripts) in [
      ("GET /health", ["/health", "/health"], [nil, nil]), ("POST of a receipt", ["/echo", "/v1/receipts"], post),
    ] as [(String, [String], [String?])] {
      for connections in [64, 256] {
        let wrk = scripts.map { Wrk(connections: connections, seconds: plan.seconds, script: $0) }
        let label = "\(label), \(connections) connections"
        for (peer, target) in peers {
          let pairs = try PairedRuns(plan: plan, label: label).measure(
            ours: { try Self.run(wrk[1], ours, paths[1]) }, peer: { try Self.run(wrk[0], peer, paths[0]) },
            show: { "ours \(Int($0.perProcessorSecond)), \(peer.name) \(Int($1.perProcessorSecond)) requests/CPU s" })
          outcome.comparisons.append(Self.comparison(label, peer.name, target, pairs))
        }
      }
    }
    hummingbird.stop()
    ours.stop()
    nginx.stop()
    return outcome
  }

  private static func run(_ wrk: Wrk, _ program: Program, _ path: String) throws -> Run {
    // Warm-up: connections, caches and the CPU's clock settle first.
    var warm = wrk
    warm.seconds = 1
    _ = try warm.run(port: program.port, path: path)
    let before = program.tree.processorSeconds
    let report = try wrk.run(port: program.port, path: path)
    let spent = program.tree.processorSeconds - before
    return Run(
      report: report, perProcessorSecond: Double(report.requests) / max(spent, 0.01),
      residentBytes: program.tree.residentBytes)
  }

  private static func comparison(
    _ label: String, _ peer: String, _ target: Double, _ pairs: [(ours: Run, peers: Run)]
  ) -> Comparison {
    Comparison(
      label: label, unit: "requests/server CPU s", peer: peer, target: target,
      pairs: pairs.map { ($0.ours.perProcessorSecond, $0.peers.perProcessorSecond) },
      details: [
        ("requestsPerSecond", Median.of(pairs.map(\.ours.report.requestsPerSecond))),
        ("peerRequestsPerSecond", Median.of(pairs.map(\.peers.report.requestsPerSecond))),
        ("p50Milliseconds", Median.of(pairs.map(\.ours.report.median))),
        ("peerP50Milliseconds", Median.of(pairs.map(\.peers.report.median))),
        ("p99Milliseconds", Median.of(pairs.map(\.ours.report.percentile99))),
        ("peerP99Milliseconds", Median.of(pairs.map(\.peers.report.percentile99))),
        ("residentMiB", Median.of(pairs.map { Double($0.ours.residentBytes) / 1_048_576 })),
        ("peerResidentMiB", Median.of(pairs.map { Double($0.peers.residentBytes) / 1_048_576 })),
      ])
  }
}

/// wrk's script for a POST of about 200 bytes that varies with each request.
enum PostScript {
  static func text(path: String) -> String {
    """
    local requests, position = {}, 0
    local threads = 0
    function setup(thread)
      thread:set("number", threads)
      threads = threads + 1
    end
    local function digits(count)
      local text = {}
      for index = 1, count do text[index] = string.format("%x", math.random(0, 15)) end
      return table.concat(text)
    end
    function init(arguments)
      math.randomseed(number + 1)
      local headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. digits(32) }
      for index = 1, \(BenchmarkCommand.Limits.rotation) do
        local body = string.format('{"receipts":[{"seqno":"%d","psid":"%s","pushkey":"%s","at":"2026-01-01T00:00:00Z"}]}',
          100000 + index, digits(64), digits(40))
        requests[index] = wrk.format("POST", "\(path)", headers, body)
      end
    end
    function request()
      position = position % #requests + 1
      return requests[position]
    end
    """
  }
}
