internal import Reactor

/// h2load, nghttp2's load generator: one connection, one thread, the same request repeatedly.
struct H2Load {
  let scratch: ScratchDirectory
  let body: String

  init(scratch: ScratchDirectory, payload: [UInt8]) throws {
    self.scratch = scratch
    body = try scratch.write(String(decoding: payload, as: UTF8.self), to: "payload.json")
  }

  func run(port: UInt16, count: Int, streams: Int) throws -> PushRun {
    let headers = [
      ":method: POST", "authorization: bearer " + String(repeating: "a", count: 170), "apns-topic: com.example.app",
      "apns-push-type: alert", "apns-priority: 10", "apns-id: 00000000-0000-0000-0000-000000000000",
      "apns-expiration: 1767312000", "apns-collapse-id: 104",
    ]
    var command = ["h2load", "-t1", "-c1", "-m\(streams)", "-n\(count)", "-d", body]
    for header in headers { command += ["-H", header] }
    command.append("https://127.0.0.1:\(port)/3/device/" + String(repeating: "0123456789abcdef", count: 4))
    let report = try ChildProcess.run(command, withErrors: true, atMost: .seconds(120))
    guard report.succeeded, let (accepted, seconds) = Self.parse(report.text) else {
      throw MeasuringError("h2load: \(report.text.suffix(300))")
    }
    guard accepted == count else { throw MeasuringError("h2load: only \(accepted) of \(count) were answered with 2xx") }
    return PushRun(
      pushes: count, seconds: seconds, processorSeconds: Double(report.cost.processorTime.nanoseconds) / 1e9)
  }

  /// `finished in 1.23s, …` and `status codes: 150000 2xx, …`.
  static func parse(_ text: String) -> (accepted: Int, seconds: Double)? {
    var accepted: Int?
    var seconds: Double?
    for line in text.split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == "," }
      if line.hasPrefix("finished in"), words.count > 2 { seconds = Self.seconds(words[2]) }
      if line.hasPrefix("status codes:"), words.count > 2 { accepted = Int(words[2]) }
    }
    guard let accepted, let seconds else { return nil }
    return (accepted, seconds)
  }

  private static func seconds(_ text: Substring) -> Double? {
    for (suffix, factor) in [("us", 1e-6), ("ms", 1e-3), ("s", 1)] where text.hasSuffix(suffix) {
      return Double(text.dropLast(suffix.count)).map { $0 * factor }
    }
    return nil
  }
}

/// What a client consumed for its pushes.
struct PushRun {
  let pushes: Int
  let seconds: Double
  let processorSeconds: Double

  var perSecond: Double { Double(pushes) / seconds }
  var perProcessorSecond: Double { Double(pushes) / max(processorSeconds, 0.001) }
}
