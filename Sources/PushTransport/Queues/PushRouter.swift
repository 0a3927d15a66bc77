package import Domain
internal import Logging
package import Reactor
internal import TLS
internal import Time

/// The core of a push network's sender: owns the queues of all routes and the pools of connections, and assigns routes
/// to pools. Confined to the sender's thread; the network's event loop passes it batches, look-up results and
/// credential changes.
package final class PushRouter: PoolOwner {
  package let loop: EventLoop
  package let configuration: WireConfiguration
  package let gate: RouteAdmission
  package let outbox: ResultBuffer
  let meter: PushMeter
  /// The resolver for each endpoint; its results return through the sender's inbox to `resolved`.
  private let resolvers: [Endpoint: Resolver]
  private let answer: @Sendable (Result<[SocketAddress], SystemError>, PoolKey) -> Void
  package weak var planner: (any PoolProvider)?

  /// The queue of each route, created at its first use and kept.
  private var queues: [PushRoute: RouteQueue] = [:]
  /// The pool that each route uses at present.
  private var assignments: [PushRoute: Pool] = [:]
  private var poolsByKey: [PoolKey: Pool] = [:]
  /// Pools that no route uses any more, until their connections are closed.
  private var endingPools: [Pool] = []
  /// The pools to call `work` on at the end of this event-loop iteration.
  private var due: [Pool] = []
  private var staleTimer: Timers.ID?
  private var stopDeadline: Instant?

  /// Creates a router without queues and pools.
  /// - Parameter answer: posts the result of a look-up to the sender's inbox. Called on a resolver thread.
  package init(
    configuration: WireConfiguration, loop: EventLoop, gate: RouteAdmission, resolvers: [Endpoint: Resolver],
    results: @escaping PushResultSink,
    answer: @escaping @Sendable (Result<[SocketAddress], SystemError>, PoolKey) -> Void
  ) {
    self.configuration = configuration
    self.loop = loop
    self.gate = gate
    self.resolvers = resolvers
    self.answer = answer
    outbox = ResultBuffer(gate: gate, results: results)
    meter = PushMeter(configuration)
    loop.atEndOfTurn { [unowned self] in endTurn() }
    look()
  }

  /// Records in the metrics how many connections, requests in flight, and pools that are held back there are:
  /// immediately, and then once a second.
  private func look() {
    let loads = poolsByKey.values.map(\.load)
    meter.look(
      connections: loads.reduce(0) { $0 + $1.connections }, inFlight: loads.reduce(0) { $0 + $1.inFlight },
      heldBack: poolsByKey.values.count(where: \.isHeldBack))
    loop.schedule(after: .seconds(1)) { [weak self] in self?.look() }
  }

  package var wallSeconds: Int64 { loop.clock.wallTime.seconds }
  package var pools: [Pool] { Array(poolsByKey.values) }
  package var isStopping: Bool { stopDeadline != nil }

  // MARK: Batches

  package func receive(_ batch: PushBatch) {
    guard stopDeadline == nil else { return outbox.finish(batch, .notProcessed) }
    let queue = queue(of: batch.route)
    switch assignment(of: queue) {
    case .pool(let pool):
      pool.enqueue(batch, queue)
      watchForStale()
    case .refused(let result): outbox.finish(batch, result)
    }
  }

  private func queue(of route: PushRoute) -> RouteQueue {
    if let queue = queues[route] { return queue }
    let made = RouteQueue(route, outbox: outbox)
    queues[route] = made
    return made
  }

  // MARK: Pools

  private enum Assignment {
    case pool(Pool)
    /// The route has no pool; its pushes end with this result.
    case refused(SubmissionResult)
  }

  /// Returns the pool that a route uses, and assigns one if it has none. Refuses the route if its app has no
  /// credential, if the router is stopping, or if TLS cannot be set up, which is logged.
  private func assignment(of queue: RouteQueue) -> Assignment {
    if let pool = assignments[queue.route] { return .pool(pool) }
    guard stopDeadline == nil else { return .refused(.notProcessed) }
    do throws(TLSError) {
      guard let pool = try assign(queue) else { return .refused(.noCredential(reason: planner?.noCredential ?? "")) }
      return .pool(pool)
    } catch {
      configuration.logger.error(
        "no TLS for this route", metadata: ["app": "\(queue.route.app)", "reason": "\(error)"])
      // Not a missing credential: the dispatcher gives up the pushes of an app that has one for another network.
      return .refused(.credentialFault(reason: "TLS cannot be set up on this server: \(error)"))
    }
  }

  /// Assigns a route to the pool of its credential, which is created if necessary, and returns the pool. Returns nil if
  /// there is no credential.
  private func assign(_ queue: RouteQueue) throws(TLSError) -> Pool? {
    guard let key = planner?.poolKey(of: queue.route, isIsolated: queue.condition.isIsolated) else { return nil }
    var known = poolsByKey[key]
    if known == nil, let plan = try planner?.makePool(key, for: queue.route) {
      known = Pool(key: key, plan: plan, owner: self)
    }
    guard let pool = known else { return nil }
    poolsByKey[key] = pool
    assignments[queue.route] = pool
    pool.attach(queue)
    return pool
  }

  /// Removes a route from its pool; does nothing if it has none. A pool without routes is closed once its open requests
  /// have ended.
  private func unassign(_ queue: RouteQueue) {
    guard let pool = assignments.removeValue(forKey: queue.route) else { return }
    pool.detach(queue)
    guard pool.isUnused else { return }
    poolsByKey[pool.key] = nil
    pool.stop()
    endingPools.append(pool)
  }

  /// Moves the app's routes to the pool of its new credential; open requests finish on the old connections. Clears the
  /// faults and error histories of the routes. If the app has no credential now, what is queued ends with the
  /// result `noCredential`.
  package func credentialChanged(of app: App.Number) {
    for queue in queues.values where queue.route.app == app {
      unassign(queue)
      queue.condition.forgive()
      reassign(queue)
    }
  }

  /// Clears the faults of an app's routes, so that new batches are sent at once. Called when an operator resumes the
  /// app.
  package func forgive(_ app: App.Number) {
    for queue in queues.values where queue.route.app == app { queue.condition.forgiveFault() }
  }

  private func reassign(_ queue: RouteQueue) {
    guard !queue.isEmpty, case .refused(let result) = assignment(of: queue) else { return }
    queue.finishQueued(result)
  }

  func isolate(_ route: PushRoute) {
    guard let queue = queues[route], !queue.condition.isIsolated else { return }
    configuration.logger.notice(
      "app gets connections of its own, because its refusals would slow others down",
      metadata: ["app": "\(route.app)", "environment": "\(route.environment.name)"])
    queue.condition.isIsolated = true
    unassign(queue)
    reassign(queue)
  }

  func sendAgain(_ submission: Submission, otherwise result: SubmissionResult) {
    let queue = queue(of: submission.batch.condition.route)
    guard stopDeadline == nil, case .pool(let pool) = assignment(of: queue) else {
      return outbox.finish(submission, stopDeadline == nil ? result : .notProcessed)
    }
    queue.sendAgain(submission, otherwise: result)
    workLater(pool)
    watchForStale()
  }

  package func workLater(_ pool: Pool) {
    guard !pool.isWorkDue else { return }
    pool.isWorkDue = true
    due.append(pool)
  }

  // MARK: Look-ups

  func resolve(_ endpoint: Endpoint, for pool: PoolKey) {
    let answer = answer
    let hop = configuration.hop(to: endpoint)
    let question = Resolver.Question(endpoint: hop) { answer($0, pool) }
    guard resolvers[endpoint]?.ask(question) != true else { return }
    // Deferred, because the caller is in the middle of updating the pool.
    loop.schedule(after: .zero) { [weak self] in
      let error = SystemError(code: 11, operation: "resolve", subject: hop.host)
      self?.resolved(.failure(error), for: pool)
    }
  }

  package func resolved(_ result: Result<[SocketAddress], SystemError>, for key: PoolKey) {
    poolsByKey[key]?.resolved(result)
  }

  // MARK: Timers

  /// Finishes stale targets and submits others, ten times a second, as long as anything is queued.
  private func watchForStale() {
    guard staleTimer == nil else { return }
    staleTimer = loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard let self else { return }
      staleTimer = nil
      for pool in pools where !pool.isQueueEmpty { pool.sweep() }
      if poolsByKey.values.contains(where: { !$0.isQueueEmpty }) { watchForStale() }
    }
  }

  // MARK: Stopping

  private func endTurn() {
    // A loop, because working one pool can make others due, for example one that takes over a route.
    while let pool = due.popLast() {
      pool.isWorkDue = false
      pool.work()
    }
    endingPools.removeAll { !$0.hasConnections }
    outbox.deliver()
    if let stopDeadline { stopIfDone(stopDeadline) }
  }

  package func stop(within timeout: Duration) {
    stopDeadline = loop.clock.now + timeout
    for pool in pools { pool.stop() }
    loop.schedule(after: timeout) {}  // a turn at the deadline, whatever happens
  }

  private func stopIfDone(_ deadline: Instant) {
    let all = pools + endingPools
    let isDone = !all.contains(where: \.hasConnections)
    guard isDone || loop.clock.now >= deadline else { return }
    stopDeadline = nil
    for pool in all { pool.abort() }
    outbox.deliver()
    loop.stop()
  }
}
