internal import Domain
internal import PushTransport
internal import Reactor

/// What all senders of one Firebase project share, whichever service accounts they use and apps they send for: the
/// quota, and the rest once it is used up. Google counts by project.
final class Project {
  private let loop: EventLoop
  private var pacer: Pacer
  /// Called when other lanes rest than before.
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

  /// FCM reports that the quota is used up. Returns false if that is nothing new: many requests meet the end of the
  /// same minute.
  func exceeded(_ lane: Lane, seconds: Int) -> Bool {
    guard pacer.exceeded(lane, at: loop.clock.now, for: .seconds(seconds)) else { return false }
    restingLanesChanged()
    for wait in [FCM.Limits.quietSeconds, seconds] {
      loop.schedule(after: .seconds(wait)) { [weak self] in self?.restingLanesChanged() }
    }
    return true
  }
}

/// What all pools of one service account share.
final class AccountInUse {
  let tokens: AccessTokens
  let project: Project

  init(tokens: AccessTokens, project: Project) {
    self.tokens = tokens
    self.project = project
  }
}
