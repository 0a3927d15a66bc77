internal import Reactor

/// `wrk`, an independent HTTP/1.1 load generator, so that our own client code cannot flatter our own server.
struct Wrk: Sendable {
  /// One run's figures.
  struct Report: Sendable {
    let requests: Int
    let requestsPerSecond: Double
    /// In milliseconds.
    let median: Double
    let percentile99: Double
    /// Responses other than success.
    var refusals = 0
  }

  var connections: Int
  var seconds: Int
  /// wrk's own threads: two, so that it does not become the bottleneck.
  var threads = 2
  /// A Lua script that generates the requests.
  var script: String?
  /// Whether responses other than 2xx are expected.
  var allowsRefusals = false
  /// Seconds after which an unanswered request is an error; nil for wrk's own two.
  var timeout: Int?

  /// Loads `path` on a port of this machine.
  /// - Throws: if wrk is not installed, or any response was an error, because figures from failing requests are
  ///   meaningless.
  func run(port: UInt16, path: String) throws -> Report {
    let limit = Duration.seconds(seconds + (timeout ?? 0)) + BenchmarkCommand.Limits.grace
    let report = try ChildProcess.run(command(port, path), withErrors: true, atMost: limit)
    return try judge(report.text, succeeded: report.succeeded)
  }

  private func command(_ port: UInt16, _ path: String) -> [String] {
    var command = ["wrk", "-t\(threads)", "-c\(connections)", "-d\(seconds)s", "--latency"]
    if let script { command += ["-s", script] }
    if let timeout { command += ["--timeout", "\(timeout)s"] }
    return command + ["http://127.0.0.1:\(port)\(path)"]
  }

  private func judge(_ text: String, succeeded: Bool) throws -> Report {
    guard succeeded, let parsed = Self.parse(text) else {
      throw MeasuringError("wrk: \(Self.complaint(text) ?? text)")
    }
    let isRefusal = Self.complaint(text)?.contains("Non-2xx") == true
    if let complaint = Self.complaint(text), !(allowsRefusals && isRefusal) {
      throw MeasuringError("wrk: \(complaint)")
    }
    guard parsed.requests > 0 else { throw MeasuringError("wrk: no request was answered within \(seconds) s") }
    return parsed
  }

  /// A run in progress while something else is measured.
  final class Running {
    private let wrk: Wrk
    private var process: ChildProcess
    private let file: String

    fileprivate init(_ wrk: Wrk, _ command: [String], output: String) throws {
      self.wrk = wrk
      file = output
      process = try ChildProcess.start(command, output: .file(output), errors: .file(output))
    }

    /// Waits until its connections are open and saturated, which takes less than a second.
    fileprivate func settle() throws {
      if process.wait(atMost: .seconds(1)) != nil {
        throw MeasuringError("wrk ended at once: \(TextFile.text(of: file))")
      }
    }

    /// Waits for the end of the run.
    func report() throws -> Report {
      let limit = Duration.seconds(wrk.seconds) + BenchmarkCommand.Limits.grace
      let succeeded = process.wait(atMost: limit) == .exited(0)
      return try wrk.judge(TextFile.text(of: file), succeeded: succeeded)
    }
  }

  /// Starts loading `path`.
  /// - Parameter output: a file for wrk's output.
  func start(port: UInt16, path: String, output: String) throws -> Running {
    let running = try Running(self, command(port, path), output: output)
    try running.settle()
    return running
  }

  private static func complaint(_ text: String) -> String? {
    text.split(separator: "\n").first { $0.contains("Socket errors") || $0.contains("Non-2xx") }.map(String.init)
  }

  /// Parses wrk's output.
  static func parse(_ text: String) -> Report? {
    var requests: Int?
    var rate: Double?
    var median: Double?
    var percentile99: Double?
    var refusals = 0
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 2 else { continue }
      switch (words[0], words[1]) {
      case ("50%", let time): median = milliseconds(time)
      case ("99%", let time): percentile99 = milliseconds(time)
      case ("Requests/sec:", let number): rate = Double(number)
      case (let number, "requests"): requests = Int(number)
      case ("Non-2xx", _): refusals = words.last.flatMap { Int($0) } ?? 0
      default: break
      }
    }
    guard let requests, let rate, let median, let percentile99 else { return nil }
    return Report(
      requests: requests, requestsPerSecond: rate, median: median, percentile99: percentile99, refusals: refusals)
  }

  /// `812.00us`, `1.23ms`, `2.01s`.
  private static func milliseconds(_ text: Substring) -> Double? {
    for (suffix, factor) in [("us", 0.001), ("ms", 1), ("s", 1000)] where text.hasSuffix(suffix) {
      return Double(text.dropLast(suffix.count)).map { $0 * factor }
    }
    return nil
  }
}
