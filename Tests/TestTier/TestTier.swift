import Glibc
import Testing

/// How much of the tests a run takes: `make test` all of them, `make check` all but the suites that say they are slow.
///
/// A suite says so beside its name, and nowhere else:
///
/// ```
/// @Suite(.slow, .serialized) struct PageTourTests {
/// ```
///
/// Slow is what takes seconds by itself: a browser, a server's process, a second PostgreSQL, a line that hangs until a
/// time is over.
package enum TestTier {
  /// Set by `make check` alone.
  package static let isQuick = getenv("TESTS").map { String(cString: $0) } == "quick"
}

extension Trait where Self == ConditionTrait {
  /// For a suite that an everyday run does without.
  package static var slow: Self {
    .disabled(if: TestTier.isQuick, "slow: `make test` runs it")
  }
}
