package import Reactor
internal import WebhookDelivery
internal import Dispatcher
internal import Domain
internal import Glibc
internal import Logging
internal import Metrics
package import Operations
internal import Postgres
internal import PushTransport
internal import API
internal import Store
internal import TLS

/// Puts the parts together and runs them: configuration, start and stop order, signals.
///
/// ```
///   main        waits for signals
///   http-0…     event loop: HTTP engine, device door, committer (one database connection)
///   admin-0…    admin requests, straight-line, a connection each
///   plan claim complete janitor fold …    the dispatcher
///   apns-0      HTTP/2 to Apple
///   fallback webhooks webhook-dns-n the courier: short messages, events
///   catalog     apps and credentials, read again when something changes
///   key-check   asks Apple about a new key
///   channels    publishes on broadcast channels, each at its pace
///   notices     makes messages of what registrations have to tell
///   vitals      looks how much waits; metrics   `/metrics` on an address of its own
/// ```
///
/// **Where**: `Configuration` is what it is set to, and knows nothing of the rest; `HTTPService` is what answers requests;
/// `Credentials` opens what the push networks ask for; `Health` is how it is, and who is told; `Demonstration` shows it.
///
/// **Start**: what needs no database (`Preflight`) → migrations → addresses → signing keys and apps → providers and
/// dispatcher → doors. The database is there already: the configured one, or a private PostgreSQL (`Database`). A start that
/// cannot succeed ends with one sentence that says why and what to do, before an engine has begun to work.
///
/// **Stop** (SIGTERM, SIGINT): the doors take no new connections and answer what they have, admin requests that take long with
/// 503; the dispatcher claims nothing
/// more, waits for answers under way and hands the rest back; then the private PostgreSQL is stopped. A kill at any
/// moment is as good: everything that was promised is in the database.
package final class Server {
  /// Where the doors listen; the port is the real one, also when 0 was asked for.
  package let address: SocketAddress
  /// Where metrics are shown without a credential; nil when that was not asked for.
  package var metricsAddress: SocketAddress? { metricsListener?.address }

  private let dispatcher: Dispatcher
  private let senders: Senders
  private let webhooks: WebhookDelivery
  private let doors: HTTPService
  private let vitals: VitalsSampler
  private let notices: NoticeWorker
  private let metricsListener: MetricsListener?
  private let listening: Listening
  private var isStopped = false
  private let log = Logger(label: "server")

  /// Starts everything.
  /// - Parameter databaseURL: of a database that exists and whose schema is current.
  package init(_ configuration: Configuration, databaseURL: String, master: MasterKey) throws {
    let listeners = try Listeners(configuration, loops: HTTPService.loops)
    let connection = try Connection(databaseURL)
    let clock = DatabaseClock(machine: configuration.handicaps.clock)
    try clock.ask(connection)
    let keys = try SigningKeys.load(connection, master: master)
    let catalog = try Catalog(seal: keys.contents)
    try catalog.refresh(connection)

    let results = try ResultInbox()
    let (metrics, health) = (Metrics(), Health())
    let lastAccepted = LastSuccess()
    let gauges = SenderSettings.Gauges(metrics: metrics, health: health, lastAccepted: lastAccepted)
    senders = try Senders(
      configuration, databaseURL: databaseURL, catalog: catalog, master: master, results: results, gauges: gauges,
      clock: clock)

    var numbers = SystemRandomNumberGenerator()
    let node = UUIDValue(high: numbers.next(), low: numbers.next())
    // Writers of totals only need to differ from each other; a clash would cost time, not correctness.
    let firstWriter = Int32.random(in: 1...(Int32.max - 100), using: &numbers)
    dispatcher = try Dispatcher(
      DispatcherConfiguration(
        databaseURL: databaseURL, node: node, firstWriter: firstWriter, pushkeys: keys.pushkeys,
        contents: keys.contents,
        providers: senders.providers, storesOutcomes: configuration.handicaps.storesOutcomes, metrics: metrics,
        keeping: configuration.keeping, clock: clock),
      results: results)
    try dispatcher.start()
    vitals = try VitalsSampler(databaseURL: databaseURL, health: health)
    let readiness = NodeReadiness(
      health: health, lastAccepted: lastAccepted, holdsLease: dispatcher.holdsLease,
      goesInCircle: dispatcher.goesInCircle, clock: clock)
    NodeMetrics.register(metrics, readiness, catalog, underWay: dispatcher.underWay)

    webhooks = try WebhookDelivery(
      Self.webhooks(configuration, databaseURL: databaseURL, master: master, contents: keys.contents, clock))
    try webhooks.start()

    doors = try HTTPService(
      configuration, descriptors: listeners.takeDoors(), databaseURL: databaseURL, catalog: catalog, keys: keys,
      master: master,
      firstWriter: firstWriter + 10,
      launchpad: Committer.DispatchHandoff(node: node, isOpen: dispatcher.takesSends, launch: dispatcher.launch),
      metrics: metrics, readiness: readiness, clock: clock,
      channels: ChannelWays(
        directory: AppleChannels(configuration, gauges, master: master, clock: clock),
        updated: senders.channelUpdated),
      messageCommitted: dispatcher.poke)
    address = listeners.doors
    metricsListener = try listeners.takeMetrics().map { descriptor in
      try MetricsListener(
        descriptor, at: listeners.metrics ?? listeners.doors,
        metrics: { MetricsHandler(metrics: metrics, catalog: nil) },
        readiness: readiness)
    }
    notices = try NoticeWorker(
      databaseURL: databaseURL, contents: keys.contents, clock: clock, messageCommitted: dispatcher.poke)
    listening = configuration.listening
    if let proxy = configuration.proxy {
      log.info("calls out go through a proxy, but for what UPMC_NO_PROXY names", metadata: ["proxy": "\(proxy)"])
    }
    log.info("serving", metadata: ["address": "\(address)", "version": "\(Product.version)", "node": "\(node)"])
  }

  private static func webhooks(
    _ configuration: Configuration, databaseURL: String, master: MasterKey, contents: ContentSeal,
    _ clock: DatabaseClock
  ) -> WebhookDeliveryConfiguration {
    var webhooks = WebhookDeliveryConfiguration(databaseURL: databaseURL, contents: contents, clock: clock) {
      sealed, webhook in
      WebhookService.secret(sealed, of: webhook, master: master)
    }
    let phones = PhoneNumberSeal(master: master)
    webhooks.phone = { sealed, user in phones.open(sealed, of: user) }
    webhooks.privateNetworks = configuration.webhookNetworks
    webhooks.proxy = configuration.proxy
    if let pauses = configuration.handicaps.webhookRetrySeconds { webhooks.retrySeconds = pauses }
    if let file = configuration.caFile { webhooks.trust.files.append(file) }
    return webhooks
  }

  /// Reads the doors' certificate again (SIGHUP). One that cannot be used changes nothing.
  package func reload() {
    do throws(ServerError) {
      guard let tls = try ListenerCertificate.load(listening) else { return }
      doors.renew(tls)
      log.info("the doors' certificate was read again")
    } catch {
      log.error("the doors' certificate was not renewed; the old one stays", metadata: ["error": "\(error)"])
    }
  }

  /// Ends in good order. Further calls do nothing.
  package func stop() {
    guard !isStopped else { return }
    isStopped = true
    log.info("stopping")
    doors.drain(within: ServerLimits.drain, adminTimeout: ServerLimits.adminDrain)
    dispatcher.stop { senders.stop(within: ServerLimits.providerDrain) }
    senders.waitUntilStopped(atMost: ServerLimits.providerDrain + .seconds(2))
    doors.close()
    webhooks.stop()
    senders.stopKeeping()
    vitals.stop()
    notices.stop()
    metricsListener?.stop()
    log.info("stopped")
  }
}
