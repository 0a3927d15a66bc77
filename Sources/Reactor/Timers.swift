internal import HeapModule

/// Deadlines in order. Pure: the caller passes the time. One owner, one thread.
package struct Timers {
  /// Identifies one deadline, so that it can be cancelled.
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
  /// The actions of live timers. A cancelled timer is only missing here; its heap entry is removed when it comes up.
  private var actions: [UInt64: () -> Void] = [:]
  private var lastNumber: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { actions.isEmpty }
  /// Entries in memory, including those of cancelled timers.
  package var heldEntries: Int { heap.count }

  /// Adds a deadline.
  package mutating func schedule(at deadline: Instant, _ action: @escaping () -> Void) -> ID {
    lastNumber += 1
    heap.insert(Entry(deadline: deadline, number: lastNumber))
    actions[lastNumber] = action
    return ID(number: lastNumber)
  }

  /// Cancels a deadline. Does nothing if it has fired already.
  package mutating func cancel(_ id: ID) {
    guard actions.removeValue(forKey: id.number) != nil else { return }
    // Distant deadlines that are always cancelled (a timeout per request) would accumulate for as long as they are
    // away. Sweeping once the dead outnumber the living costs each timer a constant share.
    if heap.count > 2 * actions.count + Reactor.Limits.cancelledTimers {
      heap = Heap(heap.unordered.filter { actions[$0.number] != nil })
    }
  }

  /// The last timer created so far: a turn fires timers up to this one and leaves later ones to the next turn.
  package var newest: ID { ID(number: lastNumber) }

  /// The earliest live deadline.
  package mutating func next() -> Instant? {
    while let first = heap.min {
      if actions[first.number] != nil { return first.deadline }
      heap.removeMin()
    }
    return nil
  }

  /// Removes the earliest timer that is due at `now` and not newer than `newest`, and returns its action.
  package mutating func popDue(at now: Instant, notAfter newest: ID? = nil) -> (() -> Void)? {
    while let first = heap.min, first.deadline <= now, first.number <= newest?.number ?? .max {
      heap.removeMin()
      if let action = actions.removeValue(forKey: first.number) { return action }
    }
    return nil
  }
}
