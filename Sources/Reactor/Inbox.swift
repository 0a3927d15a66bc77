internal import Synchronization

/// A bounded multi-producer queue to one consumer thread, which takes all queued items at once.
///
/// The lock is held only for a few instructions, and the eventfd is signalled only when the queue was empty, so a busy
/// inbox costs no system call per item. A full inbox rejects what is offered: the caller must wait or report overload.
package final class Inbox<Item: Sendable>: Sendable {
  /// The number of queued items from which `offer` fails.
  package let capacity: Int
  /// A wake-up whose descriptor is readable while items are queued, and after `close`.
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

  /// Adds one item. Returns false, without adding it, if the inbox is full or closed.
  package func offer(_ item: Item) -> Bool { add(item, below: capacity) }

  /// Adds one item even if the inbox is full: for items that nobody could offer again, and whose number has another
  /// limit. Returns false, without adding it, if the inbox is closed.
  package func add(_ item: Item) -> Bool { add(item, below: .max) }

  private func add(_ item: Item, below limit: Int) -> Bool {
    let (taken, wasEmpty) = state.withLock { state in
      guard !state.isClosed, state.items.count < limit else { return (false, false) }
      let wasEmpty = state.items.isEmpty
      state.items.append(item)
      return (true, wasEmpty)
    }
    if wasEmpty { wakeup.signal() }
    return taken
  }

  /// Adds all items of a batch, with one wake-up. Returns false, without adding any, if they do not fit or the inbox is
  /// closed. Returns true for an empty batch in any case.
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

  /// The number of queued items; other threads may change it at any time.
  package var count: Int { state.withLock { $0.items.count } }

  /// True when the inbox is closed *and* drained, so that no more items can come. Both conditions are checked under one
  /// lock: an owner that sees an empty batch and then "closed" has missed nothing in between.
  package var isClosed: Bool { state.withLock { $0.isClosed && $0.items.isEmpty } }

  /// True after `close`, even while items are still queued. Tells a caller whose `offer` failed that the inbox is
  /// closed, not just full.
  package var refusesAll: Bool { state.withLock { $0.isClosed } }

  /// Removes and returns all queued items, in order; empty if there are none. Never blocks. Only for the consumer
  /// thread.
  package func takeAll() -> [Item] {
    wakeup.drain()
    return state.withLock { state in
      var taken: [Item] = []
      swap(&taken, &state.items)
      if state.isClosed { wakeup.signal() }
      return taken
    }
  }

  /// Waits for items, then removes and returns all that are queued, in order. Returns an empty array on timeout, or if
  /// the inbox is closed and drained (see `isClosed`). Only for the consumer thread.
  ///
  /// Keeps waiting after a spurious wake-up: `offer` signals after releasing the lock, when its item may have been
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

  /// Rejects further items and wakes the consumer; queued items can still be taken. Has no effect if repeated.
  package func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }
}
