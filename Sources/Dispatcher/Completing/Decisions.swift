internal import Domain
internal import Postgres
internal import Store
internal import Time

/// Decisions that are not committed yet, and the transaction that writes them. They are kept until it succeeds. If its
/// confirmation was lost, they are written again, and nothing happens twice: a delivery that has a final outcome gets
/// no other one, in a row (`Outcomes.write`) or in a block whose states are locked (`BlockWriter`); one that was
/// deferred, or whose rejection was undone, is not made due again after it has been taken up; a claim that the first
/// attempt ended permits no further decision; and `DoubtTotals` takes back what was counted already.
struct Decisions {
  struct Decision {
    let claim: Claims.Hold
    let message: DispatchMessage
    var record: Outcomes.Record
    /// The delivery's position in a block; nil if it has none.
    var place: BlockPlace?
    /// True for the result of a first submission by the claim's first holder: the delivery should have no row yet.
    var isFirst = false
    /// The network for which the app has no credential, if the delivery is deferred for that reason; otherwise nil.
    var missing: PushNetwork?
    /// Network for the statistics: set if a submission has ended the delivery, or if the delivery is skipped for lack
    /// of a credential for this network; otherwise nil.
    var network: PushNetwork?
    /// App version for the statistics; empty if it is unknown or no submission has ended the delivery.
    var appVersion = ""

    /// True if the delivery was released from the in-flight window when it was answered.
    var hasGivenRoom = false

    /// Returns false for the acceptance or rejection by a network, which is a fact whichever node holds the claim by
    /// now. Returns true for everything else, which only the claim's holder may decide: also for a rejection that can
    /// be undone, now or when the breaker opens, because that makes the delivery due, and another holder is sending it
    /// already.
    /// - Parameter refused: deliveries whose rejections can be undone.
    func needsClaim(refused: Set<Confirmations.Delivery>) -> Bool {
      switch record.status {
      case .accepted: false
      case .rejected: refused.contains(delivery)
      default: true
      }
    }

    /// True if the delivery can be due again once the decision is written: it is deferred, or its rejection may be
    /// undone.
    var canBecomeDue: Bool { !record.status.isFinal || record.status == .rejected }
  }

  /// A fault of an app's credential, as reported by its network.
  struct Fault {
    let network: PushNetwork
    let reason: String
    /// When the token that was sent to was read from the database.
    let readAt: Timestamp
    /// When the credentials had last been read from the database before the push was submitted.
    let credentialsReadAt: Timestamp
    /// True if the app has no credential at all for the network.
    var isMissing = false
  }

  private(set) var decisions: [Decision] = []
  private(set) var findings: [TokenFinding] = []
  private(set) var faults: [App.Number: Fault] = [:]
  private var doubts = DoubtTotals()
  /// True if a transaction has tried to write some of them, and may have been committed.
  private var wasTried = false

  /// True if first outcomes may be written by COPY (`Limits.copiedDecisions` or more). The caller sets it to false
  /// after one of them turned out to have a row already, because another node had adopted the claim.
  var copies = true

  var isEmpty: Bool {
    decisions.isEmpty && doubts.isEmpty && faults.isEmpty && findings.isEmpty
  }

  /// These decisions, split into smaller parts to be written one after the other: everything that belongs to no
  /// outcome, and two halves of the outcomes, without empty parts. Used for bisection; a single part cannot be divided
  /// further.
  var parts: [Decisions] {
    let middle = decisions.count / 2
    let halves = [decisions[..<middle], decisions[middle...]].filter { !$0.isEmpty }.map { half in
      let deliveries = Set(half.map(\.delivery))
      var part = Decisions()
      (part.decisions, part.copies, part.wasTried) = (Array(half), copies, wasTried)
      part.findings = findings.filter { deliveries.contains($0.delivery) }
      return part
    }
    let decided = Set(decisions.map(\.delivery))
    var rest = Decisions()
    (rest.doubts, rest.faults) = (doubts, faults)
    rest.findings = findings.filter { !decided.contains($0.delivery) }
    return rest.isEmpty ? halves : [rest] + halves
  }

  /// Adds decisions whose transaction failed, for the next attempt. If both contain numbers for the same message, or a
  /// fault of the same app, keeps only those present here.
  mutating func add(_ other: Decisions) {
    decisions += other.decisions
    findings += other.findings
    faults.merge(other.faults) { present, _ in present }
    doubts.add(other.doubts)
    wasTried = wasTried || other.wasTried
  }

  mutating func add(_ decision: Decision) {
    decisions.append(decision)
  }

  mutating func countUnknown(_ seqno: Seqno) {
    doubts.countUnknown(seqno)
  }

  mutating func countResent(_ seqno: Seqno) {
    doubts.countResent(seqno)
  }

  mutating func find(_ finding: TokenFinding) {
    findings.append(finding)
  }

  /// Records a credential's fault. Returns false, keeping the first, if a fault of the same app is recorded already.
  mutating func fault(_ app: App.Number, _ fault: Fault) -> Bool {
    guard faults[app] == nil else { return false }
    faults[app] = fault
    return true
  }

  /// Number of decisions per claim.
  var countByClaim: [Claims.Hold: Int] {
    decisions.reduce(into: [:]) { counts, decision in counts[decision.claim, default: 0] += 1 }
  }

  /// Returns the messages of those claims about which there are decisions, and which of these messages are campaigns.
  func messages(of claims: [Claims.Hold]) -> (all: Set<Seqno>, campaigns: Set<Seqno>) {
    let claims = Set(claims)
    var (all, campaigns): (Set<Seqno>, Set<Seqno>) = ([], [])
    for decision in decisions where claims.contains(decision.claim) {
      guard all.insert(decision.message.seqno).inserted, decision.message.isCampaign else { continue }
      campaigns.insert(decision.message.seqno)
    }
    return (all, campaigns)
  }

  /// Result of a transaction.
  struct Written {
    let maintenance: TokenMaintenance.Result
    /// Number of deliveries per SEQNO that this transaction has recorded as accepted, for messages whose request lists
    /// its recipients.
    let accepted: [Seqno: Int64]
  }

  /// Writes all decisions within a transaction: outcomes, totals, statistics, badge counts, and what they imply for
  /// devices and apps. Skips decisions that only the claim's holder may make, if another node has adopted the claim.
  /// - Parameters:
  ///   - finished: claims whose last outcomes are among these decisions; they are deleted.
  ///   - storesRows: false only in a benchmark, to count outcomes without storing them.
  /// - Throws: `uniqueViolation` if `copies` is true and a first outcome has a row already.
  mutating func write(
    _ connection: Connection, finished: [Claims.Hold], node: UUIDValue, writer: Int32, now: Timestamp, storesRows: Bool,
    _ breaker: CircuitBreaker
  ) throws(PostgresError) -> Written {
    let isRepeated = wasTried
    wasTried = true
    var accepted: [Seqno: Int64] = [:]
    var maintenance = try TokenMaintenance(findings, breaker, faulty: faults.keys, now: now, connection)
    let refused = maintenance.refused
    let lost = try lostClaims(connection, node, refused: refused, isRepeated: isRepeated)
    func isLost(_ decision: Decision) -> Bool {
      lost.contains(decision.claim) && decision.needsClaim(refused: refused)
    }
    // What is refused of a lost claim is the new holder's to find out, which sends to the same token.
    let others: Set<Confirmations.Delivery> = lost.isEmpty ? [] : Set(decisions.filter(isLost).map(\.delivery))
    try maintenance.changeDevices(connection, besides: others, writer: writer)
    try doubts.begin(connection, writer: writer)
    var increases = doubts.increases
    var tally = Statistics.Tally()
    let networks = try self.networks(connection)
    let own = decisions.filter { !isLost($0) }.map { $0.settled(with: networks) }
    var taken: [Decision] = []
    if !own.isEmpty {
      taken = storesRows ? try store(own, isRepeated: isRepeated, at: now, connection) : unique(own)
      for decision in taken {
        tally.count(decision.record.status, decision.statistic)
        increases[decision.record.seqno, default: Outcomes.Increase()]
          .count(decision.record.status, reason: decision.record.reason)
        if decision.record.status == .accepted, decision.message.entryCount != nil {
          accepted[decision.record.seqno, default: 0] += 1
        }
      }
      try takeBackBadges(taken, connection)
    }
    for query in Outcomes.add(increases, statistics: tally, writer: writer, at: now) { try connection.run(query) }
    try doubts.takeBackSurplus(connection, writer: writer)
    if !finished.isEmpty { try connection.run(Claims.finish(finished, node: node)) }
    try postponeFallbacks(own, connection)
    // Both steps change messages: lock the messages of both together, in one order.
    let waiting = putOffs(own)
    try maintenance.undoFloods(
      connection, decided: Set(taken.map(\.delivery)), writer: writer, locking: Set(waiting.keys))
    if !waiting.isEmpty { try connection.run(Lateness.putOff(waiting)) }
    for (app, fault) in faults where !(fault.isMissing && networks.reach(app, without: fault.network)) {
      let grace = Duration.seconds(Limits.credentialGraceSeconds)
      let pause = AppPauses.pause(
        app, faultOf: fault.network, reason: fault.reason, since: fault.readAt - grace,
        credentialsReadAt: fault.credentialsReadAt - grace)
      if try connection.run(pause) {
        maintenance.result.faulty.insert(app)
      }
    }
    return Written(maintenance: maintenance.result, accepted: accepted)
  }

  /// Postpones the fallback text messages of pushes that are deferred to permitted hours: the time allowed for
  /// confirmation then starts when the push is due.
  private func postponeFallbacks(_ decisions: [Decision], _ connection: Connection) throws(PostgresError) {
    var dues: [Fallbacks.Key: Timestamp] = [:]
    for decision in decisions {
      guard let fallback = decision.message.fallback, let dueAt = decision.record.dueAt,
        decision.record.reason.map(Resubmission.hourReasons.contains) == true
      else { continue }
      let key = Fallbacks.Key(seqno: decision.record.seqno, userKey: decision.record.userKey)
      dues[key] = max(dues[key] ?? .zero, dueAt + .seconds(fallback.afterSeconds))
    }
    if !dues.isEmpty { try connection.run(Fallbacks.postpone(dues)) }
  }

  /// Returns until when messages wait for permitted hours, so that this wait makes none of them late.
  private func putOffs(_ decisions: [Decision]) -> [Seqno: Timestamp] {
    var dues: [Seqno: Timestamp] = [:]
    for decision in decisions {
      guard let dueAt = decision.record.dueAt,
        decision.record.reason.map(Resubmission.hourReasons.contains) == true
      else { continue }
      dues[decision.record.seqno] = max(dues[decision.record.seqno] ?? .zero, dueAt)
    }
    return dues
  }

  /// Returns, of the claims that decisions need, those that this node has lost: another node adopted them after this
  /// node's lease had ended. Locks the others until the transaction ends, so that a node that adopts one later sees
  /// what is written here. Locks them exclusively if an earlier attempt may still be going on, for it has locked them
  /// too: what it commits, and what becomes of that, is then seen below.
  private func lostClaims(
    _ connection: Connection, _ node: UUIDValue, refused: Set<Confirmations.Delivery>, isRepeated: Bool
  ) throws(PostgresError) -> Set<Claims.Hold> {
    let doubtful = Set(decisions.lazy.filter { $0.needsClaim(refused: refused) }.map(\.claim))
    guard !doubtful.isEmpty else { return [] }
    return doubtful.subtracting(try connection.run(Claims.lock(doubtful, node: node, alone: isRepeated)))
  }

  /// Writes the decisions and returns those that took effect: deliveries that had no final outcome before.
  private func store(
    _ own: [Decision], isRepeated: Bool, at now: Timestamp, _ connection: Connection
  ) throws(PostgresError) -> [Decision] {
    let blocks = try BlockWriter(own, at: now, connection)
    let open = isRepeated ? try withoutTakenUp(blocks.rows, connection) : blocks.rows
    let rows = unique(open)
    var first = copies ? rows.filter { $0.isFirst && $0.record.status.isFinal } : []
    if first.count < Limits.copiedDecisions { first = [] }
    let others = first.isEmpty ? rows : rows.filter { !($0.isFirst && $0.record.status.isFinal) }
    if !first.isEmpty { try Outcomes.copy(first.map(\.record), at: now, connection) }
    guard !others.isEmpty else { return blocks.taken + first }
    let written = try connection.run(Outcomes.write(others.map(\.record), at: now))
    return blocks.taken + first + written.map { others[$0] }
  }

  /// Drops deferrals that an earlier attempt has written after all, and rejections that it has written and undone, if
  /// the deliveries have been due since: they are in newer claims, and would be sent twice if they became due once
  /// more.
  private func withoutTakenUp(
    _ decisions: [Decision], _ connection: Connection
  ) throws(PostgresError) -> [Decision] {
    let waiting = Set(decisions.filter(\.canBecomeDue).map(\.delivery))
    guard !waiting.isEmpty else { return decisions }
    // Locked first: what still waits is not taken up after the claims are read.
    try connection.run(Outcomes.lock(waiting))
    let newest = try connection.run(Claims.newest(of: waiting))
    return decisions.filter { decision in
      !decision.canBecomeDue || newest[decision.delivery].map { $0 <= decision.claim.claim } ?? true
    }
  }

  /// Returns the networks for which apps have a credential. Looks up only apps with a missing credential.
  private func networks(_ connection: Connection) throws(PostgresError) -> Networks {
    let apps = faults.filter { $0.value.isMissing }.map(\.key)
    return Networks(byApp: apps.isEmpty ? [:] : try connection.run(AppPauses.networks(of: apps)))
  }

  /// Removes duplicates, because a statement may update a row only once. Of two decisions about one delivery, keeps the
  /// first.
  private func unique(_ decisions: [Decision]) -> [Decision] {
    var seen: Set<Confirmations.Delivery> = []
    return decisions.filter { seen.insert($0.delivery).inserted }
  }

  /// Takes back the increment of a user's badge count if all of the user's deliveries of the message have ended without
  /// success.
  private func takeBackBadges(_ taken: [Decision], _ connection: Connection) throws(PostgresError) {
    var negatives: [Ledger.Key: Int32] = [:]
    for decision in taken
    where decision.message.movesBadge && decision.record.status.isFinal && decision.record.status != .accepted {
      let user = Users.Key(app: decision.message.app, userKey: decision.record.userKey)
      negatives[Ledger.Key(user: user, seqno: decision.record.seqno), default: 0] += 1
    }
    guard !negatives.isEmpty else { return }
    try Increments.revoke(negatives, on: connection)
  }
}

/// The networks for which each app has a credential.
private struct Networks {
  let byApp: [App.Number: Set<PushNetwork>]

  /// Returns true if the app has no credential for `network` but has one for another. False if it has none at all, or
  /// was not looked up.
  func reach(_ app: App.Number, without network: PushNetwork) -> Bool {
    guard let present = byApp[app] else { return false }
    return !present.isEmpty && !present.contains(network)
  }
}

extension Decisions.Decision {
  fileprivate var delivery: Confirmations.Delivery {
    Confirmations.Delivery(seqno: record.seqno, device: record.device)
  }

  /// The statistics entry that counts the delivery; nil for a test, which is not counted.
  fileprivate var statistic: Statistics.Key? {
    guard message.request.purpose.isCounted else { return nil }
    var key = Statistics.Key(app: message.app)
    key.network = network
    key.lane = message.push.lane
    key.appVersion = KeyText.kept(appVersion, bytes: Domain.Limits.attributeBytes)
    key.reason = record.reason ?? ""
    return key
  }

  /// Turns a wait for a missing credential into a skip if the app has a credential for another network: the missing one
  /// may never come.
  fileprivate func settled(with networks: Networks) -> Decisions.Decision {
    guard let missing, networks.reach(message.app, without: missing) else { return self }
    var settled = self
    settled.network = missing
    settled.record = Outcomes.Record(
      seqno: record.seqno, device: record.device, userKey: record.userKey, status: .skipped,
      attempts: record.attempts, reason: SkipReason.noProvider.rawValue, dueAt: nil)
    return settled
  }
}
