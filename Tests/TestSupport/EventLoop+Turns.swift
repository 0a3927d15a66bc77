package import Reactor

/// Turns an event loop until a test has what it waits for.
extension EventLoop {
  /// Turns the loop until `condition` holds, and at least once. Returns false if it does not hold within `.patience`.
  package func turns(until condition: () -> Bool) -> Bool {
    let end = SystemClock().now + .patience
    var rounds = 0
    repeat {
      // The kernel may need real time, to acknowledge or to open a window: after some turns the loop waits for it.
      turn(atMost: rounds < 100 ? .zero : .milliseconds(1))
      rounds += 1
      if condition() { return true }
    } while SystemClock().now < end
    return false
  }
}
