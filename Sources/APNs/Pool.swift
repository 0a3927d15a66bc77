internal import DequeModule
internal import Domain
internal import HTTP2
internal import Logging
internal import Reactor
internal import TLS

/// One route's queue and connections. On the sender's loop.
///
/// Targets wait in three lanes, the urgent one first; those that a connection gave back unprocessed go before all.
final class Pool: ConnectionOwner {
  let route: PushRoute
  private(set) var credential: APNsCredential
  unowned let sender: SenderLoop
  var loop: EventLoop { sender.loop }
  var configuration: APNsConfiguration { sender.configuration }
  let endpoint: APNsEndpoint
  private let context: TLSContext

  // The queue.
  private var lanes: [Deque<QueuedBatch>] = Array(repeating: Deque(), count: Lane.allCases.count)
  private var again: Deque<Submission> = []
  private var composer = Composer()
  private var template: (message: PushMessage, template: RequestTemplate)?

  // The provider token; nil for certificates.
  private(set) var token: ProviderToken? {
    didSet { template = nil }
  }
  /// The one before, for the case that APNs finds we changed too often.
  private(set) var formerToken: ProviderToken?
  /// APNs called it expired: another one must come first.
  var refusedToken: ProviderToken?
  /// Nothing is sent before this: APNs asked for rest.
  var restsUntil: Instant?

  // Connections.
  private(set) var connections: [Connection] = []
  private var isResolving = false
  private var backOff = BackOff()
  private var nextConnectAt: Instant?
  private var madeConnections = 0
  /// When the last ones were made.
  private var openings: [Instant] = []
  private(set) var isStopping = false

  init(route: PushRoute, credential: APNsCredential, token: ProviderToken?, sender: SenderLoop) throws(TLSError) {
    self.route = route
    self.credential = credential
    self.token = token
    self.sender = sender
    endpoint = sender.configuration.endpoint(route.environment)
    if case .certificate(let identity) = credential {
      context = try TLSContext.client(trust: sender.configuration.trust, identity: identity)
    } else {
      context = try sender.sharedContext()
    }
  }

  // MARK: The queue

  var isQueueEmpty: Bool { again.isEmpty && lanes.allSatisfy(\.isEmpty) }

  func enqueue(_ batch: PushBatch) {
    guard !isStopping else { return giveBack(QueuedBatch(batch), .notProcessed) }
    lanes[Int(batch.message.lane.rawValue)].append(QueuedBatch(batch))
    work()
  }

  /// Sends it again before all others, while that is worth trying.
  func sendAgain(_ submission: Submission, otherwise result: SubmissionResult) {
    guard !isStopping, submission.resends < APNs.Limits.quickResends else { return finish(submission, result) }
    var submission = submission
    submission.resends += 1
    again.append(submission)
  }

  func finish(_ submission: Submission, _ result: SubmissionResult) {
    sender.finish(
      PushResult(batch: submission.batch.batch.number, target: submission.target, result: result), of: route)
  }

  /// Gives back everything of a batch that was not submitted.
  private func giveBack(_ queued: QueuedBatch, _ result: SubmissionResult) {
    while !queued.isSubmitted {
      finish(Submission(batch: queued, target: queued.cursor), result)
      queued.cursor += 1
    }
  }

  /// Gives back the whole queue.
  func giveBackQueue(_ result: SubmissionResult) {
    while let submission = again.popFirst() { finish(submission, result) }
    for lane in lanes.indices {
      while let queued = lanes[lane].popFirst() { giveBack(queued, result) }
    }
  }

  /// The next target whose binding still holds; those that wait too long come back as stale.
  private func next(at now: Instant, wallSeconds: Int64) -> Submission? {
    while let submission = again.popFirst() {
      if isWorthSending(submission.batch, now, wallSeconds) { return submission }
      finish(submission, .stale)
    }
    for lane in lanes.indices {
      while let queued = lanes[lane].first {
        if queued.isSubmitted {
          lanes[lane].removeFirst()
        } else if isWorthSending(queued, now, wallSeconds) {
          defer { queued.cursor += 1 }
          return Submission(batch: queued, target: queued.cursor)
        } else {
          giveBack(queued, .stale)
        }
      }
    }
    return nil
  }

  private func isWorthSending(_ queued: QueuedBatch, _ now: Instant, _ wallSeconds: Int64) -> Bool {
    queued.isFresh(at: now) && wallSeconds < queued.batch.message.expiresAtSeconds
  }

  /// Gives back what waited too long. The sender calls it several times a second while anything waits.
  func giveBackStale() {
    let now = loop.clock.now
    let wallSeconds = sender.wallSeconds
    while let submission = again.first, !isWorthSending(submission.batch, now, wallSeconds) {
      again.removeFirst()
      finish(submission, .stale)
    }
    for lane in lanes.indices {
      lanes[lane].removeAll { queued in
        guard !isWorthSending(queued, now, wallSeconds) else { return queued.isSubmitted }
        giveBack(queued, .stale)
        return true
      }
    }
  }

  // MARK: Submitting

  /// Moves what can be moved: fills the connections there are, and gets more where they are not enough.
  func work() {
    for connection in connections where connection.allowance > 0 { connection.pump() }
    arrangeConnections()
  }

  /// A provider token that may be used now; asks for one where there is none. True for certificates.
  private func hasToken() -> Bool {
    guard case .token(let teamID, let keyID) = credential else { return true }
    let now = sender.wallSeconds
    if let token, token.isGood(atSeconds: now), token != refusedToken {
      if token.isDue(atSeconds: now) { sender.needToken(teamID: teamID, keyID: keyID, refused: nil) }
      return true
    }
    sender.needToken(teamID: teamID, keyID: keyID, refused: refusedToken)
    return false
  }

  func fill(_ connection: Connection, atMost allowance: Int) -> Int {
    let now = loop.clock.now
    if let restsUntil, now < restsUntil { return 0 }
    guard !isQueueEmpty, hasToken() else { return 0 }
    let wallSeconds = sender.wallSeconds
    var submitted = 0
    // Not more than a TLS record or two at a time, so that the first leave while the next are written.
    while submitted < min(allowance, 64), let submission = next(at: now, wallSeconds: wallSeconds) {
      let message = submission.batch.batch.message
      composer.compose(submission.batch.batch.targets[submission.target], of: message)
      guard composer.body.count <= APNs.Limits.payloadBytes else {
        finish(submission, .rejected(reason: APNsReason.payloadTooLarge.rawValue))
        continue
      }
      guard connection.hasWindow(for: composer.body.count),
        connection.submit(submission, template(for: message), composer)
      else {
        again.prepend(submission)
        break
      }
      submitted += 1
    }
    return submitted
  }

  /// Made anew only when message or token change: a campaign uses one for all its pushes.
  private func template(for message: PushMessage) -> RequestTemplate {
    if let template, template.message === message { return template.template }
    let made = Composer.template(message, authority: endpoint.authority, token: token)
    template = (message, made)
    return made
  }

  // MARK: Credentials

  func set(_ next: ProviderToken) {
    guard case .token(let teamID, let keyID) = credential, next.teamID == teamID, next.keyID == keyID,
      next != token
    else { return }
    formerToken = token
    token = next
    if next != refusedToken { refusedToken = nil }
    work()
  }

  /// Goes back to the token before, if APNs still takes it.
  func fallBackToFormerToken() {
    if let formerToken, formerToken.isGood(atSeconds: sender.wallSeconds) { token = formerToken }
  }

  // MARK: Connections

  /// Gets a connection on its way where there is work that the present ones do not take.
  func arrangeConnections() {
    guard !isQueueEmpty, !isStopping, !isResolving else { return }
    let now = loop.clock.now
    let living = connections.filter { !$0.state.isEnding }
    // One at a time: a connection that is being made will take the queue, or show that none can be made.
    guard living.allSatisfy({ $0.state.phase == .ready && $0.isFull }),
      living.count < configuration.connectionsPerRoute
    else { return }
    if let nextConnectAt, now < nextConnectAt { return }
    if let restsUntil, now < restsUntil { return }
    // Apple takes rapid connecting for an attack, whoever is to blame for the disconnecting.
    openings.removeAll { now - $0 > .seconds(APNs.Limits.openingsSeconds) }
    guard openings.count < APNs.Limits.openings else { return connectionFailed("too many connections in a row") }
    openings.append(now)
    isResolving = true
    sender.resolve(endpoint, for: route)
  }

  func resolved(_ result: Result<[SocketAddress], SystemError>) {
    // An answer to a pool that had this route before.
    guard isResolving else { return }
    isResolving = false
    guard !isStopping else { return }
    switch result {
    case .failure(let error): connectionFailed(error.description)
    case .success(let addresses):
      madeConnections += 1
      let connection = Connection(
        number: madeConnections, loop: loop, owner: self, endpoint: endpoint,
        // Every node would else go to the first address.
        addresses: addresses.shuffled(), context: context, streamCap: configuration.streamsPerConnection,
        lastStreamID: configuration.lastStreamID)
      connections.append(connection)
      connection.open()
    }
  }

  func becameReady(_ connection: Connection) {
    backOff.succeeded()
    nextConnectAt = nil
    log(.info, "connection ready", connection)
  }

  func needsSuccessor(of connection: Connection) {
    arrangeConnections()
  }

  func closed(_ connection: Connection, reason: String) {
    connections.removeAll { $0 === connection }
    log(connection.wasReady ? .info : .warning, "connection closed", connection, reason)
    let lived = (loop.clock.now - connection.openedAt).components.seconds
    if connection.wasRetired || connection.wasReady && lived >= APNs.Limits.youngSeconds {
      work()
    } else {
      connectionFailed(reason)
    }
  }

  private func connectionFailed(_ reason: String) {
    guard !isStopping else { return }
    let wait = backOff.failed(jitter: Double.random(in: 0...1))
    nextConnectAt = loop.clock.now + wait
    loop.schedule(after: wait) { [weak self] in self?.mayConnectAgain() }
    guard connections.allSatisfy(\.state.isEnding) else { return }
    sender.configuration.logger.warning(
      "no connection", metadata: ["route": "\(route)", "reason": "\(reason)", "retry": "\(wait)"])
    // Nobody can take the queue before its bindings are stale: back with it, and no more until we try again.
    sender.gate.shut(route)
    giveBackQueue(.notProcessed)
  }

  private func mayConnectAgain() {
    nextConnectAt = nil
    sender.gate.open(route)
    work()
  }

  /// Nothing is sent on this route for a while; what waits goes back.
  func rest(for duration: Duration, _ result: SubmissionResult) {
    restsUntil = loop.clock.now + duration
    sender.gate.shut(route)
    giveBackQueue(result)
    loop.schedule(after: duration) { [weak self] in
      self?.restsUntil = nil
      self?.sender.gate.open(self!.route)
      self?.work()
    }
  }

  /// Takes nothing more; open requests finish.
  func stop() {
    isStopping = true
    giveBackQueue(.notProcessed)
    for connection in connections { connection.retire() }
  }

  /// Ends what is left.
  func abort() {
    for connection in connections { connection.end("stopped") }
  }

  func log(_ level: Logger.Level, _ text: Logger.Message, _ connection: Connection, _ reason: String = "") {
    sender.configuration.logger.log(
      level: level, text,
      metadata: [
        "app": "\(route.app)", "environment": "\(route.environment.name)", "connection": "\(connection.number)",
        "reason": "\(reason)",
      ])
  }
}
