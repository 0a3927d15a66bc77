package import Reactor

/// Chooses the pauses of a thread that polls a queue: short ones while work keeps arriving, one second once the queue
/// has been quiet for a while. Urgent work is announced, which wakes the thread at once. Decision 053.
package struct PollBackoff {
  /// Pause as a multiple of the poll's duration, so that polling takes at most a fifth of a thread's time.
  private static let rest = 4
  /// Upper limit of that pause, however slow the database is.
  private static let longest: Duration = .seconds(5)
  /// How long pauses stay short after work has arrived, because more usually follows.
  private static let lively: Duration = .seconds(5)
  /// Pause once the queue is quiet.
  private static let quiet: Duration = .seconds(1)

  private let usual: Duration
  /// When the queue starts to count as quiet; nil before the first poll.
  private var quietFrom: Instant?

  /// Creates a back-off for a thread.
  /// - Parameter usual: the pause while the queue is lively.
  package init(usual: Duration) {
    self.usual = usual
  }

  /// Records that work has arrived or was announced.
  package mutating func stir(at now: Instant) {
    quietFrom = now + Self.lively
  }

  /// Returns the pause to make after a poll that found nothing.
  /// - Parameter took: how long the poll took.
  package mutating func after(_ took: Duration, at now: Instant) -> Duration {
    if quietFrom == nil { stir(at: now) }
    let least = if let quietFrom, now >= quietFrom { max(usual, Self.quiet) } else { usual }
    return max(least, min(took * Self.rest, Self.longest))
  }
}
