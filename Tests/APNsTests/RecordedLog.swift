import Logging
import Synchronization

/// The log lines of a test's sender, as `level fault message`.
struct RecordedLog: LogHandler {
  final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    /// Lines that name a fault, in order.
    var faults: [String] { lines.withLock { $0 } }

    fileprivate func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  var logLevel = Logger.Level.trace
  var metadata: Logger.Metadata = [:]
  let lines: Lines

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fault = event.metadata?["fault"].map { "\($0)" }
    guard fault != nil || event.level >= .warning else { return }
    lines.add("\(event.level) \(fault ?? "-") \(event.message)")
  }
}
