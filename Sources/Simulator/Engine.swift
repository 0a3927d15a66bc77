internal import Crypto
internal import HTTPServer
internal import Reactor
internal import Synchronization
internal import TLS

/// The running threads of a simulator, and access to their state from other threads.
final class Engine: Sendable {
  typealias Question = @Sendable (Service) -> Void

  let started: StartedSimulator
  private let questions: Inbox<Question>
  private let thread: Mutex<Thread?>
  private let devices = Mutex<[VirtualDevices]>([])

  init(_ configuration: SimulatorConfiguration) throws(SimulatorStartFailure) {
    do {
      let questions = try Inbox<Question>(capacity: 1024)
      let outcome = try Rendezvous<Result<StartedSimulator, SimulatorStartFailure>>()
      let thread = try Thread(name: "sim-apns-0") {
        Self.run(configuration, questions) { outcome.put($0) }
      }
      self.questions = questions
      self.thread = Mutex(thread)
      started = try outcome.take().get()
    } catch {
      throw SimulatorStartFailure(description: String(describing: error))
    }
  }

  /// Runs `question` on the service's thread and waits for its result. Returns nil if the service has stopped.
  func ask<Answer: Sendable>(_ question: @escaping @Sendable (Service) -> Answer) -> Answer? {
    guard let reply = try? Rendezvous<Answer>(), questions.offer({ reply.put(question($0)) }) else { return nil }
    return reply.take()
  }

  /// Registers the virtual devices with the simulated service and starts them.
  func start(_ plan: DevicePlan) throws(SimulatorStartFailure) {
    do {
      let pushes = try Inbox<DevicePush>(capacity: Limits.deliveryBacklog)
      let admitted = ask { plan.isAndroid ? $0.simulated.fcm.admit(plan, pushes) : $0.simulated.admit(plan, pushes) }
      guard admitted == true else {
        throw SimulatorStartFailure(description: "there are virtual devices of this platform already")
      }
      let devices = try VirtualDevices(plan, pushes: pushes)
      let scoreboard = devices.scoreboard
      _ = ask { $0.simulated.scoreboards.append(scoreboard) }
      self.devices.withLock { $0.append(devices) }
    } catch {
      throw SimulatorStartFailure(description: String(describing: error))
    }
  }

  /// Totals of all virtual devices; nil if there are none.
  var deviceCounters: DeviceCounters? {
    DeviceCounters.sum(devices.withLock { $0 }.map(\.scoreboard.counters))
  }

  func stop() {
    let devices = devices.withLock { devices in
      defer { devices = [] }
      return devices
    }
    for each in devices { each.stop() }
    guard let done = try? Rendezvous<Bool>() else { return }
    let isRunning = questions.offer { service in
      service.stop {
        service.loop.stop()
        done.put(true)
      }
    }
    if isRunning { _ = done.take() }
    questions.close()
    Thread.joinOnce(thread)
  }

  // MARK: On the service's thread

  private static func run(
    _ configuration: SimulatorConfiguration, _ questions: Inbox<Question>,
    _ report: (Result<StartedSimulator, SimulatorStartFailure>) -> Void
  ) {
    do {
      let loop = try EventLoop()
      let service = Service(configuration: configuration, loop: loop)
      try loop.attach(questions) { batch in
        for question in batch { question(service) }
      }
      let started = try open(service)
      report(.success(started))
      withExtendedLifetime(service) { loop.run() }
    } catch {
      report(.failure(SimulatorStartFailure(description: String(describing: error))))
    }
  }

  private static func open(_ service: Service) throws -> StartedSimulator {
    let configuration = service.simulated.configuration
    let key = try makeKey(service)
    let authority = try CertificateAuthority(commonName: "UPMC simulator of APNs")
    let contexts = try Listener.Contexts(
      authority: authority, names: configuration.serverNames, nowSeconds: service.simulated.nowSeconds)
    let production = try listen(configuration.listen, .apns(.production), contexts, service)
    let sandbox = try listen(configuration.sandboxListen, .apns(.sandbox), contexts, service)
    let channels = try configuration.channelsListen.map { try listen($0, .channels(.production), contexts, service) }
    let sandboxChannels = try configuration.sandboxChannelsListen.map {
      try listen($0, .channels(.sandbox), contexts, service)
    }
    let fcm = try configuration.fcmListen.map { try listen($0, .fcm, contexts, service) }
    let account = try ServiceAccountFile(
      projectID: configuration.projectID, privateKeyPEM: configuration.serviceAccountKeyPEM)
    service.simulated.fcm.tokens.register(try account.account())
    let api = ControlAPI(
      service: service, authorityPEM: authority.certificatePEM, privateKeyPEM: key.privateKeyPEM, account: account)
    let control = try configuration.controlListen.map { try serve(api, on: $0, service) }
    return StartedSimulator(
      endpoints: .init(
        apns: production, sandbox: sandbox, channels: channels, sandboxChannels: sandboxChannels, fcm: fcm,
        control: control), serviceAccount: account,
      authorityPEM: authority.certificatePEM,
      providerKey: key)
  }

  private static func serve(_ api: ControlAPI, on address: String, _ service: Service) throws -> String {
    let target = try HostPort(address)
    var limits = HTTPServer.Configuration()
    limits.bodyBytes = Limits.controlBodyBytes
    let server = try HTTPServer(
      loop: service.loop, listener: Socket.listen(on: target.resolve()), configuration: limits, handler: api)
    service.control = server
    return target.with(port: server.port)
  }

  private static func makeKey(_ service: Service) throws -> StartedSimulator.ProviderKey {
    let configuration = service.simulated.configuration
    let privateKey =
      try configuration.privateKeyPEM.map { try P256.PrivateKey(pem: $0) }
      ?? P256.PrivateKey()
    let key = StartedSimulator.ProviderKey(
      teamID: "SIMULATOR1", keyID: "SIMKEY0001", privateKeyPEM: privateKey.pem)
    service.simulated.knowledge.keys.register(
      try SigningKey(
        teamID: key.teamID, keyID: key.keyID, publicKeyPEM: privateKey.publicKey.pem,
        topics: configuration.topics))
    return key
  }

  /// Starts listening on an address. Returns the address with the actual port.
  private static func listen(
    _ address: String, _ place: FaultPlan.Place, _ contexts: Listener.Contexts, _ service: Service
  ) throws -> String {
    let target = try HostPort(address)
    let port = try service.open(try Socket.listen(on: target.resolve()), place, contexts)
    return target.with(port: port)
  }
}

/// An address in the form `host:port`, with IPv6 literals in brackets.
struct HostPort {
  let host: String
  let port: UInt16

  init(_ text: String) throws(SimulatorStartFailure) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw SimulatorStartFailure(description: "an address is host:port, not \(text)")
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    self.host = String(host)
    self.port = port
  }

  func with(port: UInt16) -> String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  func resolve() throws -> SocketAddress {
    guard let first = try SocketAddress.resolve(host: host, port: port, passive: true).first else {
      throw SimulatorStartFailure(description: "\(host) has no address")
    }
    return first
  }
}
