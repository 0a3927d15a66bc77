package import Domain
internal import PushTransport
package import Reactor

/// The dispatcher's handle on the sender: it accepts batches and credentials from any thread and delivers results to
/// the sink, on the sender's thread.
package final class FCMSender: PushProvider {
  private let configuration: FCMConfiguration
  private let clock: any Clock
  private let entrance: SenderInbox<FCMCommand>
  /// Resolves FCM itself.
  private let resolver: Resolver
  /// Resolves token endpoints: a slow look-up of one does not delay FCM's.
  private let tokenResolver: Resolver
  private let results: PushResultSink

  /// - Parameter results: called on the sender's thread with all results of a turn; must not block.
  package init(
    configuration: FCMConfiguration, clock: any Clock = SystemClock(), results: @escaping PushResultSink
  ) throws(SystemError) {
    self.configuration = configuration
    self.clock = clock
    self.results = results
    entrance = try SenderInbox(configuration.wire)
    resolver = try Resolver(configuration.wire.lookUp)
    tokenResolver = try Resolver(
      configuration.wire.lookUp, threads: PushTransport.Limits.customersResolverThreads,
      questionsOfOne: PushTransport.Limits.questionsOfOne)
  }

  /// Offers a batch. Returns false if this lane of its route holds too many targets already, or if the route has no
  /// connection just now, or rests: nothing was taken, offer it again later.
  package func offer(_ batch: PushBatch) -> Bool {
    entrance.offer(batch, as: .batch(batch))
  }

  /// Sets or removes an app's credential. Connections of the former credential finish and close.
  package func set(_ credential: FCMCredential?, for app: App.Number) {
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

  package func share(among nodes: Int) {
    entrance.command(.share(nodes: nodes))
  }

  /// Stops: what has not been submitted returns as not processed; open requests finish within `timeout` or return as
  /// unknown. Then `run` returns. Batches offered later get no result.
  package func stop(within timeout: Duration) {
    entrance.command(.stop(within: timeout))
  }

  /// Runs until stopped. Blocks: call it once, on a thread of its own ("fcm-0").
  package func run() throws(SystemError) {
    try Resolver.run([resolver, tokenResolver], named: "fcm-dns") { () throws(SystemError) in
      let loop = try SenderLoop(
        configuration: configuration, gate: entrance.gate, resolver: resolver, tokenResolver: tokenResolver,
        inbox: entrance.inbox, clock: clock, results: results)
      loop.run()
      entrance.inbox.close()
    }
  }
}
