package import Domain
internal import HTTPClient
internal import Logging
internal import Reactor

/// How many connections there are, when the next one is made, and which one goes.
extension Pool {
  // MARK: More

  /// Those to use first: proven ones before new ones, the least busy first, and last those that are about to go.
  var connectionsInOrder: [Connection] {
    guard connections.count > 1 else { return connections }
    func rank(_ connection: Connection) -> Int {
      connection.isLeaving ? 2 : connection.state.phase == .ready ? 0 : 1
    }
    return connections.sorted { (rank($0), $0.inFlight) < (rank($1), $1.inFlight) }
  }

  /// Gets a connection on its way where there is work that the present ones do not take.
  func arrangeConnections() {
    guard !isStopping, !isResolving else { return }
    let now = loop.clock.now
    let staying = connections.filter { !$0.state.isEnding && !$0.isLeaving }
    // One at a time: a connection that is being made will take the queue, or show that none can be made.
    guard staying.allSatisfy({ $0.state.phase == .ready }) else { return }
    let healthy = staying.filter { !$0.state.isStalled }
    guard healthy.count < wantedConnections(healthy, now) else { return }
    if let nextConnectAt, now < nextConnectAt { return holdBack() }
    if let restsUntil, now < restsUntil { return }
    // Services take rapid connecting for an attack, whoever is to blame for the disconnecting.
    openings.removeAll { now - $0 > .seconds(PushWire.Limits.openingsSeconds) }
    guard openings.count < PushWire.Limits.openings else { return connectionFailed("too many connections in a row") }
    openings.append(now)
    isResolving = true
    owner.resolve(settings.endpoint, for: key)
  }

  private func wantedConnections(_ healthy: [Connection], _ now: Instant) -> Int {
    // Warm for a while: whoever comes next need not wait for two round trips of greetings.
    let isWarm = lastUsedAt.map { now - $0 < .seconds(PushWire.Limits.warmSeconds) } ?? false
    let lanes = Lane.allCases.filter { lane in queues.contains { !$0.isEmpty(lane) } }
    guard let lane = lanes.first else { return isWarm ? 1 : 0 }
    // What they still take they will take: it waits for a token, say.
    let share = mostOfOneRoute
    let isStuck = queues.allSatisfy { $0.isEmpty(lane) || $0.standing.inFlight >= share }
    guard isStuck || healthy.allSatisfy({ $0.isFull(lane) }) else { return 0 }
    var demand = Demand()
    demand.present = healthy.count
    demand.isUrgent = lane == .urgent
    demand.inFlight = healthy.reduce(0) { $0 + $1.inFlight }
    demand.backlog = queues.reduce(0) { $0 + $1.count }
    let oldest = queues.compactMap(\.oldestReadNanoseconds).min() ?? now.nanoseconds
    demand.waited = Double(now.nanoseconds - oldest) / 1e9
    if !healthy.isEmpty {
      demand.roundTrip = healthy.reduce(0) { $0 + $1.latency.seconds } / Double(healthy.count)
      demand.perConnection = healthy.reduce(0) { $0 + $1.usualStreams } / healthy.count
    }
    return demand.connections(atMost: configuration.connectionsPerPool)
  }

  func resolved(_ result: Result<[SocketAddress], SystemError>) {
    // An answer to a pool that had this key before.
    guard isResolving else { return }
    isResolving = false
    guard !isStopping else { return }
    switch result {
    case .failure(let error):
      connectionFailed(settings.tunnel?.naming(error) ?? error.description)
    case .success(let addresses): open(addresses)
    }
  }

  private func open(_ addresses: [SocketAddress]) {
    madeConnections += 1
    let now = loop.clock.now
    // Not all of them on the same day, or they would go together.
    let age = configuration.connectionAge * Double.random(in: 0.75...1.25)
    let connection = Connection(
      number: madeConnections, loop: loop, owner: self, settings: settings,
      addresses: addressOrder.order(addresses, inUse: connections.compactMap(\.address), at: now), age: age)
    connections.append(connection)
    connection.open()
    scheduleReview()
  }

  func becameReady(_ connection: Connection) {
    backOff.succeeded()
    nextConnectAt = nil
    openGates()
    log(.info, "connection ready", connection)
    connections.first { $0.isLeaving && !$0.state.isEnding }?.retire()
  }

  // MARK: Fewer

  func needsSuccessor(of connection: Connection) {
    arrangeConnections()
  }

  func isDue(_ connection: Connection) {
    if !connection.isLeaving { log(.info, "connection is to be replaced", connection, "age or stream ids") }
    connection.isLeaving = true
    arrangeConnections()
    let isIdle = lastUsedAt.map { loop.clock.now - $0 >= .seconds(PushWire.Limits.warmSeconds) } ?? true
    if isIdle { connection.retire() }
  }

  func failed(_ address: SocketAddress) {
    addressOrder.failed(address, at: loop.clock.now)
  }

  func closed(_ connection: Connection, reason: String) {
    connections.removeAll { $0 === connection }
    log(connection.wasReady ? .info : .warning, "connection closed", connection, reason)
    if !connection.wasReady { door.closedBeforeReady(reason: reason, of: self) }
    let lived = (loop.clock.now - connection.openedAt).components.seconds
    if connection.wasRetired || connection.wasReady && lived >= PushWire.Limits.youngSeconds {
      work()
    } else {
      connectionFailed(reason)
    }
  }

  // MARK: None

  /// No connection can be used, and none is made just now.
  var isHeldBack: Bool {
    restsUntil != nil || nextConnectAt != nil && connections.allSatisfy(\.state.isEnding)
  }

  private func connectionFailed(_ reason: String) {
    guard !isStopping else { return }
    let wait = backOff.failed(jitter: Double.random(in: 0...1))
    nextConnectAt = loop.clock.now + wait
    loop.schedule(after: wait) { [weak self] in self?.mayConnectAgain() }
    guard isHeldBack else { return }
    configuration.logger.warning(
      "no connection",
      metadata: [
        "endpoint": "\(settings.endpoint.authority)", "environment": "\(key.environment.name)", "reason": "\(reason)",
        "retry": "\(wait)",
      ])
    holdBack()
  }

  /// Where nobody can take the queues before their bindings are stale: back with them, and no more until we try again.
  private func holdBack() {
    guard isHeldBack else { return }
    for queue in queues { gate.shut(queue.route) }
    giveBackQueues(.notProcessed)
  }

  private func mayConnectAgain() {
    // A later failure may have moved it.
    if let nextConnectAt, loop.clock.now < nextConnectAt { return }
    nextConnectAt = nil
    openGates()
    work()
  }

  private func openGates() {
    guard !isHeldBack else { return }
    for queue in queues { gate.open(queue.route) }
  }

  /// Nothing is sent for a while; what waits goes back.
  package func rest(for duration: Duration, _ result: SubmissionResult) {
    restsUntil = loop.clock.now + duration
    for queue in queues { gate.shut(queue.route) }
    giveBackQueues(result)
    loop.schedule(after: duration) { [weak self] in
      // A later request for rest may have moved it.
      guard let self, let restsUntil, loop.clock.now >= restsUntil else { return }
      self.restsUntil = nil
      openGates()
      work()
    }
  }

  /// The door lets other lanes rest than before: what waits in them goes back.
  package func restingLanesChanged() {
    let resting = door.restingLanes
    for queue in queues {
      gate.rest(queue.route, resting)
      for lane in resting { queue.giveBack(lane, .notProcessed) }
    }
    // Not from within the call: an answer may be what has changed them.
    owner.workLater(self)
  }

  // MARK: Review

  /// Looks at all connections together, once a second as long as there are any.
  private func scheduleReview() {
    guard !isReviewing else { return }
    isReviewing = true
    loop.schedule(after: .seconds(1)) { [weak self] in
      guard let self else { return }
      isReviewing = false
      ejectOutlier()
      letSurplusGo()
      if !connections.isEmpty { scheduleReview() }
    }
  }

  /// A connection that is much slower than its siblings, three times in a row, makes place for another one.
  private func ejectOutlier() {
    let judged = connections.filter { $0.state.phase == .ready && !$0.isLeaving }
    let slowest = Latency.outlier(judged.map(\.judgedSeconds))
    for (position, connection) in judged.enumerated() {
      connection.slowTicks = position == slowest ? connection.slowTicks + 1 : 0
      guard connection.slowTicks >= PushWire.Limits.slowTicks else { continue }
      let seconds = connection.judgedSeconds ?? 0
      log(.notice, "connection is replaced: slower than its siblings", connection, "\(seconds) s for an answer")
      connection.retire()
    }
  }

  /// One connection goes when fewer would have done for long.
  private func letSurplusGo() {
    let staying = connections.filter { $0.state.phase == .ready && !$0.isLeaving }
    let inFlight = staying.reduce(0) { $0 + $1.inFlight }
    let rest = staying.dropLast().reduce(0) { $0 + $1.usualStreams }
    guard staying.count > 1, inFlight * 2 < rest else { return surplusSince = nil }
    let now = loop.clock.now
    guard let since = surplusSince else { return surplusSince = now }
    guard now - since >= .seconds(PushWire.Limits.surplusSeconds) else { return }
    surplusSince = nil
    staying.min { $0.inFlight < $1.inFlight }?.retire()
  }
}

extension Connection {
  /// Requests it holds when it is full: by the limit that the peer usually sets, or by the window if that ends first.
  var usualStreams: Int {
    let isWindowFull = inFlight > 0 && !hasWindow(for: PushWire.Limits.payloadBytes, .bulk)
    let limit = usualLimit > 1 ? usualLimit : PushWire.Limits.assumedStreams
    return max(1, isWindowFull ? min(inFlight, limit) : limit)
  }

  /// Seconds for an answer, as far as there are enough of them to judge by. Answers that do not come count too.
  var judgedSeconds: Double? {
    if inFlight >= PushWire.Limits.judgedRequests { return max(latency.seconds, meanAge) }
    return latency.samples >= PushWire.Limits.judgedRequests ? latency.seconds : nil
  }
}
