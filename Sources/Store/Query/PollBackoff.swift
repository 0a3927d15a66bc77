package import Reactor

/// The pauses between a thread's polls of a queue: short ones while work keeps arriving, at least a second once no work
/// has arrived for five seconds, and longer ones, up to five seconds, when polls are slow. The thread should end its
/// pause early when work is announced. Decision 053.
package struct PollBackoff {
  /// Shortest pause as a multiple of the poll's duration, so that polling takes at most a fifth of the thread's time.
  /// Limited by `longest`.
  private static let rest = 4
  /// Upper limit of the pause that `rest` requires, however slow the database is.
  private static let longest: Duration = .seconds(5)
  /// How long pauses stay short after work has arrived, because more usually follows.
  private static let lively: Duration = .seconds(5)
  /// Shortest pause while the queue is quiet.
  private static let quiet: Duration = .seconds(1)

  private let usual: Duration
  /// When the queue starts to count as quiet; nil before the first call of `stir` or `after`.
  private var quietFrom: Instant?

  /// Creates a backoff for a thread.
  /// - Parameter usual: the shortest pause, used while work keeps arriving.
  package init(usual: Duration) {
    self.usual = usual
  }

  /// Records that work has arrived or was announced, so that the queue does not count as quiet for the next five
  /// seconds.
  package mutating func stir(at now: Instant) {
    quietFrom = now + Self.lively
  }

  /// Returns the pause to make after a poll. The first call counts as the arrival of work.
  /// - Parameter took: how long the poll took.
  package mutating func after(_ took: Duration, at now: Instant) -> Duration {
    if quietFrom == nil { stir(at: now) }
    let least = if let quietFrom, now >= quietFrom { max(usual, Self.quiet) } else { usual }
    return max(least, min(took * Self.rest, Self.longest))
  }
}
