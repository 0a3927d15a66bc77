package import Domain
package import Operations
package import Reactor
internal import DequeModule
internal import Logging
package import Postgres
package import Store
internal import Time
package import Tracing

/// Runs the waiting operations of one HTTP loop in batches, one transaction after another, on one database connection
/// in the loop's own epoll set. While a commit runs, the next batch accumulates: no timer, and no added latency when
/// idle. Confined to the loop's thread.
///
/// ```
///   idle ──(operations wait, connection ready)──► running: round after round ──► answered ──► idle or next batch
///                                                    │ lost connection, deadlock: the same batch again
///                                                    │ full disk: the whole batch fails
///                                                    └ any other error: halved until the failing operation is alone
/// ```
/// A batch is repeated at most `DeviceLimits.attempts` times, and then answered with 503. An operation that fails alone
/// gets 500; but if another session holds a lock that it needs, it is tried again until its timeout.
///
/// No operation waits without end for a database that is unreachable, or connected and silent:
///
/// ```
///   waiting, or rolled back  ──(timeout)──► 503, not carried out
///   in a batch before COMMIT ──(timeout)──► the session is dropped, so rolled back ──► 503, not carried out
///   COMMIT sent, no answer   ──(timeout)──► 503, unknown: the client learns the outcome by its key, or by reading
/// ```
///
/// Every operation is idempotent: if the connection is lost during a commit, its outcome is unknown, so the batch runs
/// again, and operations that were already committed find what they did before. Those that ended their own credential
/// are refused then: their outcome stays unknown. That of an operation that only reads never is.
package final class Committer {
  package typealias Completion = (OperationBatch.Outcome) -> Void

  /// Passes committed sends to this node's dispatcher.
  package struct DispatchHandoff: Sendable {
    /// ID of this node, in whose name the committer claims the sends.
    let node: UUIDValue
    /// Returns whether the dispatcher accepts more sends of a lane.
    let isOpen: @Sendable (Lane) -> Bool
    let launch: @Sendable ([ClaimedSend]) -> Void

    package init(
      node: UUIDValue, isOpen: @escaping @Sendable (Lane) -> Bool, launch: @escaping @Sendable ([ClaimedSend]) -> Void
    ) {
      self.node = node
      self.isOpen = isOpen
      self.launch = launch
    }
  }

  private final class Pending {
    let operation: Operation
    /// The request's span; nil if it is not recorded.
    let trace: TraceContext?
    let deadline: Instant
    var attempts = 0
    /// True if a COMMIT that included the operation has not been answered.
    var mayBeCommitted = false
    private var completion: Completion?

    init(_ operation: Operation, _ trace: TraceContext?, deadline: Instant, _ completion: @escaping Completion) {
      self.operation = operation
      self.trace = trace
      self.deadline = deadline
      self.completion = completion
    }

    var isAnswered: Bool { completion == nil }

    /// Calls the operation's completion with its outcome. Only the first call has an effect. A failure after a COMMIT
    /// without an answer becomes `.outcomeUnknown`, because it says nothing of the first execution; but a device that
    /// is not there has unregistered, and an operation that only reads has nothing whose outcome could be unknown.
    func answer(_ outcome: OperationBatch.Outcome) {
      let first = completion
      completion = nil
      guard mayBeCommitted, !operation.onlyReads, case .failure(let problem) = outcome else {
        first?(outcome)
        return
      }
      if case .unregister = operation, problem.code == .unknownDevice {
        first?(.success(.done))
      } else {
        first?(.failure(.outcomeUnknown))
      }
    }

    /// Answers with 503, because the operation has timed out or failed too often: with `.outcomeUnknown` if it may have
    /// been committed, otherwise with `.databaseAway`. No effect if the operation has been answered.
    func giveUp() {
      answer(.failure(Problem(.databaseAway, "Nothing of it was carried out. Try again in a moment.")))
    }
  }

  /// The batch that is being executed.
  private struct Running {
    let pending: [Pending]
    /// True if one of the outstanding statements commits the batch.
    var mayCommit = false
  }

  private let loop: EventLoop
  private let connection: PipelinedConnection
  private let catalog: Catalog
  private let writer: Int32
  private let handoff: DispatchHandoff?
  private let userProofs: UserProofKeyring?
  private let newDevices: NewDevices?
  private let batchOperations: Int
  private let timeout: Duration
  private let log: Logger
  private let meter: CommitterMeter?
  private let spans: SpanQueue?
  private var waiting = Deque<Pending>()
  /// Batches to be repeated, and halves of failed ones. They run before new ones, the last one first.
  private var again: [[Pending]] = []
  /// True if the last failed transaction found the database out of disk space and none has succeeded since.
  private(set) var isOutOfRoom = false
  /// Operations that need a lock held by another session. Each is retried in a batch of its own, at most one every
  /// `DeviceLimits.blockedPause` while others wait, so that it does not delay them.
  private var blocked: [Pending] = []
  private var blockedAgainAt = Instant(nanoseconds: 0)
  private var running: Running?
  private var gauge = QueueGauge()
  private let refusals: DelayedRefusals
  private var batchBegan = Instant(nanoseconds: 0)

  /// Creates the committer of one HTTP loop, and starts connecting.
  /// - Parameters:
  ///   - writer: number of the rows to which this committer adds its counts in the totals and statistics. It should be
  ///     unique among all writers of the database, so that none waits for another's row locks.
  ///   - handoff: receives committed sends; if nil, `takesSends` is false for all lanes.
  ///   - userProofs: verifies proofs of users; nil refuses all of them.
  ///   - newDevices: limits registrations of unknown devices; nil for no limit.
  ///   - batchOperations: maximum number of operations in one transaction; 1 turns batching off, for measurements.
  ///   - timeout: time after which an operation without a commit gets 503; nil for `DeviceLimits.timeout`.
  ///   - meter: receives the metrics; nil to record none.
  ///   - spans: receives the spans of batches; nil to record none.
  /// - Throws: if the URL is malformed. The database need not be reachable.
  package init(
    url: String, writer: Int32, catalog: Catalog, loop: EventLoop, handoff: DispatchHandoff? = nil,
    userProofs: UserProofKeyring? = nil, newDevices: NewDevices? = nil,
    batchOperations: Int = Operations.Limits.batchOperations, timeout: Duration? = nil, meter: CommitterMeter? = nil,
    spans: SpanQueue? = nil
  ) throws {
    self.spans = spans
    self.meter = meter
    self.batchOperations = batchOperations
    self.timeout = timeout ?? DeviceLimits.timeout
    self.loop = loop
    refusals = DelayedRefusals(loop)
    self.catalog = catalog
    self.writer = writer
    self.handoff = handoff
    self.userProofs = userProofs
    self.newDevices = newDevices
    log = Logger(label: "committer")
    var options = ConnectionOptions()
    options.lockTimeout = DeviceLimits.lockWait
    connection = try PipelinedConnection(url, loop: loop, options: options)
    connection.onStateChange = { [weak self] state in
      self?.meter?.connectionChanged(state == .ready || state == .busy)
      self?.startNext()
    }
    loop.atEndOfTurn { [weak self] in self?.startNext() }
    watchTimeout()
  }

  /// True when no operation is waiting or running.
  var isIdle: Bool { running == nil && waiting.isEmpty && again.isEmpty && blocked.isEmpty }

  /// True while the running batch has taken longer than `DeviceLimits.stall`.
  package var isStalled: Bool {
    running != nil && loop.now - batchBegan > DeviceLimits.stall
  }

  /// Whether the connection to the database is established.
  package var isConnected: Bool {
    // Each request asks: `==` of another module's type would be a call through a table.
    switch connection.state {
    case .ready, .busy: true
    case .connecting, .closed: false
    }
  }

  /// Returns whether a send of this lane can be submitted: the database is connected, and the dispatcher accepts more
  /// sends of the lane. If false, the caller must store the send in another way, or refuse it.
  func takesSends(_ lane: Lane) -> Bool { isConnected && handoff?.isOpen(lane) == true }

  /// Queues an operation for the next batch.
  /// - Parameters:
  ///   - trace: the request's span; nil if it is not recorded.
  ///   - completion: called once, on the loop's thread: with the answer after the commit, or with the problem. The
  ///     problem is `.busy` if too many operations wait, or if the expected wait is too long. `.busy` is passed after a
  ///     delay, or before this returns if too many refusals are already delayed.
  package func submit(_ operation: Operation, trace: TraceContext? = nil, _ completion: @escaping Completion) {
    let isTooLong = gauge.isTooLong(behind: waiting.count) && isConnected
    guard waiting.count < DeviceLimits.waitingOperations, !isTooLong else {
      meter?.refused()
      return refusals.hold {
        completion(.failure(Problem(.busy, "Too many requests wait. Try again in a moment.")))
      }
    }
    waiting.append(Pending(operation, trace, deadline: loop.now + timeout, completion))
  }

  // MARK: Batches

  /// ID of the node in batches of a committer without a dispatcher, which claims nothing.
  private static let nobody = UUIDValue(high: 0, low: 0)

  private func startNext() {
    guard running == nil, connection.state == .ready else { return }
    let pending = again.popLast() ?? takeBlocked() ?? takeWaiting()
    guard !pending.isEmpty else { return }
    running = Running(pending: pending)
    let now = loop.clock.now
    batchBegan = now
    let batch = OperationBatch(
      pending.map(\.operation), writer: writer, node: handoff?.node ?? Self.nobody,
      policies: policies, now: loop.clock.wallTime, readAt: now, newDevices: newDevices)
    advance(batch, pending)
  }

  private var policies: AppPolicies {
    var policies = catalog.policies
    policies.userProofs = userProofs
    return policies
  }

  private func takeBlocked() -> [Pending]? {
    let now = loop.clock.now
    guard !blocked.isEmpty, waiting.isEmpty || now >= blockedAgainAt else { return nil }
    blockedAgainAt = now + DeviceLimits.blockedPause
    return [blocked.removeFirst()]
  }

  /// Removes the operations of the next batch from the queue and returns them in order: all that wait, up to the batch
  /// limits, except those that conflict with a blocked operation or with one before them in the queue. These stay at
  /// the front of the queue. Empty if none can run.
  private func takeWaiting() -> [Pending] {
    var taken: [Pending] = []
    var postponed: [Pending] = []
    var busy = Set(blocked.flatMap(\.operation.conflictKeys))
    taken.reserveCapacity(min(waiting.count, batchOperations))
    var weight = 0
    while taken.count < batchOperations, weight < Operations.Limits.batchWeight, let next = waiting.popFirst() {
      let operation = next.operation
      let keys = operation.conflictKeys
      let isFree = keys.isEmpty || busy.isDisjoint(with: keys)
      // An operation behind a postponed one must not overtake it, so the postponed one's keys also count as used.
      if !keys.isEmpty { busy.formUnion(keys) }
      guard isFree else {
        postponed.append(next)
        continue
      }
      weight += operation.weight
      taken.append(next)
    }
    waiting.prepend(contentsOf: postponed)
    return taken
  }

  private func advance(_ batch: OperationBatch, _ pending: [Pending]) {
    guard let round = batch.next() else { return finish(batch, pending) }
    var statements: [(Statement, Parameters)] = []
    if round.begins { statements.append((.begin, Parameters())) }
    for step in round.steps { statements.append((step.statement, step.parameters)) }
    if round.commits { statements.append((.commit, Parameters())) }
    let offset = round.begins ? 1 : 0
    let mayCommit = !batch.isInTransaction
    running?.mayCommit = mayCommit
    connection.submit(statements, keepsOpen: batch.isInTransaction) { [self] result in
      switch result {
      case .success(let rows):
        for (index, step) in round.steps.enumerated() { step.read(rows[index + offset]) }
        advance(batch, pending)
      case .failure(let error):
        running = nil
        newDevices?.refund(batch.admitted)
        if mayCommit, error.isConnectionLost { for entry in pending { entry.mayBeCommitted = true } }
        for entry in pending where !entry.mayBeCommitted {
          if case .send(let send) = entry.operation { send.takeBackNumber() }
        }
        fail(pending, error)
      }
    }
  }

  private func finish(_ batch: OperationBatch, _ pending: [Pending]) {
    running = nil
    isOutOfRoom = false
    let time = loop.clock.now - batchBegan
    gauge.batchTook(time, operations: pending.count)
    meter?.committed(pending.count, after: time, waiting: waiting.count)
    trace(pending, after: time)
    if let refused = newDevices?.takeRefusals(), refused > 0 { meter?.turnedAway(refused) }
    // Start the next batch before writing these answers, so that both proceed at the same time.
    startNext()
    let claimed = batch.claimedSends
    if !claimed.isEmpty { handoff?.launch(claimed) }
    for (entry, outcome) in zip(pending, batch.results) { entry.answer(outcome) }
  }

  private func fail(_ pending: [Pending], _ error: PostgresError) {
    // An operation that was answered as unknown may have been committed, so it must not run again.
    let pending = pending.filter { !$0.isAnswered }
    guard let first = pending.first else { return startNext() }
    trace(pending, after: loop.clock.now - batchBegan, fault: "\(error)")
    isOutOfRoom = error.sqlState == .diskFull
    // Another session has held a lock for too long. The batch was rolled back; perhaps only one operation needs that
    // lock.
    let isBlocked = error.sqlState == .lockNotAvailable
    let isWorthRepeating =
      error.isRetryable || error.isConnectionLost || error.isTakenSeqno || isBlocked && pending.count == 1
    if isBlocked, pending.count == 1, first.deadline > loop.clock.now {
      meter?.repeats()
      blocked.append(first)
    } else if isWorthRepeating, !isBlocked, first.attempts < DeviceLimits.attempts {
      meter?.repeats()
      for entry in pending { entry.attempts += 1 }
      again.append(pending)
    } else if !isWorthRepeating, !isOutOfRoom, pending.count > 1 {
      let middle = pending.count / 2
      again.append(Array(pending[middle...]))
      again.append(Array(pending[..<middle]))
    } else {
      meter?.failed(pending.count)
      log.error("an operation failed in the database", metadata: FailureDetails.of(error).mapValues { "\($0)" })
      let problem =
        isOutOfRoom ? Problem(error) : Problem(.internalError, "The server's log says more under this request id.")
      for entry in pending {
        if isWorthRepeating { entry.giveUp() } else { entry.answer(.failure(problem)) }
      }
    }
    startNext()
  }

  /// Records a span of the batch, as a child of each recorded request's span.
  /// - Parameter fault: the error; nil if the batch was committed.
  private func trace(_ pending: [Pending], after time: Duration, fault: String? = nil) {
    guard let spans, pending.contains(where: { $0.trace != nil }) else { return }
    let now = loop.clock.wallTime
    for entry in pending {
      guard let open = spans.begin(entry.trace, at: now - time) else { continue }
      spans.offer(
        open.ended(
          "commit", .internal, at: now,
          [("db.system.name", .text("postgresql")), ("db.operation.batch.size", .number(Int64(pending.count)))],
          fault: fault))
    }
  }

  // MARK: Timeouts

  private func watchTimeout() {
    loop.schedule(after: DeviceLimits.timeoutLook) { [weak self] in
      self?.dropImpatient()
      self?.watchTimeout()
    }
  }

  private func dropImpatient() {
    let now = loop.now
    var dropped: [Pending] = []
    for batch in again where batch[0].deadline <= now { dropped += batch }
    again.removeAll { $0[0].deadline <= now }
    dropped += blocked.filter { $0.deadline <= now }
    blocked.removeAll { $0.deadline <= now }
    while let first = waiting.first, first.deadline <= now { dropped.append(waiting.removeFirst()) }
    if let running, running.pending[0].deadline <= now {
      if running.mayCommit {
        // The batch continues, and clients can look up its outcome.
        for entry in running.pending where !entry.isAnswered {
          entry.mayBeCommitted = true
          dropped.append(entry)
        }
      } else {
        // This fails the batch as if the connection were lost. Nothing was committed, and no time is left for another
        // attempt.
        for entry in running.pending { entry.attempts = DeviceLimits.attempts }
        log.error(
          "the database does not answer; a session is given up", metadata: ["fault": "\(FailureDetails.away)"])
        connection.abandon()
      }
    }
    for entry in dropped { entry.giveUp() }
  }
}
