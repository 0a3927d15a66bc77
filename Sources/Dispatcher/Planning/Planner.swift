internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// Thread `plan`: divides the audiences of new messages into shards, one commit each, so that the first shard can be
/// claimed while the rest is being planned. Writes no rows per recipient.
///
/// Each iteration plans one shard of each of a few messages, new ones first, so that planning ten million devices
/// delays a small message by no more than a few shards. Messages that list their recipients are planned many per
/// commit, unless a person sent them.
final class Planner {
  private let shared: Shared
  private let workers: LaneWorkers
  private var cache: MessageCache
  private let isolation: FailureIsolation
  private let log: Logger

  init(_ shared: Shared, _ workers: LaneWorkers) {
    log = Logger(label: workers.threadName("plan"))
    isolation = FailureIsolation(log, shared)
    self.shared = shared
    self.workers = workers
    cache = MessageCache(shared.configuration)
  }

  func run() {
    var pause = PollBackoff(usual: Limits.pollInterval)
    DatabaseThread(workers.threadName("plan"), shared).run { connection in
      let began = shared.clock.now
      let unplanned = try connection.run(Messages.unplanned(workers.lanes, atMost: Limits.plansPerLook))
      let found = try cache.messages(Set(unplanned), connection)
      try isolation.messages(cache.takeUnreadable(), connection)
      let messages = unplanned.compactMap { found[$0] }
      // Messages that list their recipients come first, because planning them is quick.
      var didWork = try plan(Self.lists(messages.filter { !$0.isAskedByPerson }), connection)
      let others = messages.lazy.filter { $0.entryCount == nil || $0.isAskedByPerson }
      for message in others.prefix(Limits.partsPerLook) where !shared.isStopping {
        didWork = try plan([message], connection) || didWork
      }
      if didWork { return pause.stir(at: shared.clock.now) }
      let now = shared.clock.now
      if workers.planWakeup.wait(atMost: pause.after(now - began, at: now)) { pause.stir(at: shared.clock.now) }
      workers.planWakeup.drain()
    }
  }

  /// Returns the first messages that list their recipients, with at most `Limits.plannedEntries` recipients in all, to
  /// be planned in one commit; a first message with more is returned alone. Must be called without messages sent by a
  /// person: those get a commit each, because the check for approval locks the person until the commit.
  private static func lists(_ messages: [DispatchMessage]) -> [DispatchMessage] {
    var lists: [DispatchMessage] = []
    var room = Limits.plannedEntries
    for message in messages {
      guard let count = message.entryCount else { continue }
      guard lists.isEmpty || count <= room else { break }
      lists.append(message)
      room -= count
    }
    return lists
  }

  private enum Progress {
    /// The message must not be planned now, or nothing of it is left to plan.
    case none
    case more
    /// All shards of the message are planned.
    /// - Parameter writes: true if a shard was written in this transaction.
    case done(writes: Bool)
  }

  /// Plans one shard of each message, in one commit. If that fails because of a message's data, bisects the messages
  /// and pauses the faulty one. Returns true if a shard was planned, a message was found completely planned, or one was
  /// paused.
  private func plan(_ messages: [DispatchMessage], _ connection: Connection) throws -> Bool {
    guard let first = messages.first else { return false }
    do {
      return try planTogether(messages, connection)
    } catch  where FailureIsolation.isOwnFault(error) {
      guard messages.count > 1 else { return try isolation.message(first.seqno, because: error, connection) }
      let middle = messages.count / 2
      let didFirst = try plan(Array(messages[..<middle]), connection)
      return try plan(Array(messages[middle...]), connection) || didFirst
    }
  }

  private func planTogether(_ messages: [DispatchMessage], _ connection: Connection) throws -> Bool {
    // All planners lock messages in ascending order, to avoid deadlocks.
    let messages = messages.sorted { $0.seqno < $1.seqno }
    let progress = try connection.withTransaction { try messages.map { try planPart($0, connection) } }
    var (didWork, ended) = (false, [Seqno]())
    for (message, progress) in zip(messages, progress) {
      if case .done = progress { MessageLog(log).planned(message) }
      switch progress {
      case .none: continue
      case .more, .done(writes: true): break
      // All deliveries may have ended already, and no other thread would notice that the message is complete.
      case .done(writes: false): ended.append(message.seqno)
      }
      didWork = true
    }
    if didWork { workers.claimWakeup.signal() }
    let over = try Messages.finish(ended, at: shared.clock.wallTime, on: connection)
    MessageLog(log).ended(over, campaigns: Set(messages.filter(\.isCampaign).map(\.seqno)))
    return didWork
  }

  /// Plans the next shard of a message, within a transaction. If no shard is left, records that the planning of the
  /// wave or of the message is complete.
  private func planPart(_ message: DispatchMessage, _ connection: Connection) throws -> Progress {
    let seqno = message.seqno
    guard let (frozenAt, isHeld) = try connection.run(Messages.freeze(seqno, at: shared.clock.wallTime)) else {
      return .none
    }
    var wave: Int16 = 0
    var sweeps = false
    if let local = message.localTime {
      try connection.run(Waves.create(seqno, app: message.app, local, appTimeZone: message.appTimeZone))
      guard let next = try connection.run(Waves.unplanned(seqno)) else {
        return try finish(message, 0, isHeld: isHeld, connection)
      }
      (wave, sweeps) = next
    }
    let reader = WaveReader(message, wave: wave, frozenAt: frozenAt)
    let before = message.entryCount != nil ? nil : try connection.run(Shards.lastKey(seqno, wave: wave))
    guard let part = try reader.nextPart(after: before, connection) else {
      return try finish(message, wave, isHeld: isHeld, connection)
    }
    try connection.run(Shards.create(seqno, part.part, targeted: sweeps ? 0 : part.targeted, wave: wave))
    if part.isLast, wave == 0 { return try finish(message, wave, isHeld: isHeld, writes: true, connection) }
    try connection.run(Messages.raiseTargeted(seqno))
    return part.isLast ? try finish(message, wave, isHeld: isHeld, connection) : .more
  }

  /// Records that all shards of a wave are planned, and returns `more`, because other waves may follow. For wave 0,
  /// records that the whole message is planned, lets `ApprovalHolds` decide whether it must be approved, and returns
  /// `done`.
  private func finish(
    _ message: DispatchMessage, _ wave: Int16, isHeld: Bool, writes: Bool = false, _ connection: Connection
  ) throws -> Progress {
    if wave > 0 {
      try connection.run(Waves.finishPlan(message.seqno, wave: wave))
      return .more
    }
    try connection.run(Messages.finishPlan(message.seqno))
    if isHeld, let approval = try ApprovalHolds.settle(message.seqno, on: connection) {
      log.notice(
        "a message waits for a second person",
        metadata: ["seqno": .stringConvertible(message.seqno), "approval": .stringConvertible(approval)])
    }
    return .done(writes: writes)
  }
}
