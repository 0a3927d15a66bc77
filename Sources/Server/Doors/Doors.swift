internal import Admin
internal import HTTPServer
internal import Logging
internal import Metrics
internal import Operations
internal import Reactor
internal import Receiver
internal import SDKDoor
internal import TLS

/// The HTTP loops and the admin threads behind them.
final class Doors {
  private let commands: [Inbox<Command>]
  private let drained: Inbox<Void>
  private let admin: AdminThreads
  private let hosted: HostedLoader

  private enum Command: Sendable {
    case drain(within: Duration)
    case renew(TLSContext)
    case close
  }

  /// How many loops serve.
  static var loops: Int { max(1, min(ServerLimits.httpLoops, Machine.cores / 2)) }

  /// - Parameter descriptors: of listening sockets, one for each loop, which are ours from now on.
  init(
    _ configuration: Configuration, descriptors: [Int32], databaseURL: String, catalog: Catalog, keys: SigningKeys,
    master: MasterKey,
    firstWriter: Int32, launchpad: Committer.Launchpad, metrics: Metrics, readiness: NodeReadiness,
    clock: DatabaseClock, messageCommitted: @escaping @Sendable () -> Void
  ) throws {
    let loops = descriptors.count
    let tls = try DoorCertificate.load(configuration.listening)
    let (openFiles, memoryBytes) = (DescriptorLimit.raise(), MemoryLimit.bytes)
    let engine = configuration.listening.engine(
      loops: loops, descriptors: openFiles, memoryBytes: memoryBytes, spoolDirectory: configuration.spoolDirectory)
    if engine.connections * loops < configuration.listening.connections {
      Logger(label: "http").warning(
        "fewer connections than UPMC_MAX_CONNECTIONS: raise the limit of open files (ulimit -n) or of memory",
        metadata: [
          "connections": "\(engine.connections * loops)", "openFiles": "\(openFiles)",
          "memoryMiB": "\(memoryBytes >> 20)",
        ])
    }
    let hosting = Hosting(publicURL: configuration.publicURL)
    let isSecure = tls != nil || configuration.publicURL?.hasPrefix("https://") == true
    let signIns = SignInMeter(metrics)
    let admin = try AdminThreads(
      databaseURL: databaseURL, catalog: catalog, master: master, threads: configuration.handicaps.adminThreads,
      hosting: hosting, tokens: configuration.tokenAddress, clock: clock, isSecure: isSecure,
      isConnected: { readiness.health.lacksConnections = !$0 }, signedIn: { signIns.ended($0) },
      messageCommitted: messageCommitted)
    self.admin = admin
    let hosted = try HostedLoader(databaseURL: databaseURL)
    self.hosted = hosted
    drained = try Inbox(capacity: loops)
    var commands: [Inbox<Command>] = []
    for (number, descriptor) in descriptors.enumerated() {
      let inbox = try Inbox<Command>(capacity: 8)
      commands.append(inbox)
      let drained = drained
      let batchesSends = configuration.handicaps.batchesSends
      let publicDirectory = configuration.publicDirectory
      let sdk = configuration.sdk
      let newDevices = configuration.listening.newDevices(loops: loops)
      _ = try Thread(name: "http-\(number)") {
        do {
          let loop = try EventLoop(clock: clock)
          let committer = try Committer(
            url: databaseURL, writer: firstWriter + Int32(number), catalog: catalog, loop: loop,
            launchpad: launchpad, userProofs: keys.userProofs, newDevices: NewDevices(newDevices),
            meter: CommitterMeter(metrics))
          let door = FrontDoor(
            devices: DeviceDoor(committer: committer, catalog: catalog, keys: keys, loop: loop),
            sdk: ControllerDoor(
              hands: Self.hands(committer, admin, hosting, messageCommitted), catalog: catalog, keys: keys,
              configuration: sdk, loop: loop),
            admin: AdminDoor(
              admin, namedSends: batchesSends ? Self.namedSends(committer, catalog) : nil),
            health: HealthDoor(
              isConnected: { committer.isConnected && !committer.isStalled }, isOutOfRoom: { committer.isOutOfRoom },
              readiness: readiness),
            metrics: MetricsDoor(metrics: metrics, catalog: catalog),
            hosted: try HostedDoor(loader: hosted, loop: loop),
            files: publicDirectory.flatMap { ConsoleFiles.files(in: $0) })
          let server = try HTTPServer(
            loop: loop, listener: Socket(owning: descriptor), configuration: engine, tls: tls, handler: door)
          server.meter = RequestMeter(metrics, kinds: DoorKind.names, failed: Self.tell)
          try loop.attach(inbox) { commands in
            for command in commands {
              switch command {
              case .drain(let patience): server.drain(deadline: patience) { _ = drained.offer(()) }
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

  /// What went wrong is in the log already; this line says whose request it was.
  private static func tell(_ requestID: String, _ door: String, _ status: Int, _ took: Duration) {
    Logger(label: "http").error(
      "a request failed",
      metadata: [
        "requestId": "\(requestID)", "door": "\(door)", "status": "\(status)",
        "milliseconds": "\(took.nanoseconds / 1_000_000)",
      ])
  }

  private static func namedSends(_ committer: Committer, _ catalog: Catalog) -> NamedSendDoor {
    NamedSendDoor(catalog: catalog, isOpen: committer.takesSends) { send, completion in
      committer.submit(.send(send)) { outcome in
        completion(
          outcome.map { answer in
            guard case .sent(let accepted, _) = answer else { preconditionFailure("a send is answered as a send") }
            return accepted
          })
      }
    }
  }

  private static func hands(
    _ committer: Committer, _ admin: AdminThreads, _ hosting: Hosting,
    _ messageCommitted: @escaping @Sendable () -> Void
  ) -> Hands {
    Hands(
      submit: committer.submit, takesSends: committer.takesSends,
      perform: { errand, ticket, job in
        admin.perform(for: errand.caller, at: errand.address, bytes: errand.bytes, ticket, job)
      },
      hosting: hosting, messageCommitted: messageCommitted)
  }

  /// Answers what is there, takes nothing new.
  /// - Parameter adminPatience: after that, whatever the admin threads still work at is cancelled, so that there is time to
  ///   say so.
  func drain(within patience: Duration, adminPatience: Duration) {
    admin.endStreams()
    for inbox in commands { _ = inbox.offer(.drain(within: patience)) }
    let clock = SystemClock()
    let began = clock.now
    let end = began + patience + .seconds(1)
    var (left, cut) = (commands.count, Optional(began + adminPatience))
    while left > 0, clock.now < end {
      if let time = cut, clock.now >= time {
        admin.cutOff()
        cut = nil
      }
      left -= drained.receive(atMost: (cut ?? end) - clock.now).count
    }
  }

  /// New connections are shown this certificate; those that are open go on.
  func renew(_ tls: TLSContext) {
    for inbox in commands { _ = inbox.offer(.renew(tls)) }
  }

  func close() {
    for inbox in commands { _ = inbox.offer(.close) }
    admin.stop()
    hosted.stop()
  }
}
