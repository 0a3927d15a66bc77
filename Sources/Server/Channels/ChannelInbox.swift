internal import Domain
internal import Reactor
internal import Synchronization

/// What reaches the publisher's thread: a result for each update on its way, and one wake-up however often it is woken.
///
/// A result that found no room would keep its update's place until the end of the process. So wake-ups, which come as fast
/// as systems publish, take one place together, and every result finds its own.
final class ChannelInbox: Sendable {
  private enum Input: Sendable {
    case result(PushResult)
    case wake
  }

  private let inputs: Inbox<Input>
  /// Whether a wake-up is waiting.
  private let isWoken = Atomic(false)

  /// - Parameter results: how many may wait at most.
  init(results: Int) throws {
    inputs = try Inbox(capacity: results + 1)
  }

  /// Callable from any thread.
  /// - Returns: whether all found room; they do, as long as there are not more than were said.
  @discardableResult func take(_ results: [PushResult]) -> Bool {
    results.reduce(true) { inputs.offer(.result($1)) && $0 }
  }

  /// Callable from any thread.
  func wake() {
    guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    _ = inputs.offer(.wake)
  }

  /// Waits for results or a wake-up. Called by the thread that publishes.
  func receive(atMost timeout: Duration) -> [PushResult] {
    inputs.receive(atMost: timeout).compactMap { input in
      switch input {
      case .result(let result): return result
      case .wake:
        // Before the table is read: what is published from here on wakes again.
        isWoken.store(false, ordering: .releasing)
        return nil
      }
    }
  }
}
