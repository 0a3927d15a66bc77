import Glibc

/// What `make sanitize` says to the sanitizers, for programs that a test starts with an environment of their own.
package enum Sanitizers {
  /// `NAME=value`, those that are set.
  package static var variables: [String] {
    ["TSAN_OPTIONS", "ASAN_OPTIONS", "LD_PRELOAD"].compactMap { (name: String) -> String? in
      guard let value = getenv(name) else { return nil }
      return "\(name)=\(String(cString: value))"
    }
  }
}
