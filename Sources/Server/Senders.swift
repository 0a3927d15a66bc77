internal import APNs
internal import Dispatcher
internal import Domain
internal import FCM
internal import Logging
internal import Metrics
internal import Operations
internal import Postgres
internal import PushTransport
internal import Reactor
internal import TLS
internal import Time

/// The push network senders, each on its own thread, and the refreshers that supply them.
final class Senders {
  private let apns: APNsSender
  private let fcm: FCMSender
  private let done: Inbox<Void>
  private let catalogRefresher: CatalogRefresher
  private let keyCheck: KeyCheck
  private let channels: ChannelPublisher

  /// The providers that the dispatcher uses.
  var providers: [PushNetwork: any PushProvider] { [.apns: apns, .fcm: fcm] }

  init(
    _ configuration: Configuration, databaseURL: String, catalog: Catalog, master: MasterKey, results: ResultInbox,
    gauges: SenderSettings.Gauges, clock: DatabaseClock, keys: SigningKeys, node: UUIDValue, commands: CommandLineLog
  ) throws {
    let keyCheck = try KeyCheck(configuration, databaseURL: databaseURL, master: master)
    self.keyCheck = keyCheck
    let channels = try ChannelPublisher()
    self.channels = channels
    let requests = try Inbox<ProviderTokenRequest>(capacity: 1024)
    let wanted = catalog.wanted
    let beganAt = clock.wallTime
    // The first refresh of credentials may take a while. Until then the senders refuse all batches, so that none fails
    // for lack of a credential.
    var (toApple, toGoogle) = (SenderSettings.apns(configuration, gauges), SenderSettings.fcm(configuration, gauges))
    toApple.wire.awaitsCredentials = true
    toGoogle.wire.awaitsCredentials = true
    let toDispatcher = results.sink
    let sink: PushResultSink = { results in
      // Usually none of the results belongs to a channel.
      guard results.contains(where: { $0.batch.inbox == ChannelPublisher.inbox }) else { return toDispatcher(results) }
      channels.take(results.filter { $0.batch.inbox == ChannelPublisher.inbox })
      toDispatcher(results.filter { $0.batch.inbox != ChannelPublisher.inbox })
    }
    let apns = try APNsSender(configuration: toApple, clock: clock, results: sink) { request in
      // A request that does not fit into the queue is repeated by the sender a few seconds later.
      _ = requests.offer(request)
      wanted.signal()
    }
    let fcm = try FCMSender(configuration: toGoogle, clock: clock, results: results.sink)
    self.apns = apns
    self.fcm = fcm
    let forgive: @Sendable (App.Number) -> Void = { app in
      apns.forgive(app)
      fcm.forgive(app)
    }
    catalogRefresher = try CatalogRefresher(
      databaseURL: databaseURL, catalog: catalog, commands: commands, forgive: forgive
    ) {
      let apns = APNsCredentialRefresher(
        sender: apns, requests: requests, master: master, health: gauges.health, clock: clock,
        beganAt: beganAt, keyIsNew: { keyCheck.look(at: $0) })
      let fcm = FCMCredentialRefresher(
        sender: fcm, master: master, health: gauges.health, tokens: configuration.tokenAddress)
      let keys = KeyRefresher(configuration, keys: keys, master: master, node: node)
      return { connection in
        try keys.turn(connection)
        try apns.turn(connection)
        try fcm.turn(connection)
      }
    }
    let done = try Inbox<Void>(capacity: 2)
    self.done = done
    try channels.start(apns, databaseURL: databaseURL, metrics: gauges.metrics, clock: clock)
    try Self.run("apns-0", done) { try apns.run() }
    try Self.run("fcm-0", done) { try fcm.run() }
  }

  private static func run(_ name: String, _ done: Inbox<Void>, _ work: @escaping @Sendable () throws -> Void) throws {
    _ = try Thread(name: name) {
      do {
        try work()
      } catch {
        Logger(label: "server").critical(
          "a thread to a push network could not start", metadata: ["thread": "\(name)", "error": "\(error)"])
      }
      _ = done.offer(())
    }
  }

  /// Wakes the channel publisher. Callable from any thread.
  var channelUpdated: @Sendable () -> Void {
    let channels = channels
    return { channels.wake() }
  }

  // MARK: Stopping

  /// Stops submitting. Requests in flight may still be answered within `timeout`.
  func stop(within timeout: Duration) {
    apns.stop(within: timeout)
    fcm.stop(within: timeout)
  }

  func waitUntilStopped(atMost timeout: Duration) {
    let deadline = SystemClock().now + timeout
    var ended = 0
    while ended < 2 {
      let rest = deadline - SystemClock().now
      guard rest > .zero else { return }
      ended += done.receive(atMost: rest).count
    }
  }

  func stopKeeping() {
    catalogRefresher.stop()
    keyCheck.stop()
    channels.stop()
  }
}
