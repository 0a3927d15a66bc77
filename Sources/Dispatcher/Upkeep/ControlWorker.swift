internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store
internal import Synchronization
internal import Time

/// Thread `control`: reacts at once to announcements by operators and other nodes, and polls several times a second in
/// case it missed one. While no message is open, paused or being cancelled, it polls once a second, or earlier when a
/// scheduled message is due.
///
/// Each iteration: recall retries of paused or cancelled messages from memory → count the open messages → complete
/// cancellations → cancel messages not approved in time → pass due messages to the planner, and fail those that are too
/// late → start the waves of messages sent at local times → fail messages that have reached no device in time →
/// evaluate canaries. If no message is open, paused, being cancelled or due, and nothing was announced, the iteration
/// ends after the second step. While the time is unknown, the steps that depend on it are left out. Each step starts
/// from committed state, so any node, or several at once, may do it.
final class ControlWorker {
  private let shared: Shared
  private let log = Logger(label: "control")
  private var listening: Connection?
  /// The newest `Limits.heldMessages` messages that were paused or being cancelled at the last poll.
  private var held: Set<Seqno> = []
  private var countsAgainAt = Instant(nanoseconds: 0)
  private var endsAgainAt = Instant(nanoseconds: 0)
  /// Number of queued and sending messages, as last counted, plus those queued since. At most
  /// `Domain.Limits.openMessages` are counted per lane.
  private var openMessages: Int64 = 0
  /// Time until the next poll; nil for `Limits.controlInterval`, because a message is open, paused or due, or an
  /// announcement has just arrived.
  private var quiet: Duration?
  private let isolation: FailureIsolation
  private var starts = LaneScanStarts()

  init(_ shared: Shared) {
    self.shared = shared
    isolation = FailureIsolation(log, shared)
  }

  func run() {
    DatabaseThread("control", shared).run { connection in try turn(connection) }
  }

  private func turn(_ connection: Connection) throws {
    if listening !== connection {
      for channel in [Dispatcher.messagesChannel, Dispatcher.controlChannel] { try connection.listen(channel) }
      listening = connection
    }
    let heard = try connection.notifications(
      waitingAtMost: quiet ?? Limits.controlInterval, or: shared.controlWakeup)
    shared.controlWakeup.drain()
    if heard.contains(where: { $0.channel == Dispatcher.messagesChannel }) { wakePlanners() }
    if heard.contains(where: { $0.channel == Dispatcher.controlChannel }) { wakeClaimers() }
    for step in [recall, countOpen] { try passingBy(step, connection) }
    quiet = heard.isEmpty ? try quietTime(connection) : nil
    guard quiet == nil else { return }
    // With a wrong clock, a message would be sent, or fail as too late, at an unintended time.
    let timed = shared.clock.isTrusted ? [callOffOverdue, bringDue, openWaves, endLate] : []
    for step in [endCancellations] + timed + [judgeCanaries] { try passingBy(step, connection) }
  }

  /// Returns how long nothing can happen without an announcement, at most `Limits.quietControlInterval`; nil if a
  /// message is queued, sending, paused or being cancelled, or a scheduled one is due.
  private func quietTime(_ connection: Connection) throws -> Duration? {
    guard held.isEmpty, openMessages == 0 else { return nil }
    guard let due = try connection.run(Schedules.nextDue()) else { return Limits.quietControlInterval }
    let wait = due - shared.clock.wallTime
    return wait > .zero ? min(wait, Limits.quietControlInterval) : nil
  }

  /// Runs a step. If it fails because of its data, logs that and returns, so that the other steps still run. Other
  /// failures are thrown.
  private func passingBy(_ step: (Connection) throws -> Void, _ connection: Connection) throws {
    try passingBy("a part of what control looks after failed", nil) { try step(connection) }
  }

  /// Runs `body`, which concerns message `seqno`, or several messages if that is nil. If it fails because of its data,
  /// logs `complaint` and returns, so that the caller continues. Other failures are thrown.
  private func passingBy(_ complaint: Logger.Message, _ seqno: Seqno?, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch  where FailureIsolation.isOwnFault(error) {
      isolation.note(complaint, seqno, error)
    }
  }

  private func wakePlanners() {
    for workers in shared.laneWorkers { workers.planWakeup.signal() }
  }

  private func wakeClaimers() {
    for workers in shared.laneWorkers { workers.claimWakeup.signal() }
  }

  /// Counts the open messages of each lane, once per `Limits.heartbeat`: sends that bypass the planner are admitted
  /// only while their lane is not full.
  private func countOpen(_ connection: Connection) throws {
    guard shared.clock.now >= countsAgainAt else { return }
    countsAgainAt = shared.clock.now + Limits.heartbeat
    var (full, count): (UInt8, Int64) = (0, 0)
    let last = try LaneScanStarts.Last(connection, shared.clock)
    for lane in Lane.allCases {
      let open = try starts.look(lane, after: last, shared.clock) { start throws(PostgresError) in
        let open = try connection.run(Controls.open(lane, from: start, limit: Domain.Limits.openMessages))
        return (open, open.first)
      }
      if open.count >= Domain.Limits.openMessages { full |= lane.bit }
      count += open.count
    }
    openMessages = count
    shared.fullLanes.store(full, ordering: .relaxed)
  }

  /// Recalls retries of newly paused or cancelled messages from memory, where they would otherwise wait until they are
  /// due.
  private func recall(_ connection: Connection) throws {
    let present = Set(try connection.run(Controls.paused(atMost: Limits.heldMessages)))
    let new = present.subtracting(held)
    if !new.isEmpty { for workers in shared.laneWorkers { workers.tell(.recall(new)) } }
    held = present
  }

  /// Begins to cancel the messages that were not approved in time, and announces that.
  private func callOffOverdue(_ connection: Connection) throws {
    for seqno in try connection.run(ApprovalHolds.overdue()) {
      try connection.withTransaction {
        guard let message = try connection.run(Controls.lock(seqno)), message.status.hold == .waiting,
          MessageControl.cancel.effect(on: message.status) == .beginCancelling
        else { return }
        try connection.run(Controls.beginCancelling(seqno))
        try connection.run(Announcements.announce(Dispatcher.controlChannel, String(seqno)))
      }
      log.warning(
        "a message was not approved in time and is cancelled", metadata: ["seqno": .stringConvertible(seqno)])
    }
  }

  /// Returns a condition that holds for `Limits.endingTurn` from now on: the millions of deliveries that a message may
  /// have deferred are ended in several turns, so that other messages do not wait for that.
  private func whileInTurn() -> () -> Bool {
    let end = shared.clock.now + Limits.endingTurn
    return { [shared] in shared.clock.now < end }
  }

  private func endCancellations(_ connection: Connection) throws {
    let isInTurn = whileInTurn()
    for seqno in try connection.run(Controls.cancelling(atMost: Limits.heldMessages)) {
      guard let message = try connection.run(Messages.find(seqno)) else { continue }
      let movesBadge = PartialRequest(stored: message.request).movesBadge
      try passingBy("a cancellation does not end", seqno) {
        let hasEnded = try Cancellation.sweep(
          seqno, app: message.app, movesBadge: movesBadge, now: shared.clock.wallTime, on: connection, while: isInTurn)
        if hasEnded { log.info("ended: cancelled", metadata: ["seqno": .stringConvertible(seqno)]) }
      }
    }
  }

  // MARK: Schedules

  private func bringDue(_ connection: Connection) throws {
    let late = try Schedules.failLate(on: connection) { seqno, request in
      try scheduleNext(after: seqno, request, connection)
    }
    if late > 0 { log.error("messages were too late and have failed", metadata: ["count": .stringConvertible(late)]) }
    let due = try connection.withTransaction {
      let due = try connection.run(Schedules.due())
      for message in due where message.repeats { try scheduleNext(after: message.seqno, message.request, connection) }
      return due.count
    }
    openMessages += Int64(due)
    if due > 0 { wakePlanners() }
  }

  /// Schedules the next occurrence of a repeating message, within the transaction that starts the current occurrence or
  /// fails it as too late. Does nothing if there is no next occurrence, or it exists already.
  private func scheduleNext(after seqno: Seqno, _ text: [UInt8], _ connection: Connection) throws {
    guard let next = try connection.run(Schedules.continueAfter(seqno)) else { return }
    guard let request = try? MessageRequest(stored: text) else {
      // This release cannot read the request: copy the pace and canary settings of the current occurrence.
      return try connection.run(Gates.copy(of: seqno, to: next))
    }
    let gate = Gates.create(next, pace: request.pace, canary: request.canary, window: request.window)
    if let gate { try connection.run(gate) }
    let hours = Lateness.reckonHours(next, window: request.window, isAd: request.kind == .ad)
    if let hours { try connection.run(hours) }
  }

  private func openWaves(_ connection: Connection) throws {
    let opened = try connection.withTransaction {
      let opened = try connection.run(Waves.open())
      for wave in opened where wave.isLate { try Schedules.endWave(wave.seqno, wave: wave.wave, on: connection) }
      return opened
    }
    guard !opened.isEmpty else { return }
    try Messages.finish(Set(opened.map(\.seqno)), at: shared.clock.wallTime, on: connection)
    wakeClaimers()
  }

  /// Fails scheduled messages that have reached no device an hour after they were due, and skips waves of which no
  /// device has been claimed by then (`Lateness`). Does nothing if called again within `Limits.heartbeat`.
  private func endLate(_ connection: Connection) throws {
    guard shared.clock.now >= endsAgainAt else { return }
    endsAgainAt = shared.clock.now + Limits.heartbeat
    let (now, isInTurn) = (shared.clock.wallTime, whileInTurn())
    for message in try connection.run(Messages.find(connection.run(Lateness.messages()))) {
      let movesBadge = PartialRequest(stored: message.request).movesBadge
      try passingBy("a message that is too late does not end", message.seqno) {
        guard
          try Lateness.end(
            message.seqno, app: message.app, movesBadge: movesBadge, now: now, on: connection, while: isInTurn)
        else { return }
        log.error(
          "a message that reached no device in time has failed", metadata: ["seqno": .stringConvertible(message.seqno)])
      }
    }
    for (seqno, wave) in try connection.run(Lateness.waves()) {
      guard try Lateness.end(seqno, wave: wave, now: now, on: connection) else { continue }
      log.error(
        "a time zone in which no device was claimed in time is left out",
        metadata: ["seqno": .stringConvertible(seqno), "wave": .stringConvertible(wave)])
    }
  }

  // MARK: Canaries

  private func judgeCanaries(_ connection: Connection) throws {
    for canary in try connection.run(Gates.watched()) {
      try passingBy("a canary cannot be judged", canary.seqno) { try judge(canary, connection) }
    }
  }

  private func judge(_ canary: Gates.Watched, _ connection: Connection) throws {
    let verdict = Canary.judge(
      open: canary.open, accepted: canary.accepted, rejected: canary.rejected,
      maxRejectedPercent: canary.maxRejectedPercent, isOver: canary.isOver)
    switch verdict {
    case .wait: break
    case .pass:
      _ = try connection.run(Gates.endCanary(canary.seqno, in: [.watching], as: .passed))
      wakeClaimers()
    case .replace:
      try connection.run(Gates.replaceCanary(canary, atLeast: Limits.replacedCanaryDevices))
      wakeClaimers()
    case .stop(let reason): try stop(canary.seqno, reason, connection)
    }
  }

  /// Ends a canary that has failed, and pauses its message with the reason. Leaves the canary of a paused message as it
  /// is: whoever resumes the message does not know yet that the canary has failed, and it is judged again then.
  private func stop(_ seqno: Seqno, _ reason: String, _ connection: Connection) throws {
    let isStopped = try connection.withTransaction { () throws -> Bool in
      // Lock the gate before the message, as claims do.
      guard try connection.run(Gates.lock(seqno)) != nil, let message = try connection.run(Controls.lock(seqno)) else {
        return false
      }
      let effect = MessageControl.pause.effect(on: message.status)
      guard effect != .nothing, try connection.run(Gates.endCanary(seqno, in: [.watching], as: .stopped)),
        effect == .become(.paused)
      else { return false }
      try connection.run(Controls.setState(seqno, .paused, reason: reason))
      try connection.run(Announcements.announce(Dispatcher.controlChannel, String(seqno)))
      return true
    }
    guard isStopped else { return }
    log.error("a canary stopped a message", metadata: ["seqno": .stringConvertible(seqno), "reason": "\(reason)"])
  }
}

extension Dispatcher {
  /// PostgreSQL notification channel for new messages, and for apps that are resumed.
  static let messagesChannel = "upmc_messages"
  /// PostgreSQL notification channel for changes to messages, such as a pause or a new pace.
  static let controlChannel = "upmc_control"
}
