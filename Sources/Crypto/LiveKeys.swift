internal import Synchronization

/// The keys of one purpose, which may be exchanged while threads use them. All copies of an owner share one.
package final class LiveKeys<Key: Sendable>: Sendable {
  private struct State: Sendable {
    var present: Key
    /// All that verify or open, the present one first.
    var all: [Key]
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - present: makes and seals.
  ///   - others: verify and open too, in the order in which they are tried.
  package init(_ present: Key, others: [Key] = []) {
    state = Mutex(State(present: present, all: [present] + others))
  }

  package var present: Key { state.withLock { $0.present } }
  package var all: [Key] { state.withLock { $0.all } }

  package func take(_ present: Key, others: [Key]) {
    state.withLock { $0 = State(present: present, all: [present] + others) }
  }
}
