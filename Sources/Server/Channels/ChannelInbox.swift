internal import Domain
internal import Reactor
internal import Synchronization

/// The input queue of the publisher's thread: one result for each update in flight, and one wake-up however often
/// `wake` is called.
///
/// A result lost to a full queue would leave its update in flight until the process ends. Wake-ups, which come as often
/// as systems publish, therefore share one slot, and every result finds a slot of its own.
final class ChannelInbox: Sendable {
  private enum Input: Sendable {
    case result(PushResult)
    case wake
  }

  private let inputs: Inbox<Input>
  /// True while a wake-up is queued.
  private let isWoken = Atomic(false)

  /// Creates a queue.
  /// - Parameter results: maximum number of queued results.
  init(results: Int) throws {
    inputs = try Inbox(capacity: results + 1)
  }

  /// Queues results. Callable from any thread. Returns true if all were queued, which is the case as long as no more
  /// than the maximum are in flight.
  @discardableResult func take(_ results: [PushResult]) -> Bool {
    results.reduce(true) { inputs.offer(.result($1)) && $0 }
  }

  /// Queues a wake-up, unless one is queued already. Callable from any thread.
  func wake() {
    guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    _ = inputs.offer(.wake)
  }

  /// Waits for results or a wake-up, for at most `timeout`, and returns the results; empty after a mere wake-up or
  /// the timeout. Called by the publisher's thread.
  func receive(atMost timeout: Duration) -> [PushResult] {
    inputs.receive(atMost: timeout).compactMap { input in
      switch input {
      case .result(let result): return result
      case .wake:
        // Reset before the table is read: an update published from here on queues another wake-up.
        isWoken.store(false, ordering: .releasing)
        return nil
      }
    }
  }
}
