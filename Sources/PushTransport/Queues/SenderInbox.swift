package import Domain
package import Reactor

/// The way into a sender, from any thread: batches through the gate, commands past it, one inbox for both, so that they
/// are taken in the order in which they came.
package struct SenderInbox<Command: Sendable>: Sendable {
  package let gate: RouteAdmission
  package let inbox: Inbox<Command>

  package init(_ configuration: WireConfiguration) throws(SystemError) {
    gate = RouteAdmission(isOpen: !configuration.awaitsCredentials)
    inbox = try Inbox(capacity: PushTransport.Limits.inboxBatches + PushTransport.Limits.inboxCommands)
  }

  /// Takes a batch. False when this lane of its route holds too many targets already, or when the route has no
  /// connection just now, or rests: nothing was taken, offer it again later.
  package func offer(_ batch: PushBatch, as command: Command) -> Bool {
    // Room is kept for urgent ones, and for commands: they must never be lost.
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
    // False only after `stop`: the room for commands is far above what a living loop leaves waiting.
    _ = inbox.offer(command)
  }
}
