internal import Reactor
internal import Synchronization

/// Handles Ctrl-C during a measurement: stops everything that was started, then ends the program.
///
/// The measuring thread checks between runs; if it dies first, the kernel signals the servers it started.
enum Interruption {
  private static let isRequested = Atomic<Bool>(false)

  /// Handles SIGINT and SIGTERM. Call it before anything is started. A second signal ends the program at once.
  static func watch() throws {
    Signals.block()
    _ = try Thread(name: "signals") {
      while true {
        guard Signals.wait() == .stop else { continue }
        if isRequested.exchange(true, ordering: .relaxed) { StandardStreams.endAtOnce() }
        StandardStreams.printError("stopping after this run; once more to stop now")
      }
    }
  }

  /// - Throws: if a signal has requested the end.
  static func check() throws {
    if isRequested.load(ordering: .relaxed) { throw MeasuringError("interrupted") }
  }
}
