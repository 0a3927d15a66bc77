internal import Synchronization

/// A one-time signal that asks threads to end and wakes those that wait. Any thread may call its methods, except
/// `wake`.
package final class StopSignal: Sendable {
  private let flag = Atomic(false)
  /// An inbox that is closed when the signal is raised, so that its descriptor becomes readable and stays so.
  private let inbox: Inbox<Void>

  package init() throws(SystemError) {
    inbox = try Inbox(capacity: 1)
  }

  package var isRaised: Bool { flag.load(ordering: .relaxed) }

  package func raise() {
    flag.store(true, ordering: .sequentiallyConsistent)
    inbox.close()
  }

  /// Blocks for `time`, or until the signal is raised; returns at once if it was raised before.
  package func rest(atMost time: Duration) {
    _ = inbox.wakeup.wait(atMost: time)
  }

  /// Arranges that `body` is called once on the loop's thread after the signal is raised; in the next iteration if it
  /// was raised already. Call this method on that thread. Throws like `EventLoop.register`.
  package func wake(_ loop: EventLoop, _ body: @escaping () -> Void = {}) throws(SystemError) {
    try loop.attach(inbox) { _ in body() }
  }
}
