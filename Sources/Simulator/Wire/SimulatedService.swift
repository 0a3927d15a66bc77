package import Reactor
internal import Time

/// The state that all connections of the simulated service share: credentials, tokens, faults and logs. Confined to the
/// loop of thread `sim-apns-0`.
package final class SimulatedService {
  package let loop: EventLoop
  let configuration: SimulatorConfiguration
  package var knowledge = ServiceKnowledge()
  package var faults: FaultPlan
  package var log: DeliveryLog
  package var counters = Counters()
  package let fcm: FCMService
  var dice: SplitMix64
  /// Receives the pushes to virtual devices; nil if there are none.
  private var audience: DeliveryAudience?
  /// Receives every accepted push; nil if there is no watcher.
  private var watch: PushWatch?
  /// Counters of the virtual devices, one entry per platform.
  var scoreboards: [DeviceScoreboard] = []
  private var lastConnection = 0
  private var tokenRates: [TokenRegistry.Index: (second: Int64, count: Int)] = [:]
  /// Reused for each request, to avoid allocations.
  let request = PushRequest()

  init(configuration: SimulatorConfiguration, loop: EventLoop) {
    self.configuration = configuration
    self.loop = loop
    fcm = FCMService(configuration: configuration) { loop.clock.wallTime.seconds }
    faults = FaultPlan(seed: configuration.seed)
    dice = SplitMix64(seed: configuration.seed ^ UInt64(truncatingIfNeeded: loop.clock.wallTime.microseconds))
    log = DeliveryLog(keepsPayloads: configuration.keepsPayloads, capacity: configuration.deliveriesKept)
    knowledge.rules = configuration.rules
    knowledge.tokens.unregisteredTokens = configuration.unregisteredTokens
    takeTime()
    loop.atEndOfTurn { [unowned self] in
      audience?.flush()
      fcm.flush()
      watch?.flush()
    }
  }

  /// Returns the number of the connection being accepted, from 1.
  func nextConnectionNumber() -> Int {
    counters.connectionsOpened += 1
    lastConnection += 1
    return lastConnection
  }

  // MARK: Recipients of pushes

  /// Registers the tokens of the virtual devices, which receive their pushes from now on. Returns false if there are
  /// some already.
  func admit(_ plan: DevicePlan, _ pushes: Inbox<DevicePush>) -> Bool {
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

  /// Passes every push accepted from now on to `inbox`, replacing an earlier watcher; nil stops that.
  func watch(_ inbox: Inbox<AcceptedPush>?) {
    watch = inbox.map(PushWatch.init)
  }

  // MARK: Requests

  /// Time of the batch of requests being processed, in microseconds since 1970.
  private(set) var batchMicroseconds: Int64 = 0

  /// Reads the clock once for the batch of requests that follows.
  func takeTime() {
    batchMicroseconds = loop.clock.wallTime.microseconds
  }

  var nowSeconds: Int64 { batchMicroseconds / 1_000_000 }

  /// Counts a push to this token. Returns true if this second's limit (`pushesPerTokenSecond`) is exceeded.
  func exceedsRate(_ token: TokenRegistry.Index) -> Bool {
    guard let most = configuration.pushesPerTokenSecond else { return false }
    let second = nowSeconds
    var rate = tokenRates[token] ?? (second, 0)
    if rate.second != second { rate = (second, 0) }
    rate.count += 1
    tokenRates[token] = rate
    return rate.count > most
  }

  /// Records an accepted push and delivers it to the device.
  func deliver(
    _ request: PushRequest, to token: TokenRegistry.Index, id: MessageID, isOwnID: Bool, in environment: Environment
  ) {
    counters.deliveries += 1
    if request.with(.pushType, { ASCII.equal($0, PushType.liveactivity.rawValue) }) == true,
      let channel = request.withBody({ ActivityStart(ASCII.array($0)) })?.channel
    {
      // From now on, the activity that the push starts follows the channel.
      _ = knowledge.channels.follow(channel, environment)
    }
    if configuration.keepsDeliveries {
      let now = batchMicroseconds
      let badge = request.withBody { PayloadBadge.find(in: $0) }
      let payload = { request.withBody { ASCII.array($0) } }
      let headers = { request.headers }
      let hadCollapseID: Void? = request.with(.collapseID) { collapseID in
        log.record(
          token: token, id: id, isOwnID: isOwnID, collapseID: collapseID, badge: badge, payload: payload,
          headers: headers, atMicroseconds: now)
      }
      if hadCollapseID == nil {
        log.record(
          token: token, id: id, isOwnID: isOwnID, collapseID: nil, badge: badge, payload: payload, headers: headers,
          atMicroseconds: now)
      }
    }
    audience?.deliver(request.withBody { ASCII.array($0) }, to: token)
    watch?.take(request, knowledge.tokens.token(at: token), id, atMicroseconds: batchMicroseconds)
  }

  /// Counts the first use of a provider token on a connection.
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

  /// Returns a snapshot of the counters.
  /// - Parameter openPriorityFrames: number of PRIORITY frames on connections that are still open.
  func snapshot(openPriorityFrames: Int) -> Counters {
    var copy = counters
    copy.duplicates = log.duplicates
    copy.reachedTokens = log.reachedTokens
    copy.knownTokens = knowledge.tokens.count
    copy.devices = DeviceCounters.sum(scoreboards.map(\.counters))
    copy.fcm = fcm.snapshot()
    copy.pushesMissed = (audience?.missed ?? 0) + fcm.missed + (watch?.missed ?? 0)
    copy.priorityFrames += openPriorityFrames
    return copy
  }

  /// Clears what was recorded and removes all faults; keys, tokens and connections are kept.
  package func reset() {
    let open = counters.connectionsOpen
    counters = Counters()
    counters.connectionsOpen = open
    log.removeAll()
    fcm.reset()
    faults.removeAll()
    tokenRates = [:]
  }
}

extension PushRequest {
  /// The headers that the log stores.
  fileprivate var headers: DeliveryLog.Headers {
    DeliveryLog.Headers(
      topic: with(.topic, ASCII.string), pushType: with(.pushType, ASCII.string),
      priority: with(.priority, ASCII.string), expiration: with(.expiration, ASCII.string))
  }
}
