internal import Domain
internal import Logging
internal import Reactor
internal import TLS

/// The sender's side of the inbox: owns the loop, the routes' queues, the pools of connections, and what they share.
/// Lives on the sender's thread.
final class SenderLoop: PoolOwner {
  let loop: EventLoop
  let configuration: APNsConfiguration
  let gate: Gate
  let outbox: Outbox
  let meter: PushMeter
  private let resolvers: [APNsEndpoint: Resolver]
  private let inbox: Inbox<APNsCommand>
  private let tokenNeeded: @Sendable (ProviderTokenRequest) -> Void

  private var credentials: [App.Number: APNsCredential] = [:]
  private var tokens: [String: ProviderToken] = [:]
  private var tokenAskedAt: [String: Instant] = [:]
  /// Made when a route is first used, and kept.
  private var queues: [PushRoute: RouteQueue] = [:]
  /// Which connections a route uses at present.
  private var assignments: [PushRoute: Pool] = [:]
  private var pools: [PoolKey: Pool] = [:]
  /// Pools of former credentials that still wait for answers.
  private var endingPools: [Pool] = []
  private var context: TLSContext?
  /// Pools to look after at the end of this turn.
  private var due: [Pool] = []

  private var staleTimer: Timers.ID?
  private var stopDeadline: Instant?

  init(
    configuration: APNsConfiguration, gate: Gate, resolvers: [APNsEndpoint: Resolver], inbox: Inbox<APNsCommand>,
    clock: any Clock, results: @escaping PushResultSink, tokenNeeded: @escaping @Sendable (ProviderTokenRequest) -> Void
  ) throws(SystemError) {
    self.configuration = configuration
    self.gate = gate
    self.resolvers = resolvers
    self.inbox = inbox
    self.tokenNeeded = tokenNeeded
    outbox = Outbox(gate: gate, results: results)
    meter = PushMeter(configuration.metrics, configuration.lastAccepted)
    loop = try EventLoop(clock: clock)
    try loop.attach(inbox) { [unowned self] commands in receive(commands) }
    loop.atEndOfTurn { [unowned self] in endTurn() }
    look()
  }

  /// Counts connections once a second, for the meter.
  private func look() {
    let connections = pools.values.lazy.flatMap(\.connections)
    meter.look(
      connections: connections.count { $0.state.phase == .ready }, inFlight: connections.reduce(0) { $0 + $1.inFlight })
    loop.schedule(after: .seconds(1)) { [weak self] in self?.look() }
  }

  var wallSeconds: Int64 { loop.clock.wallMicroseconds / 1_000_000 }

  // MARK: Commands

  private func receive(_ commands: [APNsCommand]) {
    for command in commands {
      switch command {
      case .batch(let batch): receive(batch)
      case .credential(let credential, let app): set(credential, for: app)
      case .token(let token): set(token)
      case .resolved(let result, let key): pools[key]?.resolved(result)
      case .forgive(let app): forgive(app)
      case .stop(let patience): stop(within: patience)
      }
    }
  }

  private static let noCredential = "this app has no usable APNs credential"

  private func receive(_ batch: PushBatch) {
    guard stopDeadline == nil else { return outbox.finish(batch, .notProcessed) }
    let queue = queue(of: batch.route)
    guard let pool = assignments[batch.route] ?? assign(queue) else {
      return outbox.finish(batch, .noCredential(reason: Self.noCredential))
    }
    pool.enqueue(batch, queue)
    watchForStale()
  }

  private func queue(of route: PushRoute) -> RouteQueue {
    if let queue = queues[route] { return queue }
    let made = RouteQueue(route, outbox: outbox)
    queues[route] = made
    return made
  }

  // MARK: Pools

  /// Gives a route the connections that its credential opens. Nil when nothing does.
  private func assign(_ queue: RouteQueue) -> Pool? {
    guard stopDeadline == nil, let credential = credentials[queue.route.app] else { return nil }
    let key = PoolKey(
      credential: CredentialKey(credential), environment: queue.route.environment,
      isolated: queue.standing.isIsolated ? queue.route.app : nil)
    do throws(TLSError) {
      var known = pools[key]
      if known == nil { known = try makePool(key, credential) }
      guard let pool = known else { return nil }
      pools[key] = pool
      assignments[queue.route] = pool
      pool.attach(queue)
      return pool
    } catch {
      configuration.logger.error(
        "no TLS for this route", metadata: ["app": "\(queue.route.app)", "reason": "\(error)"])
      return nil
    }
  }

  private func makePool(_ key: PoolKey, _ credential: APNsCredential) throws(TLSError) -> Pool {
    switch credential {
    case .token(let teamID, let keyID):
      return Pool(
        key: key, credential: credential, token: tokens[Self.name(teamID, keyID)], context: try sharedContext(),
        owner: self)
    case .certificate(let identity):
      let context = try TLSContext.client(trust: configuration.trust, identity: identity)
      return Pool(key: key, credential: credential, token: nil, context: context, owner: self)
    }
  }

  /// The context of all that use provider tokens, made when the first needs it.
  private func sharedContext() throws(TLSError) -> TLSContext {
    if let context { return context }
    let made = try TLSContext.client(trust: configuration.trust)
    context = made
    return made
  }

  /// Takes a route's connections away; the last one to leave closes them.
  private func unassign(_ queue: RouteQueue) {
    guard let pool = assignments.removeValue(forKey: queue.route) else { return }
    pool.detach(queue)
    guard pool.queues.isEmpty else { return }
    pools[pool.key] = nil
    pool.stop()
    endingPools.append(pool)
  }

  /// A changed credential means other connections: the old ones finish what they have.
  private func set(_ credential: APNsCredential?, for app: App.Number) {
    credentials[app] = credential
    for queue in queues.values where queue.route.app == app {
      unassign(queue)
      queue.standing.forgive()
      reassign(queue)
    }
  }

  private func forgive(_ app: App.Number) {
    for queue in queues.values where queue.route.app == app { queue.standing.forgiveFault() }
  }

  private func reassign(_ queue: RouteQueue) {
    guard !queue.isEmpty, assign(queue) == nil else { return }
    queue.giveBack(.noCredential(reason: Self.noCredential))
  }

  func isolate(_ route: PushRoute) {
    guard let queue = queues[route], !queue.standing.isIsolated else { return }
    configuration.logger.notice(
      "app gets connections of its own, because its refusals would slow others down",
      metadata: ["app": "\(route.app)", "environment": "\(route.environment.name)"])
    queue.standing.isIsolated = true
    unassign(queue)
    reassign(queue)
  }

  func sendAgain(_ submission: Submission, otherwise result: SubmissionResult) {
    let queue = queue(of: submission.batch.standing.route)
    guard stopDeadline == nil, let pool = assignments[queue.route] ?? assign(queue) else {
      return outbox.finish(submission, stopDeadline == nil ? result : .notProcessed)
    }
    queue.sendAgain(submission, otherwise: result)
    workLater(pool)
    watchForStale()
  }

  func workLater(_ pool: Pool) {
    guard !pool.isWorkDue else { return }
    pool.isWorkDue = true
    due.append(pool)
  }

  // MARK: Provider tokens

  private func set(_ token: ProviderToken) {
    tokens[Self.name(token.teamID, token.keyID)] = token
    for pool in pools.values { pool.set(token) }
  }

  private static func name(_ teamID: String, _ keyID: String) -> String { teamID + "." + keyID }

  func needToken(teamID: String, keyID: String, refused: ProviderToken?) {
    let name = Self.name(teamID, keyID)
    let now = loop.clock.now
    if let asked = tokenAskedAt[name], now - asked < .seconds(APNs.Limits.tokenRequestSeconds) { return }
    tokenAskedAt[name] = now
    tokenNeeded(ProviderTokenRequest(teamID: teamID, keyID: keyID, refused: refused))
  }

  // MARK: Names

  func resolve(_ endpoint: APNsEndpoint, for pool: PoolKey) {
    let inbox = inbox
    let question = Resolver.Question(endpoint: endpoint) { result in _ = inbox.offer(.resolved(result, for: pool)) }
    guard resolvers[endpoint]?.ask(question) != true else { return }
    // Not from within the call: the pool is in the middle of something.
    loop.schedule(after: .zero) { [weak self] in
      let error = SystemError(code: 11, operation: "resolve", subject: endpoint.host)
      self?.pools[pool]?.resolved(.failure(error))
    }
  }

  // MARK: Time

  /// While anything waits, gives back what waits too long, ten times a second.
  private func watchForStale() {
    guard staleTimer == nil else { return }
    staleTimer = loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard let self else { return }
      staleTimer = nil
      for pool in Array(pools.values) where !pool.isQueueEmpty { pool.sweep() }
      if pools.values.contains(where: { !$0.isQueueEmpty }) { watchForStale() }
    }
  }

  // MARK: The end

  private func endTurn() {
    // What is due may make more due, a pool that takes over a route say.
    while let pool = due.popLast() {
      pool.isWorkDue = false
      pool.work()
    }
    endingPools.removeAll { $0.connections.isEmpty }
    outbox.deliver()
    if let stopDeadline { stopIfDone(stopDeadline) }
  }

  private func stop(within patience: Duration) {
    stopDeadline = loop.clock.now + patience
    for pool in Array(pools.values) { pool.stop() }
    loop.schedule(after: patience) {}  // a turn at the deadline, whatever happens
  }

  private func stopIfDone(_ deadline: Instant) {
    let all = Array(pools.values) + endingPools
    let isDone = all.allSatisfy(\.connections.isEmpty)
    guard isDone || loop.clock.now >= deadline else { return }
    stopDeadline = nil
    for pool in all { pool.abort() }
    outbox.deliver()
    loop.stop()
  }

  func run() {
    loop.run()
  }
}
