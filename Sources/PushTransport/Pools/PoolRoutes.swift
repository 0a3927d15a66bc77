internal import Domain
internal import HTTP2
internal import Reactor
internal import Time

/// The routes (app and environment) that share a pool's connections: picks pushes from their queues, encodes and
/// submits them. Confined to the sender's event loop.
///
/// Within a lane the routes are served round-robin. While several share the pool, none may use more than a part of its
/// streams.
final class PoolRoutes {
  private(set) var queues: [RouteQueue] = []
  private var turns = Lane.allCases.map { _ in Turn() }
  private var encoded = EncodedPush()
  private var templates = TemplateCache()
  private let composer: any PushComposer
  private let authority: String
  private let outbox: ResultBuffer
  private let gate: RouteAdmission
  private let meter: PushMeter
  private let loop: EventLoop

  /// The round-robin state of a lane: the index of the current route, and how many more targets it may submit.
  private struct Turn {
    var position = 0
    var credit = PushTransport.Limits.turnTargets
  }

  /// Creates an empty set of routes; `attach` adds them.
  /// - Parameter authority: the `:authority` pseudo-header of requests to the network's endpoint.
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

  /// Makes all routes refuse new batches, and ends what is queued, with the given result.
  func shut(_ result: SubmissionResult) {
    for queue in queues { gate.shut(queue.route) }
    finishQueued(result)
  }

  func open() {
    for queue in queues { gate.open(queue.route) }
  }

  /// Makes all routes refuse new batches for exactly these lanes. What is queued in them ends as not processed.
  func rest(_ lanes: Set<Lane>) {
    for queue in queues {
      gate.rest(queue.route, lanes)
      for lane in lanes { queue.finishQueued(lane, .notProcessed) }
    }
  }

  /// Limits how many targets without a result each lane of each route can have.
  func bound(to targets: Int) {
    for queue in queues { gate.bound(queue.route, to: targets) }
  }

  func finishQueued(_ result: SubmissionResult) {
    for queue in queues { queue.finishQueued(result) }
  }

  func finishStale(at now: Instant, wallSeconds: Int64) {
    for queue in queues { queue.finishStale(at: now, wallSeconds: wallSeconds) }
  }

  // MARK: Submitting

  /// Discards cached request templates, because a header that all requests carry has changed.
  func forgetTemplates() {
    templates = TemplateCache()
  }

  /// Returns the number of requests that one route may have in flight; `Int.max` if it is the pool's only route.
  /// - Parameter streams: number of requests that all connections hold together.
  func share(of streams: @autoclosure () -> Int) -> Int {
    guard isShared else { return .max }
    let streams = streams()
    return max(1, streams - streams / PushTransport.Limits.routeReservePart)
  }

  /// Submits pushes of one lane on a connection, taking routes round-robin, until the connection or the queues allow no
  /// more. Returns how many were submitted.
  /// - Parameters:
  ///   - rest: maximum number to submit.
  ///   - share: number of requests that one route may have in flight.
  func fill(_ connection: Connection, _ lane: Lane, atMost rest: Int, share: Int, at now: Instant) -> Int {
    var room = min(connection.allowance(lane), rest)
    guard room > 0 else { return 0 }
    let index = Int(lane.rawValue)
    var submitted = 0
    var idle = 0
    while room > 0, idle <= queues.count {
      let queue = queues[turns[index].position]
      let most = min(room, turns[index].credit, share - queue.condition.inFlight)
      let count = most > 0 ? submit(queue, lane, atMost: most, on: connection, at: now) : 0
      submitted += count
      room -= count
      turns[index].credit -= count
      let isOver = queue.isEmpty(lane)
      // The connection is full, although the route has more pushes and credit: resume with the same route later.
      if count < most, !isOver { break }
      if count == 0 { idle += 1 }
      if count == 0 || isOver || turns[index].credit == 0 {
        turns[index] = Turn(position: (turns[index].position + 1) % queues.count)
      }
    }
    return submitted
  }

  /// Submits pushes of one route, until `most` are submitted, its lane is empty or the connection accepts no more.
  /// Returns how many were submitted. A target that is stale or cannot be encoded is not submitted: it ends as stale or
  /// as rejected.
  private func submit(
    _ queue: RouteQueue, _ lane: Lane, atMost most: Int, on connection: Connection, at now: Instant
  ) -> Int {
    let wallSeconds = loop.clock.wallTime.seconds
    let condition = queue.condition
    var count = 0
    while count < most, let submission = queue.next(lane, at: now, wallSeconds: wallSeconds) {
      let message = submission.batch.message
      if let reason = composer.compose(submission.batch.targets[submission.target], of: message, into: &encoded) {
        outbox.finish(submission, .rejected(reason: reason))
        continue
      }
      guard connection.hasWindow(for: encoded.body.count, lane),
        connection.submit(submission, template(for: message), encoded)
      else {
        queue.putBack(submission)
        break
      }
      meter.submitted(lane, after: now.nanoseconds - submission.batch.readUntilNanoseconds)
      count += 1
    }
    condition.inFlight += count
    return count
  }

  private func template(for message: PushMessage) -> RequestTemplate {
    templates.template(for: message) { composer.template(for: message, authority: authority) }
  }
}

/// A cache of request templates, one per message: all pushes of a campaign share the same header fields.
struct TemplateCache {
  /// The most recently used entry, checked first because the next push almost always has the same message.
  private var last: (message: PushMessage, template: RequestTemplate)?
  private var entries: [(message: PushMessage, template: RequestTemplate)] = []
  private var oldest = 0

  mutating func template(for message: PushMessage, make: () -> RequestTemplate) -> RequestTemplate {
    if let last, last.message === message { return last.template }
    let template = find(message) ?? keep(message, make())
    last = (message, template)
    return template
  }

  private func find(_ message: PushMessage) -> RequestTemplate? {
    entries.first { $0.message === message }?.template
  }

  private mutating func keep(_ message: PushMessage, _ template: RequestTemplate) -> RequestTemplate {
    if entries.count < PushTransport.Limits.templates {
      entries.append((message, template))
    } else {
      entries[oldest] = (message, template)
      oldest = (oldest + 1) % entries.count
    }
    return template
  }
}
