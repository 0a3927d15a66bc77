internal import Domain
internal import Postgres
internal import Store
internal import Time

/// The reversal of rejections that our own configuration has caused, within a transaction: the deliveries become
/// pending again, totals and badge counts are corrected as if these deliveries had never ended, and completed messages
/// are reopened.
struct RejectionReversal {
  private let records: [RejectionReversals.Record]
  private let now: Timestamp

  /// Makes the deliveries pending and due at once; `run` must then correct totals, statistics and badges. Ignores
  /// deliveries that were not rejected, those of messages that have expired or were cancelled or whose confidential
  /// contents were wiped, and those that a resend repeats.
  init(
    _ deliveries: some Collection<Confirmations.Delivery>, now: Timestamp, _ connection: Connection
  ) throws(PostgresError) {
    self.now = now
    records = try connection.run(RejectionReversals.outcomes(deliveries, at: now))
  }

  /// Corrects totals, statistics and badges, and reopens messages. Does nothing if no delivery was made pending.
  /// - Parameter others: messages that the transaction changes afterwards; locks them together with those of the
  ///   deliveries.
  func run(_ connection: Connection, writer: Int32, locking others: Set<Seqno> = []) throws(PostgresError) {
    guard !records.isEmpty else { return }
    try restoreBadges(connection)
    var increases: [Seqno: Outcomes.Increase] = [:]
    for record in records {
      increases[record.seqno, default: Outcomes.Increase()].rejected -= 1
      if let reason = record.reason { increases[record.seqno]?.reasons[reason, default: 0] -= 1 }
    }
    var tally = Statistics.Tally()
    for record in records { tally.count(.rejected, record.statistic, times: -1) }
    for query in Outcomes.add(increases, statistics: tally, writer: writer, at: now) { try connection.run(query) }
    try RejectionReversals.reopen(Set(records.map(\.seqno)), locking: others, on: connection)
  }

  /// Restores badge increments that were taken back when all of a user's deliveries had ended without success.
  private func restoreBadges(_ connection: Connection) throws(PostgresError) {
    var negatives: [Ledger.Key: Int32] = [:]
    for record in records {
      let user = Users.Key(app: record.app, userKey: record.userKey)
      negatives[Ledger.Key(user: user, seqno: record.seqno), default: 0] += 1
    }
    try Increments.restore(negatives, on: connection)
  }
}
