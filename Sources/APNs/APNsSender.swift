package import Domain
internal import PushTransport
package import Reactor

/// The dispatcher's handle on the sender: it accepts batches, credentials and tokens from any thread and delivers
/// results to the sink, on the sender's thread.
package final class APNsSender: PushProvider {
  private let configuration: APNsConfiguration
  private let clock: any Clock
  private let entrance: SenderInbox<APNsCommand>
  /// One per environment: a slow look-up for one does not delay the other.
  private let resolvers: [Endpoint: Resolver]
  private let results: PushResultSink
  private let tokenNeeded: @Sendable (ProviderTokenRequest) -> Void

  /// - Parameters:
  ///   - results: called on the sender's thread with all results of a turn; must not block.
  ///   - tokenNeeded: called on the sender's thread if a provider token is missing, soon too old, or refused; must not
  ///     block. The owner mints or fetches one and passes it to `set(_:)`.
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

  /// Offers a batch. Returns false if this lane of its route holds too many targets already, or if the route has no
  /// connection just now, or rests: nothing was taken, offer it again later.
  package func offer(_ batch: PushBatch) -> Bool {
    entrance.offer(batch, as: .batch(batch))
  }

  /// Sets or removes an app's credential. Connections of the former credential finish and close.
  package func set(_ credential: APNsCredential?, for app: App.Number) {
    entrance.command(.credential(credential, for: app))
  }

  /// Starts to accept batches, if the configuration awaits credentials: all of them have been set.
  package func credentialsAreKnown() {
    entrance.gate.open()
  }

  /// Clears what was held against an app: an operator has resumed it.
  package func forgive(_ app: App.Number) {
    entrance.command(.forgive(app))
  }

  /// Sets a provider token; used from the next request on, on open connections too.
  package func set(_ token: ProviderToken) {
    entrance.command(.token(token))
  }

  /// Stops: what has not been submitted returns as not processed; open requests finish within `timeout` or return as
  /// unknown. Then `run` returns. Batches offered later get no result.
  package func stop(within timeout: Duration) {
    entrance.command(.stop(within: timeout))
  }

  /// Runs until stopped. Blocks: call it once, on a thread of its own ("apns-0").
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
