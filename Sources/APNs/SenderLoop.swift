internal import Domain
internal import Logging
internal import Reactor
internal import TLS

/// The sender's side of the inbox: owns the loop, the pools and what they share. Lives on the sender's thread.
final class SenderLoop {
  let loop: EventLoop
  let configuration: APNsConfiguration
  let gate: Gate
  private let resolver: Resolver
  private let inbox: Inbox<APNsSender.Command>
  private let results: PushResultSink
  private let tokenNeeded: @Sendable (ProviderTokenRequest) -> Void

  private var credentials: [App.Number: APNsCredential] = [:]
  private var tokens: [String: ProviderToken] = [:]
  private var tokenAskedAt: [String: Instant] = [:]
  private var pools: [PushRoute: Pool] = [:]
  private var context: TLSContext?

  // What is delivered at the end of the turn.
  private var finished: [PushResult] = []
  private var left: [PushRoute: Int] = [:]
  private var staleTimer: Timers.ID?
  private var stopDeadline: Instant?

  init(
    configuration: APNsConfiguration, gate: Gate, resolver: Resolver, inbox: Inbox<APNsSender.Command>,
    clock: any Clock, results: @escaping PushResultSink, tokenNeeded: @escaping @Sendable (ProviderTokenRequest) -> Void
  ) throws(SystemError) {
    self.configuration = configuration
    self.gate = gate
    self.resolver = resolver
    self.inbox = inbox
    self.results = results
    self.tokenNeeded = tokenNeeded
    loop = try EventLoop(clock: clock)
    try loop.attach(inbox) { [unowned self] commands in receive(commands) }
    loop.atEndOfTurn { [unowned self] in deliver() }
  }

  /// Seconds since 1970.
  var wallSeconds: Int64 { loop.clock.wallMicroseconds / 1_000_000 }

  /// The context of all that use provider tokens, made when the first needs it.
  func sharedContext() throws(TLSError) -> TLSContext {
    if let context { return context }
    let made = try TLSContext.client(trust: configuration.trust)
    context = made
    return made
  }

  // MARK: Commands

  private func receive(_ commands: [APNsSender.Command]) {
    for command in commands {
      switch command {
      case .batch(let batch): receive(batch)
      case .credential(let credential, let app): set(credential, for: app)
      case .token(let token): set(token)
      case .resolved(let result, let route): pools[route]?.resolved(result)
      case .stop(let patience): stop(within: patience)
      }
    }
  }

  private func receive(_ batch: PushBatch) {
    guard let pool = pool(for: batch.route) else {
      return refuse(batch, .noCredential(reason: "this app has no usable APNs credential"))
    }
    pool.enqueue(batch)
    watchForStale()
  }

  private func refuse(_ batch: PushBatch, _ result: SubmissionResult) {
    for target in batch.targets.indices {
      finish(PushResult(batch: batch.number, target: target, result: result), of: batch.route)
    }
  }

  private func pool(for route: PushRoute) -> Pool? {
    if let pool = pools[route] { return pool }
    guard let credential = credentials[route.app] else { return nil }
    var token: ProviderToken?
    if case .token(let teamID, let keyID) = credential { token = tokens[Self.name(teamID, keyID)] }
    do throws(TLSError) {
      let pool = try Pool(route: route, credential: credential, token: token, sender: self)
      pools[route] = pool
      return pool
    } catch {
      configuration.logger.error("no TLS for this route", metadata: ["app": "\(route.app)", "reason": "\(error)"])
      return nil
    }
  }

  /// A changed credential means new connections: the old ones finish what they have.
  private func set(_ credential: APNsCredential?, for app: App.Number) {
    credentials[app] = credential
    for (route, pool) in pools where route.app == app {
      pools[route] = nil
      pool.stop()
      endingPools.append(pool)
    }
  }

  /// Pools of former credentials that still wait for answers.
  private var endingPools: [Pool] = []

  private func set(_ token: ProviderToken) {
    tokens[Self.name(token.teamID, token.keyID)] = token
    for pool in pools.values { pool.set(token) }
  }

  private static func name(_ teamID: String, _ keyID: String) -> String { teamID + "." + keyID }

  // MARK: For the pools

  /// Asks the owner for a provider token, not more often than every few seconds.
  func needToken(teamID: String, keyID: String, refused: ProviderToken?) {
    let name = Self.name(teamID, keyID)
    let now = loop.clock.now
    if let asked = tokenAskedAt[name], now - asked < .seconds(APNs.Limits.tokenRequestSeconds) { return }
    tokenAskedAt[name] = now
    tokenNeeded(ProviderTokenRequest(teamID: teamID, keyID: keyID, refused: refused))
  }

  func resolve(_ endpoint: APNsEndpoint, for route: PushRoute) {
    let inbox = inbox
    let isAsked = resolver.ask(
      Resolver.Question(endpoint: endpoint) { result in _ = inbox.offer(.resolved(result, for: route)) })
    if !isAsked {
      // Not from within the call: the pool is in the middle of something.
      loop.schedule(after: .zero) { [weak self] in
        let error = SystemError(code: 11, operation: "resolve", subject: endpoint.host)
        self?.pools[route]?.resolved(.failure(error))
      }
    }
  }

  func finish(_ result: PushResult, of route: PushRoute) {
    finished.append(result)
    left[route, default: 0] += 1
  }

  private func deliver() {
    endingPools.removeAll { $0.connections.isEmpty }
    if !finished.isEmpty {
      let batch = finished
      finished = []
      finished.reserveCapacity(batch.count)
      for (route, count) in left { gate.leave(route, count) }
      left.removeAll(keepingCapacity: true)
      results(batch)
    }
    if let stopDeadline { stopIfDone(stopDeadline) }
  }

  // MARK: Time

  /// While anything waits, gives back what waits too long, ten times a second.
  private func watchForStale() {
    guard staleTimer == nil else { return }
    staleTimer = loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard let self else { return }
      staleTimer = nil
      var isWaiting = false
      for pool in pools.values where !pool.isQueueEmpty {
        pool.giveBackStale()
        pool.work()
        isWaiting = isWaiting || !pool.isQueueEmpty
      }
      if isWaiting { watchForStale() }
    }
  }

  // MARK: The end

  private func stop(within patience: Duration) {
    stopDeadline = loop.clock.now + patience
    for pool in pools.values { pool.stop() }
    loop.schedule(after: patience) {}  // a turn at the deadline, whatever happens
  }

  private func stopIfDone(_ deadline: Instant) {
    let all = Array(pools.values) + endingPools
    let isDone = all.allSatisfy(\.connections.isEmpty)
    guard isDone || loop.clock.now >= deadline else { return }
    stopDeadline = nil
    for pool in all { pool.abort() }
    deliver()
    loop.stop()
  }

  func run() {
    loop.run()
  }
}
