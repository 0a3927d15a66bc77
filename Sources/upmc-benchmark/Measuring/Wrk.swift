internal import Reactor

/// The load generator for HTTP/1.1: `wrk`, from outside, so that our own client code cannot flatter our own server.
struct Wrk: Sendable {
  /// One run's figures.
  struct Report: Sendable {
    let requests: Int
    let requestsPerSecond: Double
    /// In milliseconds.
    let median: Double
    let percentile99: Double
  }

  var connections: Int
  var seconds: Int
  /// wrk's own threads: two, so that it is not the first to be out of breath.
  var threads = 2
  /// A Lua script that makes the requests.
  var script: String?

  /// Loads `path` on a port of this machine.
  /// - Throws: when wrk is not installed, or any answer was an error: a figure from failing requests is none.
  func run(port: UInt16, path: String) throws -> Report {
    var command = ["wrk", "-t\(threads)", "-c\(connections)", "-d\(seconds)s", "--latency"]
    if let script { command += ["-s", script] }
    command.append("http://127.0.0.1:\(port)\(path)")
    let limit = Duration.seconds(seconds) + BenchmarkCommand.Limits.grace
    let report = try ChildProcess.run(command, withErrors: true, atMost: limit)
    guard report.succeeded, let parsed = Self.parse(report.text) else {
      throw MeasuringError("wrk: \(Self.complaint(report.text) ?? report.text)")
    }
    if let complaint = Self.complaint(report.text) { throw MeasuringError("wrk: \(complaint)") }
    return parsed
  }

  private static func complaint(_ text: String) -> String? {
    text.split(separator: "\n").first { $0.contains("Socket errors") || $0.contains("Non-2xx") }.map(String.init)
  }

  /// Reads what wrk prints.
  static func parse(_ text: String) -> Report? {
    var requests: Int?
    var rate: Double?
    var median: Double?
    var percentile99: Double?
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 2 else { continue }
      switch (words[0], words[1]) {
      case ("50%", let time): median = milliseconds(time)
      case ("99%", let time): percentile99 = milliseconds(time)
      case ("Requests/sec:", let number): rate = Double(number)
      case (let number, "requests"): requests = Int(number)
      default: break
      }
    }
    guard let requests, let rate, let median, let percentile99 else { return nil }
    return Report(requests: requests, requestsPerSecond: rate, median: median, percentile99: percentile99)
  }

  /// `812.00us`, `1.23ms`, `2.01s`.
  private static func milliseconds(_ text: Substring) -> Double? {
    for (suffix, factor) in [("us", 0.001), ("ms", 1), ("s", 1000)] where text.hasSuffix(suffix) {
      return Double(text.dropLast(suffix.count)).map { $0 * factor }
    }
    return nil
  }
}
