package import Domain
internal import PushTransport
package import Reactor

/// The dispatcher's handle on the sender: batches and credentials go in from any thread, results come out through the
/// sink, on the sender's thread.
package final class FCMSender: PushProvider {
  private let configuration: FCMConfiguration
  private let clock: any Clock
  private let entrance: SenderInbox<FCMCommand>
  /// Looks up FCM itself.
  private let resolver: Resolver
  /// Looks up token endpoints: a slow answer about one does not hold up the other.
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

  /// Takes a batch. False when this lane of its route holds too many targets already, or when the route has no
  /// connection just now, or rests: nothing was taken, offer it again later.
  package func offer(_ batch: PushBatch) -> Bool {
    entrance.offer(batch, as: .batch(batch))
  }

  /// Sets or takes away what opens FCM for an app. Connections of the former credential finish and close.
  package func set(_ credential: FCMCredential?, for app: App.Number) {
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

  package func share(among nodes: Int) {
    entrance.command(.share(nodes: nodes))
  }

  /// Stops: what has not been submitted comes back as not processed, open requests finish within `timeout` or come back
  /// as unknown. Then `run` returns. Batches offered later get no result.
  package func stop(within timeout: Duration) {
    entrance.command(.stop(within: timeout))
  }

  /// Works until stopped. Blocks: call it once, on a thread of its own ("fcm-0").
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
