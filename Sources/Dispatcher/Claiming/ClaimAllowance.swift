internal import Domain
internal import Postgres
internal import Store
internal import Time

/// The number of devices of a message that may be claimed now: from its shards, or again after they were deferred.
/// Read from the database within the claim's transaction, so that it observes every pause of the message committed
/// before, and the pace and canary state that all nodes share.
struct ClaimAllowance {
  /// When the audience was frozen.
  let frozenAt: Timestamp
  /// Maximum number of devices in this claim, with the exceptions that `AudienceReader.nextBatch` documents.
  let limit: Int
  /// The message's locked gate, with its pace and canary; nil if it has no gate or has expired.
  private let locked: Gates.Locked?
  private var meter: PaceMeter?
  private let areDeferred: Bool

  /// Computes how many devices may be claimed, and locks the message's gate. Nil if none may be claimed now: the
  /// message does not exist, is not being sent, is being cancelled, or its pace or canary allows none. In the last
  /// case, saves the pace meter, which the caller's transaction must commit.
  /// - Parameter areDeferred: true for deferred deliveries. They were claimed from the shards before, so the canary
  ///   neither holds them back nor counts them again.
  init?(_ seqno: Seqno, areDeferred: Bool = false, _ connection: Connection) throws(PostgresError) {
    guard let stored = try connection.run(Messages.find(seqno)), stored.state == .sending,
      !stored.isCancelling, let frozenAt = stored.frozenAt
    else { return nil }
    self.frozenAt = frozenAt
    self.areDeferred = areDeferred
    let gate = try connection.run(Gates.lock(seqno))
    guard let locked = gate, locked.now < stored.expiresAt else {
      // The deliveries of an expired message are only recorded as expired, without any pacing.
      self.locked = nil
      limit = Limits.claimDevices
      return
    }
    self.locked = locked
    var meter = locked.meter
    let allowed = min(
      Limits.claimDevices, locked.pace.map { meter.allowance($0, now: locked.now) } ?? .max,
      areDeferred ? .max : Self.canaryAllowance(locked.canary))
    self.meter = meter
    limit = allowed
    guard allowed > 0 else {
      // Save the meter, so that no node tries again before the pace allows it.
      try save(claimed: 0, connection)
      return nil
    }
  }

  private static func canaryAllowance(_ canary: Gates.LockedCanary?) -> Int {
    guard let canary else { return .max }
    switch canary.phase {
    case .passed: return .max
    case .watching, .stopped: return 0
    case .filling: return Int(max(0, (canary.devices ?? 0) - canary.claimed))
    }
  }

  /// Records the number of claimed devices against the pace and the canary, in the claim's transaction. Does nothing if
  /// the message has no gate or has expired.
  func save(claimed: Int, _ connection: Connection) throws(PostgresError) {
    guard let locked, var meter else { return }
    if let pace = locked.pace { meter.take(claimed, pace) }
    try connection.run(Gates.save(locked, meter, claimed: areDeferred ? 0 : claimed))
  }
}
