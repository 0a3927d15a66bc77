internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// Thread `plan`: cuts the audiences of new messages into shards, one commit each, so that the first can be claimed
/// while the rest is still being cut. No row per recipient is written.
final class Planner {
  private let shared: Shared
  private var shelf: MessageShelf

  init(_ shared: Shared) {
    self.shared = shared
    shelf = MessageShelf(pushkeys: shared.configuration.pushkeys)
  }

  func run() {
    DatabaseThread("plan", shared).run { connection in
      let seqnos = try connection.run(Messages.unplanned(atMost: 64))
      for seqno in seqnos where !shared.isStopping { try plan(seqno, connection) }
      if seqnos.isEmpty {
        _ = shared.planWakeup.wait(atMost: Limits.pollInterval)
        shared.planWakeup.drain()
      }
    }
  }

  private func plan(_ seqno: Int64, _ connection: Connection) throws {
    guard let message = try shelf.message(seqno, connection) else { return }
    var isDone = false
    while !isDone, !shared.isStopping {
      isDone = try connection.withTransaction { try planPart(message, connection) }
      shared.claimWakeup.signal()
    }
    // An audience of nobody is complete at once.
    _ = try connection.run(Messages.finish([seqno], at: shared.clock.wallMicroseconds))
  }

  /// Writes the next shard. True when there is nothing left to plan.
  private func planPart(_ message: DispatchMessage, _ connection: Connection) throws -> Bool {
    let seqno = message.seqno
    guard let frozenAt = try connection.run(Messages.freeze(seqno, at: shared.clock.wallMicroseconds)) else {
      return true
    }
    var wave: Int16 = 0
    if let local = message.localTime {
      try connection.run(Waves.create(seqno, app: message.app, local, appTimeZone: message.appTimeZone))
      guard let next = try connection.run(Waves.unplanned(seqno)) else { return try finish(message, 0, connection) }
      wave = next
    }
    let reader = WaveReader(message, wave: wave, frozenAt: frozenAt)
    let before = try connection.run(Shards.lastKey(seqno, wave: wave))
    guard let part = try reader.nextPart(after: before, connection) else {
      return try finish(message, wave, connection)
    }
    try connection.run(Shards.create(seqno, part.part, targeted: part.targeted, wave: wave))
    try connection.run(Messages.raiseTargeted(seqno))
    return part.isLast ? try finish(message, wave, connection) : false
  }

  /// A wave, or without waves the whole message, has all its shards.
  private func finish(_ message: DispatchMessage, _ wave: Int16, _ connection: Connection) throws -> Bool {
    if wave > 0 {
      try connection.run(Waves.finishPlan(message.seqno, wave: wave))
      return false
    }
    try connection.run(Messages.finishPlan(message.seqno))
    return true
  }
}
