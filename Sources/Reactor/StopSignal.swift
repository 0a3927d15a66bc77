internal import Synchronization

/// Tells threads to end, and wakes those that rest. Once given it stays given. Any thread may call any method.
package final class StopSignal: Sendable {
  private let flag = Atomic(false)
  /// Closed once the signal is given: readable from then on.
  private let inbox: Inbox<Void>

  package init() throws(SystemError) {
    inbox = try Inbox(capacity: 1)
  }

  package var isGiven: Bool { flag.load(ordering: .relaxed) }

  package func give() {
    flag.store(true, ordering: .sequentiallyConsistent)
    inbox.close()
  }

  /// Waits for `time`, or until the signal is given.
  package func rest(atMost time: Duration) {
    _ = inbox.wakeup.wait(atMost: time)
  }

  /// Wakes a loop once, when the signal is given, and calls `body` there. Call it on the loop's thread.
  package func wake(_ loop: EventLoop, _ body: @escaping () -> Void = {}) throws(SystemError) {
    try loop.attach(inbox) { _ in body() }
  }
}
