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
/// Slow is what takes seconds by itself: a browser, a server for each test, a program that is started, a second
/// PostgreSQL, a line that hangs until a time is over, passwords by the dozen. How long each test of a slow suite took is
/// written down. What the runner prints is no help there: it counts from when a test could have begun, and on two cores
/// most of that is waiting.
enum TestTier {
  /// Set by `make check` alone.
  static let isQuick = getenv("TESTS").map { String(cString: $0) } == "quick"
  /// Takes a line for each test, where the environment names a file; the milliseconds, then the test.
  static let times: Int32 =
    getenv("TEST_TIMES").map { open($0, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644) } ?? -1
}

/// A suite that an everyday run does without, and whose tests are timed.
package struct SlowSuite: SuiteTrait, TestTrait, TestScoping {
  private let condition = ConditionTrait.disabled(if: TestTier.isQuick, "slow: `make test` runs it")

  package let isRecursive = true

  package func prepare(for test: Test) async throws {
    try await condition.prepare(for: test)
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    defer {
      let milliseconds = Int((clock.now - begin) / .milliseconds(1))
      // One write, so that the lines of tests that end together stay whole.
      let line = "\(milliseconds) \(test.id)\n"
      _ = write(TestTier.times, line, line.utf8.count)
    }
    try await function()
  }
}

extension Trait where Self == SlowSuite {
  package static var slow: Self { SlowSuite() }
}
