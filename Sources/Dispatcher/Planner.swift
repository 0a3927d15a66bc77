internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// Thread `plan`: cuts the audiences of new messages into shards, one commit each, so that the first can be claimed
/// while the rest is still being cut. No row per recipient is written.
///
/// One shard of each message in turn, new messages first: planning ten million never delays a small one for longer than a
/// few shards take.
final class Planner {
  private let shared: Shared
  private let crew: Crew
  private var shelf: MessageShelf

  init(_ shared: Shared, _ crew: Crew) {
    self.shared = shared
    self.crew = crew
    shelf = MessageShelf(pushkeys: shared.configuration.pushkeys)
  }

  func run() {
    DatabaseThread(crew.threadName("plan"), shared).run { connection in
      var didWork = false
      for seqno in try connection.run(Messages.unplanned(crew.lanes, atMost: Limits.plansPerLook))
      where !shared.isStopping {
        didWork = try plan(seqno, connection) || didWork
      }
      if !didWork {
        _ = crew.planWakeup.wait(atMost: Limits.pollInterval)
        crew.planWakeup.drain()
      }
    }
  }

  private enum Progress {
    /// It must not be planned (any more).
    case none
    case more
    case done
  }

  /// Writes one shard. False when there was nothing to do.
  private func plan(_ seqno: Int64, _ connection: Connection) throws -> Bool {
    guard let message = try shelf.message(seqno, connection) else { return false }
    let progress = try connection.withTransaction { try planPart(message, connection) }
    guard progress != .none else { return false }
    crew.claimWakeup.signal()
    if progress == .done {
      // An audience of nobody is complete at once.
      try Messages.finish([seqno], at: shared.clock.wallMicroseconds, on: connection)
    }
    return true
  }

  /// Writes the next shard, if there is one.
  private func planPart(_ message: DispatchMessage, _ connection: Connection) throws -> Progress {
    let seqno = message.seqno
    guard let frozenAt = try connection.run(Messages.freeze(seqno, at: shared.clock.wallMicroseconds)) else {
      return .none
    }
    var wave: Int16 = 0
    var sweeps = false
    if let local = message.localTime {
      try connection.run(Waves.create(seqno, app: message.app, local, appTimeZone: message.appTimeZone))
      guard let next = try connection.run(Waves.unplanned(seqno)) else { return try finish(message, 0, connection) }
      (wave, sweeps) = next
    }
    let reader = WaveReader(message, wave: wave, frozenAt: frozenAt)
    let before = try connection.run(Shards.lastKey(seqno, wave: wave))
    guard let part = try reader.nextPart(after: before, connection) else {
      return try finish(message, wave, connection)
    }
    try connection.run(Shards.create(seqno, part.part, targeted: sweeps ? 0 : part.targeted, wave: wave))
    try connection.run(Messages.raiseTargeted(seqno))
    return part.isLast ? try finish(message, wave, connection) : .more
  }

  /// A wave, or without waves the whole message, has all its shards.
  private func finish(_ message: DispatchMessage, _ wave: Int16, _ connection: Connection) throws -> Progress {
    if wave > 0 {
      try connection.run(Waves.finishPlan(message.seqno, wave: wave))
      return .more
    }
    try connection.run(Messages.finishPlan(message.seqno))
    return .done
  }
}
