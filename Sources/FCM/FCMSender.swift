package import Domain
internal import PushWire
package import Reactor

/// The dispatcher's handle on the sender: batches and credentials go in from any thread, results come out through the
/// sink, on the sender's thread.
package final class FCMSender: PushProvider {
  private let configuration: FCMConfiguration
  private let clock: any Clock
  private let inbox: Inbox<FCMCommand>
  /// Looks up FCM itself.
  private let resolver: Resolver
  /// Looks up token endpoints: a slow answer about one does not hold up the other.
  private let tokenResolver: Resolver
  private let gate: Gate
  private let results: PushResultSink

  /// - Parameter results: called on the sender's thread with all results of a turn; must not block.
  package init(
    configuration: FCMConfiguration, clock: any Clock = SystemClock(), results: @escaping PushResultSink
  ) throws(SystemError) {
    self.configuration = configuration
    gate = Gate(isOpen: !configuration.wire.awaitsCredentials)
    self.clock = clock
    self.results = results
    inbox = try Inbox(capacity: PushWire.Limits.inboxBatches + PushWire.Limits.inboxCommands)
    resolver = try Resolver(configuration.wire.lookUp)
    tokenResolver = try Resolver(configuration.wire.lookUp)
  }

  /// Takes a batch. False when this lane of its route holds too many targets already, or when the route has no
  /// connection just now, or rests: nothing was taken, offer it again later.
  package func offer(_ batch: PushBatch) -> Bool {
    // Room is kept for urgent ones, and for commands: they must never be lost.
    let room = batch.message.lane == .urgent ? 2 * PushWire.Limits.inboxBatches : PushWire.Limits.inboxBatches
    let place = Gate.Place(route: batch.route, lane: batch.message.lane)
    guard inbox.count < room, gate.enter(place, batch.targets.count) else { return false }
    guard inbox.offer(.batch(batch)) else {
      gate.leave(place, batch.targets.count)
      return false
    }
    return true
  }

  /// Sets or takes away what opens FCM for an app. Connections of the former credential finish and close.
  package func set(_ credential: FCMCredential?, for app: App.Number) {
    command(.credential(credential, for: app))
  }

  /// Every credential that there is has been set: from now on batches are taken, where that was waited for.
  package func credentialsAreKnown() {
    gate.open()
  }

  /// Forgets what was held against an app: an operator has looked at it.
  package func forgive(_ app: App.Number) {
    command(.forgive(app))
  }

  package func share(among nodes: Int) {
    command(.share(nodes: nodes))
  }

  /// Stops: what has not been submitted comes back as not processed, open requests finish within `patience` or come back
  /// as unknown. Then `run` returns. Batches offered later get no result.
  package func stop(within patience: Duration) {
    command(.stop(within: patience))
  }

  /// Works until stopped. Blocks: call it once, on a thread of its own ("fcm-0").
  package func run() throws(SystemError) {
    var resolving: [Inbox<Void>] = []
    for (number, resolver) in [resolver, tokenResolver].enumerated() {
      let ended = try Inbox<Void>(capacity: 1)
      _ = try Thread(name: "fcm-dns-\(number)") {
        resolver.run()
        _ = ended.offer(())
      }
      resolving.append(ended)
    }
    let loop = try SenderLoop(
      configuration: configuration, gate: gate, resolver: resolver, tokenResolver: tokenResolver, inbox: inbox,
      clock: clock, results: results)
    loop.run()
    inbox.close()
    for resolver in [resolver, tokenResolver] { resolver.close() }
    for ended in resolving { _ = ended.receive(atMost: .seconds(60)) }
  }

  private func command(_ command: FCMCommand) {
    // False only after `stop`: the room for commands is far above what a living loop leaves waiting.
    _ = inbox.offer(command)
  }
}
