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

  /// Adds a deadline.
  package mutating func schedule(at deadline: Instant, _ action: @escaping () -> Void) -> ID {
    lastNumber += 1
    heap.insert(Entry(deadline: deadline, number: lastNumber))
    actions[lastNumber] = action
    return ID(number: lastNumber)
  }

  /// Takes a deadline back. Nothing happens when it has fired already.
  package mutating func cancel(_ id: ID) {
    actions[id.number] = nil
  }

  /// The earliest live deadline.
  package mutating func next() -> Instant? {
    while let first = heap.min {
      if actions[first.number] != nil { return first.deadline }
      heap.removeMin()
    }
    return nil
  }

  /// Removes one timer that is due at `now`, earliest first, and returns its action.
  package mutating func popDue(at now: Instant) -> (() -> Void)? {
    while let first = heap.min, first.deadline <= now {
      heap.removeMin()
      if let action = actions.removeValue(forKey: first.number) { return action }
    }
    return nil
  }
}
