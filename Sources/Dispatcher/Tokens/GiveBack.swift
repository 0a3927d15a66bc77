internal import Domain
internal import Postgres
internal import Store

/// Undoes rejections that were our own fault, within a transaction: the deliveries are pending again, totals and badges
/// are as if they had never ended, and a completed message is open again.
struct GiveBack {
  private let records: [GiveBacks.Record]
  private let now: Int64

  /// Makes the deliveries pending; those that were not rejected, or are over for good, are left alone.
  init(
    _ deliveries: some Collection<Confirmations.Delivery>, now: Int64, _ connection: Connection
  ) throws(PostgresError) {
    self.now = now
    records = try connection.run(GiveBacks.outcomes(deliveries, at: now))
  }

  func run(_ connection: Connection, writer: Int32) throws(PostgresError) {
    guard !records.isEmpty else { return }
    try giveBadges(connection)
    var increases: [Int64: Outcomes.Increase] = [:]
    for record in records {
      increases[record.seqno, default: Outcomes.Increase()].rejected -= 1
      if let reason = record.reason { increases[record.seqno]?.reasons[reason, default: 0] -= 1 }
    }
    var tally = Statistics.Tally()
    for record in records { tally.count(.rejected, record.statistic, times: -1) }
    for query in Outcomes.add(increases, statistics: tally, writer: writer, at: now) { try connection.run(query) }
    try GiveBacks.reopen(Set(records.map(\.seqno)), on: connection)
  }

  /// Adds again what was taken back because all of a user's deliveries had ended negative.
  private func giveBadges(_ connection: Connection) throws(PostgresError) {
    var negatives: [Ledger.Key: Int16] = [:]
    for record in records {
      let user = Users.Key(app: record.app, userKey: record.userKey)
      negatives[Ledger.Key(user: user, seqno: record.seqno), default: 0] += 1
    }
    try Increments.giveBack(negatives, on: connection)
  }
}
