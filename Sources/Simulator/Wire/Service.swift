internal import HTTPServer
package import Reactor

/// The simulated push service itself: what it knows, what it has seen, and its connections. Lives on the loop of the
/// thread `sim-apns-0`; other threads reach it through `Simulator`.
package final class Service {
  package let loop: EventLoop
  let configuration: Simulator.Configuration
  package var knowledge = RequestValidation.Knowledge()
  package var faults: FaultPlan
  package var log: DeliveryLog
  package var counters = Counters()
  var dice: Dice
  /// Told of every accepted push to one of its devices.
  private var audience: DeliveryAudience?
  /// Sees every accepted push.
  private var watch: PushWatch?
  /// What its devices did.
  var scoreboard: DeviceScoreboard?
  /// Held here, because nobody else would.
  var control: HTTPServer?
  private var connections: [Int: Connection] = [:]
  private var lastConnection = 0
  private var tokenRates: [TokenRegistry.Index: (second: Int64, count: Int)] = [:]
  /// Requests in a row reuse these, so that a steady connection allocates nothing.
  let request = PushRequest()
  private var listeners: [Listener] = []
  private var isStopping = false
  private var stopped: (() -> Void)?

  init(configuration: Simulator.Configuration, loop: EventLoop) {
    self.configuration = configuration
    self.loop = loop
    faults = FaultPlan(seed: configuration.seed)
    dice = Dice(seed: configuration.seed ^ UInt64(truncatingIfNeeded: loop.clock.wallMicroseconds))
    log = DeliveryLog(keepsPayloads: configuration.keepsPayloads)
    knowledge.rules = configuration.rules
    knowledge.tokens.strangers = configuration.strangers
    takeTime()
    scheduleSweep()
    loop.atEndOfTurn { [unowned self] in
      audience?.flush()
      watch?.flush()
    }
  }

  // MARK: Connections

  func add(_ listener: Listener) {
    listeners.append(listener)
  }

  func nextConnectionNumber() -> Int {
    lastConnection += 1
    counters.connectionsOpened += 1
    return lastConnection
  }

  func opened(_ connection: Connection) {
    connections[connection.number] = connection
    counters.connectionsOpen += 1
  }

  func closed(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.number) != nil else { return }
    counters.connectionsOpen -= 1
    if isStopping, connections.isEmpty { finish() }
  }

  /// Ends all open connections in this way.
  func cutConnections(_ way: Effect.Cut) {
    for connection in Array(connections.values) { connection.cut(way) }
  }

  /// Cuts all connections and closes the listeners; opens them again, at the same ports, after `time`.
  func goAway(for time: Duration) {
    cutConnections(.reset)
    for listener in listeners { listener.close() }
    loop.schedule(after: time) { [weak self] in
      guard let self, !isStopping else { return }
      for listener in listeners { listener.reopen() }
    }
  }

  /// No new connections; those there are say GOAWAY and end. Then `completion`.
  func stop(_ completion: @escaping () -> Void) {
    stopped = completion
    isStopping = true
    for listener in listeners { listener.close() }
    control?.close()
    for connection in connections.values { connection.shutDown() }
    guard !connections.isEmpty else { return finish() }
    loop.schedule(after: Simulator.Limits.drain) { [weak self] in self?.finish() }
  }

  private func finish() {
    guard let completion = stopped else { return }
    stopped = nil
    for connection in connections.values { connection.abandon() }
    // Both hold on to this object.
    listeners = []
    control = nil
    completion()
  }

  /// Looks for connections that have been idle, or in their handshake, for too long.
  private func scheduleSweep() {
    let period = min(max(configuration.idle / 4, .milliseconds(20)), .seconds(5))
    loop.schedule(after: period) { [weak self] in
      guard let self else { return }
      for connection in connections.values { connection.checkIdle(now: loop.now) }
      scheduleSweep()
    }
  }

  /// Registers the virtual devices' tokens and hands them their pushes from now on. Once only.
  func admit(_ plan: VirtualDevices.Plan, _ pushes: Inbox<DevicePush>) -> Bool {
    guard audience == nil else { return false }
    let audience = DeliveryAudience(inbox: pushes)
    for device in 0..<plan.count {
      let token = plan.token(of: device)
      audience.add(
        device, token: knowledge.tokens.register(token, environment: plan.environment, topic: plan.appID))
    }
    self.audience = audience
    return true
  }

  /// Hands every push that is accepted from now on to `inbox`. One watch at a time; nil ends it.
  func watch(_ inbox: Inbox<AcceptedPush>?) {
    watch = inbox.map(PushWatch.init)
  }

  // MARK: Requests

  /// The time of the batch of requests that is being looked at, in microseconds since 1970.
  private(set) var batchMicroseconds: Int64 = 0

  /// Looks at the clock, once for many requests.
  func takeTime() {
    batchMicroseconds = loop.clock.wallMicroseconds
  }

  var nowSeconds: Int64 { batchMicroseconds / 1_000_000 }

  /// Whether one more push to this token in this second is one too many. Counts it.
  func exceedsRate(_ token: TokenRegistry.Index) -> Bool {
    guard let most = configuration.pushesPerTokenSecond else { return false }
    let second = nowSeconds
    var rate = tokenRates[token] ?? (second, 0)
    if rate.second != second { rate = (second, 0) }
    rate.count += 1
    tokenRates[token] = rate
    return rate.count > most
  }

  /// Puts an accepted push on record and hands it to the device.
  func deliver(_ request: PushRequest, to token: TokenRegistry.Index, id: MessageID, isOwnID: Bool) {
    counters.deliveries += 1
    if configuration.keepsDeliveries {
      let now = batchMicroseconds
      let payload = { request.withBody { ASCII.array($0) } }
      let hadCollapseID: Void? = request.with(.collapseID) { collapseID in
        log.record(
          token: token, id: id, isOwnID: isOwnID, collapseID: collapseID, payload: payload, atMicroseconds: now)
      }
      if hadCollapseID == nil {
        log.record(token: token, id: id, isOwnID: isOwnID, collapseID: nil, payload: payload, atMicroseconds: now)
      }
    }
    audience?.deliver(request, to: token)
    watch?.take(request, knowledge.tokens.token(at: token), id, atMicroseconds: batchMicroseconds)
  }

  /// A provider token was used on a connection for the first time.
  func sawProviderToken(_ key: SigningKey, issuedAt: Int64) {
    let known = counters.providerTokens.firstIndex {
      $0.teamID == key.teamID && $0.keyID == key.keyID && $0.issuedAt == issuedAt
    }
    if let known {
      counters.providerTokens[known].connections += 1
    } else {
      counters.providerTokens.append(
        .init(teamID: key.teamID, keyID: key.keyID, issuedAt: issuedAt, connections: 1))
    }
  }

  /// The counters as of now.
  package func snapshot() -> Counters {
    var copy = counters
    copy.duplicates = log.duplicates
    copy.reachedTokens = log.reachedTokens
    copy.knownTokens = knowledge.tokens.count
    copy.devices = scoreboard?.counters
    copy.pushesMissed = (audience?.missed ?? 0) + (watch?.missed ?? 0)
    copy.priorityFrames += connections.values.reduce(0) { $0 + $1.priorityFrames }
    return copy
  }

  /// Forgets what was seen (not keys, tokens and connections); ends all faults.
  package func reset() {
    let open = counters.connectionsOpen
    counters = Counters()
    counters.connectionsOpen = open
    log.removeAll()
    faults.removeAll()
    tokenRates = [:]
  }
}
