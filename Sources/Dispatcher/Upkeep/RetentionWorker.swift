internal import Domain
internal import Logging
internal import Metrics
internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// Thread `history`: removes data whose retention has ended, in small steps that delay nothing else. Separate from the
/// janitor, because a step may take longer than the node's lease.
///
/// What one node removes is gone for all nodes, so each keeps history and messages for the longest time that any node
/// is set to, or was set to until about a day ago (`NodeSettings`): a node with a wrong setting deletes nothing that
/// the others keep, and one that starts alone with a shorter time deletes nothing before an operator can read the
/// warning.
///
/// Every node runs one. Each step is one transaction that locks the rows it works on and skips those locked by others,
/// so that the nodes share the work, and a killed node leaves a step undone but never half done.
final class RetentionWorker {
  /// How long this node itself is set to keep data.
  private let keeping: RetentionPolicy
  private let clock: any Clock
  /// Returns true once the node stops: no further step or round is begun then.
  let isStopping: () -> Bool
  let log = Logger(label: "history")
  let isolation: FailureIsolation
  private var hasLearntZones = false
  /// The shortenings that were logged last.
  private var warnedOf: [NodeSettings.Shortening] = []
  /// Position of the ledger scan, and when the scan began; nil while no scan is in progress.
  private var ledger: (place: HistoryRanges.LedgerPlace, began: Timestamp)?

  init(
    _ keeping: RetentionPolicy, clock: any Clock, metrics: Metrics = Metrics(),
    isStopping: @escaping () -> Bool = { false }
  ) {
    self.keeping = keeping
    self.clock = clock
    self.isStopping = isStopping
    isolation = FailureIsolation(log, metrics)
  }

  static func run(_ shared: Shared) {
    let worker = RetentionWorker(
      shared.configuration.keeping, clock: shared.clock, metrics: shared.configuration.metrics,
      isStopping: { shared.isStopping })
    var turns = 0
    DatabaseThread("history", shared).run(cancelledBy: shared.historyCanceller) { connection in
      try worker.turn(connection)
      // Not in the first turn: nodes that start together may not have reported yet how long they keep data.
      if turns % Limits.turnsPerLook == 0 { try worker.look(connection, removesOld: turns > 0) }
      turns += 1
      shared.stopping.rest(atMost: Limits.turnPause)
    }
  }

  /// Runs one bounded round of each removal step; called every few seconds. A step that fails because of its data is
  /// logged, and the others still run; other failures are thrown.
  func turn(_ connection: Connection) throws(PostgresError) {
    for step in [wipe, endInboxes, endFiles, drop, sweepLedger, forget, takeOut, purgeApps] where !isStopping() {
      try isolated { () throws(PostgresError) in try step(connection) }
    }
  }

  /// Runs a removal. Logs its failure if that is because of its data, so that others still run; throws other failures.
  private func isolated(_ removal: () throws(PostgresError) -> Void) throws(PostgresError) {
    do throws(PostgresError) {
      try removal()
    } catch {
      guard error.isOwnFault else { throw error }
      isolation.note("a part of what is no longer kept cannot be removed", nil, error)
    }
  }

  private func takeOut(_ connection: Connection) throws(PostgresError) {
    for _ in 0..<Limits.erasurePages {
      let hasLooked = try connection.transaction(attempts: 3) { () throws(PostgresError) in
        try Erasures.step(deliveries: Limits.erasedDeliveries, on: connection)
      }
      guard hasLooked else { break }
    }
    _ = try connection.transaction(attempts: 3) { () throws(PostgresError) in
      try Erasures.takeOutRests(on: connection)
    }
    for _ in 0..<Limits.erasurePages {
      let hasSearched = try connection.transaction(attempts: 3) { () throws(PostgresError) in
        try RecipientEvents.forgetNext(on: connection)
      }
      guard hasSearched else { break }
    }
  }

  /// Runs the expensive scans; called about every ten minutes. Removes nothing unless the database's clock has been
  /// steady for an hour (`ClockWatch`).
  /// - Parameter removesOld: false to remove nothing that the retention policy governs.
  func look(_ connection: Connection, removesOld: Bool = true) throws(PostgresError) {
    if !hasLearntZones { try connection.run(TimeZones.learn()) }
    hasLearntZones = true
    guard try connection.run(ClockWatch.read()).isSteady else { return }
    let now = clock.wallTime
    try isolated { () throws(PostgresError) in try giveUpEvents(connection) }
    try prune(
      Retention.prune(atMost: Limits.prunedRows) + [
        Tombstones.forgetTokens(at: now, atMost: Limits.prunedRows),
        Tombstones.forgetUsers(at: now, atMost: Limits.prunedRows), ChannelUpdates.forget(atMost: Limits.prunedRows),
        DeviceTokens.endActivities(at: now, atMost: Limits.prunedRows),
      ], connection)
    let kept = try kept(connection)
    try warnOfShortenings(connection)
    guard let days = kept.historyDays, let hours = kept.rangeHours else { return }
    if let next = try connection.run(HistoryRanges.begin(afterHours: hours)) {
      log.info("began a range of SEQNOs", metadata: ["from": .stringConvertible(next)])
    }
    try connection.run(HistoryRanges.leave())
    guard removesOld else { return }
    let closed = try connection.transaction(attempts: 3) { () throws(PostgresError) in
      let closed = try connection.run(HistoryRanges.close(keepingDays: days))
      for range in closed { try connection.run(Self.entry("history.close", range, days)) }
      return closed
    }
    for range in closed { note("closed the history of messages", range) }
    try prune([Tombstones.empty(afterDays: days, atMost: Limits.prunedRows)], connection)
    try isolated { () throws(PostgresError) in
      _ = try inPortions(connection) { () throws(PostgresError) in
        try Tombstones.emptyRefused(afterDays: days, atMost: Limits.prunedRows, at: clock.wallTime, on: connection)
      }
    }
    guard let messageDays = kept.messageDays else { return }
    for _ in 0..<Limits.pruningRounds where !isStopping() {
      let gone = try connection.run(
        OldMessages.prune(afterDays: messageDays, historyDays: days, atMost: Limits.prunedRows))
      if gone > 0 { log.info("removed messages long over", metadata: ["count": .stringConvertible(gone)]) }
      guard gone == Limits.prunedRows else { break }
    }
    try prune(
      [
        OldMessages.pruneApprovals(afterDays: messageDays, atMost: Limits.prunedRows),
        HistoryRanges.forget(atMost: Limits.prunedRows),
      ], connection)
  }

  /// Returns the policy that this node applies: the longest times that it or another node is set to, or was set to
  /// until about a day ago.
  private func kept(_ connection: Connection) throws(PostgresError) -> RetentionPolicy {
    let longest = try connection.run(NodeSettings.longestKept())
    return keeping.longer(historyDays: longest.historyDays, messageDays: longest.messageDays)
  }

  /// Warns of each time that is shorter now than on a node that has ended, before anything is removed because of it.
  private func warnOfShortenings(_ connection: Connection) throws(PostgresError) {
    let found = try connection.run(NodeSettings.shortenings())
    for one in found where !warnedOf.contains(one) {
      log.warning(
        "history or messages are now kept for a shorter time: in about a day, what is older is deleted for good",
        metadata: ["setting": "\(one.name)", "before": "\(one.beforeInWords)", "now": "\(one.now)"])
    }
    warnedOf = found
  }

  /// Runs each query in portions. A query that fails because of its data is logged, and the others still run.
  private func prune(_ queries: [Query<Int>], _ connection: Connection) throws(PostgresError) {
    for query in queries {
      try isolated { () throws(PostgresError) in
        _ = try inPortions(connection) { () throws(PostgresError) in try connection.run(query) }
      }
    }
  }

  /// Runs a step, which changes at most `Limits.prunedRows` rows, in a transaction of its own each time, until it finds
  /// fewer or the node stops, but at most `Limits.pruningRounds` times: one campaign can leave a row for each of
  /// millions of people. Returns the number of rows that it has changed.
  private func inPortions(
    _ connection: Connection, _ step: () throws(PostgresError) -> Int
  ) throws(PostgresError) -> Int {
    var count = 0
    for _ in 0..<Limits.pruningRounds where !isStopping() {
      let part = try connection.transaction(attempts: 3) { () throws(PostgresError) in try step() }
      count += part
      guard part >= Limits.prunedRows else { break }
    }
    return count
  }

  /// Gives up the events that have waited too long for webhooks that are off or do not answer, and logs how many.
  private func giveUpEvents(_ connection: Connection) throws(PostgresError) {
    let count = try inPortions(connection) { () throws(PostgresError) in
      try connection.run(EventDeliveries.giveUpOverdue(atMost: Limits.prunedRows))
    }
    guard count > 0 else { return }
    log.error(
      "gave up events that their webhooks had not taken for days; replay them when the webhooks work again",
      metadata: ["count": .stringConvertible(count), "days": .stringConvertible(EventDeliveries.patienceDays)])
  }

  /// Wipes the contents of confidential messages, approvals and events that are no longer needed, or that were kept for
  /// `Limits.contentSeconds`; the latter only if the database's clock has been steady for an hour (`ClockWatch`).
  private func wipe(_ connection: Connection) throws(PostgresError) {
    // After a clock jump, contents that are still needed must not be wiped.
    let isSteady = try connection.run(ClockWatch.read()).isSteady
    let longest = isSteady ? Limits.contentSeconds : .max
    for _ in 0..<Limits.wipingRounds {
      let wiped = try connection.run(
        ContentWipe.messages(
          atMost: Limits.forgottenMessages, restSeconds: Limits.contentRestSeconds,
          longestSeconds: longest))
      if wiped < Limits.forgottenMessages { break }
    }
    _ = try connection.run(ContentWipe.approvals(atMost: Limits.forgottenMessages, alsoOverdue: isSteady))
    _ = try connection.run(
      ContentWipe.events(atMost: Limits.forgottenMessages, longestSeconds: longest))
  }

  /// Removes inbox entries that have expired, a bounded number per call; none unless the database's clock has been
  /// steady for an hour (`ClockWatch`).
  private func endInboxes(_ connection: Connection) throws(PostgresError) {
    // After a clock jump, entries must not end early.
    guard try connection.run(ClockWatch.read()).isSteady else { return }
    for _ in 0..<Limits.inboxRounds {
      guard try connection.run(Inboxes.end(atMost: Limits.endedEntries)) == Limits.endedEntries else { break }
    }
    _ = try connection.run(Inboxes.endMessages(atMost: Limits.forgottenMessages))
  }

  /// Removes the uploaded audience file that expired first, if the database's clock has been steady for an hour
  /// (`ClockWatch`). Here and not by the janitor, because a file may have a million lines.
  private func endFiles(_ connection: Connection) throws(PostgresError) {
    let look = try connection.run(ClockWatch.read())
    guard look.isSteady else { return }
    try connection.run(CSVAudiences.dropExpired(at: look.now))
  }

  private func forget(_ connection: Connection) throws(PostgresError) {
    for withBadge in [false, true] {
      _ = try connection.run(Forgetting.mark(withBadge: withBadge, atMost: Limits.forgottenMessages))
    }
    for _ in 0..<Limits.forgettingRounds {
      let forgotten = try empty(of: Limits.forgottenMessages, connection)
      guard let forgotten else { return }
      if forgotten > 0 { log.info("forgot who got messages", metadata: ["count": .stringConvertible(forgotten)]) }
    }
  }

  /// Removes recipients of messages whose retention has ended, in one transaction: at most `Limits.forgottenDeliveries`
  /// with rows of their own, and a few blocks. If that fails because of a message's data, tries again with half as many
  /// messages; a single message that fails is postponed by a day.
  /// - Parameter messages: maximum number of messages.
  /// - Returns: the number of messages that have no recipients left: 0 if more recipients must be removed, or if a
  ///   message was postponed. Nil if there is no message to empty.
  func empty(of messages: Int, _ connection: Connection) throws(PostgresError) -> Int? {
    try Halving.run(atMost: messages) { (limit: Int, first: inout Seqno?) throws(PostgresError) -> Int? in
      try connection.transaction(attempts: 3) { () throws(PostgresError) -> Int? in
        // Of this attempt alone: it may fail before it has any.
        first = nil
        let marked = try connection.run(Forgetting.marked(atMost: limit))
        first = marked.first
        guard !marked.isEmpty else { return nil }
        let areEmpty = try Forgetting.empty(marked, atMost: Limits.forgottenDeliveries, on: connection)
        return areEmpty ? marked.count : 0
      }
    } giveUp: { (failed: Seqno, error: PostgresError) throws(PostgresError) -> Int? in
      // By its key: by now another one may have been marked longest, which another node had locked.
      if try connection.run(Forgetting.postpone(failed)) {
        isolation.note("a message cannot be forgotten; it is tried again in a day", failed, error)
      }
      return 0
    }
  }

  private func drop(_ connection: Connection) throws(PostgresError) {
    for range in try connection.run(HistoryRanges.closed()) {
      do throws(PostgresError) {
        for table in HistoryRanges.tables {
          guard try connection.run(HistoryRanges.drop(range, of: table)) else { return }
        }
      } catch {
        // The table is in use: let the others finish, and retry in a few seconds.
        if error.sqlState == .lockNotAvailable { return }
        throw error
      }
      let isOurs = try connection.transaction(attempts: 3) { () throws(PostgresError) in
        guard try connection.run(HistoryRanges.dropped(range)) else { return false }
        try connection.run(Self.entry("history.drop", range, kept(connection).historyDays))
        return true
      }
      if isOurs { note("dropped the history of messages", range) }
    }
  }

  private func sweepLedger(_ connection: Connection) throws(PostgresError) {
    if ledger == nil, try connection.run(HistoryRanges.needsSweep()) {
      ledger = (HistoryRanges.LedgerPlace(), clock.wallTime)
    }
    guard let (start, began) = ledger else { return }
    var place = start
    for _ in 0..<Limits.ledgerPages {
      guard let next = try connection.run(HistoryRanges.sweepLedger(after: place, atMost: Limits.prunedRows)) else {
        if !place.leftSome { try connection.run(HistoryRanges.swept(since: began)) }
        ledger = nil
        return
      }
      place = next
    }
    ledger = (place, began)
  }

  private func note(_ what: Logger.Message, _ range: HistoryRanges.Range) {
    log.notice(
      what, metadata: ["fromSeqno": .stringConvertible(range.from), "uptoSeqno": .stringConvertible(range.upto)])
  }

  /// Returns the query that adds the audit log entry of a removal; the actor is the retention setting, not a person.
  /// - Parameter days: the retention in days; nil if history is kept for ever.
  private static func entry(_ action: String, _ range: HistoryRanges.Range, _ days: Int32?) -> Query<Void> {
    var entry = AuditLog.New(
      actor: "UPMC_KEEP_HISTORY_DAYS", role: AuditLog.serverRole, action: action,
      object: "\(range.from)-\(range.upto - 1)")
    entry.after = days.map { #"{"keepHistoryDays":\#($0)}"# }
    return AuditLog.add(entry)
  }
}

extension Limits {
  static let turnPause: Duration = .seconds(5)
  /// Iterations between two expensive scans: ten minutes.
  static let turnsPerLook = 120
  /// Maximum rounds of removing old messages, or another kind of rows, per scan: a million of each in all.
  static let pruningRounds = 100
  /// Seconds for which the contents of a confidential message are kept after its end: longer than it takes to detect
  /// that a flood of refusals was our own fault and to give its deliveries back.
  static let contentRestSeconds: Int32 = 120
  /// Maximum seconds that contents are kept, even if deliveries still wait for them.
  static let contentSeconds: Int32 = 24 * 3600
  /// Maximum wiping rounds per iteration: enough for as many messages as a node can send between two iterations.
  static let wipingRounds = 10
  /// Maximum inbox entries removed per transaction, which takes about 100 ms.
  static let endedEntries = 10_000
  /// Maximum rounds of removing inbox entries per iteration.
  static let inboxRounds = 5
  /// Maximum messages whose recipients are removed, or whose contents are wiped, in one batch.
  static let forgottenMessages = 5_000
  /// Maximum batches of messages whose recipients are removed in one iteration.
  static let forgettingRounds = 4
  /// Maximum deliveries removed per transaction, which takes 100 to 200 ms.
  static let forgottenDeliveries = 20_000
  /// Maximum deliveries scanned for erased persons per transaction, which takes 100 to 200 ms.
  static let erasedDeliveries = 100_000
  /// Maximum erasure transactions per iteration.
  static let erasurePages = 5
  /// Maximum pages of the ledger scanned per iteration, each of `prunedRows` rows.
  static let ledgerPages = 5
}
