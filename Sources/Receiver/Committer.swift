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
///
/// Everything a batch does may be repeated: after a lost connection nobody knows whether it was committed, so it is run
/// again, and operations find what they did before.
package final class Committer {
  package typealias Completion = (OperationBatch.Outcome) -> Void

  /// Where sends go once they are committed: this node's dispatcher.
  package struct Launchpad: Sendable {
    /// The node in whose name they are claimed.
    package let node: UUIDValue
    /// True when it takes more.
    package let isOpen: @Sendable (Lane) -> Bool
    package let launch: @Sendable ([ClaimedSend]) -> Void

    package init(
      node: UUIDValue, isOpen: @escaping @Sendable (Lane) -> Bool, launch: @escaping @Sendable ([ClaimedSend]) -> Void
    ) {
      self.node = node
      self.isOpen = isOpen
      self.launch = launch
    }
  }

  private struct Pending {
    let operation: Operation
    let completion: Completion
    let deadline: Instant
    var attempts = 0
  }

  private let loop: EventLoop
  private let connection: PipelinedConnection
  private let catalog: Catalog
  private let writer: Int32
  private let launchpad: Launchpad?
  private let userProofs: UserProofKeyring?
  private let newDevices: NewDevices?
  private let batchOperations: Int
  private let log: Logger
  private let meter: CommitterMeter?
  private var waiting = Deque<Pending>()
  /// Parts of failed batches, to be run before anything new.
  private var again: [[Pending]] = []
  private var isRunning = false
  /// The database has no room: so it said of the last transaction.
  package private(set) var isOutOfRoom = false
  private var gauge = QueueGauge()
  private let refusals: Refusals
  private var batchBegan = Instant(nanoseconds: 0)

  /// - Parameters:
  ///   - writer: this committer's own number in the totals, unlike that of any other.
  ///   - launchpad: without one it takes no sends.
  ///   - userProofs: without them no proof of a user is believed.
  ///   - newDevices: how many devices that nobody knows may register; nil: as many as like.
  ///   - batchOperations: most operations of one transaction; 1 shows what batching is worth.
  package init(
    url: String, writer: Int32, catalog: Catalog, loop: EventLoop, launchpad: Launchpad? = nil,
    userProofs: UserProofKeyring? = nil, newDevices: NewDevices? = nil,
    batchOperations: Int = Operations.Limits.batchOperations, meter: CommitterMeter? = nil
  ) throws {
    self.meter = meter
    self.batchOperations = batchOperations
    self.loop = loop
    refusals = Refusals(loop)
    self.catalog = catalog
    self.writer = writer
    self.launchpad = launchpad
    self.userProofs = userProofs
    self.newDevices = newDevices
    log = Logger(label: "committer")
    connection = try PipelinedConnection(url, loop: loop)
    connection.onStateChange = { [weak self] state in
      self?.meter?.connectionChanged(state == .ready || state == .busy)
      self?.startNext()
    }
    loop.atEndOfTurn { [weak self] in self?.startNext() }
    watchPatience()
  }

  /// Operations that wait or run.
  package var isIdle: Bool { !isRunning && waiting.isEmpty && again.isEmpty }

  /// True when the database can be reached.
  package var isConnected: Bool { connection.state == .ready || connection.state == .busy }

  /// True when a send would go straight to its lane.
  package func takesSends(_ lane: Lane) -> Bool { isConnected && launchpad?.isOpen(lane) == true }

  /// Takes an operation. `completion` is called once, after the commit (or with the problem), on the loop's thread.
  package func submit(_ operation: Operation, _ completion: @escaping Completion) {
    let isTooLong = isConnected && gauge.isTooLong(behind: waiting.count)
    guard waiting.count < Receiver.Limits.waitingOperations, !isTooLong else {
      meter?.refused()
      return refusals.hold {
        completion(.failure(Problem(.busy, "Too many requests wait. Try again in a moment.")))
      }
    }
    waiting.append(
      Pending(operation: operation, completion: completion, deadline: loop.now + Receiver.Limits.patience))
  }

  // MARK: Batches

  /// Claims nothing: a committer without launchpad takes no sends.
  private static let nobody = UUIDValue(high: 0, low: 0)

  private func startNext() {
    guard !isRunning, connection.state == .ready else { return }
    let pending = again.popLast() ?? takeWaiting()
    guard !pending.isEmpty else { return }
    isRunning = true
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

  /// All that waits, up to a batch's size; of operations that depend on each other only the first.
  private func takeWaiting() -> [Pending] {
    var taken: [Pending] = []
    var postponed: [Pending] = []
    var busy: Set<Operation.ConflictKey> = []
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
    connection.submit(statements, keepsOpen: batch.isInTransaction) { [self] result in
      switch result {
      case .success(let rows):
        for (index, step) in round.steps.enumerated() { step.read(rows[index + offset]) }
        advance(batch, pending)
      case .failure(let error):
        isRunning = false
        newDevices?.giveBack(batch.admitted)
        fail(pending, error)
      }
    }
  }

  private func finish(_ batch: OperationBatch, _ pending: [Pending]) {
    isRunning = false
    isOutOfRoom = false
    let time = loop.clock.now - batchBegan
    gauge.batchTook(time, operations: pending.count)
    meter?.committed(pending.count, after: time, waiting: waiting.count)
    if let refused = newDevices?.takeRefusals(), refused > 0 { meter?.turnedAway(refused) }
    // The next batch is on its way while these answers are written.
    startNext()
    let claimed = batch.claimedSends
    if !claimed.isEmpty { launchpad?.launch(claimed) }
    for (entry, outcome) in zip(pending, batch.results) { entry.completion(outcome) }
  }

  private func fail(_ pending: [Pending], _ error: PostgresError) {
    let isWorthRepeating = error.isRetryable || error.isConnectionLost
    isOutOfRoom = error.sqlState == .diskFull
    if isWorthRepeating, pending[0].attempts < Receiver.Limits.attempts {
      meter?.repeats()
      again.append(
        pending.map { entry in
          var entry = entry
          entry.attempts += 1
          return entry
        })
    } else if !isWorthRepeating, !isOutOfRoom, pending.count > 1 {
      let middle = pending.count / 2
      again.append(Array(pending[middle...]))
      again.append(Array(pending[..<middle]))
    } else {
      meter?.failed(pending.count)
      log.error("an operation failed in the database", metadata: ["error": "\(error)"])
      let problem =
        isWorthRepeating
        ? Problem(.databaseAway, "Try again in a moment.")
        : isOutOfRoom
          ? Problem(error) : Problem(.internalError, "The server's log says more under this request id.")
      for entry in pending { entry.completion(.failure(problem)) }
    }
    startNext()
  }

  // MARK: Patience

  /// Nobody waits without end for a database that is away.
  private func watchPatience() {
    loop.schedule(after: .milliseconds(250)) { [weak self] in
      self?.dropImpatient()
      self?.watchPatience()
    }
  }

  private func dropImpatient() {
    guard !isConnected else { return }
    let now = loop.now
    var dropped: [Pending] = []
    for batch in again where batch[0].deadline <= now { dropped += batch }
    again.removeAll { $0[0].deadline <= now }
    while let first = waiting.first, first.deadline <= now { dropped.append(waiting.removeFirst()) }
    for entry in dropped { entry.completion(.failure(Problem(.databaseAway, "Try again in a moment."))) }
  }
}
