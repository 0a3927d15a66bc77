package import Domain
internal import HTTP2
internal import HTTPClient
package import Logging
package import Reactor
internal import Time

/// The services that a pool needs from the sender that owns it.
protocol PoolOwner: AnyObject {
  var loop: EventLoop { get }
  var configuration: WireConfiguration { get }
  var outbox: ResultBuffer { get }
  var gate: RouteAdmission { get }
  var meter: PushMeter { get }
  /// Looks up the endpoint's addresses. The result is delivered to `Pool.resolved`, never before this call returns.
  func resolve(_ endpoint: Endpoint, for pool: PoolKey)
  /// Queues the submission again, through the pool that its route uses now. Finishes it with `result` instead if it was
  /// resent too often or its app has no credential any more, or as not processed while the sender stops.
  func sendAgain(_ submission: Submission, otherwise result: SubmissionResult)
  /// Schedules one call of `Pool.work` at the end of this event-loop iteration, however many batches arrive in it.
  func workLater(_ pool: Pool)
  /// Moves a route to a pool of its own, so that its refusals do not affect others.
  func isolate(_ route: PushRoute)
}

/// The queues (routes) and connections of one credential in one push environment. The network's adapter decides what
/// may be sent and interprets the answers. Confined to the sender's event loop.
///
/// Lanes have strict priority across all routes: urgent before normal before bulk. Decision 075.
package final class Pool: PoolConnectionsDelegate {
  package let key: PoolKey
  package let adapter: any PushNetworkAdapter
  package let loop: EventLoop
  private unowned let owner: any PoolOwner
  // Copies of the owner's references: reading them through `owner` would cost reference counting with every push.
  private let outbox: ResultBuffer
  private let meter: PushMeter
  private let configuration: WireConfiguration
  private let routes: PoolRoutes
  private let connections: PoolConnections
  /// True once the network has accepted a push with this credential in this environment.
  package private(set) var hasAccepted = false
  /// True if the pool is already scheduled for `work` in this event-loop iteration. Set by the sender.
  var isWorkDue = false

  init(key: PoolKey, plan: PoolPlan, owner: any PoolOwner) {
    self.key = key
    adapter = plan.adapter
    self.owner = owner
    (outbox, meter) = (owner.outbox, owner.meter)
    loop = owner.loop
    configuration = owner.configuration
    routes = PoolRoutes(
      plan.adapter, authority: plan.endpoint.authority, loop: owner.loop, outbox: owner.outbox, gate: owner.gate,
      meter: owner.meter)
    let tunnel = configuration.tunnel(to: plan.endpoint)
    let settings = ConnectionSettings(
      endpoint: plan.endpoint, tunnel: tunnel, context: plan.context, needsProof: plan.needsProof,
      streamCap: configuration.streamsPerConnection, lastStreamID: configuration.lastStreamID)
    var metadata: Logger.Metadata = ["credential": "\(adapter.name)", "environment": "\(key.environment.name)"]
    if let tunnel { metadata["proxy"] = "\(tunnel.proxy)" }
    connections = PoolConnections(
      of: routes, loop: loop, configuration: configuration, settings: settings, metadata: metadata)
    connections.delegate = self
  }

  /// The current time, in seconds since 1970.
  package var wallSeconds: Int64 { loop.clock.wallTime.seconds }
  package var logger: Logger { configuration.logger }
  var hasConnections: Bool { !connections.all.isEmpty }
  /// True if nothing can be sent until a timer ends (`PoolConnections.isHeldBack`).
  var isHeldBack: Bool { connections.isHeldBack }
  /// The number of ready connections, and of requests in flight on all connections.
  var load: (connections: Int, inFlight: Int) {
    (connections.all.count { $0.isReady }, connections.all.reduce(0) { $0 + $1.inFlight })
  }

  package func log(_ level: Logger.Level, _ text: Logger.Message, _ connection: Connection, _ reason: String = "") {
    connections.log(level, text, connection, reason)
  }

  // MARK: Routes

  package var isShared: Bool { routes.isShared }
  var isUnused: Bool { routes.queues.isEmpty }
  var isQueueEmpty: Bool { routes.isEmpty }

  func attach(_ queue: RouteQueue) {
    routes.attach(queue, isShut: connections.isHeldBack, resting: adapter.restingLanes)
    owner.workLater(self)
  }

  func detach(_ queue: RouteQueue) {
    routes.detach(queue)
  }

  func enqueue(_ batch: PushBatch, _ queue: RouteQueue) {
    guard !connections.isStopping else { return outbox.finish(batch, .notProcessed) }
    if let fault = queue.condition.fault(at: loop.clock.now) {
      return outbox.finish(batch, .credentialFault(reason: fault))
    }
    switch adapter.objection(to: batch) {
    case .wrongEnvironment(let reason): return outbox.finish(batch, .wrongEnvironment(reason: reason))
    case .fault(let reason):
      outbox.finish(batch, .credentialFault(reason: reason))
      return fail(queue, reason)
    case nil: break
    }
    queue.enqueue(batch)
    owner.workLater(self)
  }

  /// Marks a route as failed and finishes everything in its queue as a credential fault. None of its pushes is sent for
  /// `PushTransport.Limits.faultSeconds`, or until an operator resumes the app or its credential changes.
  private func fail(_ queue: RouteQueue, _ reason: String) {
    queue.condition.failed(reason, at: loop.clock.now)
    queue.finishQueued(.credentialFault(reason: reason))
  }

  /// Marks all routes of the pool as failed, because their common credential is at fault, and finishes everything
  /// queued as a credential fault. They are tried again after `PushTransport.Limits.faultSeconds`.
  package func failAll(_ reason: String) {
    for queue in routes.queues { fail(queue, reason) }
  }

  package func finishQueued(_ result: SubmissionResult) {
    routes.finishQueued(result)
  }

  /// Limits how many targets without a result each lane of each route can have, so that few wait longer than their data
  /// counts as fresh.
  package func bound(to targets: Int) {
    routes.bound(to: targets)
  }

  /// Called by the adapter when `restingLanes` has changed. What is queued in the resting lanes ends as not processed.
  package func restingLanesChanged() {
    routes.rest(adapter.restingLanes)
    // Deferred, because the caller may be handling an answer from within `work`.
    owner.workLater(self)
  }

  /// Pauses the whole pool for `duration`, which replaces the rest of an earlier pause: ends everything queued, with
  /// the given result, and refuses new batches. Open requests continue.
  package func rest(for duration: Duration, _ result: SubmissionResult) {
    connections.rest(for: duration, result)
  }

  /// Discards cached request templates, because a header that all requests carry (such as the provider token) has
  /// changed.
  package func forgetTemplates() {
    routes.forgetTemplates()
  }

  // MARK: Submitting

  /// Ends targets that have waited too long or have expired, with the result `stale`, and tries to send the rest.
  func sweep() {
    routes.finishStale(at: loop.clock.now, wallSeconds: wallSeconds)
    work()
  }

  /// Submits queued pushes on the existing connections, and opens another one if they do not suffice.
  package func work() {
    if !isQueueEmpty { connections.pump() }
    connections.arrange()
  }

  func fill(_ connection: Connection) -> Int {
    let now = loop.clock.now
    guard !isQueueEmpty, !connections.isResting(at: now) else { return 0 }
    let share = routes.share(of: connections.streams)
    // Limit each pass to about one or two TLS records, so that the first requests are sent while the next are encoded.
    var rest = PushTransport.Limits.requestsPerTurn
    for lane in Lane.allCases where routes.hasWork(lane) {
      let most = min(rest, adapter.allowance(lane, of: self))
      guard most > 0 else { continue }
      let count = routes.fill(connection, lane, atMost: most, share: share, at: now)
      if count > 0 { adapter.submitted(count) }
      rest -= count
    }
    let submitted = PushTransport.Limits.requestsPerTurn - rest
    if submitted > 0 { connections.used(at: now) }
    return submitted
  }

  // MARK: Answers

  func answered(_ lane: Lane, after time: Duration) {
    meter.answered(lane, after: time)
  }

  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection) {
    let condition = submission.batch.condition
    condition.inFlight -= 1
    meter.ended(ending, wallSeconds: wallSeconds) { adapter.word(for: $0) }
    switch ending {
    case .accepted:
      condition.answered(isError: false)
      hasAccepted = true
      finish(submission, .accepted)
    case .refused(let refusal):
      condition.answered(isError: adapter.isHeldAgainstConnection(refusal))
      adapter.refused(submission, refusal, on: connection, of: self)
      if condition.isErroneous { isolate(condition) }
    case .notProcessed: sendAgain(submission, otherwise: .notProcessed)
    case .unknown(let reason): finish(submission, .unknown(reason: reason))
    }
  }

  package func finish(_ submission: Submission, _ result: SubmissionResult) {
    outbox.finish(submission, result)
  }

  /// Queues the submission again, as `PoolOwner.sendAgain` describes.
  package func sendAgain(_ submission: Submission, otherwise result: SubmissionResult) {
    owner.sendAgain(submission, otherwise: result)
  }

  /// Finishes the submission, and everything queued for its route, as a credential fault, and stops the route for
  /// `PushTransport.Limits.faultSeconds`. The other routes continue, on connections that this route's refusals do not
  /// affect.
  package func pause(_ submission: Submission, _ reason: String, on connection: Connection) {
    log(.error, "credential refused", connection, reason)
    finish(submission, .credentialFault(reason: reason))
    guard let queue = routes[submission.batch.condition.route] else { return }
    fail(queue, reason)
    isolate(queue.condition)
  }

  /// Moves a route from the shared pool to a pool of its own until its credential changes. Does nothing if it has the
  /// pool to itself already.
  package func isolate(_ condition: RouteCondition) {
    guard isShared, !condition.isIsolated else { return }
    owner.isolate(condition.route)
  }

  // MARK: Connections

  func received(_ goAway: GoAway, on connection: Connection) {
    adapter.received(goAway, on: connection, of: self)
  }

  func heard(peerSeconds: Int64) {
    adapter.heard(peerSeconds: peerSeconds, of: self)
    configuration.heardTime?(peerSeconds)
  }

  func resolve(_ endpoint: Endpoint) {
    owner.resolve(endpoint, for: key)
  }

  func resolved(_ result: Result<[SocketAddress], SystemError>) {
    connections.resolved(result)
  }

  func closedBeforeReady(reason: String) {
    adapter.closedBeforeReady(reason: reason, of: self)
  }

  /// Shuts down gracefully: ends what is queued, with the result `notProcessed`, opens no more connections, and lets
  /// open requests finish.
  func stop() {
    routes.finishQueued(.notProcessed)
    connections.stop()
  }

  /// Closes the remaining connections at once. Their open requests end as unknown.
  func abort() {
    connections.abort()
  }
}
