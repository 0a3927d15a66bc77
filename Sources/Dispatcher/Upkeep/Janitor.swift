internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store
internal import Synchronization
internal import Time

/// Thread `janitor`: once a second, renews the node's lease and its knowledge of the database's time and of paused
/// apps. Every few seconds, does small upkeep (`tidy`): creates partitions in advance, completes messages with nothing
/// left to do, finds stranded claims, marks dead nodes without claims, and removes what has expired (`endWhatIsOver`).
/// Every step must be short, or the lease expires; what may take longer is removed by `RetentionWorker`.
final class Janitor {
  private let shared: Shared
  private let log = Logger(label: "janitor")
  private var beats = 0
  /// True once the node has written its description and its settings into its row.
  private var isDescribed = false
  /// The database's latest timeline change (a failover) at the last check; nil before the first check, and `.some(nil)`
  /// if there had been none.
  private var toldChange: Timelines.Change??
  /// SEQNO at which the scan for messages to complete continues, by lane; absent if the next scan starts anew.
  private var goesOnAt: [Lane: Seqno] = [:]
  private var messageStarts = LaneScanStarts()
  private var claimStart = QueueStart<ClaimID>()
  private var graceWalk = IdentityGraceWalk()
  private var statistics = StatisticsTurns()
  private var (wasComplaining, wasTrusted) = (false, true)
  /// True if the database's clock had been steady for an hour at the last check (`ClockWatch`); nil before the first.
  private var wasSteady: Bool?

  private let isolation: FailureIsolation

  init(_ shared: Shared) {
    self.shared = shared
    isolation = FailureIsolation(log, shared)
  }

  func run() {
    DatabaseThread("janitor", shared).run { connection in
      try beat(connection)
      if beats % 5 == 0 { try tidy(connection) }
      beats += 1
      shared.stopping.rest(atMost: Limits.heartbeat)
    }
  }

  private func beat(_ connection: Connection) throws(PostgresError) {
    guard try knowsTime(connection) else {
      shared.leaseUntil.store(0, ordering: .relaxed)
      return
    }
    // Taken before the query, so that the lease ends no earlier than this node believes.
    let asked = shared.clock.now
    let (nodes, now, isNew) = try connection.run(Nodes.beat(shared.configuration.node, seconds: Limits.leaseSeconds))
    if isNew || !isDescribed {
      isDescribed = false
      let (host, version) = (shared.configuration.host, Product.version)
      try connection.run(Nodes.describe(shared.configuration.node, host: host, version: version))
      try connection.run(NodeSettings.report(shared.configuration.node, shared.configuration.settings))
      isDescribed = true
    }
    tell(jump: shared.clock.learn(now, asked: asked, answered: shared.clock.now))
    // Share the networks' quotas before taking the lease, without which nothing is sent: a node that has just joined
    // then never exceeds its share.
    for provider in shared.configuration.providers.values { provider.share(among: nodes) }
    shared.leaseUntil.store(
      (asked + Limits.leaseTrust).nanoseconds, ordering: .relaxed)
    let changes = shared.pausedApps.withLock(\.changes)
    let paused = try connection.run(AppPauses.all())
    shared.pausedApps.withLock { $0.renew(paused, changes: changes) }
  }

  /// Returns true if the node may renew its lease: the database's time is known, and this machine's clock is not far
  /// from it. If the time is unknown, asks the database for it first. Logs when the clocks begin or cease to differ.
  private func knowsTime(_ connection: Connection) throws(PostgresError) -> Bool {
    let clock = shared.clock
    if !clock.isTrusted { tell(jump: try clock.ask(connection)) }
    let complaint = clock.complaint
    defer { (wasComplaining, wasTrusted) = (complaint != nil, clock.isTrusted) }
    switch complaint {
    case let said? where clock.isDoubtful:
      if wasTrusted {
        log.error(
          "this machine's clock and the database's are so far apart that nothing is sent until one of them is set right",
          metadata: ["clock": "\(said)"])
      }
    case let said? where !wasComplaining:
      log.warning("this machine's clock is not the database's: set both by NTP", metadata: ["clock": "\(said)"])
    case nil where wasComplaining: log.notice("this machine's clock and the database's agree again")
    default: break
    }
    return clock.isTrusted
  }

  private func tell(jump: Duration?) {
    guard let jump else { return }
    log.error("the database's clock has jumped", metadata: ["seconds": .stringConvertible(jump.components.seconds)])
  }

  /// Returns one page of the lane's unfinished messages per call, each time the next page, because the oldest messages
  /// may stay open for good reason. Begins again after the last page.
  private func unfinished(
    _ lane: Lane, after last: LaneScanStarts.Last, _ connection: Connection
  ) throws(PostgresError) -> [Seqno] {
    func part(from seqno: Seqno) throws(PostgresError) -> [Seqno] {
      try connection.run(Messages.unfinished(lane, from: seqno, atMost: Limits.finishedAtOnce))
    }
    let found: [Seqno]
    if let next = goesOnAt[lane] {
      found = try part(from: next)
    } else {
      found = try messageStarts.look(lane, after: last, shared.clock) { start throws(PostgresError) in
        let found = try part(from: start)
        return (found, found.first)
      }
    }
    goesOnAt[lane] = found.count == Limits.finishedAtOnce ? found[found.count - 1].next : nil
    return found
  }

  private func ownClaims(_ connection: Connection) throws(PostgresError) -> [(hold: Claims.Hold, lane: Lane)] {
    let began = shared.clock.now
    let last = try connection.run(Claims.last())
    let start = claimStart.begin(at: began)
    let claims = try connection.run(Claims.ofNode(shared.configuration.node, from: start))
    let lowest = claims.lazy.map(\.hold.claim).min() ?? last
    claimStart.looked(from: start, found: lowest, began: began, ended: shared.clock.now)
    return claims
  }

  private func tellOfPromotion(_ connection: Connection) throws(PostgresError) {
    let change = try connection.run(Timelines.change())
    if let told = toldChange, told != change, let change {
      log.warning(
        "the database is another server than before, a promoted standby perhaps: numbers go on ahead",
        metadata: [
          "timeline": .stringConvertible(change.timeline), "lastKnownSeqno": .stringConvertible(change.from),
          "goesOnAfter": .stringConvertible(change.upto),
        ])
    }
    toldChange = .some(change)
  }

  /// Creates partitions in advance, so that a conflicting lock leaves time for retries and no query has to queue behind
  /// ours. If a lock is not available or the failure is transient, only logs that; the next round tries again.
  private func makePartitions(_ connection: Connection) throws(PostgresError) {
    do throws(PostgresError) {
      guard let end = try connection.run(Nodes.extendRanges(width: Store.Limits.partitionSeqnos)) else { return }
      log.info("made partitions", metadata: ["uptoSeqno": .stringConvertible(end)])
    } catch {
      guard error.sqlState == .lockNotAvailable || error.isRetryable else { throw error }
      log.notice("partitions could not be made just now; trying again", metadata: ["error": "\(error)"])
    }
  }

  private func tidy(_ connection: Connection) throws(PostgresError) {
    let node = shared.configuration.node
    try makePartitions(connection)
    try tellOfPromotion(connection)
    var unfinished: [Seqno] = []
    let last = try LaneScanStarts.Last(connection, shared.clock)
    for lane in Lane.allCases { unfinished += try self.unfinished(lane, after: last, connection) }
    // A message that is being cancelled cannot end either while more is targeted than can ever be decided.
    let cancelling = try connection.run(Controls.cancelling(atMost: Limits.heldMessages))
    let settled = try Messages.settle(unfinished + cancelling, on: connection)
    if !settled.isEmpty {
      log.warning(
        "devices were claimed twice and are counted once", metadata: ["messages": .stringConvertible(settled)])
    }
    let ended = try Messages.finish(unfinished, at: shared.clock.wallTime, on: connection)
    // Rare: the last outcome did not complete them, because a node crashed in between or the audience was empty.
    MessageLog(log).ended(ended, campaigns: Set(ended))
    let stranded = shared.stranded.withLock { claims in
      defer { claims.removeAll() }
      return claims
    }
    if !stranded.isEmpty {
      log.warning("gave up claims that no worker knows", metadata: ["count": .stringConvertible(stranded.count)])
      try connection.run(Claims.release(stranded, node: node))
    }
    let claims = try ownClaims(connection)
    for workers in shared.laneWorkers {
      workers.tell(.audit(claims.filter { workers.lanes.contains($0.lane) }.map(\.hold)))
    }
    try connection.run(Nodes.giveUp(atMost: Limits.adoptedClaims))
    try connection.run(Nodes.bury())
    try endWhatIsOver(connection)
  }

  /// Removes expired rows, ends the grace periods of stricter identity models and rolls up statistics, but only if the
  /// database's clock has been steady for an hour (`ClockWatch`), because these steps cannot be undone. At the first
  /// call, and whenever the clock is not steady, corrects stored times that lie in the future.
  private func endWhatIsOver(_ connection: Connection) throws(PostgresError) {
    let look = try connection.run(ClockWatch.read())
    defer { wasSteady = look.isSteady }
    if wasSteady == nil || !look.isSteady {
      var count = 0
      for query in FutureWatermarks.corrections { count += try connection.run(query) }
      if count > 0 {
        log.warning(
          "brought back marks that a clock had set too far ahead", metadata: ["count": .stringConvertible(count)])
      }
    }
    guard look.isSteady else {
      if wasSteady != false {
        log.notice("the database's clock has jumped, or no node ran for a while: nothing is removed for an hour")
      }
      return
    }
    let pruned = try connection.run(HostedFiles.prune(at: look.now, atMost: Limits.prunedFilesAtOnce))
    if pruned > 0 { log.info("pruned pages and media", metadata: ["count": .stringConvertible(pruned)]) }
    _ = try connection.run(Vouchers.sweep(before: look.now, limit: Limits.prunedRows))
    if let ended = try graceWalk.step(connection, now: look.now) {
      log.notice(
        "devices became guests: their users were not vouched for", metadata: ["count": .stringConvertible(ended)])
    }
    switch try statistics.step(connection, now: look.now, at: shared.clock.now) {
    case .failed(let error)?: isolation.note("statistics cannot be summed up", nil, error)
    case .mended?: log.notice("statistics are summed up again")
    case nil: break
    }
  }
}
