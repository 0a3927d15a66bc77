internal import HeapModule

/// A priority queue of timers. The caller passes in the time, and calls the actions of due timers. One owner, one
/// thread.
package struct Timers {
  /// Identifies a timer, so that it can be cancelled.
  package struct ID: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct Entry: Comparable {
    let deadline: Instant
    let number: UInt64

    static func < (left: Entry, right: Entry) -> Bool {
      (left.deadline, left.number) < (right.deadline, right.number)
    }
  }

  private var heap = Heap<Entry>()
  /// The actions of the timers that are not cancelled. A cancelled timer is removed only here; its heap entry is
  /// dropped when it reaches the top, or by a sweep.
  private var actions: [UInt64: () -> Void] = [:]
  private var lastNumber: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { actions.isEmpty }
  /// The number of heap entries, including those of cancelled timers.
  package var heldEntries: Int { heap.count }

  /// Adds a timer that fires at `deadline`.
  package mutating func schedule(at deadline: Instant, _ action: @escaping () -> Void) -> ID {
    lastNumber += 1
    heap.insert(Entry(deadline: deadline, number: lastNumber))
    actions[lastNumber] = action
    return ID(number: lastNumber)
  }

  /// Cancels a timer. No effect if it has fired or was cancelled already.
  package mutating func cancel(_ id: ID) {
    guard actions.removeValue(forKey: id.number) != nil else { return }
    // Timers that are far away and always cancelled, such as request timeouts, would accumulate in the heap. Sweeping
    // when cancelled entries outnumber live ones costs constant amortized time per timer.
    if heap.count > 2 * actions.count + Reactor.Limits.cancelledTimers {
      heap = Heap(heap.unordered.filter { actions[$0.number] != nil })
    }
  }

  /// The timer that was added last. An event loop reads it before it fires due timers, so that timers added by their
  /// actions wait for the next iteration.
  package var newest: ID { ID(number: lastNumber) }

  /// Returns the deadline of the earliest timer; nil if there is none.
  package mutating func next() -> Instant? {
    while let first = heap.min {
      if actions[first.number] != nil { return first.deadline }
      heap.removeMin()
    }
    return nil
  }

  /// Removes the earliest timer that is due at `now` and not newer than `newest`, and returns its action; nil if there
  /// is none.
  package mutating func popDue(at now: Instant, notAfter newest: ID? = nil) -> (() -> Void)? {
    while let first = heap.min, first.deadline <= now, first.number <= newest?.number ?? .max {
      heap.removeMin()
      if let action = actions.removeValue(forKey: first.number) { return action }
    }
    return nil
  }
}
