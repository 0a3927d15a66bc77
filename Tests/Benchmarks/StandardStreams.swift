internal import Glibc
internal import Reactor

/// The terminal: results on standard output, progress on standard error.
enum StandardStreams {
  static func printError(_ line: String) {
    StandardError.write(Array((line + "\n").utf8))
  }

  /// Ends the process without running any cleanup.
  static func endAtOnce() -> Never {
    _exit(1)
  }

  /// Flushes standard output, so that a reader at a pipe sees each outcome at once.
  static func flush() {
    fflush(nil)
  }
}
