package import Domain
package import Reactor

/// The dispatcher's handle on the sender: batches, credentials and tokens go in from any thread, results come out through
/// the sink, on the sender's thread.
package final class APNsSender: PushProvider {
  enum Command: Sendable {
    case batch(PushBatch)
    case credential(APNsCredential?, for: App.Number)
    case token(ProviderToken)
    case resolved(Result<[SocketAddress], SystemError>, for: PushRoute)
    case stop(within: Duration)
  }

  private let configuration: APNsConfiguration
  private let clock: any Clock
  private let inbox: Inbox<Command>
  private let resolver: Resolver
  private let gate = Gate()
  private let results: PushResultSink
  private let tokenNeeded: @Sendable (ProviderTokenRequest) -> Void

  /// - Parameters:
  ///   - results: called on the sender's thread with all results of a turn; must not block.
  ///   - tokenNeeded: called on the sender's thread when a provider token is missing, soon too old, or refused; must not
  ///     block. The owner mints or fetches one and hands it over with `set(_:)`.
  package init(
    configuration: APNsConfiguration, clock: any Clock = SystemClock(), results: @escaping PushResultSink,
    tokenNeeded: @escaping @Sendable (ProviderTokenRequest) -> Void
  ) throws(SystemError) {
    self.configuration = configuration
    self.clock = clock
    self.results = results
    self.tokenNeeded = tokenNeeded
    inbox = try Inbox(capacity: APNs.Limits.inboxBatches + APNs.Limits.inboxCommands)
    resolver = try Resolver()
  }

  /// Takes a batch. False when its route holds too many targets already, has no connection just now, or rests: nothing
  /// was taken, offer it again later.
  package func offer(_ batch: PushBatch) -> Bool {
    // Room is kept for commands: they must never be lost.
    guard inbox.count < APNs.Limits.inboxBatches, gate.enter(batch.route, batch.targets.count) else { return false }
    guard inbox.offer(.batch(batch)) else {
      gate.leave(batch.route, batch.targets.count)
      return false
    }
    return true
  }

  /// Sets or takes away what opens APNs for an app. Connections of the former credential finish and close.
  package func set(_ credential: APNsCredential?, for app: App.Number) {
    command(.credential(credential, for: app))
  }

  /// Hands over a provider token; used from the next request on, on open connections too.
  package func set(_ token: ProviderToken) {
    command(.token(token))
  }

  /// Stops: what has not been submitted comes back as not processed, open requests finish within `patience` or come back
  /// as unknown. Then `run` returns. Batches offered later get no result.
  package func stop(within patience: Duration) {
    command(.stop(within: patience))
  }

  /// Works until stopped. Blocks: call it once, on a thread of its own ("apns-0").
  package func run() throws(SystemError) {
    let resolver = resolver
    let resolving = try Thread(name: "apns-dns-0") { resolver.run() }
    let loop = try SenderLoop(
      configuration: configuration, gate: gate, resolver: resolver, inbox: inbox, clock: clock, results: results,
      tokenNeeded: tokenNeeded)
    loop.run()
    inbox.close()
    resolver.close()
    resolving.join()
  }

  private func command(_ command: Command) {
    // False only after `stop`: the room for commands is far above what a living loop leaves waiting.
    _ = inbox.offer(command)
  }
}
