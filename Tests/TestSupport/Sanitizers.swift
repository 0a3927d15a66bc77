import Glibc

/// What `make sanitize` says to the sanitizers, and what a test must know of them.
package enum Sanitizers {
  /// For programs that a test starts with an environment of their own: `NAME=value`, those that are set. A report of such
  /// a program is a file, which `Tests/Sanitize/run` finds.
  package static var variables: [String] {
    ["TSAN_OPTIONS", "ASAN_OPTIONS", "LD_PRELOAD"].compactMap { (name: String) -> String? in
      guard let value = getenv(name) else { return nil }
      return "\(name)=\(String(cString: value))"
    }
  }

  /// Whether they watch this run.
  package static let areWatching = getenv("TSAN_OPTIONS") != nil || getenv("ASAN_OPTIONS") != nil

  /// How many times longer a test is to wait than it would elsewhere, and how many times later than promised something
  /// may happen: ThreadSanitizer makes a program ten times slower.
  package static let slowness = areWatching ? 10 : 1
}
