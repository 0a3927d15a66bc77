internal import Synchronization

/// When a push network last took a push.
package final class LastSuccess: Sendable {
  private let second = Atomic<Int64>(0)

  package init() {}

  /// Seconds since 1970; nil when there was none since the start.
  package var wallSeconds: Int64? {
    let seconds = second.load(ordering: .relaxed)
    return seconds == 0 ? nil : seconds
  }

  func note(_ wallSeconds: Int64) {
    second.store(wallSeconds, ordering: .relaxed)
  }
}
