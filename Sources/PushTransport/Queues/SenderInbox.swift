package import Domain
package import Reactor

/// The way into a sender, from any thread: batches pass the admission, commands do not. Both share one inbox, so that
/// they are taken in order of arrival.
package struct SenderInbox<Command: Sendable>: Sendable {
  package let gate: RouteAdmission
  package let inbox: Inbox<Command>

  package init(_ configuration: WireConfiguration) throws(SystemError) {
    gate = RouteAdmission(isOpen: !configuration.awaitsCredentials)
    inbox = try Inbox(capacity: PushTransport.Limits.inboxBatches + PushTransport.Limits.inboxCommands)
  }

  /// Offers a batch. Returns false if this lane of its route holds too many targets already, or if the route has no
  /// connection just now, or rests: nothing was taken, offer it again later.
  package func offer(_ batch: PushBatch, as command: Command) -> Bool {
    // Room is reserved for urgent batches, and for commands, which must never be lost.
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
    // Fails only after `stop`: the room for commands is far above what a running loop leaves waiting.
    _ = inbox.offer(command)
  }
}
