internal import FoundationEssentials
internal import HTTPClient
internal import Reactor

/// A server under measurement: started as a child process and ended with this object at the latest.
final class Program {
  let name: String
  let port: UInt16
  private var process: ChildProcess
  private let log: String
  var tree: ProcessTree { ProcessTree(root: process.identifier) }

  /// Starts the program and waits until it accepts connections on `port` of the loopback address.
  /// - Parameter file: the last file it writes before it is ready; waited for too.
  init(
    _ name: String, _ command: [String], environment: [String]? = nil, port: UInt16, file: String? = nil, log: String,
    startUp: Duration = BenchmarkCommand.Limits.startUp
  ) throws {
    self.name = name
    self.port = port
    self.log = log
    // If this program is killed, the kernel signals the server to end.
    process = try ChildProcess.start(
      ["setpriv", "--pdeathsig", "TERM", "--"] + command, environment: environment, output: .file(log),
      errors: .file(log))
    try awaitStart(file, log, atMost: startUp)
  }

  deinit {
    stop()
  }

  private func awaitStart(_ file: String?, _ log: String, atMost startUp: Duration) throws {
    let deadline = SystemClock().now + startUp
    func isWritten(_ file: String) -> Bool { FileManager.default.contents(atPath: file)?.isEmpty == false }
    while !Loopback.accepts(port) || file.map(isWritten) == false {
      if let ending = process.wait(atMost: .milliseconds(20)) {
        throw MeasuringError("\(name) ended at once (\(ending)): \(TextFile.lastLine(of: log))")
      }
      guard SystemClock().now < deadline else { throw MeasuringError("\(name) does not accept connections") }
    }
  }

  /// Waits until the server answers `GET /health`. A server of ours tries its address before it starts, so an accepted
  /// connection alone proves nothing.
  func awaitHealth(atMost timeout: Duration) throws {
    let deadline = SystemClock().now + timeout
    while true {
      try checkIsRunning()
      let client = try HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: port))
      if (try? client.send(HTTPRequest("GET", "/health")).status) == 200 { return }
      guard SystemClock().now < deadline else { throw MeasuringError("\(name) does not answer /health") }
      Polling.rest(.milliseconds(20))
    }
  }

  /// Throws if the program has ended, with how it ended and what it logged last.
  func checkIsRunning() throws {
    guard let ending = process.wait(atMost: .zero) else { return }
    throw MeasuringError("\(name) ended meanwhile (\(ending)): \(TextFile.lastLine(of: log))")
  }

  /// Asks the program to end and waits for that. Idempotent.
  func stop() {
    _ = process.stop(timeout: .seconds(10))
  }
}
