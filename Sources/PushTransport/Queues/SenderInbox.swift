package import Domain
package import Reactor

/// A sender's input queue, usable from any thread. Batches pass admission control, commands do not; both share one
/// inbox, so that they are processed in order of arrival.
package struct SenderInbox<Command: Sendable>: Sendable {
  package let gate: RouteAdmission
  package let inbox: Inbox<Command>

  package init(_ configuration: WireConfiguration) throws(SystemError) {
    gate = RouteAdmission(isOpen: !configuration.awaitsCredentials)
    inbox = try Inbox(capacity: PushTransport.Limits.inboxBatches + PushTransport.Limits.inboxCommands)
  }

  /// Offers a batch. Returns false, taking nothing, if the inbox has no room for batches or is closed, the route's lane
  /// is full or resting, the route's pool is pausing or cannot connect, or the credentials are still awaited. The
  /// caller can offer the batch again later.
  /// - Parameter command: the item to queue for the batch.
  package func offer(_ batch: PushBatch, as command: Command) -> Bool {
    // Part of the capacity is reserved for urgent batches, and the rest for commands, which must never be lost.
    let room = batch.message.lane == .urgent ? 2 * PushTransport.Limits.inboxBatches : PushTransport.Limits.inboxBatches
    let place = RouteAdmission.Place(route: batch.route, lane: batch.message.lane)
    guard inbox.count < room, gate.enter(place, batch.targets.count) else { return false }
    guard inbox.offer(command) else {
      gate.leave(place, batch.targets.count)
      return false
    }
    return true
  }

  package func command(_ command: Command) {
    // Fails only after `stop`: the capacity for commands far exceeds what a running loop leaves unprocessed.
    _ = inbox.offer(command)
  }
}
