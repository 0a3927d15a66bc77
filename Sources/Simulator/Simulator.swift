package import Reactor
internal import Synchronization

/// Simulates Apple's and Google's push services for tests, demos and benchmarks: TLS and HTTP/2 on the wire, all
/// validation rules, configurable faults, and virtual devices that register with a UPMC server and confirm what they
/// receive.
///
/// ```
///   provider ──TLS, HTTP/2──► Listener ► Connection ► RequestJudge ──► SimulatedService: DeliveryLog, Counters
///                                                     │  validation        │  FaultPlan, tokens, keys
///                                                     │  fault, if any     ▼ inboxes
///   test, person ──HTTP/1.1─► ControlAPI ► Service ───┘               VirtualDevices ──HTTP/1.1──► UPMC
///        └── in the same process: `Simulator`                         a watcher (`Simulator.watch`)
/// ```
///
/// **Threads.** `sim-apns-0` owns the whole state of the services (`Service`), `sim-devices` the virtual devices. Other
/// threads send a closure through an inbox and wait for its result.
///
/// **Validation** (`RequestValidation`) performs no I/O: it takes a request and the service's state and returns a
/// result. The order: path and method, repeated headers, authentication, `apns-` headers, topic, payload, device token.
///
/// **Connections** (`StreamLimitPolicy`): one stream until the first valid push, then 1000; back to 1 after a
/// rejection until a success. Too many errors end in GOAWAY. Streams over the limit are refused or, when the provider
/// knew the limit, answered with GOAWAY.
///
/// **Tokens** (`TokenRegistry`): a registered token has an environment, a topic and a state; an unregistered one is
/// accepted or refused, as configured. A token may request its own fault: `fa17fa17` and four digits, see
/// `FaultPrefix`.
///
/// **Faults** (`Fault`, `FaultPlan`) apply to requests that passed validation, or to new connections. They are selected
/// by token, connection, number, time and a seeded random generator. All connections can be cut at once, and the whole
/// service can be unavailable for a time. No fault misreports what was processed: a push whose stream is reported as
/// not processed (REFUSED_STREAM, above a GOAWAY's last stream) was not delivered, so any duplicate is the provider's.
///
/// **FCM** (`FCMService`) shares connections, faults and the devices' thread with APNs. It has its own rules: OAuth
/// with real signatures, messages validated by the published schema, quotas, and all documented errors.
///
/// **Channels** (`ChannelRegistry`): channel management has addresses of its own, as Apple's has ports of its own;
/// updates arrive at the addresses for pushes. A follower is stored as the number of the update that it shows.
///
/// **Not simulated:** storing pushes for offline devices until they expire; delivery to FCM's topics.
///
/// **Failure.** A protocol error ends only its connection. The simulator keeps everything in memory and starts empty.
package final class Simulator: Sendable {
  package typealias Configuration = SimulatorConfiguration
  package typealias Started = StartedSimulator
  package typealias Endpoints = StartedSimulator.Endpoints
  package typealias ProviderKey = StartedSimulator.ProviderKey
  package typealias StartFailure = SimulatorStartFailure

  private let configuration: Configuration
  private let engine = Mutex<Engine?>(nil)

  package init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  deinit {
    stop()
  }

  /// Opens the listeners and starts the threads. May be called only once.
  package func start() throws(StartFailure) -> Started {
    let engine = try Engine(configuration)
    self.engine.withLock { $0 = engine }
    return engine.started
  }

  /// Starts virtual devices, which register with the server at once. May be called once per platform.
  package func startDevices(_ plan: VirtualDevices.Plan) throws(StartFailure) {
    guard let engine = engine.withLock({ $0 }) else { throw StartFailure(description: "the simulator is not running") }
    try engine.start(plan)
  }

  /// Totals of the virtual devices; nil if there are none.
  package var deviceCounters: DeviceCounters? { engine.withLock { $0 }?.deviceCounters }

  /// Sends GOAWAY on all connections, waits for open streams, and ends the threads. May be called repeatedly.
  package func stop() {
    let engine = engine.withLock { engine in
      defer { engine = nil }
      return engine
    }
    engine?.stop()
  }

  /// Runs `question` on the service's thread and waits for the result.
  package func ask<Answer: Sendable>(_ question: @escaping @Sendable (Service) -> Answer) -> Answer {
    guard let engine = engine.withLock({ $0 }), let answer = engine.ask(question) else {
      preconditionFailure("the simulator is not running")
    }
    return answer
  }

  /// Passes every push accepted from now on to `inbox`; nil stops that. Pushes that do not fit into the inbox are
  /// counted (`Counters.pushesMissed`).
  package func watch(_ inbox: Inbox<AcceptedPush>?) {
    ask { $0.simulated.watch(inbox) }
  }

  /// Ends all open connections at once, as `way` says.
  package func cutConnections(_ way: Effect.Cut) {
    ask { $0.cutConnections(way) }
  }

  /// Simulates an outage: closes all connections and refuses new ones for a time. Afterwards the service continues with
  /// its state.
  package func goAway(for time: Duration) {
    ask { $0.goAway(for: time) }
  }

  // MARK: Shortcuts

  package func counters() -> Counters { ask { $0.snapshot() } }

  /// Returns the deliveries of one token, oldest first.
  package func deliveries(to token: String) -> [DeliveryLog.Delivery] {
    ask { service in
      guard let token = DeviceToken(token), let index = service.simulated.knowledge.tokens.index(of: token) else {
        return []
      }
      return service.simulated.log.deliveries(of: index)
    }
  }

  /// Returns what the device with this token shows: only the newest of pushes with the same collapse id.
  package func shown(on token: String) -> [DeliveryLog.Delivery] {
    ask { service in
      guard let token = DeviceToken(token), let index = service.simulated.knowledge.tokens.index(of: token) else {
        return []
      }
      return service.simulated.log.shown(on: index)
    }
  }

  /// Returns all stored deliveries, in order.
  package func allDeliveries() -> [DeliveryLog.Delivery] {
    ask { service in
      (service.simulated.log.firstKept..<service.simulated.log.count).map { service.simulated.log.delivery($0) }
    }
  }

  package func register(
    token: String, environment: Environment = .production, topic: String? = nil, state: TokenRegistry.State = .active
  ) {
    guard let token = DeviceToken(token) else { preconditionFailure("not a device token: \(token)") }
    ask { service in
      _ = service.simulated.knowledge.tokens.register(token, environment: environment, topic: topic, state: state)
    }
  }

  /// Returns the deliveries of one FCM registration, oldest first.
  package func deliveries(toRegistration name: String) -> [DeliveryLog.Delivery] {
    ask { service in
      let fcm = service.simulated.fcm
      return fcm.registrations.number(of: name).map { fcm.log.deliveries(of: $0) } ?? []
    }
  }

  package func register(registration name: String, state: FCMRegistrations.State = .active) {
    ask { _ = $0.simulated.fcm.registrations.register(name, state: state) }
  }

  /// Returns the state of a broadcast channel by Apple's id; nil if there is none.
  package func channel(_ name: String) -> ChannelRegistry.Report? {
    ask { $0.simulated.knowledge.channels.report(name) }
  }

  /// Adds followers to a channel. Returns false if there is no channel of this name.
  @discardableResult
  package func follow(_ channel: String, _ environment: Environment = .production, count: Int) -> Bool {
    ask { $0.simulated.knowledge.channels.follow(channel, environment, count: count) }
  }

  package func register(_ account: ServiceAccount) {
    ask { $0.simulated.fcm.tokens.register(account) }
  }

  /// Makes all access tokens issued so far invalid.
  package func revokeAccessTokens() {
    ask { $0.simulated.fcm.tokens.revokeAll() }
  }

  package func register(_ key: SigningKey) {
    ask { $0.simulated.knowledge.keys.register(key) }
  }

  @discardableResult
  package func add(_ fault: Fault) throws(Fault.Invalid) -> FaultPlan.ID {
    try ask { service in
      Result { () throws(Fault.Invalid) in
        try service.simulated.faults.add(fault, now: service.simulated.loop.clock.now)
      }
    }.get()
  }

  /// Removes a fault. Does nothing if it no longer exists.
  package func remove(_ fault: FaultPlan.ID) {
    _ = ask { $0.simulated.faults.remove(fault) }
  }

  package func removeFaults() {
    ask { $0.simulated.faults.removeAll() }
  }

  /// Clears what was recorded and removes all faults; keys, tokens and connections are kept.
  package func reset() {
    ask { $0.simulated.reset() }
  }
}
