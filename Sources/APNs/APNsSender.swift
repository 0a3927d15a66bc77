package import Domain
internal import PushTransport
package import Reactor

/// The dispatcher's handle on the sender: batches, credentials and tokens go in from any thread, results come out through
/// the sink, on the sender's thread.
package final class APNsSender: PushProvider {
  private let configuration: APNsConfiguration
  private let clock: any Clock
  private let entrance: SenderInbox<APNsCommand>
  /// One for each environment: a slow answer about one does not hold up the other.
  private let resolvers: [Endpoint: Resolver]
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
    entrance = try SenderInbox(configuration.wire)
    let endpoints = Set([configuration.production.wire, configuration.sandbox.wire])
    var resolvers: [Endpoint: Resolver] = [:]
    for endpoint in endpoints { resolvers[endpoint] = try Resolver(configuration.wire.lookUp) }
    self.resolvers = resolvers
  }

  /// Takes a batch. False when this lane of its route holds too many targets already, or when the route has no
  /// connection just now, or rests: nothing was taken, offer it again later.
  package func offer(_ batch: PushBatch) -> Bool {
    entrance.offer(batch, as: .batch(batch))
  }

  /// Sets or takes away what opens APNs for an app. Connections of the former credential finish and close.
  package func set(_ credential: APNsCredential?, for app: App.Number) {
    entrance.command(.credential(credential, for: app))
  }

  /// Every credential that there is has been set: from now on batches are taken, where that was waited for.
  package func credentialsAreKnown() {
    entrance.gate.open()
  }

  /// Forgets what was held against an app: an operator has looked at it.
  package func forgive(_ app: App.Number) {
    entrance.command(.forgive(app))
  }

  /// Hands over a provider token; used from the next request on, on open connections too.
  package func set(_ token: ProviderToken) {
    entrance.command(.token(token))
  }

  /// Stops: what has not been submitted comes back as not processed, open requests finish within `timeout` or come back
  /// as unknown. Then `run` returns. Batches offered later get no result.
  package func stop(within timeout: Duration) {
    entrance.command(.stop(within: timeout))
  }

  /// Works until stopped. Blocks: call it once, on a thread of its own ("apns-0").
  package func run() throws(SystemError) {
    try Resolver.run(Array(resolvers.values), named: "apns-dns") { () throws(SystemError) in
      let loop = try SenderLoop(
        configuration: configuration, gate: entrance.gate, resolvers: resolvers, inbox: entrance.inbox, clock: clock,
        results: results, tokenNeeded: tokenNeeded)
      loop.run()
      entrance.inbox.close()
    }
  }
}
