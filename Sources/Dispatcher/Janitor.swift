internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store
internal import Synchronization

/// Thread `janitor`: renews the node's lease, makes partitions ahead, closes messages that are done, looks for claims
/// that nobody knows, and removes what messages long over have left. Nothing here may take long, for the lease runs out.
final class Janitor {
  private let shared: Shared
  private let log = Logger(label: "janitor")
  private var beats = 0
  /// The last change of the database's timeline that was told; nil before the first look.
  private var toldChange: Timelines.Change??
  /// Where the search for finished messages goes on.
  private var lastLookedAt: Int64 = 0
  private var graceWalk = GraceWalk()

  init(_ shared: Shared) {
    self.shared = shared
  }

  func run() {
    let pause = try? Wakeup()
    DatabaseThread("janitor", shared).run { connection in
      try beat(connection)
      if beats % 5 == 0 { try tidy(connection) }
      if beats % Limits.beatsPerPruning == 0 {
        for query in Retention.prune(atMost: Limits.prunedRows) { try connection.run(query) }
      }
      beats += 1
      _ = pause?.wait(atMost: Limits.heartbeat)
    }
  }

  private func beat(_ connection: Connection) throws(PostgresError) {
    // Taken before the question: the lease can only end later than we believe.
    let asked = shared.clock.now
    let nodes = try connection.run(Nodes.beat(shared.configuration.node, seconds: Limits.leaseSeconds))
    // Before the lease, without which nothing is sent: a node that has just come never takes more than its share.
    for provider in shared.configuration.providers.values { provider.share(among: nodes) }
    shared.leaseUntil.store(
      (asked + Limits.leaseTrust).nanoseconds, ordering: .relaxed)
    let changes = shared.pausedApps.withLock(\.changes)
    let paused = try connection.run(AppPauses.all())
    shared.pausedApps.withLock { $0.renew(paused, changes: changes) }
  }

  private func tellOfPromotion(_ connection: Connection) throws(PostgresError) {
    let change = try connection.run(Timelines.change())
    if let told = toldChange, told != change, let change {
      log.warning(
        "the database is another server than before, a promoted standby perhaps: numbers go on ahead",
        metadata: [
          "timeline": "\(change.timeline)", "lastKnownSeqno": "\(change.from)", "goesOnAfter": "\(change.upto)",
        ])
    }
    toldChange = .some(change)
  }

  /// Ahead, so there is time to try again when somebody is in the way: nobody is to wait behind us.
  private func makePartitions(_ connection: Connection) throws(PostgresError) {
    do throws(PostgresError) {
      guard let end = try connection.run(Nodes.extendRanges(width: Store.Limits.partitionSeqnos)) else { return }
      log.info("made partitions", metadata: ["uptoSeqno": "\(end)"])
    } catch {
      guard error.sqlState == .lockNotAvailable || error.isRetryable else { throw error }
      log.notice("partitions could not be made just now; trying again", metadata: ["error": "\(error)"])
    }
  }

  private func tidy(_ connection: Connection) throws(PostgresError) {
    let node = shared.configuration.node
    try makePartitions(connection)
    try tellOfPromotion(connection)
    // A part at a time, round and round: the oldest may have reason to wait.
    let unfinished = try connection.run(Messages.unfinished(after: lastLookedAt, atMost: Limits.finishedAtOnce))
    lastLookedAt = unfinished.count == Limits.finishedAtOnce ? unfinished[unfinished.count - 1] : 0
    let settled = try Messages.settle(unfinished, on: connection)
    if !settled.isEmpty {
      log.warning("devices were claimed twice and are counted once", metadata: ["messages": "\(settled)"])
    }
    try Messages.finish(unfinished, at: shared.clock.wallMicroseconds, on: connection)
    let stranded = shared.stranded.withLock { claims in
      defer { claims.removeAll() }
      return claims
    }
    if !stranded.isEmpty {
      log.warning("gave up claims that nobody knows", metadata: ["count": "\(stranded.count)"])
      try connection.run(Claims.release(stranded, node: node))
    }
    let pruned = try connection.run(
      HostedFiles.prune(at: shared.clock.wallMicroseconds, atMost: Limits.prunedFilesAtOnce))
    if pruned > 0 { log.info("pruned pages and media", metadata: ["count": "\(pruned)"]) }
    let claims = try connection.run(Claims.ofNode(node))
    for crew in shared.crews {
      crew.tell(.audit(claims.filter { crew.lanes.contains($0.lane) }.map(\.hold)))
    }
    try connection.run(Nodes.bury())
    _ = try connection.run(Vouchers.sweep(before: shared.clock.wallMicroseconds, limit: Limits.prunedRows))
    if let ended = try graceWalk.step(connection, now: shared.clock.wallMicroseconds) {
      log.notice("devices became guests: nobody vouched for their users", metadata: ["count": "\(ended)"])
    }
    try connection.run(CSVAudiences.dropExpired(at: shared.clock.wallMicroseconds))
    _ = try StatisticsRollup.run(connection, now: shared.clock.wallMicroseconds)
  }
}
