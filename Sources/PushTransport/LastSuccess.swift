internal import Synchronization

/// The time at which a push network last accepted a push. Thread-safe.
package final class LastSuccess: Sendable {
  private let second = Atomic<Int64>(0)

  package init() {}

  /// The time in seconds since 1970; nil if no push has been accepted since the process started.
  package var wallSeconds: Int64? {
    let seconds = second.load(ordering: .relaxed)
    return seconds == 0 ? nil : seconds
  }

  func note(_ wallSeconds: Int64) {
    second.store(wallSeconds, ordering: .relaxed)
  }
}
