internal import DequeModule
internal import Reactor

/// Delays the committer's `.busy` refusals (status 503) by `DeviceLimits.refusalPause`. Otherwise, clients that ignore
/// `Retry-After` and retry at once could keep the loop busy with refusals, at the expense of the accepted operations.
///
/// The number of delayed refusals is limited; further ones are sent at once. Confined to the loop's thread. Decision
/// 100.
final class DelayedRefusals {
  private let loop: EventLoop
  private var held = Deque<(due: Instant, tell: () -> Void)>()
  private var isWaiting = false

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  /// Calls `tell`, which sends the refusal, once: on the loop after the delay, or before this returns if too many
  /// refusals are already delayed.
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
