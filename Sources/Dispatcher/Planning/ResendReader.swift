internal import Domain
internal import Postgres
internal import Store
internal import Time

/// A reader of a resend's audience from the outcomes of the earlier message: first the outcomes that have rows of their
/// own, in device order, then those in blocks, by block and position. A user's devices may fall into different batches;
/// the ledger still counts the user only once.
struct ResendReader {
  /// A position among the earlier message's outcomes, at which a shard starts or ends. Its text form is stored as the
  /// shard's key and sorts in the same order.
  enum Place: Equatable {
    case device(DeviceID)
    /// All blocks with lower numbers, and the first `done` positions of this one, have been read.
    case block(number: Int32, done: Int32)

    /// A value of `done` greater than any position in a block: the whole block has been read.
    static let all: Int32 = 99_999

    init(_ key: String?) {
      guard let key, key.hasPrefix("~") else {
        self = .device(key.flatMap { DeviceID($0) } ?? .lowest)
        return
      }
      let numbers = key.dropFirst().split(separator: ":").map { Int32($0) ?? 0 }
      self = .block(number: numbers.first ?? 0, done: numbers.last ?? 0)
    }

    var key: String {
      switch self {
      case .device(let device): device.description
      case .block(let number, let done): "~\(Self.padded(number, 10)):\(Self.padded(done, 5))"
      }
    }

    private static func padded(_ number: Int32, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
  }

  private let seqno: Seqno
  private let target: ResendTarget
  private let frozenAt: Timestamp

  init(_ seqno: Seqno, _ target: ResendTarget, frozenAt: Timestamp) {
    self.seqno = seqno
    self.target = target
    self.frozenAt = frozenAt
  }

  // MARK: Planning

  func nextPart(after before: String?, _ connection: Connection) throws(PostgresError) -> AudienceReader.Part? {
    guard case .device(let after) = Place(before) else {
      guard case .block(let number, _) = Place(before) else { return nil }
      return try nextBlocks(after: number, connection)
    }
    let end = try connection.run(Resends.end(of: seqno, after: after, outcomes: Limits.shardDevices))
    guard let end else { return try nextBlocks(after: -1, connection) }
    let count = try connection.run(Resends.count(of: seqno, target, after: after, upto: end, frozenAt: frozenAt))
    return AudienceReader.Part(
      part: .keys(after: after.description, upto: end.description), targeted: count, isLast: false)
  }

  private func nextBlocks(after block: Int32, _ connection: Connection) throws(PostgresError) -> AudienceReader.Part? {
    let blocks = Limits.shardDevices / Limits.claimDevices
    guard let end = try connection.run(Resends.blockEnd(of: seqno, after: block, blocks: blocks)) else { return nil }
    let count = try connection.run(
      Resends.count(of: seqno, target, afterBlock: block, upto: end, frozenAt: frozenAt))
    let after = block < 0 ? Place.block(number: 0, done: 0) : .block(number: block, done: Place.all)
    return AudienceReader.Part(
      part: .keys(after: after.key, upto: Place.block(number: end, done: Place.all).key), targeted: count,
      isLast: false)
  }

  // MARK: Claiming

  func nextBatch(
    _ after: String, _ upto: String, limit: Int, _ connection: Connection
  ) throws(PostgresError) -> AudienceReader.Batch {
    switch (Place(after), Place(upto)) {
    case (.device(let from), .device(let end)):
      let members = try connection.run(
        Resends.read(of: seqno, target, after: from, upto: end, frozenAt: frozenAt, limit: limit))
      guard members.count == limit, let last = members.last else { return over(members, upto) }
      return AudienceReader.Batch(
        members: members, rest: .keys(after: last.device.description, upto: upto), isLast: false)
    case (.block(let number, let done), .block(let end, _)):
      return try nextInBlocks(number, done, end, upto, limit: limit, connection)
    default: return over([], upto)
    }
  }

  private func nextInBlocks(
    _ number: Int32, _ done: Int32, _ end: Int32, _ upto: String, limit: Int, _ connection: Connection
  ) throws(PostgresError) -> AudienceReader.Batch {
    guard let next = try connection.run(Resends.nextBlock(of: seqno, from: number, done: done, upto: end)) else {
      return over([], upto)
    }
    let (members, last) = try connection.run(
      Resends.read(
        of: BlockID(seqno: seqno, number: next), target, from: next == number ? done : 0, frozenAt: frozenAt,
        limit: limit))
    let isCut = members.count == limit
    let rest = Place.block(number: next, done: isCut ? last.map { $0 + 1 } ?? Place.all : Place.all)
    return AudienceReader.Batch(members: members, rest: .keys(after: rest.key, upto: upto), isLast: false)
  }

  private func over(_ members: [Audiences.Member], _ upto: String) -> AudienceReader.Batch {
    AudienceReader.Batch(members: members, rest: .keys(after: upto, upto: upto), isLast: true)
  }
}
