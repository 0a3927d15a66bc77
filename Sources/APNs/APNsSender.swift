package import Domain
internal import PushTransport
package import Reactor

/// The interface of the APNs sender for the dispatcher. Accepts batches, credentials and tokens from any thread;
/// delivers results to the sink on the sender's thread.
package final class APNsSender: PushProvider {
  private let configuration: APNsConfiguration
  private let clock: any Clock
  private let senderInbox: SenderInbox<APNsCommand>
  /// The resolvers, one per environment, so that a slow look-up for one does not delay the other.
  private let resolvers: [Endpoint: Resolver]
  private let results: PushResultSink
  private let tokenNeeded: @Sendable (ProviderTokenRequest) -> Void

  /// Creates a sender. It sends nothing until `run` is called on its thread.
  /// - Parameters:
  ///   - results: called on the sender's thread with all results of an event-loop iteration; must not block.
  ///   - tokenNeeded: called on the sender's thread if a provider token is missing, expires soon or was refused; must
  ///     not block. The owner creates or fetches one and passes it to `set(_:)`.
  package init(
    configuration: APNsConfiguration, clock: any Clock = SystemClock(), results: @escaping PushResultSink,
    tokenNeeded: @escaping @Sendable (ProviderTokenRequest) -> Void
  ) throws(SystemError) {
    self.configuration = configuration
    self.clock = clock
    self.results = results
    self.tokenNeeded = tokenNeeded
    senderInbox = try SenderInbox(configuration.wire)
    let endpoints = Set([configuration.production.wire, configuration.sandbox.wire])
    var resolvers: [Endpoint: Resolver] = [:]
    for endpoint in endpoints { resolvers[endpoint] = try Resolver(configuration.wire.lookUp) }
    self.resolvers = resolvers
  }

  /// Offers a batch. Returns false, taking nothing, if this lane of its route is full, the lane is resting, or the
  /// route has no connection at present; the caller may offer it again later.
  package func offer(_ batch: PushBatch) -> Bool {
    senderInbox.offer(batch, as: .batch(batch))
  }

  /// Sets or removes an app's credential. Connections of the previous one finish their requests and close.
  package func set(_ credential: APNsCredential?, for app: App.Number) {
    senderInbox.command(.credential(credential, for: app))
  }

  /// Notes that the credentials of all apps have been set as they were stored at `time`, or later. If
  /// `awaitsCredentials` is set, the sender accepts batches from the first call on.
  package func credentialsAreKnown(asOf time: Instant) {
    senderInbox.gate.open(credentialsReadAt: time)
  }

  package var credentialsReadAtNanoseconds: Int64 { senderInbox.gate.credentialsReadAtNanoseconds }

  /// Clears the faults recorded for an app. Called when an operator resumes it.
  package func forgive(_ app: App.Number) {
    senderInbox.command(.forgive(app))
  }

  /// Sets a provider token, which is used from the next request on, on open connections too.
  package func set(_ token: ProviderToken) {
    senderInbox.command(.token(token))
  }

  /// Stops the sender and makes `run` return. Queued pushes are returned as not processed; open requests finish within
  /// `timeout` or end as unknown. Batches offered later get no result.
  package func stop(within timeout: Duration) {
    senderInbox.command(.stop(within: timeout))
  }

  /// Runs the sender until `stop`. Blocks: call it once, on a dedicated thread ("apns-0").
  package func run() throws(SystemError) {
    try Resolver.run(Array(resolvers.values), named: "apns-dns") { () throws(SystemError) in
      let loop = try SenderLoop(
        configuration: configuration, gate: senderInbox.gate, resolvers: resolvers, inbox: senderInbox.inbox,
        clock: clock,
        results: results, tokenNeeded: tokenNeeded)
      loop.run()
      senderInbox.inbox.close()
    }
  }
}
