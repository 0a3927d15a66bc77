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
///   - interval: the time between two checks; for what passes or must be seen soon. Nil, for what stays once it has come
///     about: 20 ms, then a quarter more each time, up to 100 ms, because a check costs a server work.
/// - Throws: ``WaitedInVain`` when there is no answer within `.patience`; what `body` throws.
package func poll<Value>(
  _ complaint: @autoclosure () -> String, every interval: Duration? = nil, _ body: () throws -> Value?
) throws -> Value {
  let (clock, pause) = (SystemClock(), try Wakeup())
  let end = clock.now + .patience
  var growing = Duration.milliseconds(20)
  while true {
    if let value = try body() { return value }
    guard clock.now < end else { throw WaitedInVain(complaint()) }
    _ = pause.wait(atMost: interval ?? growing)
    growing = min(growing * 5 / 4, .milliseconds(100))
  }
}
