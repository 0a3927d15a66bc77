internal import Glibc
internal import Reactor

/// The terminal: results on standard output, progress on standard error.
enum StandardStreams {
  static func printError(_ line: String) {
    StandardError.write(Array((line + "\n").utf8))
  }

  /// Ends the process without a word to anybody else in it.
  static func endAtOnce() -> Never {
    _exit(1)
  }

  /// Hands printed lines over now, so that a reader at a pipe sees each outcome when it is known.
  static func flush() {
    fflush(nil)
  }
}
