internal import Reactor
internal import Synchronization

/// Ctrl-C in the middle of a measurement: what was started is stopped first, then the program ends.
///
/// The measuring thread looks here between runs; servers that it started are told by the kernel should it die without.
enum Interruption {
  private static let isRequested = Atomic<Bool>(false)

  /// Takes SIGINT and SIGTERM over. Call it before anything is started. A second signal ends the program at once.
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

  /// - Throws: when somebody wants the program to end.
  static func check() throws {
    if isRequested.load(ordering: .relaxed) { throw MeasuringError("interrupted") }
  }
}
