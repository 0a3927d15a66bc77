package import Store
internal import Domain
internal import Reactor

/// Sends that a committer has stored and claimed in this node's name: they skip planning and claiming, and go straight to
/// their provider.
extension Dispatcher {
  /// True when sends may be claimed in this node's name: it is alive, and not too much is under way. Callable from any
  /// thread.
  package var takesSends: @Sendable () -> Bool {
    let shared = shared
    return { !shared.isStopping && shared.holdsLease && shared.hasRoomForSends }
  }

  /// Takes over committed sends. Callable from any thread.
  package var launch: @Sendable ([ClaimedSend]) -> Void {
    let shared = shared
    return { sends in
      for send in sends { shared.launch(send) }
    }
  }
}

extension Shared {
  fileprivate func launch(_ send: ClaimedSend) {
    let message = DispatchMessage(send.message, send.request, pushkeys: configuration.pushkeys)
    take(send.members.count)
    launch(send.claim, message, send.members, badges: send.badges, names: send.names, readAt: send.readAt)
  }
}
