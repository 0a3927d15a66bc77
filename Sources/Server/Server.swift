package import Reactor
internal import WebhookDelivery
internal import Dispatcher
internal import Domain
internal import Glibc
internal import Logging
internal import Metrics
internal import OTLP
package import Operations
internal import Postgres
internal import PushTransport
internal import API
internal import Store
internal import TLS
internal import Tracing

/// Assembles and runs the parts: configuration, start and stop order, signals.
///
/// ```
///   main        waits for signals
///   http-0…     event loop: HTTP engine, request handlers, committer (one database connection)
///   admin-0…    admin requests, straight-line, each with its own connection; passwords, admin-streams, admin-exports
///   hosted      reads pages and media
///   plan claim complete janitor history fold control badge     the dispatcher
///   apns-0      HTTP/2 to Apple; fcm-0 to Google
///   fallback webhooks webhook-dns-n     webhook delivery: SMS requests, events
///   catalog     apps and credentials, reloaded when something changes
///   key-check   asks Apple about a new key
///   channels    publishes the updates of broadcast channels, at the rate that APNs accepts
///   notices     sends the messages for notices that registrations have stored
///   vitals      samples the backlog; metrics   `/metrics` on an address of its own
///   otlp        sends spans and metrics to a collector, if one is configured
/// ```
///
/// **Where**: `Configuration` holds the settings and depends on no other part; `HTTPService` answers requests;
/// `Credentials` decrypts the push networks' credentials; `Health` collects and reports the node's state;
/// `Demonstration` runs the whole system with a simulator.
///
/// **Start**: what needs no database (`Preflight`) → migrations → addresses → signing keys and apps → providers and
/// dispatcher → HTTP service. The database runs already: the configured one, or a private PostgreSQL (`Database`). A
/// start that cannot succeed ends with one sentence that says why and what to do, before any worker has begun.
///
/// **Stop** (SIGTERM, SIGINT): the HTTP service accepts no new connections and answers its requests, slow admin
/// requests with 503; the dispatcher claims nothing more, waits for outstanding results and hands the rest back; then
/// the private PostgreSQL stops. A kill at any moment is just as safe: everything that was acknowledged is in the
/// database.
package final class Server {
  /// The address of the HTTP service, with the actual port even if 0 was configured.
  package let address: SocketAddress
  /// The address of metrics without credentials; nil when none is configured.
  package var metricsAddress: SocketAddress? { metricsListener?.address }

  private let dispatcher: Dispatcher
  private let senders: Senders
  private let webhooks: WebhookDelivery
  private let http: HTTPService
  private let vitals: VitalsSampler
  private let notices: NoticeWorker
  private let metricsListener: MetricsListener?
  private let exporter: OTLPExporter?
  private let listening: Listening
  private let certificateMetric: CertificateMetric
  private var isStopped = false
  private let log = Logger(label: "server")

  /// Starts everything.
  /// - Parameter databaseURL: a database whose schema is up to date.
  package init(_ configuration: Configuration, databaseURL: String, master: MasterKey) throws {
    let listeners = try Listeners(configuration, loops: HTTPService.loops)
    let connection = try Connection(databaseURL)
    let clock = DatabaseClock(machine: configuration.benchmarkOverrides.clock)
    try clock.ask(connection)
    try MasterKeyRotation.adopt(master, on: connection)
    let keys = try SigningKeys.load(connection, master: master)
    let catalog = try Catalog(seal: keys.contents)
    try catalog.refresh(connection)
    var commands = CommandLineLog()
    try commands.look(connection)

    let results = try ResultInbox()
    let (metrics, health) = (Metrics(), Health())
    let spans = configuration.export.map { _ in SpanQueue() }
    let lastAccepted = LastSuccess()
    let gauges = SenderSettings.Gauges(metrics: metrics, health: health, lastAccepted: lastAccepted)
    var numbers = SystemRandomNumberGenerator()
    let node = UUIDValue(high: numbers.next(), low: numbers.next())
    senders = try Senders(
      configuration, databaseURL: databaseURL, catalog: catalog, master: master, results: results, gauges: gauges,
      clock: clock, keys: keys, node: node, commands: commands)

    // Writers of totals need different numbers. If two happen to be equal, they wait for each other; the totals stay
    // right, unless one has to repeat a transaction whose answer it lost.
    let firstWriter = Int32.random(in: 1...(Int32.max - 100), using: &numbers)
    dispatcher = try Dispatcher(
      DispatcherConfiguration(
        databaseURL: databaseURL, node: node, host: HostName.current, firstWriter: firstWriter, pushkeys: keys.pushkeys,
        contents: keys.contents,
        providers: senders.providers, storesOutcomes: configuration.benchmarkOverrides.storesOutcomes, metrics: metrics,
        keeping: configuration.keeping, settings: configuration.sharedSettings, clock: clock, spans: spans),
      results: results)
    try dispatcher.start()
    vitals = try VitalsSampler(databaseURL: databaseURL, health: health)
    let readiness = NodeReadiness(
      health: health, lastAccepted: lastAccepted, holdsLease: dispatcher.holdsLease,
      goesInCircle: dispatcher.goesInCircle, clock: clock)
    NodeMetrics.register(metrics, readiness, catalog, underWay: dispatcher.underWay)

    webhooks = try WebhookDelivery(
      Self.webhooks(configuration, databaseURL: databaseURL, master: master, contents: keys.contents, clock, spans))
    try webhooks.start()

    let certificate = try ListenerCertificate.read(configuration.listening)
    certificateMetric = CertificateMetric(metrics, certificate?.identity)
    http = try HTTPService(
      configuration,
      HTTPService.Dependencies(
        databaseURL: databaseURL, catalog: catalog, keys: keys, master: master, firstWriter: firstWriter + 10,
        handoff: Committer.DispatchHandoff(node: node, isOpen: dispatcher.takesSends, launch: dispatcher.launch),
        metrics: metrics, readiness: readiness, clock: clock,
        channels: ChannelManagement(
          directory: AppleChannels(configuration, gauges, master: master, clock: clock),
          updated: senders.channelUpdated),
        spans: spans, messageCommitted: dispatcher.poke),
      descriptors: listeners.takeHTTP(), tls: certificate?.context)
    address = listeners.http
    metricsListener = try listeners.takeMetrics().map { descriptor in
      try MetricsListener(
        descriptor, at: listeners.metrics ?? listeners.http,
        metrics: { MetricsHandler(metrics: metrics, catalog: nil) },
        readiness: readiness)
    }
    notices = try NoticeWorker(
      databaseURL: databaseURL, contents: keys.contents, clock: clock, messageCommitted: dispatcher.poke)
    listening = configuration.listening
    exporter = try spans.flatMap { spans in
      try configuration.collector(node: "\(node)", clock: clock).map {
        try OTLPExporter($0, spans: spans, metrics: metrics)
      }
    }
    if let proxy = configuration.proxy {
      log.info("calls out go through a proxy, but for what UPMC_NO_PROXY names", metadata: ["proxy": "\(proxy)"])
    }
    if configuration.fcmValidatesOnly {
      log.warning("UPMC_FCM_VALIDATE_ONLY is true: Google checks every message for FCM and delivers none")
    }
    log.info("serving", metadata: ["address": "\(address)", "version": "\(Product.version)", "node": "\(node)"])
  }

  private static func webhooks(
    _ configuration: Configuration, databaseURL: String, master: MasterKey, contents: ContentSeal,
    _ clock: DatabaseClock, _ spans: SpanQueue?
  ) -> WebhookDeliveryConfiguration {
    var webhooks = WebhookDeliveryConfiguration(databaseURL: databaseURL, contents: contents, clock: clock) {
      sealed, webhook in
      WebhookService.secret(sealed, of: webhook, master: master)
    }
    let phones = PhoneNumberSeal(master: master)
    webhooks.phone = { sealed, user in phones.open(sealed, of: user) }
    webhooks.privateNetworks = configuration.webhookNetworks
    webhooks.proxy = configuration.proxy
    webhooks.spans = spans
    if let pauses = configuration.benchmarkOverrides.webhookRetrySeconds { webhooks.retrySeconds = pauses }
    if let timeout = configuration.benchmarkOverrides.webhookTimeout { webhooks.timeout = timeout }
    if let file = configuration.caFile { webhooks.trust.files.append(file) }
    return webhooks
  }

  /// Reloads the TLS certificate (SIGHUP). If the new one cannot be used, the current one stays.
  package func reload() {
    do throws(ServerError) {
      guard let certificate = try ListenerCertificate.read(listening) else { return }
      http.renew(certificate.context)
      certificateMetric.show(certificate.identity)
      log.info("the listener's certificate was read again")
    } catch {
      log.error("the listener's certificate was not renewed; the old one stays", metadata: ["error": "\(error)"])
    }
  }

  /// Stops everything in order. May be called more than once.
  package func stop() {
    guard !isStopped else { return }
    isStopped = true
    log.info("stopping")
    http.drain(within: ServerLimits.drain, adminTimeout: ServerLimits.adminDrain)
    dispatcher.stop { senders.stop(within: ServerLimits.providerDrain) }
    senders.waitUntilStopped(atMost: ServerLimits.providerDrain + .seconds(2))
    http.close()
    webhooks.stop()
    senders.stopKeeping()
    vitals.stop()
    notices.stop()
    metricsListener?.stop()
    exporter?.stop()
    log.info("stopped")
  }
}
