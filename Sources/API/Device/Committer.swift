package import Domain
package import Operations
package import Reactor
internal import DequeModule
internal import Logging
package import Postgres
package import Store

/// Turns the operations that wait into one transaction after another, on one database connection in the loop's own
/// epoll set. While a commit runs the next batch gathers by itself: no timer, and no added latency when idle.
///
/// ```
///   idle ──(operations wait, connection ready)──► running: round after round ──► answered ──► idle or next batch
///                                                    │ lost connection, deadlock: the same batch again
///                                                    └ anything else: halved until the culprit stands alone
/// ```
/// Nobody waits without end for a database that is away, or there and silent:
///
/// ```
///   waits, or was rolled back ──(patience ends)──► 503, not carried out
///   in a batch without COMMIT ──(patience ends)──► the session is given up, so it is rolled back ──► 503, not carried out
///   COMMIT sent, no answer    ──(patience ends)──► 503, unknown: what becomes of it is found by the key, or by looking
/// ```
///
/// Everything a batch does may be repeated: after a lost connection nobody knows whether it was committed, so it is run
/// again, and operations find what they did before.
package final class Committer {
  package typealias Completion = (OperationBatch.Outcome) -> Void

  /// Where sends go once they are committed: this node's dispatcher.
  package struct DispatchHandoff: Sendable {
    /// The node in whose name they are claimed.
    let node: UUIDValue
    /// True when it takes more.
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
    let deadline: Instant
    var attempts = 0
    /// The answer of a COMMIT with it was lost.
    var mayBeCommitted = false
    private var completion: Completion?

    init(_ operation: Operation, deadline: Instant, _ completion: @escaping Completion) {
      self.operation = operation
      self.deadline = deadline
      self.completion = completion
    }

    var isAnswered: Bool { completion == nil }

    /// The first answer counts.
    func answer(_ outcome: OperationBatch.Outcome) {
      let first = completion
      completion = nil
      first?(outcome)
    }

    /// Nobody waits for it any longer.
    func giveUp() {
      answer(
        .failure(
          mayBeCommitted
            ? .outcomeUnknown
            : Problem(.databaseAway, "Nothing of it was carried out. Try again in a moment.")))
    }
  }

  /// The batch under way.
  private struct Running {
    let pending: [Pending]
    /// Its COMMIT has been sent, or it is one by itself.
    var mayCommit = false
  }

  private let loop: EventLoop
  private let connection: PipelinedConnection
  private let catalog: Catalog
  private let writer: Int32
  private let launchpad: DispatchHandoff?
  private let userProofs: UserProofKeyring?
  private let newDevices: NewDevices?
  private let batchOperations: Int
  private let log: Logger
  private let meter: CommitterMeter?
  private var waiting = Deque<Pending>()
  /// Parts of failed batches, to be run before anything new.
  private var again: [[Pending]] = []
  /// The database has no room: so it said of the last transaction.
  private(set) var isOutOfRoom = false
  /// Those that somebody's lock keeps waiting, each alone: tried again from time to time, so that others get through.
  private var blocked: [Pending] = []
  private var blockedAgainAt = Instant(nanoseconds: 0)
  private var running: Running?
  private var gauge = QueueGauge()
  private let refusals: DelayedRefusals
  private var batchBegan = Instant(nanoseconds: 0)

  /// - Parameters:
  ///   - writer: this committer's own number in the totals, unlike that of any other.
  ///   - launchpad: without one it takes no sends.
  ///   - userProofs: without them no proof of a user is believed.
  ///   - newDevices: how many devices that nobody knows may register; nil: as many as like.
  ///   - batchOperations: most operations of one transaction; 1 shows what batching is worth.
  package init(
    url: String, writer: Int32, catalog: Catalog, loop: EventLoop, launchpad: DispatchHandoff? = nil,
    userProofs: UserProofKeyring? = nil, newDevices: NewDevices? = nil,
    batchOperations: Int = Operations.Limits.batchOperations, meter: CommitterMeter? = nil
  ) throws {
    self.meter = meter
    self.batchOperations = batchOperations
    self.loop = loop
    refusals = DelayedRefusals(loop)
    self.catalog = catalog
    self.writer = writer
    self.launchpad = launchpad
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

  /// Operations that wait or run.
  var isIdle: Bool { running == nil && waiting.isEmpty && again.isEmpty && blocked.isEmpty }

  /// True while a batch waits for the database for longer than any should.
  package var isStalled: Bool {
    running != nil && loop.now - batchBegan > DeviceLimits.stall
  }

  /// True when the database can be reached.
  package var isConnected: Bool { connection.state == .ready || connection.state == .busy }

  /// True when a send would go straight to its lane.
  func takesSends(_ lane: Lane) -> Bool { isConnected && launchpad?.isOpen(lane) == true }

  /// Takes an operation. `completion` is called once, after the commit (or with the problem), on the loop's thread.
  package func submit(_ operation: Operation, _ completion: @escaping Completion) {
    let isTooLong = isConnected && gauge.isTooLong(behind: waiting.count)
    guard waiting.count < DeviceLimits.waitingOperations, !isTooLong else {
      meter?.refused()
      return refusals.hold {
        completion(.failure(Problem(.busy, "Too many requests wait. Try again in a moment.")))
      }
    }
    waiting.append(Pending(operation, deadline: loop.now + DeviceLimits.timeout, completion))
  }

  // MARK: Batches

  /// Claims nothing: a committer without launchpad takes no sends.
  private static let nobody = UUIDValue(high: 0, low: 0)

  private func startNext() {
    guard running == nil, connection.state == .ready else { return }
    let pending = again.popLast() ?? takeBlocked() ?? takeWaiting()
    guard !pending.isEmpty else { return }
    running = Running(pending: pending)
    let now = loop.clock.now
    batchBegan = now
    let batch = OperationBatch(
      pending.map(\.operation), writer: writer, node: launchpad?.node ?? Self.nobody,
      policies: policies, now: loop.clock.wallMicroseconds, readAt: now, newDevices: newDevices)
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

  /// All that waits, up to a batch's size; of operations that depend on each other only the first.
  private func takeWaiting() -> [Pending] {
    var taken: [Pending] = []
    var postponed: [Pending] = []
    var busy = Set(blocked.flatMap(\.operation.conflictKeys))
    taken.reserveCapacity(min(waiting.count, batchOperations))
    var weight = 0
    while taken.count < batchOperations, weight < Operations.Limits.batchWeight, let next = waiting.popFirst() {
      let keys = next.operation.conflictKeys
      let isFree = keys.isEmpty || busy.isDisjoint(with: keys)
      // Those behind a postponed one must not overtake it: its keys are taken too.
      if !keys.isEmpty { busy.formUnion(keys) }
      guard isFree else {
        postponed.append(next)
        continue
      }
      weight += next.operation.weight
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
        newDevices?.giveBack(batch.admitted)
        if mayCommit, error.isConnectionLost { for entry in pending { entry.mayBeCommitted = true } }
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
    if let refused = newDevices?.takeRefusals(), refused > 0 { meter?.turnedAway(refused) }
    // The next batch is on its way while these answers are written.
    startNext()
    let claimed = batch.claimedSends
    if !claimed.isEmpty { launchpad?.launch(claimed) }
    for (entry, outcome) in zip(pending, batch.results) { entry.answer(outcome) }
  }

  private func fail(_ pending: [Pending], _ error: PostgresError) {
    // Whoever has been answered as unknown may have been carried out, and is not carried out once more.
    let pending = pending.filter { !$0.isAnswered }
    guard let first = pending.first else { return startNext() }
    isOutOfRoom = error.sqlState == .diskFull
    // Somebody holds a lock for long: rolled back, and perhaps only one of the batch is concerned.
    let isBlocked = error.sqlState == .lockNotAvailable
    let isWorthRepeating = error.isRetryable || error.isConnectionLost || isBlocked && pending.count == 1
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
      log.error("an operation failed in the database", metadata: ["error": "\(error)"])
      let problem =
        isOutOfRoom ? Problem(error) : Problem(.internalError, "The server's log says more under this request id.")
      for entry in pending {
        if isWorthRepeating { entry.giveUp() } else { entry.answer(.failure(problem)) }
      }
    }
    startNext()
  }

  // MARK: Patience

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
        // The batch goes on: what it still brings about is found by whoever looks.
        for entry in running.pending where !entry.isAnswered {
          entry.mayBeCommitted = true
          dropped.append(entry)
        }
      } else {
        // It fails as lost, was not committed, and has no time left to be made again.
        for entry in running.pending { entry.attempts = DeviceLimits.attempts }
        log.error("the database does not answer; a session is given up")
        connection.abandon()
      }
    }
    for entry in dropped { entry.giveUp() }
  }
}
