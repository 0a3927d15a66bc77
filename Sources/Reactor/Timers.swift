internal import HeapModule

/// Deadlines in order. Pure: it is told the time and says what is due. One owner, one thread.
package struct Timers {
  /// Names one deadline, so that it can be cancelled.
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
  /// The actions of live timers. A cancelled one is only missing here; its heap entry goes when it comes up.
  private var actions: [UInt64: () -> Void] = [:]
  private var lastNumber: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { actions.isEmpty }
  /// Entries in memory, those of cancelled timers included.
  package var heldEntries: Int { heap.count }

  /// Adds a deadline.
  package mutating func schedule(at deadline: Instant, _ action: @escaping () -> Void) -> ID {
    lastNumber += 1
    heap.insert(Entry(deadline: deadline, number: lastNumber))
    actions[lastNumber] = action
    return ID(number: lastNumber)
  }

  /// Takes a deadline back. Nothing happens when it has fired already.
  package mutating func cancel(_ id: ID) {
    guard actions.removeValue(forKey: id.number) != nil else { return }
    // Far deadlines that are always cancelled (a time-out per request) would pile up for as long as they are far.
    // Sweeping when the dead outnumber the living costs each timer a constant share.
    if heap.count > 2 * actions.count + Reactor.Limits.cancelledTimers {
      heap = Heap(heap.unordered.filter { actions[$0.number] != nil })
    }
  }

  /// The last timer made so far: lets a turn fire those of before, and leave those made meanwhile to the next.
  package var newest: ID { ID(number: lastNumber) }

  /// The earliest live deadline.
  package mutating func next() -> Instant? {
    while let first = heap.min {
      if actions[first.number] != nil { return first.deadline }
      heap.removeMin()
    }
    return nil
  }

  /// Removes one timer that is due at `now` and not younger than `newest`, earliest first, and returns its action.
  package mutating func popDue(at now: Instant, notAfter newest: ID? = nil) -> (() -> Void)? {
    while let first = heap.min, first.deadline <= now, first.number <= newest?.number ?? .max {
      heap.removeMin()
      if let action = actions.removeValue(forKey: first.number) { return action }
    }
    return nil
  }
}
