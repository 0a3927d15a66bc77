internal import Synchronization

/// Says to threads that they are to end, and wakes those that rest. Once given it stays given. Any thread may call any of it.
package final class StopSignal: Sendable {
  private let flag = Atomic(false)
  /// Readable once given: nobody drains it.
  private let wakeup: Wakeup

  package init() throws(SystemError) {
    wakeup = try Wakeup()
  }

  package var isGiven: Bool { flag.load(ordering: .relaxed) }

  package func give() {
    flag.store(true, ordering: .sequentiallyConsistent)
    wakeup.signal()
  }

  /// Waits; not a moment longer than until it is given.
  package func rest(atMost time: Duration) {
    _ = wakeup.wait(atMost: time)
  }
}
