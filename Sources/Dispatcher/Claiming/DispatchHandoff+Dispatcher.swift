package import Store
package import Domain
internal import Logging
internal import Reactor
internal import Synchronization

/// Hand-over of sends that the API's committer has stored and already claimed in this node's name: they skip planning
/// and claiming, and go directly to their provider.
extension Dispatcher {
  /// True if sends of a lane may be claimed in this node's name: the node is not stopping and has its lease, the
  /// in-flight window has room, and the lane has fewer than the maximum of open messages. Callable from any thread.
  package var takesSends: @Sendable (Lane) -> Bool {
    let shared = shared
    return { lane in
      !shared.isStopping && shared.holdsLease && shared.hasRoomForSends && !shared.isFull(lane)
    }
  }

  /// True while this node can claim and send: its lease has not ended, and the database's time is known well enough.
  /// Callable from any thread.
  package var holdsLease: @Sendable () -> Bool {
    let shared = shared
    return { shared.holdsLease }
  }

  /// True while deliveries repeatedly become stale between being read and being submitted, because the database is too
  /// slow or too far away. Callable from any thread.
  package var goesInCircle: @Sendable () -> Bool {
    let shared = shared
    return { shared.circles.load(ordering: .relaxed) != 0 }
  }

  /// Number of devices in flight: claimed by this node and neither finally answered nor deferred yet. Callable from any
  /// thread.
  package var underWay: @Sendable () -> Int {
    let shared = shared
    return { shared.underWay.load(ordering: .relaxed) }
  }

  /// Submits committed sends, without blocking: passes them to their providers, or to the completer if they cannot be
  /// sent at once. Callable from any thread.
  package var launch: @Sendable ([ClaimedSend]) -> Void {
    let (shared, log) = (shared, MessageLog(Logger(label: "launch")))
    return { sends in
      for send in sends {
        log.claimed(send.message.seqno, send.claim, devices: send.members.count)
        shared.launch(send)
      }
    }
  }
}

extension Shared {
  fileprivate func launch(_ send: ClaimedSend) {
    let message = DispatchMessage(send.message, send.request, pushkeys: configuration.pushkeys)
    admit(send.members.count)
    launch(
      send.claim, message, Recipient.all(send.members, in: nil), badges: send.badges,
      values: RecipientValues(names: send.names),
      readAt: send.readAt, isHeld: send.isHeld, trace: message.trace)
  }
}
