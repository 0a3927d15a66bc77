internal import Synchronization

/// A bounded queue into one thread: any thread offers, the owner takes everything that waits in one go.
///
/// The lock is held for a few instructions only; the eventfd is signalled only when the queue was empty, so a busy
/// inbox costs no system call per item. A full inbox refuses: whoever offers must hold back or answer "busy".
package final class Inbox<Item: Sendable>: Sendable {
  /// Most items that may wait.
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

  /// Adds one item. False when the inbox is full or closed: the item was not taken.
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

  /// Adds a batch, all or nothing, with one wake-up. False when it does not fit: nothing was taken.
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

  /// Items that wait now. A hint: other threads may change it at once.
  package var count: Int { state.withLock { $0.items.count } }

  /// True once the inbox was closed *and* everything that waited has been taken: nothing can come any more. Said in
  /// one breath, so that an owner who saw an empty batch and then "closed" has not missed what came between the two.
  package var isClosed: Bool { state.withLock { $0.isClosed && $0.items.isEmpty } }

  /// True from `close` on, whatever still waits: why an offer was refused.
  package var refusesAll: Bool { state.withLock { $0.isClosed } }

  /// Takes all that waits, in the order offered. Only the owning thread calls this.
  package func takeAll() -> [Item] {
    wakeup.drain()
    return state.withLock { state in
      var taken: [Item] = []
      swap(&taken, &state.items)
      if state.isClosed { wakeup.signal() }
      return taken
    }
  }

  /// Waits for items. Empty when the time is over, or when the inbox is closed and drained (see `isClosed`).
  ///
  /// Waits on when woken for nothing: an offer signals after it has let go of the lock, and by then its item may have
  /// been taken.
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
