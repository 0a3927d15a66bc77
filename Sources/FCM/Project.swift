internal import Domain
internal import PushTransport
internal import Reactor

/// The state that all pools of one Firebase project share, whatever their service accounts and apps: the quota, which
/// Google counts per project, and the pause after it is exhausted.
final class Project {
  private let loop: EventLoop
  private var pacer: Pacer
  /// The handler called when the set of resting lanes has changed.
  var restingLanesChanged: () -> Void = {}

  init(_ pacer: Pacer, loop: EventLoop) {
    self.pacer = pacer
    self.loop = loop
  }

  var perSecond: Int { Int(pacer.rate) }
  var queuedTargets: Int { pacer.queuedTargets }
  var restingLanes: Set<Lane> { pacer.restingLanes(at: loop.clock.now) }

  func allowance(_ lane: Lane) -> Int { pacer.allowance(lane, at: loop.clock.now) }

  func submitted(_ count: Int) {
    pacer.submitted(count, at: loop.clock.now)
  }

  func share(among nodes: Int) {
    pacer.share(among: nodes, at: loop.clock.now)
  }

  /// Records that FCM reports the quota as exhausted. Returns false if that is known already, because many requests in
  /// flight are refused at the same time.
  func exceeded(_ lane: Lane, seconds: Int) -> Bool {
    guard pacer.exceeded(lane, at: loop.clock.now, for: .seconds(seconds)) else { return false }
    restingLanesChanged()
    for wait in [FCM.Limits.quietSeconds, seconds] {
      loop.schedule(after: .seconds(wait)) { [weak self] in self?.restingLanesChanged() }
    }
    return true
  }
}

/// The state that all pools of one service account share.
final class AccountInUse {
  let tokens: AccessTokens
  let project: Project

  init(tokens: AccessTokens, project: Project) {
    self.tokens = tokens
    self.project = project
  }
}
