package import Store
package import Domain
internal import Logging
internal import Reactor
internal import Synchronization

/// Hand-over of sends that the API's committer has stored and already claimed in this node's name: they skip planning
/// and claiming, and go directly to their provider.
extension Dispatcher {
  /// True if sends of a lane may be claimed in this node's name: the node holds its lease, the window of in-flight
  /// devices has room, and the lane is not full. Callable from any thread.
  package var takesSends: @Sendable (Lane) -> Bool {
    let shared = shared
    return { lane in
      !shared.isStopping && shared.holdsLease && shared.hasRoomForSends && !shared.isFull(lane)
    }
  }

  /// True while this node's lease allows it to claim and send. Callable from any thread.
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

  /// Number of devices claimed by this node that have no outcome yet. Callable from any thread.
  package var underWay: @Sendable () -> Int {
    let shared = shared
    return { shared.underWay.load(ordering: .relaxed) }
  }

  /// Launches committed sends. Callable from any thread.
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
