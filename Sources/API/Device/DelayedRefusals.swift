internal import DequeModule
internal import Reactor

/// Delays 503 answers. `Retry-After` asks clients to wait; a crowd that retries at once would keep the loop busy
/// refusing, at the expense of the operations that were accepted.
///
/// The queue of held refusals is bounded: when it is full, newcomers are refused at once. Decision 100.
final class DelayedRefusals {
  private let loop: EventLoop
  private var held = Deque<(due: Instant, tell: () -> Void)>()
  private var isWaiting = false

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// Calls `tell` once, on the loop: after the pause, or now when too many are held.
  func hold(_ tell: @escaping () -> Void) {
    guard held.count < DeviceLimits.heldRefusals else { return tell() }
    held.append((loop.now + DeviceLimits.refusalPause, tell))
    wait()
  }

  private func wait() {
    guard !isWaiting, let first = held.first else { return }
    isWaiting = true
    loop.schedule(after: first.due - loop.clock.now) { [weak self] in
      self?.isWaiting = false
      self?.tellThoseDue()
    }
  }

  private func tellThoseDue() {
    let now = loop.clock.now
    while let first = held.first, first.due <= now {
      held.removeFirst()
      first.tell()
    }
    wait()
  }
}
