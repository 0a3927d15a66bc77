internal import Domain
internal import Postgres
internal import Store
internal import Time

/// A reader of the part of an audience that belongs to one wave of a message sent at local times: the devices of
/// certain time zones. Any other message has only wave 0, its whole audience. If the message is a resend to unreached
/// devices, the reader leaves out those that the earlier message has reached.
struct WaveReader {
  private let reader: AudienceReader
  private let seqno: Seqno
  private let wave: Int16
  private let app: App.Number
  private let frozenAt: Timestamp
  private let isRange: Bool
  private let reachedBefore: Seqno?

  private var isFiltered: Bool { wave > 0 || reachedBefore != nil }

  /// True if each batch can become a block: each is a range of user keys that overlaps no other batch of the message,
  /// and no device is left out because of its time zone or an earlier message.
  let makesBlocks: Bool

  init(_ message: DispatchMessage, wave: Int16, frozenAt: Timestamp) {
    reader = AudienceReader(message.request.audience, app: message.app, frozenAt: frozenAt)
    seqno = message.seqno
    self.wave = wave
    app = message.app
    self.frozenAt = frozenAt
    reachedBefore = message.reachedBefore
    switch message.request.audience {
    case .all, .members: isRange = true
    case .clientUIDs, .devices, .psids, .groups, .deliveries, .segment, .savedSegment, .csv: isRange = false
    }
    let isInOrder =
      switch message.request.audience {
      case .all, .members, .groups, .segment, .csv: true
      case .clientUIDs, .devices, .psids, .deliveries, .savedSegment: false
      }
    makesBlocks = isInOrder && wave == 0 && reachedBefore == nil
  }

  /// Returns the next shard to write, with the number of its devices that belong to the wave; nil after the last. A
  /// list of recipients is one shard, returned for any `before`.
  /// - Parameter before: the key at which the wave's last shard written ended; nil for the first.
  func nextPart(after before: String?, _ connection: Connection) throws(PostgresError) -> AudienceReader.Part? {
    let part = try reader.nextPart(after: before, connection)
    guard let part, isFiltered else { return part }
    return AudienceReader.Part(part: part.part, targeted: try count(part.part, connection), isLast: part.isLast)
  }

  private func count(_ part: Shards.Record.Part, _ connection: Connection) throws(PostgresError) -> Int64 {
    if isRange, reachedBefore == nil, case .keys(let after, let upto) = part {
      return try connection.run(
        Waves.count(app: app, after: after, upto: upto, frozenAt: frozenAt, seqno: seqno, wave: wave))
    }
    // The inner reader's count includes the devices left out here, so read the whole shard and count the others.
    var count: Int64 = 0
    var rest = part
    while true {
      let batch = try nextBatch(rest, limit: Limits.claimDevices, connection)
      count += Int64(batch.members.count)
      if batch.isLast { return count }
      rest = batch.rest
    }
  }

  /// Returns whether the device may already have been claimed under an earlier user, or as the device whose token it
  /// took over, because its user changed at about the time the audience was frozen: for example, when a guest logged in
  /// through a node whose clock is slow, or in a slow transaction.
  private func isDoubtful(_ member: Audiences.Member) -> Bool {
    member.boundAt > frozenAt - Limits.bindingDoubt
  }

  /// Removes doubtful devices that were already claimed under an earlier user, or as the device that had their token.
  private func leavingOutMoved(
    _ batch: AudienceReader.Batch, _ connection: Connection
  ) throws(PostgresError) -> AudienceReader.Batch {
    let doubtful = batch.members.filter(isDoubtful).map(\.device)
    guard !doubtful.isEmpty else { return batch }
    let claimed = try connection.run(Audiences.claimed(doubtful, of: seqno))
    guard !claimed.isEmpty else { return batch }
    return AudienceReader.Batch(
      members: batch.members.filter { !claimed.contains($0.device) }, rest: batch.rest, isLast: batch.isLast)
  }

  /// Returns the next batch of a shard. It can be empty without being the last, if none of the devices read belongs to
  /// the wave or all are left out.
  /// - Parameter limit: as in `AudienceReader.nextBatch`; counts the devices before any are left out.
  func nextBatch(
    _ part: Shards.Record.Part, limit: Int, _ connection: Connection
  ) throws(PostgresError) -> AudienceReader.Batch {
    try chosen(from: reader.nextBatch(part, limit: limit, connection), connection)
  }

  /// Returns the next batch to claim from a locked shard, like `nextBatch`; nil if one of its devices may have been
  /// claimed under an earlier user by a transaction that is still in progress. If the batch has a doubtful device, no
  /// other transaction can claim from the message's shards until this one ends.
  func nextClaim(
    _ shard: Shards.Record, limit: Int, _ connection: Connection
  ) throws(PostgresError) -> AudienceReader.Batch? {
    let batch = try reader.nextBatch(shard.part, limit: limit, connection)
    if batch.members.contains(where: isDoubtful) {
      // Check this after reading the devices: whoever reads them later finds their new users.
      guard try connection.run(Shards.lockOthers(of: shard)) else { return nil }
    }
    return try chosen(from: batch, connection)
  }

  /// Removes from a batch the devices that do not belong to the wave, or were claimed or reached before.
  private func chosen(
    from batch: AudienceReader.Batch, _ connection: Connection
  ) throws(PostgresError) -> AudienceReader.Batch {
    let batch = try leavingOutMoved(batch, connection)
    guard isFiltered, !batch.members.isEmpty else { return batch }
    let devices = batch.members.map(\.device)
    var present = Set(devices)
    if wave > 0 { present = try connection.run(Waves.members(of: devices, seqno: seqno, wave: wave)) }
    if let reachedBefore {
      try present.formIntersection(connection.run(Resends.unreached(of: reachedBefore, among: devices)))
    }
    return AudienceReader.Batch(
      members: batch.members.filter { present.contains($0.device) }, rest: batch.rest, isLast: batch.isLast)
  }
}
