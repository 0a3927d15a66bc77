internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// Thread `claim`: takes devices from shards, and takes up what is due or was left behind by a dead node.
///
/// Each claim is one transaction: the shard's row is locked (others skip it), the devices read, badge counts moved, the
/// claim written, the cursor advanced. Only after its commit is anything handed on.
final class Claimer {
  private let shared: Shared
  private var shelf: MessageShelf
  private var turns = Turns()

  init(_ shared: Shared) {
    self.shared = shared
    shelf = MessageShelf(pushkeys: shared.configuration.pushkeys)
  }

  func run() {
    DatabaseThread("claim", shared).run { connection in
      var didWork = false
      if shared.holdsLease {
        if shared.hasRoom(for: .normal) { didWork = try adoptOrphan(connection) || didWork }
        if shared.hasRoom(for: .normal) { didWork = try takeDue(connection) || didWork }
        let waiting = try connection.run(Messages.claimable(atMost: Limits.waitingMessages))
        // A few, then another look: somebody more urgent may have come.
        for next in turns.order(waiting).prefix(Limits.turnsPerLook)
        where shared.hasRoom(for: next.lane) && shared.holdsLease {
          didWork = try claim(next.seqno, connection) || didWork
          if shared.claimWakeup.wait(atMost: .zero) { break }
        }
      }
      if !didWork { _ = shared.claimWakeup.wait(atMost: Limits.pollInterval) }
      shared.claimWakeup.drain()
    }
  }

  // MARK: Shards

  /// What a claim has committed.
  private struct Claimed {
    let claim: Int64
    let members: [Audiences.Member]
    let badges: [UserKey: Int16]
    let values: RecipientValues
    let readAt: Instant
  }

  private func claim(_ seqno: Int64, _ connection: Connection) throws -> Bool {
    guard let message = try shelf.message(seqno, connection) else { return false }
    var didAdvance = false
    let claimed = try connection.withTransaction { () throws -> Claimed? in
      // Before the message's state is read: what is submitted is no older than that.
      let readAt = shared.clock.now
      guard let shard = try connection.run(Shards.lock(seqno)), let gate = try Gate(message, connection) else {
        return nil
      }
      didAdvance = true
      return try claim(shard, message, gate, readAt, connection)
    }
    guard let claimed else { return didAdvance }
    turns.charge(seqno, claimed.members.count)
    shared.take(claimed.members.count)
    if shared.clock.wallMicroseconds >= message.expiresAt {
      let targets = claimed.members.map { WaitingTarget(device: $0.device, userKey: $0.userKey, attempts: 0) }
      tell(.decided(claim: claimed.claim, message, targets, .expired, reason: "expired"))
    } else if message.asksDeviceClocks {
      let targets = claimed.members.map { WaitingTarget(device: $0.device, userKey: $0.userKey, attempts: 0) }
      tell(.waiting(claim: claimed.claim, message, targets))
    } else {
      shared.launch(
        claimed.claim, message, claimed.members, badges: claimed.badges, values: claimed.values, readAt: claimed.readAt)
    }
    return true
  }

  /// Within the transaction: everything that must be committed before the first device is sent to.
  private func claim(
    _ shard: Shards.Record, _ message: DispatchMessage, _ gate: Gate, _ readAt: Instant, _ connection: Connection
  ) throws -> Claimed? {
    let reader = WaveReader(message, wave: shard.wave, frozenAt: gate.frozenAt)
    let batch = try reader.nextBatch(shard.part, limit: gate.limit, connection)
    try gate.save(claimed: batch.members.count, connection)
    let badges = message.movesBadge ? try BadgeClaim(message).run(batch.members, connection) : [:]
    let values = try RecipientValues(batch.members, message, connection)
    var claim: Int64?
    if !batch.members.isEmpty {
      let entries = batch.members.map { Claims.Entry(device: $0.device, userKey: $0.userKey, attempts: 0) }
      claim = try connection.run(Claims.create(shard.seqno, node: shared.configuration.node, entries))
    }
    try connection.run(
      Shards.advance(shard, to: batch.rest, claimed: batch.members.count, exhausted: batch.isLast))
    let difference = shard.claimed + Int64(batch.members.count) - shard.targeted
    if batch.isLast, difference != 0 {
      // Devices came or went between planning and claiming: what was really claimed counts.
      try connection.run(Messages.correctTargeted(shard.seqno, by: difference))
    }
    guard let claim else {
      // Nothing claimed, so no outcome will close the message: look at once.
      _ = try connection.run(Messages.finish([shard.seqno], at: shared.clock.wallMicroseconds))
      return nil
    }
    return Claimed(claim: claim, members: batch.members, badges: badges, values: values, readAt: readAt)
  }

  // MARK: Due and left behind

  /// Takes over one claim of a node that is not alive, and puts what is in doubt back to work.
  private func adoptOrphan(_ connection: Connection) throws -> Bool {
    var input: CompleterInput?
    var count = 0
    let found = try connection.withTransaction { () throws -> Bool in
      let node = shared.configuration.node
      guard let (claim, seqno) = try connection.run(Claims.adopt(node: node)) else { return false }
      let entries = try connection.run(Claims.undecided(claim, seqno: seqno))
      guard !entries.isEmpty, let message = try shelf.message(seqno, connection) else {
        try connection.run(Claims.finish([claim], node: node))
        _ = try connection.run(Messages.finish([seqno], at: shared.clock.wallMicroseconds))
        return true
      }
      count = entries.count
      let targets = entries.map {
        WaitingTarget(device: $0.device, userKey: $0.userKey, attempts: $0.attempts)
      }
      var increase = Outcomes.Increase()
      increase.unknown = Int64(count)
      if message.push.onUnknown == .resend, try connection.run(Controls.passage(seqno)) != .cancelled {
        // Counted before anything is sent again, so that no crash can hide a duplicate.
        increase.resent = Int64(count)
        input = .waiting(claim: claim, message, targets)
      } else {
        input = .decided(claim: claim, message, targets, .skipped, reason: SkipReason.unknownNotResent.rawValue)
      }
      for query in Outcomes.add([seqno: increase], writer: shared.claimWriter) { try connection.run(query) }
      return true
    }
    if let input {
      shared.take(count)
      tell(input)
    }
    return found
  }

  /// Takes up deferred deliveries whose time has come.
  private func takeDue(_ connection: Connection) throws -> Bool {
    var inputs: [CompleterInput] = []
    var count = 0
    try connection.withTransaction {
      let due = try connection.run(
        Claims.due(at: shared.clock.wallMicroseconds, limit: Limits.dueDevices))
      for (seqno, entries) in Dictionary(grouping: due, by: \.seqno) {
        guard let message = try shelf.message(seqno, connection) else { continue }
        let claim = try connection.run(
          Claims.create(seqno, node: shared.configuration.node, entries.map(\.entry)))
        count += entries.count
        inputs.append(
          .waiting(
            claim: claim, message,
            entries.map {
              WaitingTarget(device: $0.entry.device, userKey: $0.entry.userKey, attempts: $0.entry.attempts)
            }))
      }
    }
    shared.take(count)
    for input in inputs { tell(input) }
    return !inputs.isEmpty
  }

  private func tell(_ input: CompleterInput) {
    shared.tell(input)
  }
}
