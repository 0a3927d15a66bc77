internal import Domain
internal import Postgres
internal import Store

/// Decisions that are not committed yet, and their transaction. Kept until it succeeds: writing them twice is harmless,
/// for an outcome that stands is not written again and counts nothing.
struct Decisions {
  struct Decision {
    let claim: Int64
    let message: DispatchMessage
    let record: Outcomes.Record
  }

  struct RefusedToken {
    let device: DeviceID
    let psid: String
    /// Microseconds since 1970.
    let since: Int64
  }

  private(set) var decisions: [Decision] = []
  private(set) var refusedTokens: [RefusedToken] = []
  private(set) var pausedApps: [App.Number: String] = [:]
  /// Submissions without answer, and second submissions, by message.
  private var increases: [Int64: Outcomes.Increase] = [:]

  var isEmpty: Bool {
    decisions.isEmpty && increases.isEmpty && pausedApps.isEmpty && refusedTokens.isEmpty
  }

  mutating func add(_ decision: Decision) {
    decisions.append(decision)
  }

  mutating func countUnknown(_ seqno: Int64) {
    increases[seqno, default: Outcomes.Increase()].unknown += 1
  }

  mutating func countResent(_ seqno: Int64) {
    increases[seqno, default: Outcomes.Increase()].resent += 1
  }

  mutating func refuse(_ token: RefusedToken) {
    refusedTokens.append(token)
  }

  mutating func pause(_ app: App.Number, reason: String) {
    pausedApps[app] = reason
  }

  /// How many decisions each claim has here.
  var countByClaim: [Int64: Int] {
    decisions.reduce(into: [:]) { counts, decision in counts[decision.claim, default: 0] += 1 }
  }

  /// Writes everything within a transaction.
  /// - Parameter finished: claims whose last outcomes these are.
  func write(
    _ connection: Connection, finished: [Int64], node: UUIDValue, writer: Int32, now: Int64, storesRows: Bool
  ) throws(PostgresError) {
    for token in refusedTokens {
      try connection.run(Outcomes.refuseToken(token.device, psid: token.psid, since: token.since))
    }
    var increases = increases
    let unique = uniqueDecisions()
    if !unique.isEmpty {
      let taken =
        storesRows ? try connection.run(Outcomes.write(unique.map(\.record), at: now)).map { unique[$0] } : unique
      for decision in taken {
        increases[decision.record.seqno, default: Outcomes.Increase()]
          .count(decision.record.status, reason: decision.record.reason)
      }
      try takeBackBadges(taken, connection)
    }
    for query in Outcomes.add(increases, writer: writer) { try connection.run(query) }
    if !finished.isEmpty { try connection.run(Claims.finish(finished, node: node)) }
    for (app, reason) in pausedApps { try connection.run(Apps.pause(app, reason: reason)) }
  }

  /// One statement may touch a row once only; of two decisions about one delivery the first stands.
  private func uniqueDecisions() -> [Decision] {
    var seen: Set<Confirmations.Delivery> = []
    return decisions.filter {
      seen.insert(Confirmations.Delivery(seqno: $0.record.seqno, device: $0.record.device)).inserted
    }
  }

  /// When every delivery of a user has ended negative, what the message added to its count is taken back.
  private func takeBackBadges(_ taken: [Decision], _ connection: Connection) throws(PostgresError) {
    var negatives: [Ledger.Key: Int16] = [:]
    for decision in taken
    where decision.message.movesBadge && decision.record.status.isFinal && decision.record.status != .accepted {
      let user = Users.Key(app: decision.message.app, userKey: decision.record.userKey)
      negatives[Ledger.Key(user: user, seqno: decision.record.seqno), default: 0] += 1
    }
    guard !negatives.isEmpty else { return }
    let takenBack = try connection.run(Ledger.addNegatives(negatives.map { ($0.key, $0.value) }))
    guard !takenBack.isEmpty else { return }
    var counts = try connection.run(Users.lock(Set(takenBack.map(\.user))))
    for entry in takenBack { counts[entry.user] = BadgeCount.add(-entry.increment, to: counts[entry.user] ?? 0) }
    try connection.run(Users.saveCounts(counts.map { ($0.key, $0.value) }))
  }
}
