internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store
internal import Synchronization
internal import Time

/// Thread `claim`: claims devices from shards, and resumes deliveries that were claimed before (`ResumedDeliveries`).
///
/// Each claim from a shard is one transaction: lock the shard's row (other claimers skip locked rows), read the
/// devices, change the badge counts, write the claim, advance the cursor. Nothing is passed to a push network before
/// the commit.
final class Claimer {
  private let shared: Shared
  private let workers: LaneWorkers
  private var cache: MessageCache
  private var fairShare = FairShare()
  private let meter: ClaimMeter
  private let isolation: FailureIsolation
  private let spans: DispatchSpans?
  private let log: Logger
  private let resumed: ResumedDeliveries

  init(_ shared: Shared, _ workers: LaneWorkers) {
    log = Logger(label: workers.threadName("claim"))
    isolation = FailureIsolation(log, shared)
    resumed = ResumedDeliveries(shared, workers, isolation)
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
        didWork = try resumed.takeUp(connection)
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

  /// Thrown within a transaction to roll it back if another claim, not committed yet, may contain devices of its batch.
  /// The caller then waits for that claim; waiting while holding the lock on a shard could end in a deadlock.
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
    func claimOnce(copies: Bool, alone: Bool = false) throws -> CommittedClaim? {
      do {
        return try connection.withTransaction { () throws -> CommittedClaim? in
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
        // With all shards locked, only one that was planned just now can be in the way. The next round deals with it.
        guard !alone else { return nil }
        return try claimOnce(copies: copies, alone: true)
      }
    }
    let claimed: CommittedClaim?
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
      shared.launch(claimed, trace: span)
    }
    return true
  }

  /// Claims a batch of the shard, within the transaction, and writes everything that must be committed before any of it
  /// is sent. Returns nil if there is nothing to submit: the batch is empty, or the message is held for a new approval.
  /// Throws `ClaimInProgress`, having written nothing, if the caller must first wait for another claim of the message.
  private func claim(
    _ shard: Shards.Record, _ badgeClaim: BadgeClaim, _ message: DispatchMessage, _ gate: ClaimAllowance,
    _ readAt: Instant, _ connection: Connection
  ) throws -> CommittedClaim? {
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
    return CommittedClaim(
      claim: claim, message: message, recipients: Recipient.all(batch.members, in: block?.id), badges: badges,
      values: values, readAt: readAt)
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
}

/// The order in which messages are claimed from: strictly by lane, and within a lane with equal shares for all
/// messages, whatever their size and age. Each message is charged for the devices claimed from it, and the one charged
/// least is next. A message that starts, or returns after a pause, starts at the lowest charge in its lane: it is
/// served at once but does not catch up on the past. Decision 056.
struct FairShare {
  typealias Waiting = (seqno: Seqno, lane: Lane)

  /// Number of devices charged to each message that was waiting at the last ordering.
  private var charged: [Seqno: Int64] = [:]

  /// Returns the waiting messages in the order in which to claim from them: by lane, then least charged first, then
  /// newest first. Forgets the charges of all other messages.
  mutating func order(_ waiting: [Waiting]) -> [Waiting] {
    var present: [Seqno: Int64] = [:]
    for lane in Lane.allCases {
      let messages = waiting.filter { $0.lane == lane }
      let least = messages.compactMap { charged[$0.seqno] }.min() ?? 0
      for message in messages { present[message.seqno] = max(charged[message.seqno] ?? least, least) }
    }
    charged = present
    return waiting.sorted { left, right in
      let (a, b) = (charged[left.seqno] ?? 0, charged[right.seqno] ?? 0)
      // On a tie the newer message comes first, because it has had nothing yet.
      return (left.lane.rawValue, a, right.seqno) < (right.lane.rawValue, b, left.seqno)
    }
  }

  mutating func charge(_ seqno: Seqno, _ devices: Int) {
    charged[seqno, default: 0] += Int64(devices)
  }
}
