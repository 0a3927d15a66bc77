package import Domain
internal import HTTP2
internal import HTTPClient
package import Logging
package import Reactor

/// What a pool asks of the sender it belongs to.
protocol PoolOwner: AnyObject {
  var loop: EventLoop { get }
  var configuration: WireConfiguration { get }
  var outbox: Outbox { get }
  var gate: Gate { get }
  var meter: PushMeter { get }
  /// The answer comes to `Pool.resolved`, never from within the call.
  func resolve(_ endpoint: Endpoint, for pool: PoolKey)
  /// Sends it again by whichever pool its route has now.
  func sendAgain(_ submission: Submission, otherwise result: SubmissionResult)
  /// `Pool.work` is due at the end of this turn: once, however many batches arrive.
  func workLater(_ pool: Pool)
  /// Gives a route connections of its own.
  func isolate(_ route: PushRoute)
}

/// The connections of one credential at one environment, and the queues of the routes that share them. On the sender's
/// loop.
///
/// Urgent work of any route goes before normal work of any other, and that before bulk. Within a lane the routes take
/// turns; none may fill more than a part of the connections while others share them.
///
/// This file holds the routes and submitting; connections and answers are in extensions.
package final class Pool: ConnectionOwner {
  package let key: PoolKey
  package let door: any PoolDoor
  unowned let owner: any PoolOwner
  // The owner's, kept here: what is asked for with each push should not cost a reference to the owner each time.
  let outbox: Outbox
  let gate: Gate
  let meter: PushMeter
  package let loop: EventLoop
  let configuration: WireConfiguration
  let settings: Connection.Settings

  /// Seconds since 1970.
  package var wallSeconds: Int64 { loop.clock.wallMicroseconds / 1_000_000 }

  package private(set) var queues: [RouteQueue] = []
  private var turns = Lane.allCases.map { _ in Turn() }
  private var letter = Letter()
  private var templates = TemplateShelf()
  private(set) var isStopping = false
  /// Something changed in this turn; the sender's mark.
  var isWorkDue = false

  /// Its credential has opened this environment: the network has taken a push.
  package internal(set) var hasAccepted = false

  /// Nothing is sent before this: the network asked for rest.
  var restsUntil: Instant?

  // Connections: see the extension.
  var connections: [Connection] = []
  var isResolving = false
  var backOff = BackOff()
  var nextConnectAt: Instant?
  var madeConnections = 0
  /// When the last ones were made.
  var openings: [Instant] = []
  var addressOrder = AddressOrder()
  var lastUsedAt: Instant?
  var isReviewing = false
  /// Since when fewer connections would have done.
  var surplusSince: Instant?

  /// Whose turn it is in a lane, and what is left of it, in targets.
  private struct Turn {
    var position = 0
    var credit = PushWire.Limits.turnTargets
  }

  init(key: PoolKey, plan: PoolPlan, owner: any PoolOwner) {
    self.key = key
    door = plan.door
    self.owner = owner
    (outbox, gate, meter) = (owner.outbox, owner.gate, owner.meter)
    loop = owner.loop
    configuration = owner.configuration
    settings = Connection.Settings(
      endpoint: plan.endpoint, tunnel: configuration.tunnel(to: plan.endpoint), context: plan.context,
      needsProof: plan.needsProof,
      streamCap: configuration.streamsPerConnection, lastStreamID: configuration.lastStreamID)
  }

  // MARK: Routes

  func attach(_ queue: RouteQueue) {
    queues.append(queue)
    if isHeldBack { gate.shut(queue.route) }
    gate.rest(queue.route, door.restingLanes)
    owner.workLater(self)
  }

  func detach(_ queue: RouteQueue) {
    queues.removeAll { $0 === queue }
    for lane in turns.indices { turns[lane] = Turn() }
    gate.open(queue.route)
    gate.rest(queue.route, [])
  }

  func enqueue(_ batch: PushBatch, _ queue: RouteQueue) {
    guard !isStopping else { return outbox.finish(batch, .notProcessed) }
    let now = loop.clock.now
    if let fault = queue.standing.fault(at: now) {
      return outbox.finish(batch, .credentialFault(reason: fault))
    }
    switch door.objection(to: batch) {
    case .wrongEnvironment(let reason): return outbox.finish(batch, .wrongEnvironment(reason: reason))
    case .fault(let reason):
      outbox.finish(batch, .credentialFault(reason: reason))
      return fail(queue, reason)
    case nil: break
    }
    queue.enqueue(batch)
    owner.workLater(self)
  }

  /// Nothing of this route can be sent until an operator mends its settings.
  package func fail(_ queue: RouteQueue, _ reason: String) {
    queue.standing.failed(reason, at: loop.clock.now)
    queue.giveBack(.credentialFault(reason: reason))
  }

  package func queue(of route: PushRoute) -> RouteQueue? {
    queues.first { $0.route == route }
  }

  var isQueueEmpty: Bool { queues.allSatisfy(\.isEmpty) }

  package func giveBackQueues(_ result: SubmissionResult) {
    for queue in queues { queue.giveBack(result) }
  }

  /// Gives back what waited too long, and tries to move the rest.
  func sweep() {
    let now = loop.clock.now
    for queue in queues { queue.giveBackStale(at: now, wallSeconds: wallSeconds) }
    work()
  }

  // MARK: Submitting

  /// Moves what can be moved: fills the connections there are, and gets more where they are not enough.
  package func work() {
    if !isQueueEmpty {
      for connection in connectionsInOrder where connection.allowance(.urgent) > 0 { connection.pump() }
    }
    arrangeConnections()
  }

  func fill(_ connection: Connection) -> Int {
    let now = loop.clock.now
    if let restsUntil, now < restsUntil { return 0 }
    guard !isQueueEmpty else { return 0 }
    // Not more than a TLS record or two at a time, so that the first leave while the next are written.
    var rest = PushWire.Limits.requestsPerTurn
    for lane in Lane.allCases where queues.contains(where: { !$0.isEmpty(lane) }) {
      let most = min(rest, door.allowance(lane, of: self))
      guard most > 0 else { continue }
      let count = fill(connection, lane, atMost: most, at: now)
      if count > 0 { door.submitted(count) }
      rest -= count
    }
    let submitted = PushWire.Limits.requestsPerTurn - rest
    if submitted > 0 { lastUsedAt = now }
    return submitted
  }

  /// One lane: each route sends some, then another one does.
  private func fill(_ connection: Connection, _ lane: Lane, atMost rest: Int, at now: Instant) -> Int {
    var room = min(connection.allowance(lane), rest)
    guard room > 0 else { return 0 }
    let index = Int(lane.rawValue)
    let share = mostOfOneRoute
    var submitted = 0
    var idle = 0
    while room > 0, idle <= queues.count {
      let queue = queues[turns[index].position]
      let most = min(room, turns[index].credit, share - queue.standing.inFlight)
      let count = most > 0 ? submit(queue, lane, atMost: most, on: connection, at: now) : 0
      submitted += count
      room -= count
      turns[index].credit -= count
      let isOver = queue.isEmpty(lane)
      // Neither the queue nor the turn has ended, but the connection takes no more.
      if count < most, !isOver { break }
      if count == 0 { idle += 1 }
      if count == 0 || isOver || turns[index].credit == 0 {
        turns[index] = Turn(position: (turns[index].position + 1) % queues.count)
      }
    }
    return submitted
  }

  /// Submits of one route until the connection takes no more. Returns how many.
  private func submit(
    _ queue: RouteQueue, _ lane: Lane, atMost most: Int, on connection: Connection, at now: Instant
  ) -> Int {
    let wallSeconds = wallSeconds
    let standing = queue.standing
    var count = 0
    while count < most, let submission = queue.next(lane, at: now, wallSeconds: wallSeconds) {
      let message = submission.batch.message
      if let reason = door.compose(submission.batch.targets[submission.target], of: message, into: &letter) {
        outbox.finish(submission, .rejected(reason: reason))
        continue
      }
      guard connection.hasWindow(for: letter.body.count, lane),
        connection.submit(submission, template(for: message), letter)
      else {
        queue.putBack(submission)
        break
      }
      meter.submitted(lane, after: now.nanoseconds - submission.batch.readUntilNanoseconds)
      count += 1
    }
    standing.inFlight += count
    return count
  }

  /// Requests that one route may have under way: all where it is alone.
  var mostOfOneRoute: Int {
    guard queues.count > 1 else { return .max }
    let streams = connections.reduce(0) { $0 + ($1.state.phase == .ready ? $1.shares.urgent : 1) }
    return max(1, streams - streams / PushWire.Limits.routeReservePart)
  }

  private func template(for message: PushMessage) -> RequestTemplate {
    templates.template(for: message) {
      door.template(for: message, authority: settings.endpoint.authority)
    }
  }

  /// What all requests carry has changed: the next ones are written afresh.
  package func forgetTemplates() {
    templates = TemplateShelf()
  }

  // MARK: The end

  /// Takes nothing more; open requests finish.
  func stop() {
    isStopping = true
    giveBackQueues(.notProcessed)
    for connection in connections { connection.retire() }
  }

  /// Ends what is left.
  func abort() {
    for connection in connections { connection.end("stopped") }
  }

  package func log(_ level: Logger.Level, _ text: Logger.Message, _ connection: Connection, _ reason: String = "") {
    var metadata: Logger.Metadata = [
      "credential": "\(door.name)", "environment": "\(key.environment.name)",
      "connection": "\(connection.number)", "address": "\(connection.address?.description ?? "")",
      "reason": "\(reason)",
    ]
    if let tunnel = settings.tunnel { metadata["proxy"] = "\(tunnel.proxy)" }
    configuration.logger.log(level: level, text, metadata: metadata)
  }
}
