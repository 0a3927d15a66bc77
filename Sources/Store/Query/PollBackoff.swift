package import Reactor

/// How long a thread leaves a queue alone after a look that found nothing: not long while things come, a second when nothing
/// has come for a while. What cannot wait is announced, and the announcement wakes the thread.
package struct PollBackoff {
  /// Times that the look took: what looks for work takes a fifth of a thread's time at most.
  private static let rest = 4
  /// However dear it has become, and however slow the line to the database is.
  private static let longest: Duration = .seconds(5)
  /// One thing seldom comes alone.
  private static let lively: Duration = .seconds(5)
  private static let quiet: Duration = .seconds(1)

  private let usual: Duration
  /// Nil before the first look.
  private var quietFrom: Instant?

  /// - Parameter usual: the pause while things come.
  package init(usual: Duration) {
    self.usual = usual
  }

  /// Something has come, or was announced.
  package mutating func stir(at now: Instant) {
    quietFrom = now + Self.lively
  }

  /// After a look that found nothing.
  package mutating func after(_ took: Duration, at now: Instant) -> Duration {
    if quietFrom == nil { stir(at: now) }
    let least = if let quietFrom, now >= quietFrom { max(usual, Self.quiet) } else { usual }
    return max(least, min(took * Self.rest, Self.longest))
  }
}
