internal import Domain
internal import HTTP2
internal import Reactor

/// The routes that share a pool's connections: their round-robin, and how their pushes are encoded and submitted. On
/// the sender's loop.
///
/// Within a lane the routes take turns; while connections are shared, no route may fill more than a part of them.
final class PoolRoutes {
  private(set) var queues: [RouteQueue] = []
  private var turns = Lane.allCases.map { _ in Turn() }
  private var letter = EncodedPush()
  private var templates = TemplateCache()
  private let composer: any PushComposer
  private let authority: String
  private let outbox: ResultBuffer
  private let gate: RouteAdmission
  private let meter: PushMeter
  private let loop: EventLoop

  /// Which route's turn it is in a lane, and the rest of that turn in targets.
  private struct Turn {
    var position = 0
    var credit = PushTransport.Limits.turnTargets
  }

  /// - Parameter authority: that of the network's endpoint.
  init(
    _ composer: any PushComposer, authority: String, loop: EventLoop, outbox: ResultBuffer, gate: RouteAdmission,
    meter: PushMeter
  ) {
    self.composer = composer
    self.authority = authority
    self.loop = loop
    self.outbox = outbox
    self.gate = gate
    self.meter = meter
  }

  // MARK: Membership

  var isShared: Bool { queues.count > 1 }
  var isEmpty: Bool { queues.allSatisfy(\.isEmpty) }

  func hasWork(_ lane: Lane) -> Bool { queues.contains { !$0.isEmpty(lane) } }

  subscript(route: PushRoute) -> RouteQueue? {
    queues.first { $0.route == route }
  }

  func attach(_ queue: RouteQueue, isShut: Bool, resting: Set<Lane>) {
    queues.append(queue)
    if isShut { gate.shut(queue.route) }
    gate.rest(queue.route, resting)
  }

  func detach(_ queue: RouteQueue) {
    queues.removeAll { $0 === queue }
    for lane in turns.indices { turns[lane] = Turn() }
    gate.open(queue.route)
    gate.rest(queue.route, [])
  }

  // MARK: Admission

  /// Closes the admission of all routes, and returns what waits.
  func shut(_ result: SubmissionResult) {
    for queue in queues { gate.shut(queue.route) }
    giveBack(result)
  }

  func open() {
    for queue in queues { gate.open(queue.route) }
  }

  /// Closes the admission of these lanes, and returns what waits in them.
  func rest(_ lanes: Set<Lane>) {
    for queue in queues {
      gate.rest(queue.route, lanes)
      for lane in lanes { queue.giveBack(lane, .notProcessed) }
    }
  }

  /// Limits how many targets each lane of each route may queue.
  func bound(to targets: Int) {
    for queue in queues { gate.bound(queue.route, to: targets) }
  }

  func giveBack(_ result: SubmissionResult) {
    for queue in queues { queue.giveBack(result) }
  }

  func giveBackStale(at now: Instant, wallSeconds: Int64) {
    for queue in queues { queue.giveBackStale(at: now, wallSeconds: wallSeconds) }
  }

  // MARK: Submitting

  /// A part that all requests carry has changed: builds the next templates anew.
  func forgetTemplates() {
    templates = TemplateCache()
  }

  /// Number of requests that one route may have in flight; unbounded if it is alone.
  /// - Parameter streams: of all connections.
  func share(of streams: @autoclosure () -> Int) -> Int {
    guard isShared else { return .max }
    let streams = streams()
    return max(1, streams - streams / PushTransport.Limits.routeReservePart)
  }

  /// Fills one lane, route by route in round-robin. Returns how many requests were submitted.
  /// - Parameter share: number of requests that one route may have in flight.
  func fill(_ connection: Connection, _ lane: Lane, atMost rest: Int, share: Int, at now: Instant) -> Int {
    var room = min(connection.allowance(lane), rest)
    guard room > 0 else { return 0 }
    let index = Int(lane.rawValue)
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
      // The connection takes no more, though neither the queue nor the turn has ended.
      if count < most, !isOver { break }
      if count == 0 { idle += 1 }
      if count == 0 || isOver || turns[index].credit == 0 {
        turns[index] = Turn(position: (turns[index].position + 1) % queues.count)
      }
    }
    return submitted
  }

  /// Submits pushes of one route until the connection takes no more. Returns how many.
  private func submit(
    _ queue: RouteQueue, _ lane: Lane, atMost most: Int, on connection: Connection, at now: Instant
  ) -> Int {
    let wallSeconds = loop.clock.wallMicroseconds / 1_000_000
    let standing = queue.standing
    var count = 0
    while count < most, let submission = queue.next(lane, at: now, wallSeconds: wallSeconds) {
      let message = submission.batch.message
      if let reason = composer.compose(submission.batch.targets[submission.target], of: message, into: &letter) {
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

  private func template(for message: PushMessage) -> RequestTemplate {
    templates.template(for: message) { composer.template(for: message, authority: authority) }
  }
}
