internal import Reactor

/// A server under measurement: started as a child, watched, and ended at the latest with this object.
final class Program {
  let name: String
  let port: UInt16
  private var process: ChildProcess
  var tree: ProcessTree { ProcessTree(root: process.identifier) }

  /// Starts it and waits until it accepts connections on `port` of the loopback address.
  init(_ name: String, _ command: [String], environment: [String]? = nil, port: UInt16, log: String) throws {
    self.name = name
    self.port = port
    // Should this program be killed, the kernel tells the server to end.
    process = try ChildProcess.start(
      ["setpriv", "--pdeathsig", "TERM", "--"] + command, environment: environment, output: .file(log),
      errors: .file(log))
    try awaitConnections(log)
  }

  deinit {
    stop()
  }

  private func awaitConnections(_ log: String) throws {
    let deadline = SystemClock().now + BenchmarkCommand.Limits.startUp
    while !Loopback.accepts(port) {
      if process.wait(atMost: .milliseconds(20)) != nil {
        throw MeasuringError("\(name) ended at once: \(TextFile.lastLine(of: log))")
      }
      guard SystemClock().now < deadline else { throw MeasuringError("\(name) does not accept connections") }
    }
  }

  /// Asks it to end and waits for that. Doing so twice changes nothing.
  func stop() {
    _ = process.stop(patience: .seconds(10))
  }
}
