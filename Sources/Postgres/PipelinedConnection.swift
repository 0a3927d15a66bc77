internal import DequeModule
package import Reactor

/// A non-blocking connection on an event loop. It sends one submission at a time: several statements in one round trip.
///
/// ```
///   submit([a, b, c]) ──► Parse? Bind Execute  Bind Execute  Bind Execute  Sync ──►
///                     ◄──  rows a · rows b · rows c · committed  ◄──
/// ```
///
/// A submission is one transaction, unless it leaves one open for the next. Submissions made while another one runs, or
/// while connecting, are queued. If an attempt to connect fails, the queued ones fail with it, so none waits for a
/// connection longer than one pause and one attempt.
///
/// Confined to its loop's thread. Completions are called there too, never from within `submit`; they may call `submit`.
/// The owner must keep the connection until `close`: the loop retains it only while it watches the socket.
package final class PipelinedConnection {
  package enum State: Sendable {
    /// Idle: a submission would be sent at once.
    case ready
    /// Connected, with a submission in flight.
    case busy
    /// Connecting, or pausing before the next attempt.
    case connecting
    case closed
  }

  private let loop: EventLoop
  private let target: ConnectionTarget
  private let options: ConnectionOptions
  private var machine = PipelineStateMachine()
  private var session: Session?
  private var registration: EventLoop.Registration?
  private var timer: Timers.ID?
  private var waiting = Deque<Submission>()
  private var inFlight: Submission?
  /// Number of connection attempts so far; determines with which host the next one starts.
  private var attempts = 0
  /// Why the last attempt failed or the session ended; nil while connected, and before the first failure.
  package private(set) var lastError: PostgresError?
  /// Called with the new state when the connection is established (`ready` or `busy`), lost (`connecting`) or closed.
  /// Not called when it alternates between ready and busy. Set it before the loop runs.
  package var onStateChange: (State) -> Void = { _ in }
  private var announced = State.connecting

  /// Starts connecting. Throws only if the URL is malformed. If the server is unreachable, keeps trying; see
  /// `state` and `lastError`.
  package init(_ url: String, loop: EventLoop, options: ConnectionOptions = ConnectionOptions()) throws(PostgresError) {
    self.loop = loop
    self.options = options
    target = try ConnectionTarget(url, options: options)
    perform(machine.start())
  }

  package var state: State {
    switch machine.state {
    case .idle: .ready
    case .running, .rollingBack: .busy
    case .waiting, .connecting, .settling: .connecting
    case .closed: .closed
    }
  }

  /// Sends statements (at least one) as one transaction, after earlier submissions. Calls `completion` once, later,
  /// with one `Rows` per statement or an error. If a text contains U+0000 or the connection is closed, nothing is sent,
  /// and `completion` gets an error, too.
  ///
  /// The first error ends the submission and rolls it back (unless it contained a COMMIT). After an `isConnectionLost`
  /// error it is unknown whether the submission was committed.
  /// - Parameter keepsOpen: true if the statements leave a transaction open that a later submission commits. Nothing
  ///   else may be queued meanwhile, because the next submission in the queue is sent inside the open transaction, even
  ///   before the completion is called. The completion must submit the next part immediately.
  package func submit(
    _ statements: [(Statement, Parameters)], keepsOpen: Bool = false,
    completion: @escaping (Result<[Rows], PostgresError>) -> Void
  ) {
    precondition(!statements.isEmpty, "an empty submission")
    let submission = Submission(statements, keepsOpen: keepsOpen, completion)
    if let refusal = submission.refusal { return failLater(submission, refusal) }
    if machine.state == .closed { return failLater(submission, .connection("the connection was closed")) }
    waiting.append(submission)
    perform(machine.submissionWaits())
  }

  /// Closes the connection permanently. Queued submissions and the one in flight fail with `isConnectionLost` before
  /// this method returns. Has no effect if repeated.
  package func close() {
    perform(machine.close())
  }

  /// Drops the session because the result in flight is no longer wanted: the submission fails as lost before this
  /// method returns, and a new session is opened after a pause. The server rolls back what was not committed. Has no
  /// effect if no submission is in flight.
  package func abandon() {
    guard inFlight != nil else { return }
    lose(.lost("it has not answered in time"))
  }

  private func failLater(_ submission: Submission, _ error: PostgresError) {
    loop.schedule(after: .zero) { submission.completion(.failure(error)) }
  }

  // MARK: Actions

  private func perform(_ action: PipelineStateMachine.Action) {
    switch action {
    case .none: return
    case .connect: connect()
    case .sendSettings: sendOnce(options.settingsSQL)
    case .sendNext: sendNext()
    case .complete: complete(leftOpen: false)
    case .rollBackAndComplete:
      sendOnce("ROLLBACK")
      complete(leftOpen: true)
    case .failInFlight(let attempt): drop(alsoWaiting: false, pauseFor: attempt)
    case .failWaiting(let attempt): drop(alsoWaiting: true, pauseFor: attempt)
    case .abandonSession: lose(.lost("the session did not come back to idle"))
    case .end:
      lastError = lastError ?? .connection("the connection was closed")
      drop(alsoWaiting: true, pauseFor: nil)
    }
    announce()
  }

  private func announce() {
    let now = state
    // Ready and busy alternate with every batch and are not reported: read `state` for that.
    let isChange = (announced == .connecting || announced == .closed) != (now == .connecting || now == .closed)
    guard isChange || (now == .closed && announced != .closed) else { return }
    announced = now
    onStateChange(now)
  }

  private func complete(leftOpen: Bool) {
    guard let done = inFlight else { return }
    inFlight = nil
    // Send the next submission before processing this one's results, so that the server works meanwhile.
    if !waiting.isEmpty { perform(machine.submissionWaits()) }
    done.completion(done.result(leftOpen: leftOpen))
  }

  /// Handles a session that has ended or could not be opened.
  private func lose(_ error: PostgresError) {
    lastError = error
    perform(machine.lost())
  }

  private func drop(alsoWaiting: Bool, pauseFor attempt: Int?) {
    deregister()
    if let timer { loop.cancel(timer) }
    timer = nil
    session = nil
    var failed: [Submission] = []
    if let inFlight { failed.append(inFlight) }
    inFlight = nil
    if alsoWaiting {
      failed += waiting
      waiting.removeAll()
    }
    if let attempt {
      let pause = ReconnectPause.length(attempt: attempt, jitter: .random(in: 0..<1))
      timer = loop.schedule(after: pause) { [weak self] in
        guard let self else { return }
        timer = nil
        perform(machine.paused())
      }
    }
    let error = lastError ?? .lost()
    for submission in failed { submission.completion(.failure(error)) }
  }

  // MARK: Connecting

  private func connect() {
    attempts += 1
    timer = loop.schedule(after: options.connectTimeout * target.hostCount) { [weak self] in
      guard let self else { return }
      timer = nil
      lose(.connection("connecting to \(target) took longer than \(options.connectTimeout) a host"))
    }
    do {
      session = try Session(connectingTo: target, attempt: attempts - 1)
      // After starting, libpq wants to be called when the socket is writable.
      watchWhileConnecting(.writable)
    } catch {
      loseLater(error)
    }
  }

  private func continueConnecting() {
    guard let session else { return }
    // libpq may close this socket and open another for the next host: stop watching before its descriptor is reused.
    deregister()
    switch session.continueConnecting() {
    case .wantsRead: watchWhileConnecting(.readable)
    case .wantsWrite: watchWhileConnecting(.writable)
    case .failed: lose(session.connectError)
    case .connected:
      guard session.enterPipeline() else { return lose(session.lostError) }
      watchWhileConnecting(.readable)
      perform(machine.connected())
    }
  }

  /// Cancels the connect timeout, because the session's settings are applied.
  private func settled() {
    if let timer { loop.cancel(timer) }
    timer = nil
    lastError = nil
  }

  private func watchWhileConnecting(_ interest: Readiness) {
    guard let session, session.descriptor >= 0 else { return loseLater(.lost()) }
    do {
      registration = try loop.register(session.descriptor, interest: interest, handler: self)
    } catch {
      loseLater(.connection("\(error)"))
    }
  }

  private func deregister() {
    if let registration { loop.deregister(registration) }
    registration = nil
  }

  /// Drops the session with the loop's next due timers, because doing so now could call completions from within
  /// `submit`. Does nothing if another session has replaced it by then.
  private func loseLater(_ error: PostgresError) {
    // libpq may have closed the socket already, and its number may be reused before the timer is due.
    deregister()
    let lostSession = session
    loop.schedule(after: .zero) { [weak self] in
      guard let self, session === lostSession else { return }
      lose(error)
    }
  }

  // MARK: Sending

  private func sendNext() {
    // The session has just become idle, after applying its settings or a ROLLBACK: start with the oldest submission, if
    // any.
    if machine.state == .idle {
      guard !waiting.isEmpty else { return }
      return perform(machine.submissionWaits())
    }
    guard let session, var submission = waiting.popFirst() else { return }
    var sent = true
    for (statement, parameters) in submission.statements where sent {
      if statement.isKept { sent = prepareIfNeeded(statement, parameters.types, &submission, session) }
      submission.steps.append(.execute(name: statement.name))
      guard sent else { break }
      sent =
        statement.isKept ? session.sendExecute(statement, parameters) : session.sendExecuteOnce(statement, parameters)
    }
    inFlight = submission
    sent = sent && session.sendSync()
    sent ? flush() : loseLater(session.lostError)
  }

  /// Adds a prepare step to the same pipeline if needed, once per submission however often the statement occurs in it.
  /// Returns false if libpq cannot send it.
  private func prepareIfNeeded(
    _ statement: Statement, _ types: [OID], _ submission: inout Submission, _ session: Session
  ) -> Bool {
    guard !session.knows(statement, types) else { return true }
    for case .prepare(let other, _) in submission.steps where other.name == statement.name { return true }
    submission.steps.append(.prepare(statement, types))
    return session.sendPrepare(statement, types)
  }

  /// Sends SQL text that belongs to no submission, such as ROLLBACK.
  private func sendOnce(_ sql: String) {
    guard let session else { return }
    session.sendOnce(sql) && session.sendSync() ? flush() : loseLater(session.lostError)
  }

  /// Writes buffered output, and watches the socket for writability if some is left.
  private func flush() {
    guard let session, let registration else { return }
    switch session.flush() {
    case .done: loop.update(registration, interest: .readable)
    case .pending: loop.update(registration, interest: [.readable, .writable])
    case .failed: loseLater(session.lostError)
    }
  }

  // MARK: Receiving

  private func receive() {
    guard let session else { return }
    guard session.consumeInput() else { return lose(inFlightError(session)) }
    readAnswers(session)
    while self.session === session, isAwaitingAnswers, session.hasHiddenInput {
      guard session.consumeInput() else { return lose(inFlightError(session)) }
      readAnswers(session)
    }
  }

  private var isAwaitingAnswers: Bool {
    switch machine.state {
    case .running, .rollingBack, .settling: true
    default: false
    }
  }

  /// Returns the reason for the lost connection: the first error of the submission in flight if it reports the loss,
  /// because it explains more than libpq's "connection closed"; otherwise libpq's message.
  private func inFlightError(_ session: Session) -> PostgresError {
    if let error = inFlight?.firstError, error.isConnectionLost { return error }
    return session.lostError
  }

  private func readAnswers(_ session: Session) {
    var separators = 0
    while self.session === session, isAwaitingAnswers {
      switch session.nextAnswer() {
      case .incomplete:
        return
      case .separator:
        separators += 1
        // Two separators in a row while a synchronization point is expected mean that libpq has given up the
        // connection.
        guard separators < 2 else { return lose(inFlightError(session)) }
      case .outcome(.synchronized):
        separators = 0
        synchronized(session)
      case .outcome(let outcome):
        separators = 0
        take(outcome, session)
      }
    }
    // Drop notifications, and so let libpq process other unsolicited messages (parameter changes, notices).
    if self.session === session { while session.nextNotification() != nil {} }
  }

  private func take(_ outcome: Rows.Outcome, _ session: Session) {
    if case .running = machine.state {
      if let (statement, types) = inFlight?.take(outcome) { session.remember(statement, types) }
    } else if case .error(let error) = outcome {
      lose(error)
    }
  }

  private func synchronized(_ session: Session) {
    if case .settling = machine.state { settled() }
    // The statements were rolled back and would fail again in this session: a new session prepares them again.
    if let error = inFlight?.firstError, error.isStaleStatement { return lose(.lost("its statements are stale")) }
    // A standby responds but cannot write: the next session looks for the primary.
    if let error = inFlight?.firstError, error.needsAnotherServer { return lose(error) }
    perform(machine.synchronized(session.transaction, keepsOpen: inFlight?.keepsOpen ?? false))
  }
}

extension PipelinedConnection: EventLoop.Handler {
  package func ready(_ readiness: Readiness) {
    switch machine.state {
    case .connecting: continueConnecting()
    case .settling, .idle, .running, .rollingBack:
      if readiness.contains(.writable) { flush() }
      receive()
    case .waiting, .closed: break
    }
  }
}

/// Exponential back-off before reconnecting, between `reconnectPauseMinimum` and `reconnectPauseMaximum`.
enum ReconnectPause {
  /// Returns how long to wait before the next attempt.
  /// - Parameters:
  ///   - attempt: number of consecutive failed attempts, starting at 0.
  ///   - jitter: random number in 0 ..< 1, by which the pause is shortened by up to a quarter, so that the nodes of a
  ///     cluster do not reconnect simultaneously.
  static func length(attempt: Int, jitter: Double) -> Duration {
    // 2^7 × 50 ms exceeds the maximum already; larger exponents would only overflow.
    let doubled = Postgres.Limits.reconnectPauseMinimum * (1 << min(max(0, attempt), 7))
    let capped = min(doubled, Postgres.Limits.reconnectPauseMaximum)
    return max(Postgres.Limits.reconnectPauseMinimum, capped - capped / 4 * jitter)
  }
}
