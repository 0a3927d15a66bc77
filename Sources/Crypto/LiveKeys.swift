public import Synchronization

/// The keys of one purpose, which can be replaced while threads use them. All copies of an owner share one instance.
public final class LiveKeys<Key: Sendable>: Sendable {
  @usableFromInline
  struct State: Sendable {
    @usableFromInline var present: Key
    /// The keys that verify or decrypt, in the order in which they are tried; the present one first.
    @usableFromInline var all: [Key]
  }

  @usableFromInline let state: Mutex<State>

  /// Creates the keys.
  /// - Parameters:
  ///   - present: the key that signs or encrypts, and is tried first for verifying or decrypting.
  ///   - others: further keys that verify or decrypt, in the order in which they are tried.
  package init(_ present: Key, others: [Key] = []) {
    state = Mutex(State(present: present, all: [present] + others))
  }

  // Inlinable, because a generic call into another module looks up its types each time.
  @inlinable @inline(__always) package var present: Key { state.withLock { $0.present } }
  @inlinable @inline(__always) package var all: [Key] { state.withLock { $0.all } }

  package func replace(with present: Key, others: [Key]) {
    state.withLock { $0 = State(present: present, all: [present] + others) }
  }
}
