package import Domain
internal import PushTransport
package import Reactor

/// The interface of the FCM sender for the dispatcher. Accepts batches and credentials from any thread; delivers
/// results to the sink on the sender's thread.
package final class FCMSender: PushProvider {
  private let configuration: FCMConfiguration
  private let clock: any Clock
  private let senderInbox: SenderInbox<FCMCommand>
  /// The resolver of FCM's own host name.
  private let resolver: Resolver
  /// The resolver of token endpoints, separate, so that a slow look-up does not delay FCM's.
  private let tokenResolver: Resolver
  private let results: PushResultSink

  /// Creates a sender. It sends nothing until `run` is called on its thread.
  /// - Parameter results: called on the sender's thread with all results of an event-loop iteration; must not block.
  package init(
    configuration: FCMConfiguration, clock: any Clock = SystemClock(), results: @escaping PushResultSink
  ) throws(SystemError) {
    self.configuration = configuration
    self.clock = clock
    self.results = results
    senderInbox = try SenderInbox(configuration.wire)
    resolver = try Resolver(configuration.wire.lookUp)
    tokenResolver = try Resolver(
      configuration.wire.lookUp, threads: PushTransport.Limits.customersResolverThreads,
      questionsOfOne: PushTransport.Limits.questionsOfOne)
  }

  /// Offers a batch. Returns false, taking nothing, if this lane of its route is full, the lane is resting, or the
  /// route has no connection at present; the caller may offer it again later.
  package func offer(_ batch: PushBatch) -> Bool {
    senderInbox.offer(batch, as: .batch(batch))
  }

  /// Sets or removes an app's credential. Connections of the previous one finish their requests and close.
  package func set(_ credential: FCMCredential?, for app: App.Number) {
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

  package func share(among nodes: Int) {
    senderInbox.command(.share(nodes: nodes))
  }

  /// Stops the sender and makes `run` return. Queued pushes are returned as not processed; open requests finish within
  /// `timeout` or end as unknown. Batches offered later get no result.
  package func stop(within timeout: Duration) {
    senderInbox.command(.stop(within: timeout))
  }

  /// Runs the sender until `stop`. Blocks: call it once, on a dedicated thread ("fcm-0").
  package func run() throws(SystemError) {
    try Resolver.run([resolver, tokenResolver], named: "fcm-dns") { () throws(SystemError) in
      let loop = try SenderLoop(
        configuration: configuration, gate: senderInbox.gate, resolver: resolver, tokenResolver: tokenResolver,
        inbox: senderInbox.inbox, clock: clock, results: results)
      loop.run()
      senderInbox.inbox.close()
    }
  }
}
