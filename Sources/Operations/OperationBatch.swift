package import Domain
package import Postgres
package import Reactor
package import Store

/// A database step of a batch: a statement whose answer the batch takes in.
package typealias Step = Query<Void>

/// Carries out hot operations together: see the module's essay for the rounds.
///
/// Driven from outside: `next()` gives the statements of a round trip; whoever runs them calls each step's `read` with
/// its rows, then `next()` again, until it returns nil. Then `results` stand, in the order of the operations, and hold
/// only if the transaction was committed. Made for one run, on one thread.
package final class OperationBatch {
  package typealias Outcome = Result<OperationAnswer, Problem>

  /// The statements of one round trip.
  package struct Round {
    package var steps: [Step]
    /// The first round of a transaction that spans several: begin before it.
    package var begins: Bool
    /// The last round of such a transaction: commit after it.
    package var commits: Bool
  }

  package let operations: [Operation]
  package internal(set) var results: [Outcome]

  /// Microseconds since 1970: the moment of the whole batch.
  let now: Int64
  /// Not later than any reading of this batch, on the monotonic clock.
  let readAt: Instant
  /// This committer's own rows in the totals.
  let writer: Int32
  /// The node that claims what is sent.
  let node: UUIDValue
  /// What apps want done differently.
  let policies: AppPolicies
  /// Counts devices that nobody knows yet; nil: as many as like may register.
  let newDevices: NewDevices?
  /// The new devices that this batch has counted. Whoever retries the batch returns them to the allowance first.
  package private(set) var admitted: [NewDevices.Source] = []
  /// Device rows as they stand in this batch: read, changed, and written once at the end.
  var devices: [DeviceID: Devices.Record] = [:]
  var changedDevices: Set<DeviceID> = []
  /// Whether those that are changed were active before.
  private var wereActive: [DeviceID: Bool] = [:]
  var counts = BadgeCounts()
  var badgeSync = BadgeSync()
  var bindings = BindingPart()
  /// The devices that users had who may have one only.
  private var devicesOfUsers: [Users.Key: [DeviceID]] = [:]

  private var confirmations: ConfirmationPart
  private var registrations: RegistrationPart
  private var changes: DevicePart
  private var sends: NamedSendPart
  /// Devices of which only the time of their last call is written.
  private var touched: Set<DeviceID> = []
  private let identities: IdentityPart
  private var round = 0
  /// True when locks must outlive a round trip.
  private let needsTransaction: Bool

  package init(
    _ operations: [Operation], writer: Int32, node: UUIDValue, policies: AppPolicies, now: Int64,
    readAt: Instant, newDevices: NewDevices? = nil
  ) {
    self.operations = operations
    self.newDevices = newDevices
    self.writer = writer
    self.node = node
    self.readAt = readAt
    self.policies = policies
    self.now = now
    results = Array(repeating: .success(.done), count: operations.count)
    confirmations = ConfirmationPart(operations)
    registrations = RegistrationPart(operations, policies, now: now)
    changes = DevicePart(operations)
    sends = NamedSendPart(operations)
    identities = IdentityPart(operations)
    needsTransaction =
      !registrations.isEmpty || !sends.isEmpty || changes.changesAnything || confirmations.hasReads
  }

  /// True between the round that begins a transaction and the one that commits it.
  package private(set) var isInTransaction = false

  /// The next round trip; nil when all is done.
  package func next() -> Round? {
    while round <= 3 {
      let present = round
      round += 1
      let steps = steps(of: present)
      let isLast = present == 3 || present == 2 && !counts.isWanted
      if steps.isEmpty && !(needsTransaction && isLast) {
        if isLast { break }
        continue
      }
      defer { if isLast { round = 4 } }
      // The first round that has steps is round 0 whenever a transaction is needed.
      isInTransaction = needsTransaction && !isLast
      return Round(steps: steps, begins: needsTransaction && present == 0, commits: needsTransaction && isLast)
    }
    finish()
    return nil
  }

  /// Runs it straight-line, for whoever has a blocking connection and no loop.
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
      lockNames() + registrations.lockTokens(self) + changes.lockTokens(self) + lockDevices() + changes.look(self)
        + confirmations.resolve(self) + sends.look(self) + identities.look()
    case 1:
      registrations.decide(self) + changes.findTokens(self) + lookAtUsers()
        + confirmations.findUsers(self) + sends.store(self) + identities.find()
    case 2:
      prepareWrites()
    default:
      saveCounts()
    }
  }

  private func lookAtUsers() -> [Step] {
    changes.askAboutUsers(self)
    let alone = changes.possessors(self).filter { policies.single.contains($0.app) }
    guard !alone.isEmpty else { return bindings.look(self) }
    // Known only now, for it is the device's row that says who comes.
    let names = Set(alone.map(\.userKey))
    return [
      Devices.lockNames(names),
      Devices.lock([], othersOf: names, in: policies.single).map { [self] records in rememberOwned(records) },
    ] + bindings.look(self)
  }

  private func rememberOwned(_ records: [Devices.Record]) {
    remember(records.filter { devices[$0.device] == nil })
    for record in records where policies.single.contains(record.app) {
      devicesOfUsers[Users.Key(app: record.app, userKey: record.userKey), default: []].append(record.device)
    }
  }

  /// One statement locks the devices of all parts, in key order.
  private func lockDevices() -> [Step] {
    let wanted = registrations.devices.union(changes.devicesToLock)
    guard !wanted.isEmpty else { return [] }
    let alone = namedAlone
    guard !alone.isEmpty else { return [Devices.lock(wanted).map { [self] records in remember(records) }] }
    return [
      Devices.lock(wanted, othersOf: alone, in: policies.single).map { [self] records in rememberOwned(records) }
    ]
  }

  /// Users who may be in an app that lets them have one device only.
  private var namedAlone: Set<UserKey> {
    guard !policies.single.isEmpty else { return [] }
    return registrations.namedUsers(in: policies.single).union(changes.namedUsers)
  }

  private func lockNames() -> [Step] {
    let alone = namedAlone
    return alone.isEmpty ? [] : [Devices.lockNames(alone)]
  }

  /// Returns all other devices of a user to GUEST, where it may have one only.
  func releaseOthers(of user: Users.Key, for device: DeviceID) {
    guard policies.single.contains(user.app), !user.userKey.isGuest else { return }
    for other in devicesOfUsers[user] ?? [] where other != device {
      // As it stands now: an operation before this one may have moved it already.
      guard var record = devices[other], record.userKey == user.userKey else { continue }
      record.release()
      record.boundAt = now
      change(record)
    }
  }

  /// Counts a new device against the allowances.
  /// - Returns: why it may not register now; nil when it may.
  func admit(_ app: App, from origin: IPAddress?) -> Problem? {
    guard let newDevices else { return nil }
    if let problem = newDevices.refusal(of: app, from: origin, now: readAt) { return problem }
    admitted.append(NewDevices.Source(app: app.number, address: origin))
    return nil
  }

  /// What a device is told of its user's name. Where nobody vouches for it, it may be anybody's: it hears what it said
  /// itself, or it could learn the names of all customers from their numbers.
  func shownName(_ given: String, stored: String? = nil, of record: Devices.Record) -> String {
    guard record.identity > .open else { return given }
    return stored ?? counts.name(of: Users.Key(app: record.app, userKey: record.userKey))
  }

  func remember(_ records: [Devices.Record]) {
    for record in records { devices[record.device] = record }
  }

  /// Changes a device's row; it is written in round 2.
  func change(_ record: Devices.Record) {
    if changedDevices.insert(record.device).inserted {
      wereActive[record.device] = devices[record.device]?.state == .active
    }
    devices[record.device] = record
  }

  private func prepareWrites() -> [Step] {
    let moved = registrations.finish(self)
    let changed = changes.apply(self)
    touch()
    var steps = moved + changed
    if !touched.isEmpty { steps.insert(Devices.touch(touched, at: now), at: moved.count) }
    if !changedDevices.isEmpty {
      // A fixed order of writes for everyone: devices after tokens, before memberships and confirmations.
      let records = changedDevices.sorted().compactMap { devices[$0] }
      steps.insert(Devices.save(records), at: moved.count)
      steps += countJoinsAndLeaves()
    }
    steps += bindings.tell(self)
    steps += confirmations.write(self)
    steps += sends.claim(self)
    steps += badgeSync.look(confirmations.readers.union(changes.badgeSetters), self)
    return steps + counts.lock()
  }

  /// Notes that a device called, at most once an hour: who looks at it asks for days.
  private func touch() {
    for device in changes.callers {
      guard var record = devices[device], record.state != .unregistered,
        now - record.seenAt >= Operations.Limits.seenMicroseconds
      else { continue }
      if changedDevices.contains(device) {
        record.seenAt = now
        change(record)
      } else {
        touched.insert(device)
      }
    }
  }

  private func countJoinsAndLeaves() -> [Step] {
    var tally = Statistics.Tally()
    for (device, wasActive) in wereActive {
      guard let record = devices[device], (record.state == .active) != wasActive else { continue }
      var key = Statistics.Key(app: record.app)
      key.network = record.network
      key.appVersion = record.attributes.appVersion
      if wasActive {
        key.reason = "unregistered"
        tally.countLeft(key)
      } else {
        tally.countJoined(key)
      }
    }
    return tally.isEmpty ? [] : [Statistics.add(tally, writer: writer, at: now)]
  }

  private func saveCounts() -> [Step] {
    counts.begin()
    for index in operations.indices {
      if case .confirm = operations[index] { confirmations.applyBadge(at: index, self) }
      if case .send = operations[index] { sends.applyBadge(at: index, self) }
      if case .setBadge = operations[index] { changes.applyBadge(at: index, self) }
    }
    return counts.save() + badgeSync.save(self)
  }

  private func finish() {
    confirmations.answer(self)
    registrations.answer(self)
    changes.answer(self)
    sends.answer(self)
    identities.answer(self)
  }

  /// What is to be sent now that the transaction is committed.
  package var claimedSends: [ClaimedSend] {
    sends.isEmpty
      ? []
      : results.compactMap { if case .success(.sent(_, let claimed)) = $0 { claimed } else { nil } }
  }

  func fail(_ index: Int, _ problem: Problem) {
    results[index] = .failure(problem)
  }

  func hasFailed(_ index: Int) -> Bool {
    if case .failure = results[index] { true } else { false }
  }
}
