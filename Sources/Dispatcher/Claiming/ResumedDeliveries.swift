internal import Domain
internal import Postgres
internal import Reactor
internal import Store
internal import Synchronization
internal import Time

/// Resumes deliveries that were claimed before: deferred ones that are due, those of dead nodes, and those of this
/// node's claims whose commit was not confirmed. Used by the thread `claim`.
final class ResumedDeliveries {
  private let shared: Shared
  private let workers: LaneWorkers
  private var cache: MessageCache
  private var dueStart = DueScanWatermark()
  private let isolation: FailureIsolation
  /// Claims whose adoption may have been committed without a confirmation; empty once that is known.
  private var unconfirmed: [Adopted] = []
  /// The earliest time of the next scan for due and orphaned deliveries, so that a busy loop does not scan in every
  /// iteration.
  private var nextScan = Instant(nanoseconds: 0)

  /// A claim that this node has adopted, with the completer's input for it.
  private struct Adopted {
    let hold: Claims.Hold
    let input: CompleterInput
    let devices: Int
  }

  init(_ shared: Shared, _ workers: LaneWorkers, _ isolation: FailureIsolation) {
    self.shared = shared
    self.workers = workers
    self.isolation = isolation
    cache = MessageCache(shared.configuration)
  }

  /// Resumes as many deliveries as there is room for. During a campaign, when an iteration of the loop takes a few
  /// milliseconds, does so only in every few iterations. Returns true if there were any.
  func takeUp(_ connection: Connection) throws -> Bool {
    try takeUpUnlaunched(connection)
    try takeUpUnconfirmed(connection)
    guard shared.clock.now >= nextScan else { return false }
    var didWork = false
    if shared.hasRoom(for: workers.lanes[0]) { didWork = try adoptOrphans(connection) }
    if shared.hasRoom(for: workers.lanes[0]) { didWork = try takeDue(connection) || didWork }
    if !didWork { nextScan = shared.clock.now + Limits.takingUpInterval }
    return didWork
  }

  /// Thrown within a transaction to roll it back if it meets messages that this release cannot read; the caller then
  /// pauses them.
  private struct Unreadable: Error {
    let messages: [Seqno: Problem]
  }

  /// Loads messages within the transaction that claims their deliveries. Messages that do not exist are missing from
  /// the result. Throws `Unreadable` if one cannot be read.
  private func messages(_ seqnos: Set<Seqno>, _ connection: Connection) throws -> [Seqno: DispatchMessage] {
    let messages = try cache.messages(seqnos, connection)
    let unreadable = cache.takeUnreadable()
    guard unreadable.isEmpty else { throw Unreadable(messages: unreadable) }
    return messages
  }

  /// Runs `body`, which contains a transaction, and returns its result. If `body` throws `Unreadable`, pauses the
  /// messages and returns true: the next iteration continues without them.
  private func settingAside(_ connection: Connection, _ body: () throws -> Bool) throws -> Bool {
    do {
      return try body()
    } catch let error as Unreadable {
      try isolation.messages(error.messages, connection)
      return true
    }
  }

  /// Passes to the completer claims of this node whose commit succeeded although its confirmation was lost. Nothing of
  /// them was submitted, so their deliveries count as first attempts.
  private func takeUpUnlaunched(_ connection: Connection) throws {
    let holds = shared.unlaunched.withLock { $0[workers.number] ?? [] }
    guard !holds.isEmpty else { return }
    var inputs: [CompleterInput] = []
    var count = 0
    _ = try settingAside(connection) {
      try connection.withTransaction {
        let held = try connection.run(Claims.lock(holds, node: shared.configuration.node))
        let undecided = try Claims.undecided(held, inDoubt: false, on: connection)
        let seqnos = try connection.run(Claims.messages(of: held))
        let messages = try messages(Set(seqnos.values), connection)
        for hold in held {
          guard let entries = undecided[hold.claim], let message = seqnos[hold.claim].flatMap({ messages[$0] })
          else { continue }
          count += entries.count
          inputs.append(.found(claim: hold, message, entries.map(WaitingTarget.init)))
        }
      }
      return true
    }
    shared.unlaunched.withLock { _ = $0[workers.number]?.subtract(holds) }
    shared.admit(count)
    if !inputs.isEmpty { workers.tell(inputs) }
  }

  /// Passes on the claims whose adoption was committed although its confirmation was lost: that commit has counted them
  /// as unknown, so adopting them again would count them twice. The others are adopted again.
  private func takeUpUnconfirmed(_ connection: Connection) throws(PostgresError) {
    guard !unconfirmed.isEmpty else { return }
    let held = try connection.run(Claims.held(Set(unconfirmed.map(\.hold)), node: shared.configuration.node))
    passOn(unconfirmed.filter { held.contains($0.hold) })
    unconfirmed = []
  }

  private func passOn(_ adopted: [Adopted]) {
    shared.admit(adopted.reduce(0) { $0 + $1.devices })
    if !adopted.isEmpty { workers.tell(adopted.map(\.input)) }
  }

  /// Adopts claims. If that fails because of the data of one message, adopts those of each message alone, so that the
  /// faulty one delays nobody else.
  private func adoptOrphans(_ connection: Connection) throws -> Bool {
    var tried: Set<Seqno> = []
    do {
      return try settingAside(connection) { try adopt(connection) { tried = $0 } }
    } catch  where FailureIsolation.isOwnFault(error) && !tried.isEmpty {
      var didWork = false
      for seqno in tried.sorted() where shared.hasRoom(for: workers.lanes[0]) && shared.holdsLease {
        let didAdopt = try isolating(seqno, connection) { try adopt(of: seqno, connection) }
        didWork = didAdopt || didWork
      }
      return didWork
    }
  }

  private func takeDue(_ connection: Connection) throws -> Bool {
    let didWork = try takeUpTogetherOrApart(connection)
    return try takeUpGated(connection) || didWork
  }

  /// Takes up the due deliveries of all messages without a pace together. If the data of one message makes that fail,
  /// takes up each message in a transaction of its own, so that the faulty one delays no other.
  private func takeUpTogetherOrApart(_ connection: Connection) throws -> Bool {
    do {
      return try settingAside(connection) { try takeUpDue(connection) }
    } catch  where FailureIsolation.isOwnFault(error) {
      return try takeUpApart(connection)
    }
  }

  /// Runs `body`, which contains a transaction about one message, and returns its result. If the message cannot be read
  /// or its own data makes `body` fail, pauses the message, and returns whether it did.
  private func isolating(_ seqno: Seqno, _ connection: Connection, _ body: () throws -> Bool) throws -> Bool {
    do {
      return try settingAside(connection, body)
    } catch  where FailureIsolation.isOwnFault(error) {
      return try isolation.message(seqno, because: error, connection)
    }
  }

  /// Adopts claims of dead nodes and claims that a node has given up, and passes those deliveries whose outcome is
  /// unknown to the completer: to be sent again, or to be skipped if the message is cancelled or must not be resent.
  /// Deletes claims without such deliveries. Returns true if a claim was adopted.
  /// - Parameters:
  ///   - only: the message whose claims are adopted; nil for all.
  ///   - tries: called within the transaction with the messages of the claims, before these are looked at.
  private func adopt(
    of only: Seqno? = nil, _ connection: Connection, tries: (Set<Seqno>) -> Void = { _ in }
  ) throws -> Bool {
    var open: [Adopted] = []
    let found = try connection.withTransaction { () throws -> Bool in
      let node = shared.configuration.node
      let adopted = try connection.run(
        Claims.adopt(
          node: node, lanes: workers.lanes, claims: Limits.adoptedClaims, devices: Limits.claimDevices, of: only))
      guard !adopted.isEmpty else { return false }
      let seqnos = Set(adopted.map(\.seqno))
      tries(seqnos)
      let undecided = try Claims.undecided(adopted.map(\.hold), on: connection)
      let messages = try messages(seqnos, connection)
      let sendStates = try connection.run(Controls.sendStates(seqnos))
      var increases: [Seqno: Outcomes.Increase] = [:]
      var ended: [(hold: Claims.Hold, seqno: Seqno)] = []
      for (hold, seqno) in adopted {
        guard let entries = undecided[hold.claim], let message = messages[seqno] else {
          ended.append((hold, seqno))
          continue
        }
        let targets = entries.map(WaitingTarget.init)
        let input: CompleterInput
        increases[seqno, default: Outcomes.Increase()].unknown += Int64(entries.count)
        if message.push.onUnknown == .resend, let sendState = sendStates[seqno], sendState.passage != .cancelled {
          // Count the resends before making them, so that no crash can hide a possible duplicate.
          increases[seqno, default: Outcomes.Increase()].resent += Int64(entries.count)
          input = .waiting(claim: hold, message, targets)
        } else {
          input = .decided(claim: hold, message, targets, .skipped, reason: SkipReason.unknownNotResent.rawValue)
        }
        open.append(Adopted(hold: hold, input: input, devices: entries.count))
      }
      for query in Outcomes.add(increases, writer: workers.claimWriter) { try connection.run(query) }
      if !ended.isEmpty {
        try connection.run(Claims.finish(ended.map(\.hold), node: node))
        try Messages.finish(Set(ended.map(\.seqno)), at: shared.clock.wallTime, within: connection)
      }
      unconfirmed = open
      return true
    }
    unconfirmed = []
    passOn(open)
    return found
  }

  /// Claims deferred deliveries that are due, of messages without a pace, and passes them to the completer. Returns
  /// true if any were due.
  private func takeUpDue(_ connection: Connection) throws -> Bool {
    let now = shared.clock.wallTime
    let held = try connection.run(Controls.held(atMost: Limits.heldMessages))
    let since = dueStart.begin(at: now, held: DueScanWatermark.Held(apps: held.apps, messages: held.messages))
    let began = shared.clock.now
    var (taken, found): ([Waits.Taken], [Seqno: DispatchMessage]) = ([], [:])
    var someAreLeft = false
    try connection.withTransaction {
      let node = shared.configuration.node
      // Blocks are locked before rows, in the same order as by the transactions that write outcomes.
      let waits = try Waits.takeUp(
        since: since, at: now, lanes: workers.lanes, devices: Limits.dueDevices, mostRows: Limits.dueBlocks, node: node,
        on: connection)
      let due = try connection.run(Claims.due(since: since, at: now, lanes: workers.lanes, limit: Limits.dueDevices))
      var claims = waits.claims
      if !due.isEmpty {
        let parts = Dictionary(grouping: due, by: \.seqno).map { (seqno: $0.key, entries: $0.value.map(\.entry)) }
        let holds = try connection.run(Claims.create(parts, node: node))
        claims += parts.compactMap { part in holds[part.seqno].map { (part.seqno, $0, part.entries) } }
      }
      someAreLeft =
        due.count == Limits.dueDevices || waits.someAreClaimed
        || waits.claims.reduce(0) { $0 + $1.entries.count } >= Limits.dueDevices
      guard !claims.isEmpty else { return }
      found = try messages(Set(claims.map(\.seqno)), connection)
      taken = claims
    }
    dueStart.looked(from: since, for: shared.clock.now - began)
    if !someAreLeft { dueStart.passed(now) }
    return takeOn(taken, found)
  }

  /// Does what `takeUpDue` does, but in a transaction for each message. Returns true if anything was claimed, or if a
  /// message was paused because its own data makes the claim fail.
  private func takeUpApart(_ connection: Connection) throws -> Bool {
    let now = shared.clock.wallTime
    let due = try connection.run(Claims.dueMessages(at: now, lanes: workers.lanes, atMost: Limits.dueDevices))
    return try takeUpEach(due, at: now, restartsFallbacks: false, connection)
  }

  /// Claims deferred deliveries that are due of messages that have a pace, or had one: of each message as many as its
  /// pace allows now. Passes them to the completer. Returns true if there were any, or if a message was paused because
  /// its own data makes the claim fail.
  private func takeUpGated(_ connection: Connection) throws -> Bool {
    let now = shared.clock.wallTime
    let due = try connection.run(
      GatedDeliveries.due(at: now, lanes: workers.lanes, atMost: Limits.waitingMessages))
    return try takeUpEach(due, at: now, restartsFallbacks: true, connection)
  }

  /// Claims deferred deliveries of messages, in a transaction for each message. Returns true if there were any, or if a
  /// message was paused because its own data makes the claim fail.
  /// - Parameter restartsFallbacks: true if the deliveries have waited for their message's pace, which the deadlines of
  ///   their SMS fallbacks do not include.
  private func takeUpEach(
    _ due: [Seqno], at now: Timestamp, restartsFallbacks: Bool, _ connection: Connection
  ) throws -> Bool {
    var didWork = false
    for seqno in due where shared.hasRoom(for: workers.lanes[0]) && shared.holdsLease {
      let didTake = try isolating(seqno, connection) {
        try takeUp(seqno, at: now, restartsFallbacks: restartsFallbacks, connection)
      }
      didWork = didTake || didWork
    }
    return didWork
  }

  private func takeUp(
    _ seqno: Seqno, at now: Timestamp, restartsFallbacks: Bool, _ connection: Connection
  ) throws -> Bool {
    var (taken, found): ([Waits.Taken], [Seqno: DispatchMessage]) = ([], [:])
    try connection.withTransaction {
      guard let allowance = try ClaimAllowance(seqno, areDeferred: true, connection) else { return }
      let claims = try GatedDeliveries.takeUp(
        seqno, at: now, devices: allowance.limit, node: shared.configuration.node, on: connection)
      guard !claims.isEmpty else { return }
      try allowance.save(claimed: claims.reduce(0) { $0 + $1.entries.count }, connection)
      found = try messages([seqno], connection)
      if restartsFallbacks {
        let deadlines = found[seqno]?.fallbackDeadlines(of: claims, at: now) ?? [:]
        if !deadlines.isEmpty { try connection.run(Fallbacks.restart(deadlines)) }
      }
      taken = claims
    }
    return takeOn(taken, found)
  }

  /// Passes to the completer the deliveries whose claims are committed, except those of messages that do not exist.
  /// Returns true if any were passed.
  private func takeOn(_ claims: [Waits.Taken], _ messages: [Seqno: DispatchMessage]) -> Bool {
    var (inputs, count): ([CompleterInput], Int) = ([], 0)
    for (seqno, hold, entries) in claims {
      guard let message = messages[seqno] else { continue }
      count += entries.count
      inputs.append(.waiting(claim: hold, message, entries.map(WaitingTarget.init)))
    }
    shared.admit(count)
    if !inputs.isEmpty { workers.tell(inputs) }
    return !inputs.isEmpty
  }
}

extension WaitingTarget {
  fileprivate init(_ entry: Claims.Entry) {
    self.init(device: entry.device, userKey: entry.userKey, attempts: entry.attempts, place: entry.place)
  }
}
