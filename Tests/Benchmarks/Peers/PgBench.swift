internal import Reactor

/// pgbench, PostgreSQL's own load generator, doing the product's work one row at a time: prepared statements, one
/// transaction per operation, as many clients as a pool would have.
struct PgBench {
  let databaseURL: String
  /// Script files and their weights.
  let scripts: [(file: String, weight: Int)]
  var clients = 16

  struct Report: Sendable {
    let transactionsPerSecond: Double
    /// Mean latency, in milliseconds.
    let latency: Double
  }

  func run(seconds: Int) throws -> Report {
    var command = [
      "pgbench", "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=2", "--time=\(seconds)",
      "--max-tries=10",
    ]
    for script in scripts { command.append("--file=\(script.file)@\(script.weight)") }
    command.append(databaseURL)
    let report = try ChildProcess.run(
      command, withErrors: true, atMost: .seconds(seconds) + BenchmarkCommand.Limits.grace)
    guard report.succeeded, let parsed = Self.parse(report.text) else {
      throw MeasuringError("pgbench: \(report.text.suffix(600))")
    }
    return parsed
  }

  /// Parses `latency average = 1.234 ms` and `tps = 12345.678 (without initial connection time)`; any failed
  /// transaction fails the whole run.
  static func parse(_ text: String) -> Report? {
    var rate: Double?
    var latency: Double?
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("tps = "), words.count > 2 { rate = Double(words[2]) }
      if line.hasPrefix("latency average = "), words.count > 3 { latency = Double(words[3]) }
      if line.hasPrefix("number of failed transactions: "), words.count > 4, words[4] != "0" { return nil }
    }
    guard let rate, let latency, !text.contains("aborted") else { return nil }
    return Report(transactionsPerSecond: rate, latency: latency)
  }
}
