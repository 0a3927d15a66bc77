internal import Synchronization

/// When a push network last accepted a push.
package final class LastSuccess: Sendable {
  private let second = Atomic<Int64>(0)

  package init() {}

  /// Seconds since 1970; nil if none was accepted since the start.
  package var wallSeconds: Int64? {
    let seconds = second.load(ordering: .relaxed)
    return seconds == 0 ? nil : seconds
  }

  func note(_ wallSeconds: Int64) {
    second.store(wallSeconds, ordering: .relaxed)
  }
}
