internal import API
internal import HTTPServer
internal import Logging
internal import Metrics
internal import Operations
internal import Reactor
internal import TLS
internal import Tracing

/// The HTTP loops and the admin threads behind them.
final class HTTPService {
  private let commands: [Inbox<Command>]
  private let drained: Inbox<Void>
  private let admin: AdminThreads
  private let hosted: HostedLoader

  private enum Command: Sendable {
    case drain(within: Duration)
    case renew(TLSContext)
    case close
  }

  /// The number of HTTP loops.
  static var loops: Int { max(1, min(ServerLimits.httpLoops, Machine.cores / 2)) }

  /// What the loops and the admin threads share with the rest of the process.
  struct Dependencies: Sendable {
    let databaseURL: String
    let catalog: Catalog
    let keys: SigningKeys
    let master: MasterKey
    /// Number of the first loop's rows in the totals; the other loops take the numbers after it. The dispatcher's
    /// threads must have other numbers.
    let firstWriter: Int32
    let handoff: Committer.DispatchHandoff
    let metrics: Metrics
    let readiness: NodeReadiness
    let clock: DatabaseClock
    let channels: ChannelManagement
    /// Queue for the spans of recorded requests; nil to record none.
    let spans: SpanQueue?
    let messageCommitted: @Sendable () -> Void
  }

  /// Starts the loops and threads.
  /// - Parameters:
  ///   - descriptors: listening sockets, one per loop. The service closes them.
  ///   - tls: TLS context of the listeners; nil for plain HTTP.
  init(
    _ configuration: Configuration, _ dependencies: Dependencies, descriptors: [Int32], tls: TLSContext?
  ) throws {
    let loops = descriptors.count
    let engine = Self.engine(configuration, loops: loops)
    let admin = try AdminThreads(
      Self.adminResources(configuration, dependencies, isSecure: tls != nil),
      threads: configuration.benchmarkOverrides.adminThreads)
    self.admin = admin
    let hosted = try HostedLoader(databaseURL: dependencies.databaseURL)
    self.hosted = hosted
    let handbook = Handbook(
      directory: configuration.publicDirectory.map { $0 + "/docs" }, insertion: Configuration.insertion)
    drained = try Inbox(capacity: loops)
    var commands: [Inbox<Command>] = []
    for (number, descriptor) in descriptors.enumerated() {
      let inbox = try Inbox<Command>(capacity: 8)
      commands.append(inbox)
      let drained = drained
      _ = try Thread(name: "http-\(number)") {
        do {
          let loop = try EventLoop(clock: dependencies.clock)
          let metrics = dependencies.metrics
          let committer = try Committer(
            url: dependencies.databaseURL, writer: dependencies.firstWriter + Int32(number),
            catalog: dependencies.catalog, loop: loop, handoff: dependencies.handoff,
            userProofs: dependencies.keys.userProofs,
            newDevices: NewDevices(configuration.listening.newDevices(loops: loops)),
            timeout: configuration.benchmarkOverrides.commitTimeout, meter: CommitterMeter(metrics),
            spans: dependencies.spans)
          let handler = try RootHandler(
            committer: committer, threads: admin, hosted: hosted, catalog: dependencies.catalog,
            keys: dependencies.keys, hosting: ContentHosting(publicURL: configuration.publicURL),
            legacy: configuration.sdk, batchesSends: configuration.benchmarkOverrides.batchesSends,
            publicDirectory: configuration.publicDirectory, handbook: handbook, readiness: dependencies.readiness,
            metrics: metrics, loop: loop, messageCommitted: dependencies.messageCommitted)
          let server = try HTTPServer(
            loop: loop, listener: Socket(owning: descriptor), configuration: engine, tls: tls, handler: handler)
          server.meter = RequestMeter(
            metrics, kinds: APIKind.names, failed: Self.tell,
            told: AccessLog(isAskedFor: configuration.logsAccess)?.tell,
            tracer: dependencies.spans.map {
              RequestTracer(
                $0, ratio: configuration.export?.traceRatio ?? 0, isSecure: tls != nil, clock: dependencies.clock,
                masked: AccessLog.masked)
            })
          try loop.attach(inbox) { commands in
            for command in commands {
              switch command {
              case .drain(let timeout): server.drain(deadline: timeout) { _ = drained.offer(()) }
              case .renew(let tls): server.tls = tls
              case .close: loop.stop()
              }
            }
          }
          loop.run()
        } catch {
          Logger(label: "http").critical("an HTTP loop could not start", metadata: ["error": "\(error)"])
        }
      }
    }
    self.commands = commands
  }

  /// Returns the configuration of one loop's engine. Logs a warning if the machine's limits allow fewer connections
  /// than configured.
  private static func engine(_ configuration: Configuration, loops: Int) -> HTTPServer.Configuration {
    let (openFiles, memoryBytes) = (DescriptorLimit.raise(), MemoryLimit.bytes)
    let engine = configuration.listening.engine(
      loops: loops, descriptors: openFiles, memoryBytes: memoryBytes, spoolDirectory: configuration.spoolDirectory)
    if engine.connections * loops < configuration.listening.connections {
      Logger(label: "http").warning(
        "fewer connections than UPMC_MAX_CONNECTIONS: raise the limit of open files (ulimit -n) or of memory",
        metadata: [
          "connections": .stringConvertible(engine.connections * loops), "openFiles": "\(openFiles)",
          "memoryMiB": "\(memoryBytes >> 20)",
        ])
    }
    return engine
  }

  /// Returns the resources of the admin threads.
  /// - Parameter isSecure: whether the listeners themselves use TLS; a proxy in front of them may do so instead.
  private static func adminResources(
    _ configuration: Configuration, _ dependencies: Dependencies, isSecure: Bool
  ) -> AdminResources {
    let (metrics, readiness) = (dependencies.metrics, dependencies.readiness)
    let signIns = SignInMeter(metrics)
    var resources = AdminResources(
      databaseURL: dependencies.databaseURL, catalog: dependencies.catalog,
      console: ConsoleSetting(policy: configuration.console, master: dependencies.master), clock: dependencies.clock)
    resources.provider = configuration.openID.map { settings in
      OpenIDProvider(settings, calls: IdentityProviderCaller(configuration))
    }
    resources.isSecure = isSecure || configuration.publicURL?.hasPrefix("https://") == true
    resources.hosting = ContentHosting(publicURL: configuration.publicURL)
    resources.tokens = configuration.tokenAddress
    resources.webhooks = configuration.webhookAddresses
    resources.keyTrial = AppleKeyTrial(configuration, master: dependencies.master)
    resources.channels = dependencies.channels
    resources.nodeState = { NodeState(complaints: readiness.complaints, samples: metrics.samples()) }
    resources.isConnected = { readiness.health.lacksConnections = !$0 }
    resources.signedIn = { signIns.ended($0) }
    resources.messageCommitted = dependencies.messageCommitted
    return resources
  }

  /// Logs which request failed; the cause has been logged already.
  private static func tell(_ requestID: String, _ api: String, _ status: Int, _ took: Duration) {
    Logger(label: "http").error(
      "a request failed",
      metadata: [
        "requestId": "\(requestID)", "api": "\(api)", "status": .stringConvertible(status),
        "milliseconds": .stringConvertible(took.nanoseconds / 1_000_000),
      ])
  }

  /// Stops accepting requests and waits until those in progress are answered.
  /// - Parameters:
  ///   - timeout: time after which the remaining requests are cut off.
  ///   - adminTimeout: time after which the running database statements of admin requests are cancelled, so that time
  ///     is left to answer them.
  func drain(within timeout: Duration, adminTimeout: Duration) {
    admin.endStreams()
    for inbox in commands { _ = inbox.offer(.drain(within: timeout)) }
    let clock = SystemClock()
    let began = clock.now
    let end = began + timeout + .seconds(1)
    var (left, cut) = (commands.count, Optional(began + adminTimeout))
    while left > 0, clock.now < end {
      if let time = cut, clock.now >= time {
        admin.cutOff()
        cut = nil
      }
      left -= drained.receive(atMost: (cut ?? end) - clock.now).count
    }
  }

  /// Switches to this certificate for new connections; existing ones are not affected.
  func renew(_ tls: TLSContext) {
    for inbox in commands { _ = inbox.offer(.renew(tls)) }
  }

  func close() {
    for inbox in commands { _ = inbox.offer(.close) }
    admin.stop()
    hosted.stop()
  }
}
