internal import Reactor

/// Waits for something that cannot signal: another process, or a file.
enum Pause {
  /// Asks again and again until `condition` holds. False when the time is over first.
  static func until(
    _ patience: Duration, _ condition: () throws(EmbeddedPostgresError) -> Bool
  ) throws(EmbeddedPostgresError) -> Bool {
    let clock = SystemClock()
    let deadline = clock.now + patience
    var wakeup: Wakeup?
    while true {
      if try condition() { return true }
      guard clock.now < deadline else { return false }
      do {
        if wakeup == nil { wakeup = try Wakeup() }
      } catch {
        throw .system(error)
      }
      // Nobody signals it: it only lets time pass.
      _ = wakeup?.wait(atMost: Limits.pause)
    }
  }
}
