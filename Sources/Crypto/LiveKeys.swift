internal import Synchronization

/// The keys of one purpose, which can be replaced while threads use them. All copies of an owner share one instance.
package final class LiveKeys<Key: Sendable>: Sendable {
  private struct State: Sendable {
    var present: Key
    /// The keys that verify or decrypt, in the order in which they are tried; the present one first.
    var all: [Key]
  }

  private let state: Mutex<State>

  /// Creates the keys.
  /// - Parameters:
  ///   - present: the key that signs or encrypts, and is tried first for verifying or decrypting.
  ///   - others: further keys that verify or decrypt, in the order in which they are tried.
  package init(_ present: Key, others: [Key] = []) {
    state = Mutex(State(present: present, all: [present] + others))
  }

  package var present: Key { state.withLock { $0.present } }
  package var all: [Key] { state.withLock { $0.all } }

  package func take(_ present: Key, others: [Key]) {
    state.withLock { $0 = State(present: present, all: [present] + others) }
  }
}
