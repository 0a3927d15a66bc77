internal import Domain
internal import Postgres
internal import Store

/// Reads the audience of a resend along the outcomes of the message before: in the order of devices, whose ids as text
/// are the keys of its shards. A user's devices may fall into different batches; the ledger counts the user once all the
/// same.
struct ResendReader {
  private let seqno: Int64
  private let target: ResendTarget
  private let frozenAt: Int64

  init(_ seqno: Int64, _ target: ResendTarget, frozenAt: Int64) {
    self.seqno = seqno
    self.target = target
    self.frozenAt = frozenAt
  }

  func nextPart(after before: String?, _ connection: Connection) throws(PostgresError) -> AudienceReader.Part? {
    let after = Self.device(before)
    let end = try connection.run(
      Resends.end(of: seqno, after: after, outcomes: Limits.shardDevices))
    guard let end else { return nil }
    let count = try connection.run(Resends.count(of: seqno, target, after: after, upto: end, frozenAt: frozenAt))
    return AudienceReader.Part(
      part: .keys(after: after.description, upto: end.description), targeted: count, isLast: false)
  }

  func nextBatch(
    _ after: String, _ upto: String, limit: Int, _ connection: Connection
  ) throws(PostgresError) -> AudienceReader.Batch {
    let members = try connection.run(
      Resends.read(
        of: seqno, target, after: Self.device(after), upto: Self.device(upto), frozenAt: frozenAt, limit: limit))
    guard members.count == limit, let last = members.last else {
      return AudienceReader.Batch(members: members, rest: .keys(after: upto, upto: upto), isLast: true)
    }
    return AudienceReader.Batch(
      members: members, rest: .keys(after: last.device.description, upto: upto), isLast: false)
  }

  private static func device(_ key: String?) -> DeviceID {
    key.flatMap { DeviceID($0) } ?? .lowest
  }
}
