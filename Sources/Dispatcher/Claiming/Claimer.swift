internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store
internal import Synchronization
internal import Time

/// Thread `claim`: claims devices from shards, claims deferred deliveries that are due, and adopts the claims of dead
/// nodes.
///
/// Each claim from a shard is one transaction: lock the shard's row (other claimers skip locked rows), read the
/// devices, change the badge counts, write the claim, advance the cursor. Nothing is passed to a push network before
/// the commit.
final class Claimer {
  private let shared: Shared
  private let workers: LaneWorkers
  private var cache: MessageCache
  private var fairShare = FairShare()
  private var dueStart = DueScanWatermark()
  private let meter: ClaimMeter
  private let isolation: FailureIsolation
  private let spans: DispatchSpans?
  private let log: Logger
  /// The earliest time of the next scan for due and orphaned deliveries, so that a busy loop does not scan in every
  /// iteration.
  private var nextTakingUp = Instant(nanoseconds: 0)

  init(_ shared: Shared, _ workers: LaneWorkers) {
    log = Logger(label: workers.threadName("claim"))
    isolation = FailureIsolation(log, shared)
    self.shared = shared
    self.workers = workers
    meter = ClaimMeter(shared.configuration.metrics)
    spans = DispatchSpans(shared.configuration)
    cache = MessageCache(shared.configuration)
  }

  func run() {
    var pause = PollBackoff(usual: Limits.pollInterval)
    DatabaseThread(workers.threadName("claim"), shared).run { connection in
      let began = shared.clock.now
      var didWork = false
      if shared.holdsLease {
        try takeUpUnlaunched(connection)
        // During a campaign an iteration takes a few milliseconds; scan for due and orphaned deliveries only every few
        // iterations.
        if began >= nextTakingUp {
          if shared.hasRoom(for: workers.lanes[0]) { didWork = try adoptOrphans(connection) }
          if shared.hasRoom(for: workers.lanes[0]) { didWork = try takeDue(connection) || didWork }
          if !didWork { nextTakingUp = shared.clock.now + Limits.takingUpInterval }
        }
        let waiting = fairShare.order(
          try connection.run(Messages.claimable(workers.lanes, atMost: Limits.waitingMessages)))
        let lookedAt = shared.clock.now
        for next in waiting where shared.hasRoom(for: next.lane) && shared.holdsLease {
          didWork = try claimOrSetAside(next.seqno, connection) || didWork
          // Re-read the waiting messages from time to time, because a more urgent one may have arrived.
          let hasNews = workers.claimWakeup.wait(atMost: .zero)
          if shared.clock.now - lookedAt >= (hasNews ? Limits.shortClaimRound : Limits.claimRound) { break }
        }
      }
      let now = shared.clock.now
      if didWork || workers.claimWakeup.wait(atMost: pause.after(now - began, at: now)) {
        pause.stir(at: shared.clock.now)
      }
      workers.claimWakeup.drain()
    }
  }

  // MARK: Shards

  /// A claim to submit after its transaction is committed.
  private struct Claimed {
    let claim: Claims.Hold
    let recipients: [Recipient]
    let badges: [UserKey: Int16]
    let values: RecipientValues
    let readAt: Instant
  }

  /// Thrown within a transaction to roll it back if devices of its batch may be in another claim that is not committed
  /// yet. The caller then waits for the others; waiting with a shard locked could end in a deadlock.
  private struct ClaimInProgress: Error {}

  private func claimOrSetAside(_ seqno: Seqno, _ connection: Connection) throws -> Bool {
    do {
      return try claim(seqno, connection)
    } catch  where FailureIsolation.isOwnFault(error) {
      return try isolation.message(seqno, because: error, connection)
    }
  }

  private func claim(_ seqno: Seqno, _ connection: Connection) throws -> Bool {
    guard let message = try cache.message(seqno, connection) else {
      if let problem = cache.takeUnreadable()[seqno] { throw problem }
      return false
    }
    var didAdvance = false
    func claimOnce(copies: Bool, alone: Bool = false) throws -> Claimed? {
      do {
        return try connection.withTransaction { () throws -> Claimed? in
          if alone { try connection.run(Shards.lockAll(seqno)) }
          // The time is taken before the message's state is read, so that the data's age is never underestimated.
          let readAt = shared.clock.now
          guard let shard = try connection.run(Shards.lock(seqno)), let gate = try ClaimAllowance(seqno, connection)
          else {
            return nil
          }
          didAdvance = true
          return try claim(shard, BadgeClaim(message, copies: copies), message, gate, readAt, connection)
        }
      } catch is ClaimInProgress {
        didAdvance = false
        // Alone, only a shard that was planned just now can be in the way: left to the next round.
        guard !alone else { return nil }
        return try claimOnce(copies: copies, alone: true)
      }
    }
    let claimed: Claimed?
    do {
      claimed = try claimOnce(copies: true)
    } catch let error as PostgresError where error.sqlState == .uniqueViolation {
      claimed = try claimOnce(copies: false)
    }
    guard let claimed else { return didAdvance }
    let recipients = claimed.recipients
    let time = shared.clock.now - claimed.readAt
    meter.claimed(recipients.count, message.push.lane, after: time)
    MessageLog(log).claimed(seqno, claimed.claim, devices: recipients.count)
    let span = spans?.claimed(message, devices: recipients.count, after: time)
    fairShare.charge(seqno, recipients.count)
    shared.admit(recipients.count)
    if shared.clock.wallTime >= message.expiresAt {
      workers.tell(.decided(claim: claimed.claim, message, recipients.map(\.waiting), .expired, reason: "expired"))
    } else if message.needsLocalTimes {
      workers.tell(.waiting(claim: claimed.claim, message, recipients.map(\.waiting)))
    } else {
      shared.launch(
        claimed.claim, message, recipients, badges: claimed.badges, values: claimed.values, readAt: claimed.readAt,
        trace: span)
    }
    return true
  }

  /// Claims a batch of the shard, within the transaction, and writes everything that must be committed before any of it
  /// is sent. Returns nil if there is nothing to submit: the batch is empty, or the message is held for a new approval.
  /// Throws `ClaimInProgress`, having written nothing, if another claim of the message must be waited for.
  private func claim(
    _ shard: Shards.Record, _ badgeClaim: BadgeClaim, _ message: DispatchMessage, _ gate: ClaimAllowance,
    _ readAt: Instant,
    _ connection: Connection
  ) throws -> Claimed? {
    let reader = WaveReader(message, wave: shard.wave, frozenAt: gate.frozenAt)
    guard let batch = try reader.nextClaim(shard, limit: gate.limit, connection) else { throw ClaimInProgress() }
    if try isHeld(shard, batch.members.count, reader, message, connection) { return nil }
    try gate.save(claimed: batch.members.count, connection)
    let values = try RecipientValues(batch.members, message, connection)
    var plan = ClaimPlan()
    plan.add(batch.members, of: message.claimed, filled: values.kept(for:))
    let block = reader.makesBlocks ? block(of: shard, batch.members) : nil
    let badges = try badgeClaim.run(plan.ledger, inBlock: block != nil, connection)
    let claim = try plan.claims.first.map { (seqno, entries) throws(PostgresError) in
      let node = shared.configuration.node
      return try connection.run(
        block.map {
          Blocks.create(
            $0.id, node: node, $0.recipients, firstKey: $0.firstKey, increment: plan.ledger.first?.increment)
        }
          ?? Claims.create(seqno, node: node, entries))
    }
    for query in plan.writes { try connection.run(query) }
    try connection.run(
      Shards.advance(
        shard, to: batch.rest, claimed: batch.members.count, makesBlock: block != nil, exhausted: batch.isLast))
    let difference = shard.claimed + Int64(batch.members.count) - shard.targeted
    if batch.isLast ? difference != 0 : difference > 0 {
      // The number of devices has changed between planning and claiming. Correct the message's target count to what was
      // claimed: a surplus at once, a shortfall with the shard's last batch.
      try connection.run(Messages.correctTargeted(shard.seqno, by: difference))
    }
    guard let claim else {
      // Without a claim, no outcome will complete the message: check now whether it is complete.
      try Messages.finish([shard.seqno], at: shared.clock.wallTime, within: connection)
      return nil
    }
    return Claimed(
      claim: claim, recipients: Recipient.all(batch.members, in: block?.id), badges: badges, values: values,
      readAt: readAt)
  }

  /// Forms a block from the claim's members. Returns nil if outcomes are not stored, if there are fewer than
  /// `Blocks.leastDevices` or more than `Blocks.mostDevices` members, if the shard has no block number left, or if the
  /// user keys are too long.
  private func block(
    of shard: Shards.Record, _ members: [Audiences.Member]
  ) -> (id: BlockID, recipients: BlockRecipients, firstKey: UserKey)? {
    guard shared.configuration.storesOutcomes, (Blocks.leastDevices...Blocks.mostDevices).contains(members.count),
      let id = shard.nextBlock,
      let recipients = BlockRecipients(members.lazy.map { ($0.device, $0.userKey) }),
      let firstKey = members.lazy.map(\.userKey).min()
    else { return nil }
    return (id, recipients, firstKey)
  }

  /// Pauses a message that a person sent until it is approved anew, if its audience has outgrown what was approved or
  /// what one person may send to. Must be called before any of the surplus is claimed. Returns true if the message was
  /// paused; the claim must then take no devices.
  private func isHeld(
    _ shard: Shards.Record, _ count: Int, _ reader: WaveReader, _ message: DispatchMessage, _ connection: Connection
  ) throws -> Bool {
    guard message.isAskedByPerson, shard.claimed + Int64(count) > shard.targeted else { return false }
    let rest = try reader.nextBatch(shard.part, limit: Limits.recountedDevices, connection).members.count
    guard try ApprovalHolds.holdWhenGrown(shard, to: Int64(rest), on: connection) else { return false }
    log.notice(
      "a message has grown and waits for a second person", metadata: ["seqno": .stringConvertible(message.seqno)])
    return true
  }

  // MARK: Due and orphaned deliveries

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

  private func adoptOrphans(_ connection: Connection) throws -> Bool {
    try settingAside(connection) { try adopt(connection) }
  }

  private func takeDue(_ connection: Connection) throws -> Bool {
    let didWork = try settingAside(connection) { try takeUpDue(connection) }
    return try settingAside(connection) { try takeUpGated(connection) } || didWork
  }

  /// Adopts claims of dead nodes and claims that a node has given up, and passes those deliveries whose outcome is
  /// unknown to the completer: to be sent again, or to be skipped if the message is cancelled or must not be resent.
  /// Deletes claims without such deliveries. Returns true if a claim was adopted.
  private func adopt(_ connection: Connection) throws -> Bool {
    var inputs: [CompleterInput] = []
    var count = 0
    let found = try connection.withTransaction { () throws -> Bool in
      let node = shared.configuration.node
      let adopted = try connection.run(
        Claims.adopt(node: node, lanes: workers.lanes, claims: Limits.adoptedClaims, devices: Limits.claimDevices))
      guard !adopted.isEmpty else { return false }
      let seqnos = Set(adopted.map(\.seqno))
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
        count += entries.count
        let targets = entries.map(WaitingTarget.init)
        increases[seqno, default: Outcomes.Increase()].unknown += Int64(entries.count)
        if message.push.onUnknown == .resend, let sendState = sendStates[seqno], sendState.passage != .cancelled {
          // Count the resends before making them, so that no crash can hide a possible duplicate.
          increases[seqno, default: Outcomes.Increase()].resent += Int64(entries.count)
          inputs.append(.waiting(claim: hold, message, targets))
        } else {
          inputs.append(.decided(claim: hold, message, targets, .skipped, reason: SkipReason.unknownNotResent.rawValue))
        }
      }
      for query in Outcomes.add(increases, writer: workers.claimWriter) { try connection.run(query) }
      if !ended.isEmpty {
        try connection.run(Claims.finish(ended.map(\.hold), node: node))
        try Messages.finish(Set(ended.map(\.seqno)), at: shared.clock.wallTime, within: connection)
      }
      return true
    }
    shared.admit(count)
    if !inputs.isEmpty { workers.tell(inputs) }
    return found
  }

  /// Claims deferred deliveries that are due, of messages without a gate, and passes them to the completer. Returns
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

  /// Claims deferred deliveries that are due, of messages with a gate, as many of each as its pace allows now, and
  /// passes them to the completer. Returns true if there were any.
  private func takeUpGated(_ connection: Connection) throws -> Bool {
    let (now, node) = (shared.clock.wallTime, shared.configuration.node)
    let due = try connection.run(
      GatedDeliveries.due(at: now, lanes: workers.lanes, atMost: Limits.waitingMessages))
    var didWork = false
    for seqno in due where shared.hasRoom(for: workers.lanes[0]) && shared.holdsLease {
      var (taken, found): ([Waits.Taken], [Seqno: DispatchMessage]) = ([], [:])
      try connection.withTransaction {
        guard let allowance = try ClaimAllowance(seqno, areDeferred: true, connection) else { return }
        let claims = try GatedDeliveries.takeUp(
          seqno, at: now, devices: allowance.limit, node: node, on: connection)
        guard !claims.isEmpty else { return }
        try allowance.save(claimed: claims.reduce(0) { $0 + $1.entries.count }, connection)
        found = try messages([seqno], connection)
        let deadlines = found[seqno]?.fallbackDeadlines(of: claims, at: now) ?? [:]
        if !deadlines.isEmpty { try connection.run(Fallbacks.restart(deadlines)) }
        taken = claims
      }
      didWork = takeOn(taken, found) || didWork
    }
    return didWork
  }

  /// Passes deliveries to the completer whose claims are committed, without those of messages that do not exist.
  /// Returns true if any are left.
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
