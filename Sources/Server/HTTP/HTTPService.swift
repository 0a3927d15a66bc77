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

  /// Starts the loops and threads.
  /// - Parameters:
  ///   - descriptors: listening sockets, one per loop. The service closes them.
  ///   - tls: TLS context of the listeners; nil for plain HTTP.
  ///   - firstWriter: number of the first loop's rows in the totals; the other loops take the numbers after it. The
  ///     dispatcher's threads must have other numbers.
  ///   - spans: queue for the spans of recorded requests; nil to record none.
  init(
    _ configuration: Configuration, descriptors: [Int32], tls: TLSContext?, databaseURL: String, catalog: Catalog,
    keys: SigningKeys, master: MasterKey,
    firstWriter: Int32, handoff: Committer.DispatchHandoff, metrics: Metrics, readiness: NodeReadiness,
    clock: DatabaseClock, channels: ChannelManagement, spans: SpanQueue?,
    messageCommitted: @escaping @Sendable () -> Void
  ) throws {
    let loops = descriptors.count
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
    let hosting = ContentHosting(publicURL: configuration.publicURL)
    let isSecure = tls != nil || configuration.publicURL?.hasPrefix("https://") == true
    let signIns = SignInMeter(metrics)
    let admin = try AdminThreads(
      databaseURL: databaseURL, catalog: catalog, master: master,
      threads: configuration.benchmarkOverrides.adminThreads,
      hosting: hosting, tokens: configuration.tokenAddress, webhooks: configuration.webhookAddresses,
      keyTrial: AppleKeyTrial(configuration, master: master), channels: channels, clock: clock, isSecure: isSecure,
      policy: configuration.console,
      identityProvider: configuration.openID.map { settings in
        OpenIDProvider(settings, calls: IdentityProviderCaller(configuration))
      },
      nodeState: { NodeState(complaints: readiness.complaints, samples: metrics.samples()) },
      isConnected: { readiness.health.lacksConnections = !$0 }, signedIn: { signIns.ended($0) },
      messageCommitted: messageCommitted)
    self.admin = admin
    let hosted = try HostedLoader(databaseURL: databaseURL)
    self.hosted = hosted
    let handbook = Handbook(
      directory: configuration.publicDirectory.map { $0 + "/docs" }, insertion: Configuration.insertion)
    drained = try Inbox(capacity: loops)
    var commands: [Inbox<Command>] = []
    for (number, descriptor) in descriptors.enumerated() {
      let inbox = try Inbox<Command>(capacity: 8)
      commands.append(inbox)
      let drained = drained
      let batchesSends = configuration.benchmarkOverrides.batchesSends
      let commitTimeout = configuration.benchmarkOverrides.commitTimeout
      let publicDirectory = configuration.publicDirectory
      let sdk = configuration.sdk
      let logsAccess = configuration.logsAccess
      let traceRatio = configuration.export?.traceRatio ?? 0
      let newDevices = configuration.listening.newDevices(loops: loops)
      _ = try Thread(name: "http-\(number)") {
        do {
          let loop = try EventLoop(clock: clock)
          let committer = try Committer(
            url: databaseURL, writer: firstWriter + Int32(number), catalog: catalog, loop: loop,
            handoff: handoff, userProofs: keys.userProofs, newDevices: NewDevices(newDevices),
            timeout: commitTimeout, meter: CommitterMeter(metrics), spans: spans)
          let handler = try RootHandler(
            committer: committer, threads: admin, hosted: hosted, catalog: catalog, keys: keys, hosting: hosting,
            legacy: sdk, batchesSends: batchesSends, publicDirectory: publicDirectory, handbook: handbook,
            readiness: readiness, metrics: metrics, loop: loop, messageCommitted: messageCommitted)
          let server = try HTTPServer(
            loop: loop, listener: Socket(owning: descriptor), configuration: engine, tls: tls, handler: handler)
          server.meter = RequestMeter(
            metrics, kinds: APIKind.names, failed: Self.tell, told: AccessLog(isAskedFor: logsAccess)?.tell,
            tracer: spans.map {
              RequestTracer(
                $0, ratio: traceRatio, isSecure: tls != nil, clock: clock, masked: AccessLog.masked)
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
