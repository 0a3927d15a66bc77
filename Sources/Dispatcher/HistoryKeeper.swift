internal import Logging
internal import Postgres
internal import Reactor
internal import Store

/// Thread `history`: removes what has been kept for long enough, a part at a time, so that nobody waits for it. Not the
/// janitor's, for a part may take longer than the node's lease.
///
/// Every node has one. Each step is one transaction that locks what it works at and passes by what others have locked; so
/// they share the work, and whoever is killed leaves a step undone, never half done.
final class HistoryKeeper {
  private let keeping: Keeping
  private let clock: any Clock
  private let log = Logger(label: "history")
  /// Where the look through the ledger stands, and when it began; nil while nothing is to be looked for.
  private var hasLearntZones = false
  private var ledger: (place: HistoryRanges.LedgerPlace, began: Int64)?

  init(_ keeping: Keeping, clock: any Clock) {
    self.keeping = keeping
    self.clock = clock
  }

  static func run(_ shared: Shared) {
    let keeper = HistoryKeeper(shared.configuration.keeping, clock: shared.clock)
    let pause = try? Wakeup()
    var turns = 0
    DatabaseThread("history", shared).run(cancelledBy: shared.historyCanceller) { connection in
      try keeper.turn(connection)
      if turns % Limits.turnsPerLook == 0 { try keeper.look(connection) }
      turns += 1
      for _ in 0..<Limits.beatsPerTurn where !shared.isStopping { _ = pause?.wait(atMost: Limits.heartbeat) }
    }
  }

  /// Every few seconds: a little of what may be much.
  func turn(_ connection: Connection) throws(PostgresError) {
    try drop(connection)
    try sweepLedger(connection)
    try forget(connection)
    for _ in 0..<Limits.erasurePages {
      let hasLooked = try connection.transaction(attempts: 3) { () throws(PostgresError) in
        try Erasures.step(deliveries: Limits.erasedDeliveries, on: connection)
      }
      guard hasLooked else { break }
    }
    _ = try connection.run(Erasures.takeOutRests())
  }

  /// Every few minutes: looks that cost more.
  func look(_ connection: Connection) throws(PostgresError) {
    if !hasLearntZones { try connection.run(TimeZones.learn()) }
    hasLearntZones = true
    _ = try connection.run(Tombstones.forgetTokens(at: clock.wallMicroseconds, atMost: Limits.prunedRows))
    guard let days = keeping.historyDays, let hours = keeping.rangeHours else { return }
    if let next = try connection.run(HistoryRanges.begin(afterHours: hours)) {
      log.info("began a range of SEQNOs", metadata: ["from": "\(next)"])
    }
    try connection.run(HistoryRanges.leave())
    let closed = try connection.transaction(attempts: 3) { () throws(PostgresError) in
      let closed = try connection.run(HistoryRanges.close(keepingDays: days))
      for range in closed { try connection.run(Self.entry("history.close", range, days)) }
      return closed
    }
    for range in closed { note("closed the history of messages", range) }
    _ = try connection.run(Tombstones.empty(afterDays: days, atMost: Limits.prunedRows))
    guard let messageDays = keeping.messageDays else { return }
    for _ in 0..<Limits.pruningRounds {
      let gone = try connection.run(
        OldMessages.prune(afterDays: messageDays, historyDays: days, atMost: Limits.prunedRows))
      if gone > 0 { log.info("removed messages long over", metadata: ["count": "\(gone)"]) }
      guard gone == Limits.prunedRows else { break }
    }
    _ = try connection.run(OldMessages.pruneApprovals(afterDays: messageDays, atMost: Limits.prunedRows))
  }

  private func forget(_ connection: Connection) throws(PostgresError) {
    for withBadge in [false, true] {
      _ = try connection.run(Forgetting.mark(withBadge: withBadge, atMost: Limits.forgottenMessages))
    }
    for _ in 0..<Limits.forgettingRounds {
      let forgotten = try connection.transaction(attempts: 3) { () throws(PostgresError) in
        try Forgetting.empty(atMost: Limits.forgottenDeliveries, of: Limits.forgottenMessages, on: connection)
      }
      guard let forgotten else { return }
      if forgotten > 0 { log.info("forgot who got messages", metadata: ["count": "\(forgotten)"]) }
    }
  }

  private func drop(_ connection: Connection) throws(PostgresError) {
    for range in try connection.run(HistoryRanges.closed()) {
      do throws(PostgresError) {
        for table in HistoryRanges.tables {
          guard try connection.run(HistoryRanges.drop(range, of: table)) else { return }
        }
      } catch {
        // Somebody uses the table just now: he goes first, and it is tried again in a few seconds.
        if error.sqlState == .lockNotAvailable { return }
        throw error
      }
      let isOurs = try connection.transaction(attempts: 3) { () throws(PostgresError) in
        guard try connection.run(HistoryRanges.dropped(range)) else { return false }
        try connection.run(Self.entry("history.drop", range, keeping.historyDays))
        return true
      }
      if isOurs { note("dropped the history of messages", range) }
    }
  }

  private func sweepLedger(_ connection: Connection) throws(PostgresError) {
    if ledger == nil, try connection.run(HistoryRanges.needsSweep()) {
      ledger = (HistoryRanges.LedgerPlace(), clock.wallMicroseconds)
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
    log.notice(what, metadata: ["fromSeqno": "\(range.from)", "uptoSeqno": "\(range.upto)"])
  }

  /// Nobody asked for it but the settings: the log says so.
  private static func entry(_ action: String, _ range: HistoryRanges.Range, _ days: Int32?) -> Query<Void> {
    var entry = AuditLog.New(
      actor: "UPMC_KEEP_HISTORY_DAYS", role: "admin", action: action, object: "\(range.from)-\(range.upto - 1)")
    entry.after = days.map { #"{"keepHistoryDays":\#($0)}"# }
    return AuditLog.add(entry)
  }
}

extension Limits {
  /// Heartbeats between two turns.
  static let beatsPerTurn = 5
  /// Turns between two looks: ten minutes.
  static let turnsPerLook = 120
  /// How often old messages are removed in one look: a million in all.
  static let pruningRounds = 100
  /// Messages that are forgotten together.
  static let forgottenMessages = 5_000
  /// How often in one turn.
  static let forgettingRounds = 4
  /// Deliveries of them that are removed in one transaction: a tenth of a second or two.
  static let forgottenDeliveries = 20_000
  /// Deliveries that are looked through for erased persons in one transaction: a tenth of a second or two.
  static let erasedDeliveries = 100_000
  /// How often in one turn.
  static let erasurePages = 5
  /// Pages of the ledger in one turn.
  static let ledgerPages = 5
}
