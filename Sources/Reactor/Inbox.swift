internal import Synchronization

/// A bounded queue into one thread: any thread offers items, the owner takes all waiting ones at once.
///
/// The lock is held only for a few instructions; the eventfd is signalled only if the queue was empty, so a busy inbox
/// costs no system call per item. A full inbox refuses: the caller must hold back or answer "busy".
package final class Inbox<Item: Sendable>: Sendable {
  /// Maximum number of waiting items.
  package let capacity: Int
  /// Readable while items wait (or after `close`).
  package let wakeup: Wakeup
  private let state = Mutex(State())

  private struct State {
    var items: [Item] = []
    var isClosed = false
  }

  package init(capacity: Int) throws(SystemError) {
    self.capacity = capacity
    wakeup = try Wakeup()
  }

  /// Adds one item. Returns false if the inbox is full or closed: the item was not taken.
  package func offer(_ item: Item) -> Bool {
    let (taken, wasEmpty) = state.withLock { state in
      guard !state.isClosed, state.items.count < capacity else { return (false, false) }
      let wasEmpty = state.items.isEmpty
      state.items.append(item)
      return (true, wasEmpty)
    }
    if wasEmpty { wakeup.signal() }
    return taken
  }

  /// Adds a batch, all or nothing, with one wake-up. Returns false if it does not fit: nothing was taken.
  package func offer(contentsOf batch: [Item]) -> Bool {
    guard !batch.isEmpty else { return true }
    let (taken, wasEmpty) = state.withLock { state in
      guard !state.isClosed, state.items.count + batch.count <= capacity else { return (false, false) }
      let wasEmpty = state.items.isEmpty
      state.items.append(contentsOf: batch)
      return (true, wasEmpty)
    }
    if wasEmpty { wakeup.signal() }
    return taken
  }

  /// Number of waiting items. A hint: other threads may change it at once.
  package var count: Int { state.withLock { $0.items.count } }

  /// True once the inbox is closed *and* everything that waited has been taken: no more can come. Both are checked
  /// under one lock, so that an owner who saw an empty batch and then "closed" has not missed items in between.
  package var isClosed: Bool { state.withLock { $0.isClosed && $0.items.isEmpty } }

  /// True from `close` on, whatever still waits: the reason for a refused offer.
  package var refusesAll: Bool { state.withLock { $0.isClosed } }

  /// Takes all waiting items, in the order offered. Only the owning thread calls this.
  package func takeAll() -> [Item] {
    wakeup.drain()
    return state.withLock { state in
      var taken: [Item] = []
      swap(&taken, &state.items)
      if state.isClosed { wakeup.signal() }
      return taken
    }
  }

  /// Waits for items. Returns none on timeout, or if the inbox is closed and drained (see `isClosed`).
  ///
  /// Continues to wait after a spurious wake-up: an offer signals after releasing the lock, when its item may have been
  /// taken already.
  package func receive(atMost timeout: Duration) -> [Item] {
    let clock = SystemClock()
    let end = clock.now + timeout
    var rest = timeout
    while true {
      let waiting = takeAll()
      if !waiting.isEmpty || isClosed || !wakeup.wait(atMost: rest) { return waiting }
      rest = end - clock.now
    }
  }

  /// Refuses further items and wakes the owner; what waits can still be taken.
  package func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }
}
