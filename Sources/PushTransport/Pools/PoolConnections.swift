internal import Domain
internal import HTTPClient
internal import Logging
internal import Reactor

/// The services that the connections need from their pool.
protocol PoolConnectionsDelegate: RequestSource {
  /// Looks up the endpoint's addresses. The result is delivered to `PoolConnections.resolved`, never before this call
  /// returns.
  func resolve(_ endpoint: Endpoint)
  /// Asks the pool to submit more requests, because capacity has become available.
  func work()
  /// Called when a connection was closed before it became ready.
  func closedBeforeReady(reason: String)
}

/// The connections of a pool. Decides how many there should be, when to open the next, and which to retire. Confined to
/// the sender's event loop.
final class PoolConnections: ConnectionOwner {
  weak var delegate: (any PoolConnectionsDelegate)?
  private let routes: PoolRoutes
  private let loop: EventLoop
  private let configuration: WireConfiguration
  private let settings: ConnectionSettings
  /// The logger metadata that identifies the pool.
  private let metadata: Logger.Metadata

  private(set) var all: [Connection] = []
  private var made = 0
  private var isResolving = false
  private(set) var isStopping = false
  private var addressOrder = AddressOrder()
  private var backOff = BackOff()
  private var nextConnectAt: Instant?
  /// The times at which connections were opened in about the last `openingsSeconds`, to limit their rate.
  private var openings: [Instant] = []
  /// The end of the pause that the network asked for, before which nothing is sent; nil without a pause.
  private var restsUntil: Instant?
  private var lastUsedAt: Instant?
  private var isReviewing = false
  /// The time since which fewer connections would have sufficed; nil if all are needed.
  private var surplusSince: Instant?
  /// True from the first warning that nothing can be sent, until a connection has lasted for `youngSeconds`.
  private var isFaulty = false
  /// The number of the connection that was much slower than the others at the last review, and for how many reviews in
  /// a row; nil if none was.
  private var slowReviews: (connection: Int, count: Int)?

  init(
    of routes: PoolRoutes, loop: EventLoop, configuration: WireConfiguration, settings: ConnectionSettings,
    metadata: Logger.Metadata
  ) {
    self.routes = routes
    self.loop = loop
    self.configuration = configuration
    self.settings = settings
    self.metadata = metadata
  }

  /// The number of concurrent requests that all connections hold together; one that is not ready counts as one.
  var streams: Int { all.reduce(0) { $0 + ($1.isReady ? $1.requests.shares.urgent : 1) } }

  func used(at now: Instant) {
    lastUsedAt = now
  }

  /// Submits requests on all connections that accept more: ready ones first, in order of load, and those about to
  /// retire last.
  func pump() {
    func rank(_ connection: Connection) -> Int {
      connection.isLeaving ? 2 : connection.isReady ? 0 : 1
    }
    let inOrder = all.count > 1 ? all.sorted { (rank($0), $0.inFlight) < (rank($1), $1.inFlight) } : all
    for connection in inOrder where connection.allowance(.urgent) > 0 { connection.pump() }
  }

  // MARK: Opening connections

  /// Opens a connection if there is work that the existing ones cannot take, or if the pool has none although it was
  /// used lately. Does nothing while another connection is being opened, while the pool rests, or after `stop`. During
  /// back-off, opens none; if no connection is usable either, what is queued ends with the result `notProcessed`. If
  /// too many were opened lately, begins a back-off.
  func arrange() {
    guard !isStopping, !isResolving else { return }
    let now = loop.clock.now
    let staying = all.filter { !$0.isEnding && !$0.isLeaving }
    // Open one connection at a time: the new one will take the queue, or show that none can be opened.
    guard staying.allSatisfy(\.isReady) else { return }
    let healthy = staying.filter { !$0.isStalled }
    guard healthy.count < wanted(healthy, now) else { return }
    if let nextConnectAt, now < nextConnectAt { return holdBack() }
    if isResting(at: now) { return }
    // Services treat rapid reconnecting as an attack, even if they caused the disconnects.
    openings.removeAll { now - $0 > .seconds(PushTransport.Limits.openingsSeconds) }
    guard openings.count < PushTransport.Limits.openings else { return failed("too many connections in a row") }
    openings.append(now)
    isResolving = true
    delegate?.resolve(settings.endpoint)
  }

  private func wanted(_ healthy: [Connection], _ now: Instant) -> Int {
    // Keep one connection open for a while, so that the next push does not wait for two round trips of handshakes.
    guard let lane = Lane.allCases.first(where: routes.hasWork) else { return isWarm(at: now) ? 1 : 0 }
    // If the connections have room for this lane, more connections would not help: the lane waits for something else,
    // such as a token.
    let share = routes.share(of: streams)
    let isStuck = routes.queues.allSatisfy { $0.isEmpty(lane) || $0.condition.inFlight >= share }
    guard isStuck || healthy.allSatisfy({ $0.isFull(lane) }) else { return 0 }
    var demand = ConnectionDemand()
    demand.present = healthy.count
    demand.isUrgent = lane == .urgent
    demand.inFlight = healthy.reduce(0) { $0 + $1.inFlight }
    demand.backlog = routes.queues.reduce(0) { $0 + $1.count }
    let oldest = routes.queues.compactMap(\.oldestReadNanoseconds).min() ?? now.nanoseconds
    demand.waited = Double(now.nanoseconds - oldest) / 1e9
    if !healthy.isEmpty {
      demand.roundTrip = healthy.reduce(0) { $0 + $1.requests.latency.seconds } / Double(healthy.count)
      demand.perConnection = healthy.reduce(0) { $0 + $1.usualStreams } / healthy.count
    }
    return demand.connections(atMost: configuration.connectionsPerPool)
  }

  private func isWarm(at now: Instant) -> Bool {
    lastUsedAt.map { now - $0 < .seconds(PushTransport.Limits.warmSeconds) } ?? false
  }

  func resolved(_ result: Result<[SocketAddress], SystemError>) {
    // Ignore a look-up result meant for an earlier pool with the same key.
    guard isResolving else { return }
    isResolving = false
    guard !isStopping else { return }
    switch result {
    case .failure(let error): failed(settings.tunnel?.naming(error) ?? error.description)
    case .success(let addresses): open(addresses)
    }
  }

  private func open(_ addresses: [SocketAddress]) {
    guard let delegate else { return }
    made += 1
    // Randomize the maximum age, so that the connections do not all retire together.
    let age = configuration.connectionAge * Double.random(in: 0.75...1.25)
    let connection = Connection(
      number: made, loop: loop, owner: self, source: delegate, settings: settings,
      addresses: addressOrder.order(addresses, inUse: all.compactMap(\.address), at: loop.clock.now), age: age)
    all.append(connection)
    connection.open()
    scheduleReview()
  }

  func becameReady(_ connection: Connection) {
    backOff.succeeded()
    nextConnectAt = nil
    openIfPossible()
    log(.info, "connection ready", connection)
    all.first { $0.isLeaving && !$0.isEnding }?.retire()
  }

  // MARK: Retiring connections

  func needsSuccessor(of connection: Connection) {
    arrange()
  }

  func isDue(_ connection: Connection) {
    if !connection.isLeaving { log(.info, "connection is to be replaced", connection, "age or stream ids") }
    connection.isLeaving = true
    arrange()
    if !isWarm(at: loop.clock.now) { connection.retire() }
  }

  func failed(_ address: SocketAddress) {
    addressOrder.failed(address, at: loop.clock.now)
  }

  func closed(_ connection: Connection, reason: String) {
    all.removeAll { $0 === connection }
    log(.info, "connection closed", connection, reason)
    if !connection.wasReady { delegate?.closedBeforeReady(reason: reason) }
    let lived = (loop.clock.now - connection.openedAt).components.seconds
    if connection.wasRetired || connection.wasReady && lived >= PushTransport.Limits.youngSeconds {
      delegate?.work()
    } else {
      failed(reason)
    }
  }

  /// Retires all connections and opens no new ones; open requests finish.
  func stop() {
    isStopping = true
    for connection in all { connection.retire() }
  }

  /// Closes the remaining connections at once. Their open requests end as unknown.
  func abort() {
    for connection in all { connection.end("stopped") }
  }

  // MARK: Back-off and pauses

  /// True if nothing can be sent until a timer ends: during a pause, or during back-off if no connection is usable.
  var isHeldBack: Bool {
    restsUntil != nil || nextConnectAt != nil && all.allSatisfy(\.isEnding)
  }

  private func failed(_ reason: String) {
    guard !isStopping else { return }
    let wait = backOff.failed(jitter: Double.random(in: 0...1))
    nextConnectAt = loop.clock.now + wait
    loop.schedule(after: wait) { [weak self] in self?.mayConnectAgain() }
    guard isHeldBack else { return }
    isFaulty = true
    var details = faultDetails
    details["reason"] = "\(reason)"
    details["retry"] = "\(wait)"
    configuration.logger.warning("no connection", metadata: details)
    holdBack()
  }

  /// The log metadata of a connection fault. Every pool logs its fault repeatedly; the log writes warnings with the
  /// same value of `fault`, here the endpoint and environment, only once a minute.
  private var faultDetails: Logger.Metadata {
    let (authority, environment) = (settings.endpoint.authority, metadata["environment"] ?? "")
    return ["endpoint": "\(authority)", "environment": environment, "fault": "\(authority) \(environment)"]
  }

  /// Ends the fault once a connection has lasted: a peer that accepts connections and drops them is still faulty.
  private func judgeFault(by staying: [Connection]) {
    let now = loop.clock.now
    guard isFaulty,
      staying.contains(where: { now - $0.openedAt >= .seconds(PushTransport.Limits.youngSeconds) })
    else { return }
    isFaulty = false
    configuration.logger.notice("connected again", metadata: faultDetails)
  }

  /// If the pool cannot send at present (`isHeldBack`), returns all queued targets as not processed and refuses new
  /// ones until the next connection attempt.
  private func holdBack() {
    if isHeldBack { routes.shut(.notProcessed) }
  }

  private func mayConnectAgain() {
    // A later failure may have extended the back-off.
    if let nextConnectAt, loop.clock.now < nextConnectAt { return }
    nextConnectAt = nil
    openIfPossible()
    delegate?.work()
  }

  private func openIfPossible() {
    if !isHeldBack { routes.open() }
  }

  func isResting(at now: Instant) -> Bool {
    restsUntil.map { now < $0 } ?? false
  }

  /// Pauses the pool for `duration`: ends everything queued, with the given result, and refuses new batches. A later
  /// call sets a new end of the pause, even an earlier one.
  func rest(for duration: Duration, _ result: SubmissionResult) {
    restsUntil = loop.clock.now + duration
    routes.shut(result)
    loop.schedule(after: duration) { [weak self] in
      // A later call may have extended the pause, or ended it earlier.
      guard let self, let restsUntil, loop.clock.now >= restsUntil else { return }
      self.restsUntil = nil
      openIfPossible()
      delegate?.work()
    }
  }

  // MARK: Review

  /// Reviews all connections once a second, as long as there are any.
  private func scheduleReview() {
    guard !isReviewing else { return }
    isReviewing = true
    loop.schedule(after: .seconds(1)) { [weak self] in
      guard let self else { return }
      isReviewing = false
      let staying = all.filter { $0.isReady && !$0.isLeaving }
      judgeFault(by: staying)
      ejectOutlier(of: staying)
      letSurplusGo(of: staying)
      if !all.isEmpty { scheduleReview() }
    }
  }

  /// Retires a connection that was much slower than the others at three reviews in a row. The pool then opens another
  /// one if needed.
  private func ejectOutlier(of judged: [Connection]) {
    guard let position = Latency.outlier(judged.map(\.requests.judgedSeconds)) else { return slowReviews = nil }
    let slowest = judged[position]
    let count = slowReviews?.connection == slowest.number ? (slowReviews?.count ?? 0) + 1 : 1
    slowReviews = (slowest.number, count)
    guard count >= PushTransport.Limits.slowTicks else { return }
    let seconds = slowest.requests.judgedSeconds ?? 0
    log(.notice, "connection is replaced: slower than its siblings", slowest, "\(seconds) s for an answer")
    slowest.retire()
  }

  /// Retires the connection with the fewest requests if, at every review for `surplusSeconds`, the requests in flight
  /// would have filled less than half of the streams of one connection fewer. Never retires the only one.
  private func letSurplusGo(of staying: [Connection]) {
    let staying = staying.filter(\.isReady)
    let inFlight = staying.reduce(0) { $0 + $1.inFlight }
    let rest = staying.dropLast().reduce(0) { $0 + $1.usualStreams }
    guard staying.count > 1, inFlight * 2 < rest else { return surplusSince = nil }
    let now = loop.clock.now
    guard let since = surplusSince else { return surplusSince = now }
    guard now - since >= .seconds(PushTransport.Limits.surplusSeconds) else { return }
    surplusSince = nil
    staying.min { $0.inFlight < $1.inFlight }?.retire()
  }

  func log(_ level: Logger.Level, _ text: Logger.Message, _ connection: Connection, _ reason: String = "") {
    var metadata = metadata
    metadata["connection"] = "\(connection.number)"
    metadata["address"] = "\(connection.address?.description ?? "")"
    metadata["reason"] = "\(reason)"
    configuration.logger.log(level: level, text, metadata: metadata)
  }
}

/// The number of connections that the current load needs, computed by Little's law (requests in flight = rate × round
/// trip) from measured values.
struct ConnectionDemand {
  /// The number of requests in flight.
  var inFlight = 0
  /// The number of queued targets.
  var backlog = 0
  /// The mean time from request to answer, in seconds; 0 without a connection.
  var roundTrip = 0.0
  /// The time since the oldest queued target was read from the database, in seconds.
  var waited = 0.0
  /// The number of concurrent requests that one connection holds.
  var perConnection = 1
  /// The number of usable connections at present.
  var present = 0
  /// True if urgent targets wait although every connection reserves streams for them.
  var isUrgent = false

  /// The number of concurrent requests needed to submit the backlog within `drainSeconds`.
  var streams: Double {
    Double(inFlight) + Double(backlog) * min(1, roundTrip / PushTransport.Limits.drainSeconds)
  }

  /// Returns the number of connections that the current load needs: 0 if nothing is queued or in flight, otherwise at
  /// least 1 and at most `most`.
  func connections(atMost most: Int) -> Int {
    guard inFlight > 0 || backlog > 0 else { return 0 }
    var wanted = Int((streams / Double(max(1, perConnection))).rounded(.up))
    // Regardless of the estimate, open one more: a target that has waited this long is about to be returned as stale.
    if backlog > 0, isUrgent || waited >= PushTransport.Limits.drainSeconds { wanted = max(wanted, present + 1) }
    return min(max(1, wanted), most)
  }
}
