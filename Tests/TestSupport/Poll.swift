internal import Reactor

extension Duration {
  /// How long a test waits for what must come: on a busy machine everything takes several times as long as on a quiet
  /// one, and only what never comes is to be missed.
  package static let patience = Duration.seconds(TestSupport.Limits.timeoutSeconds)
}

/// What did not come.
package struct WaitedInVain: Error, CustomStringConvertible {
  package let description: String

  package init(_ complaint: String) { description = complaint }
}

/// Asks again and again until there is an answer.
/// - Parameters:
///   - complaint: what is wrong when there is none.
///   - interval: the time between two checks.
///   - longest: the interval to which it grows, by a quarter each time; for checks that cost a server work, of
///     something that stays once it has come about. Nil: it does not grow.
/// - Throws: ``WaitedInVain`` when there is no answer within `.patience`; what `body` throws.
package func poll<Value>(
  _ complaint: @autoclosure () -> String, every interval: Duration = .milliseconds(20), upTo longest: Duration? = nil,
  _ body: () throws -> Value?
) throws -> Value {
  let (clock, pause) = (SystemClock(), try Wakeup())
  let end = clock.now + .patience
  var interval = interval
  while true {
    if let value = try body() { return value }
    guard clock.now < end else { throw WaitedInVain(complaint()) }
    _ = pause.wait(atMost: interval)
    if let longest { interval = min(longest, interval * 5 / 4) }
  }
}
