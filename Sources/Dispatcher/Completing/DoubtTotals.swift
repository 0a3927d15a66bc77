internal import Domain
internal import Postgres
internal import Store

/// Numbers of unanswered submissions and of resends of messages, until the transaction that counts them is known to be
/// committed.
///
/// An outcome can be written again, because only its first writer counts it. These numbers stand for no outcome, so if
/// the confirmation of a commit is lost, they are added once more. That is noticed by the writer's own totals, to which
/// no other thread adds: what they have grown by since the first attempt must be what is to be counted, and a surplus
/// is taken back.
struct DoubtTotals {
  private(set) var increases: [Seqno: Outcomes.Increase] = [:]
  /// What the writer had counted before the first attempt, by message.
  private var before: [Seqno: Outcomes.Increase] = [:]
  private var attempts = 0

  var isEmpty: Bool { increases.isEmpty }

  mutating func countUnknown(_ seqno: Seqno) {
    increases[seqno, default: Outcomes.Increase()].unknown += 1
  }

  mutating func countResent(_ seqno: Seqno) {
    increases[seqno, default: Outcomes.Increase()].resent += 1
  }

  /// Begins an attempt to count the numbers, within a transaction that then adds `increases` and runs
  /// `takeBackSurplus`.
  mutating func begin(_ connection: Connection, writer: Int32) throws(PostgresError) {
    attempts += 1
    let new = increases.keys.filter { before[$0] == nil }
    guard !new.isEmpty else { return }
    let counted = try connection.run(Outcomes.doubts(of: new, writer: writer))
    for seqno in new { before[seqno] = counted[seqno] ?? Outcomes.Increase() }
  }

  /// Takes back what an earlier attempt has counted after all. Reads the totals only now, because adding to them waits
  /// for a commit of an earlier attempt that is still going on.
  func takeBackSurplus(_ connection: Connection, writer: Int32) throws(PostgresError) {
    guard attempts > 1, !increases.isEmpty else { return }
    let counted = try connection.run(Outcomes.doubts(of: increases.keys, writer: writer))
    var surpluses: [Seqno: Outcomes.Increase] = [:]
    for (seqno, own) in increases {
      guard let former = before[seqno], let present = counted[seqno] else { continue }
      var surplus = Outcomes.Increase()
      // Never more than was to be counted: by a rare chance another writer has the same number.
      surplus.unknown = max(-own.unknown, min(0, former.unknown + own.unknown - present.unknown))
      surplus.resent = max(-own.resent, min(0, former.resent + own.resent - present.resent))
      if surplus.unknown < 0 || surplus.resent < 0 { surpluses[seqno] = surplus }
    }
    guard !surpluses.isEmpty else { return }
    for query in Outcomes.add(surpluses, writer: writer) { try connection.run(query) }
  }

  /// Adds numbers whose attempt failed, for the next one. If both contain numbers for the same message, keeps only
  /// those present here.
  mutating func add(_ other: DoubtTotals) {
    increases.merge(other.increases) { present, _ in present }
    before.merge(other.before) { present, _ in present }
    attempts = max(attempts, other.attempts)
  }
}
