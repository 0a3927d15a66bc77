internal import Synchronization

/// A monotonic counter. Written by one thread, read by any.
package final class Counter: Sendable {
  private let count = Atomic<Int64>(0)

  init() {}

  package var value: Int64 { count.load(ordering: .relaxed) }

  /// Increments the counter. Only for the thread that owns this cell, because it uses a load and a store, not an atomic
  /// addition.
  package func add(_ number: Int = 1) {
    count.store(count.load(ordering: .relaxed) &+ Int64(number), ordering: .relaxed)
  }

  /// Sets the value from a counter that the same thread maintains elsewhere.
  package func advance(to number: UInt64) {
    count.store(Int64(clamping: number), ordering: .relaxed)
  }
}

/// A value that can increase and decrease. Written by one thread, read by any.
package final class Gauge: Sendable {
  private let present = Atomic<Int64>(0)

  init() {}

  package var value: Int64 { present.load(ordering: .relaxed) }

  package func set(_ number: Int64) {
    present.store(number, ordering: .relaxed)
  }
}
