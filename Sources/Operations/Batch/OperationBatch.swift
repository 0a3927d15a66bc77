package import Domain
package import Postgres
package import Reactor
package import Store
package import Time

/// Executes many operations together, in the rounds that `Operations` describes.
///
/// The caller calls `next()`, which returns the statements of one round trip, runs them, passes the rows to each step's
/// `read`, and repeats this until `next()` returns nil. Then `results` contains one result per operation, in the same
/// order. If a round begins a transaction, the results are valid only once it has been committed. A batch is used for
/// one execution, on one thread.
package final class OperationBatch {
  package typealias Outcome = Result<OperationAnswer, Problem>

  /// Statements of one round trip.
  package struct Round {
    package var steps: [Step]
    /// Whether to begin a transaction before this round, which is then the first of several.
    package var begins: Bool
    /// Whether to commit the transaction after this round, which is then the last one.
    package var commits: Bool
  }

  package let operations: [Operation]
  package var results: [Outcome] { context.results }
  /// The new devices that were counted against the limits. Pass them to `NewDevices.refund` if the batch was not
  /// committed.
  package var admitted: [NewDevices.Source] { context.admitted }

  private let context: BatchContext
  private var confirmations: ConfirmationSteps
  private var registrations: RegistrationSteps
  private var changes: DeviceSteps
  private var sends: DirectSendSteps
  /// Devices of which only the time of the last call is written.
  private var touched: Set<DeviceID> = []
  private let identities: TokenOwnerSteps
  private var round = 0
  /// Whether locks must be held for more than one round trip, so that a transaction is needed.
  private let needsTransaction: Bool

  package init(
    _ operations: [Operation], writer: Int32, node: UUIDValue, policies: AppPolicies, now: Timestamp,
    readAt: Instant, newDevices: NewDevices? = nil
  ) {
    self.operations = operations
    context = BatchContext(
      operations: operations.count, writer: writer, node: node, policies: policies, now: now, readAt: readAt,
      newDevices: newDevices)
    confirmations = ConfirmationSteps(operations)
    // Most batches contain only confirmations; the other steps then need not search for their operations.
    let operations = operations.allSatisfy(\.isConfirmation) ? [] : operations
    registrations = RegistrationSteps(operations, policies, now: now)
    changes = DeviceSteps(operations)
    sends = DirectSendSteps(operations)
    identities = TokenOwnerSteps(operations)
    needsTransaction =
      !registrations.isEmpty || !sends.isEmpty || changes.changesAnything || confirmations.hasReads
  }

  /// True from when `next()` returns the round that begins a transaction until it returns the round that commits it.
  package private(set) var isInTransaction = false

  /// Returns the next round trip; nil when the batch is finished and `results` is complete. The steps of the previous
  /// round must have read their rows.
  package func next() -> Round? {
    while round <= 3 {
      let present = round
      round += 1
      let steps = steps(of: present)
      let isLast = present == 3 || present == 2 && !context.counts.isWanted
      if steps.isEmpty && !(needsTransaction && isLast) {
        if isLast { break }
        continue
      }
      defer { if isLast { round = 4 } }
      // If a transaction is needed, the first round with steps is always round 0.
      isInTransaction = needsTransaction && !isLast
      return Round(steps: steps, begins: needsTransaction && present == 0, commits: needsTransaction && isLast)
    }
    finish()
    return nil
  }

  /// Runs the whole batch on a blocking connection, for callers without an event loop. Does not roll back if it throws.
  package func run(on connection: Connection) throws(PostgresError) {
    while let round = next() {
      if round.begins { _ = try connection.run(.begin) }
      for step in round.steps { step.read(try connection.run(step.statement, step.parameters)) }
      if round.commits { _ = try connection.run(.commit) }
    }
  }

  private func steps(of round: Int) -> [Step] {
    switch round {
    case 0:
      lockNames() + registrations.lockTokens(context, leaving: leaving) + changes.lockTokens(context)
        + lockDevices() + changes.look(context)
        + confirmations.resolve(context) + sends.look(context) + identities.look()
    case 1:
      registrations.decide(context) + changes.findTokens(context) + lookAtUsers()
        + confirmations.findUsers(context) + sends.store(context) + identities.find()
    case 2:
      prepareWrites()
    default:
      saveCounts()
    }
  }

  /// Devices that operations of the batch unregister.
  private var leaving: Set<DeviceID> {
    Set(
      operations.compactMap { operation in
        if case .unregister(let claim) = operation { claim.device } else { nil }
      })
  }

  private func lookAtUsers() -> [Step] {
    changes.askAboutUsers(context)
    let alone = changes.possessors(context).filter { context.policies.single.contains($0.app) }
    guard !alone.isEmpty else { return context.bindings.look(at: context.now) }
    // The user is in the device's row, which has only now been read.
    let names = Set(alone.map(\.userKey))
    return [
      Devices.lockNames(names),
      Devices.lock([], othersOf: names, in: context.policies.single).map { [context] records in
        context.rememberOwned(records)
      },
    ] + context.bindings.look(at: context.now)
  }

  /// Returns the steps that lock the devices of all operations in one statement, in key order; empty if there are none.
  private func lockDevices() -> [Step] {
    let wanted = registrations.devices.union(changes.devicesToLock)
    guard !wanted.isEmpty else { return [] }
    let alone = usersLimitedToOneDevice
    guard !alone.isEmpty else { return [Devices.lock(wanted).map { [context] records in context.remember(records) }] }
    return [
      Devices.lock(wanted, othersOf: alone, in: context.policies.single).map { [context] records in
        context.rememberOwned(records)
      }
    ]
  }

  /// Users who may belong to an app that allows them only one device.
  private var usersLimitedToOneDevice: Set<UserKey> {
    guard !context.policies.single.isEmpty else { return [] }
    return registrations.namedUsers(in: context.policies.single).union(changes.namedUsers)
  }

  private func lockNames() -> [Step] {
    let alone = usersLimitedToOneDevice
    return alone.isEmpty ? [] : [Devices.lockNames(alone)]
  }

  private func prepareWrites() -> [Step] {
    let moved = registrations.finish(context)
    let changed = changes.apply(context)
    touch()
    var steps = moved + changed
    if !touched.isEmpty { steps.insert(Devices.touch(touched, at: context.now), at: moved.count) }
    if !context.changedDevices.isEmpty {
      // All batches write in the same order: devices after tokens, before memberships and confirmations.
      let records = context.changedDevices.sorted().compactMap { context.devices[$0] }
      steps.insert(Devices.save(records), at: moved.count)
      steps += context.countJoinsAndLeaves()
    }
    steps += context.bindings.tell(writer: context.writer, at: context.now)
    steps += confirmations.write(context)
    steps += sends.claim(context)
    steps += context.badgeSync.look(confirmations.readers.union(changes.badgeSetters), context.policies)
    return steps + context.counts.lock()
  }

  /// Updates the time of each calling device's last call, at most once an hour, because the time is only evaluated in
  /// days.
  private func touch() {
    for device in changes.callers {
      guard var record = context.devices[device], record.state != .unregistered,
        context.now - record.seenAt >= Operations.Limits.seenInterval
      else { continue }
      if context.changedDevices.contains(device) {
        record.seenAt = context.now
        context.change(record)
      } else {
        touched.insert(device)
      }
    }
  }

  private func saveCounts() -> [Step] {
    context.counts.begin()
    for index in operations.indices {
      if case .confirm = operations[index] { confirmations.applyBadge(at: index, context) }
      if case .send = operations[index] { sends.applyNextBadge(context) }
      if case .setBadge = operations[index] { changes.applyBadge(at: index, context) }
    }
    return context.counts.save() + context.badgeSync.save(at: context.now)
  }

  private func finish() {
    confirmations.answer(context)
    registrations.answer(context)
    changes.answer(context)
    sends.answer(context)
    identities.answer(context)
  }

  /// Sends to dispatch after the transaction has committed; empty if there are none. Complete when `next()` has
  /// returned nil.
  package var claimedSends: [ClaimedSend] {
    sends.isEmpty
      ? []
      : results.compactMap { if case .success(.sent(_, let claimed)) = $0 { claimed } else { nil } }
  }
}
