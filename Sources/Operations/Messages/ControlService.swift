package import Domain
package import JSON
package import Postgres
internal import Reactor
internal import Store
package import Time

/// Pauses, resumes and cancels messages, and changes their pace.
///
/// The database decides: a change applies to every claim and every submission that begins after its commit, on all
/// nodes. What a node has read before the commit is submitted within half a second or not at all, so nothing is sent
/// later than one second after the answer. The NOTIFY on `channel` only makes nodes check immediately.
///
/// ```
///   queued ──┬── pause ──► paused ── resume ──► queued or sending
///   sending ─┘
///   scheduled, queued, sending, paused ── cancel ──► being cancelled ──► cancelled, when nothing is in flight
/// ```
/// A scheduled message cannot be paused, only cancelled. Repeating a pause, resume or cancellation changes nothing and
/// returns the current numbers; repeating a change of the pace is audited again.
package enum ControlService {
  /// NOTIFY channel for changes to a message; the payload is its SEQNO.
  package static let channel = "upmc_control"

  /// Pauses, resumes or cancels a message, and audits the change. A message that is already in the requested state
  /// stays unchanged. Resuming a message that its canary has stopped also ends the canary. A cancellation blocks for up
  /// to `cancelTimeout`, or for one batch of deferred deliveries if that takes longer.
  /// - Returns: the message's numbers at the moment of the change; for a cancellation, after the wait, even if the
  ///   message is not cancelled yet.
  /// - Throws: `.forbidden`; `.wrongState` if the message's state does not allow it; `.unknownMessage`, also if the
  ///   caller may not access its app.
  package static func control(
    _ control: MessageControl, _ seqno: Seqno, for caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> ReportService.FunnelAnswer {
    try caller.require(.control)
    // Report messages of other apps as nonexistent.
    _ = try ReportService.funnel(seqno, for: caller, on: connection)
    let (effect, status, answer) = try apply(control, seqno, by: caller, on: connection)
    if effect == .refuse { throw wrongState(control.rawValue, seqno, status) }
    guard control == .cancel, status.state != .cancelled else { return answer }
    return try finishCancelling(seqno, for: caller, on: connection, now: now)
  }

  private static func apply(
    _ control: MessageControl, _ seqno: Seqno, by caller: Caller, on connection: Connection
  ) throws(Problem) -> (MessageControl.Effect, MessageControl.Status, ReportService.FunnelAnswer) {
    let outcome = try connection.commit {
      () throws(PostgresError) -> (MessageControl.Effect, MessageControl.Status, ReportService.FunnelAnswer)? in
      // Lock the gate before the message, as claims do.
      if control == .resume { _ = try connection.run(Gates.lock(seqno)) }
      guard let locked = try connection.run(Controls.lock(seqno)) else { return nil }
      let effect = control.effect(on: locked.status)
      switch effect {
      case .become(let state):
        try connection.run(Controls.setState(seqno, state, reason: nil))
        // Resuming a message that its canary has stopped ends the canary.
        if control == .resume { _ = try connection.run(Gates.endCanary(seqno, in: [.stopped], as: .passed)) }
        // The audience may have been counted while the message was paused.
        if state == .queued { try ApprovalHolds.settle(seqno, on: connection) }
      case .beginCancelling:
        try beginCancelling(seqno, locked, by: caller, on: connection)
      case .nothing, .refuse: break
      }
      if effect != .refuse { try connection.run(Announcements.announce(channel, String(seqno))) }
      if effect != .refuse, effect != .nothing {
        try audit(control, seqno, locked, by: caller, on: connection)
      }
      // The message is locked, so these are exactly the numbers at the time of the change.
      guard let (found, reasons) = try connection.run(Funnels.find(seqno)) else { return nil }
      return (effect, locked.status, ReportService.FunnelAnswer(funnel: found.funnel, reasons: Array(reasons.utf8)))
    }
    guard let outcome else { throw Problem(.unknownMessage, "There is no message \(seqno).") }
    return outcome
  }

  /// Begins the cancellation of a locked message, in the transaction that holds the lock: nothing more is claimed, an
  /// approval that it waits for is called off, and, if it is still scheduled, its repetition ends. `finishCancelling`
  /// completes the cancellation after the commit.
  static func beginCancelling(
    _ seqno: Seqno, _ locked: Controls.Locked, by caller: Caller, on connection: Connection
  ) throws(PostgresError) {
    try connection.run(Controls.beginCancelling(seqno))
    if locked.status.hold == .waiting {
      try connection.run(ApprovalHolds.callOff(seqno, by: caller.name, reason: "The message was cancelled."))
    }
    if locked.status.state == .scheduled, let schedule = locked.schedule {
      try connection.run(Schedules.end(schedule))
    }
  }

  /// Audits a change of a locked message, with the state that it had before.
  static func audit(
    _ control: MessageControl, _ seqno: Seqno, _ locked: Controls.Locked, by caller: Caller, on connection: Connection
  ) throws(PostgresError) {
    let change = AuditTrail.Change("message.\(control.rawValue)", String(seqno), app: locked.app)
    try connection.run(AuditTrail.add(change.from { $0.member("state", locked.status.state.name) }, by: caller))
  }

  /// Cancels the deliveries that are not in flight (those that may have arrived on an earlier attempt become skipped),
  /// then blocks until the others have an outcome, for `cancelTimeout` in all. The nodes cancel what is left by then.
  /// - Returns: the message's numbers, whether or not the message is cancelled by then.
  /// - Throws: `.unknownMessage` if there is no such message for the caller.
  static func finishCancelling(
    _ seqno: Seqno, for caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> ReportService.FunnelAnswer {
    guard let message = try connection.answer(Messages.find(seqno)) else {
      throw Problem(.unknownMessage, "There is no message \(seqno).")
    }
    // A request that only a newer release can parse is cancelled like any other.
    let movesBadge = PartialRequest(stored: message.request).movesBadge
    let clock = SystemClock()
    let deadline = clock.now + Operations.Limits.cancelTimeout
    do {
      try Cancellation.sweep(seqno, app: message.app, movesBadge: movesBadge, now: now, on: connection) {
        clock.now < deadline
      }
    } catch {
      throw Problem(error)
    }
    while true {
      let answer = try ReportService.funnel(seqno, for: caller, on: connection)
      guard !answer.funnel.state.isFinal, clock.now < deadline else { return answer }
      Polling.rest(Operations.Limits.cancelPause)
    }
  }

  // MARK: Pace

  /// Changes a message's pace, and audits that.
  /// - Parameter pace: nil for as fast as possible.
  /// - Returns: the message's numbers after the change.
  /// - Throws: `.forbidden`; `.wrongState` if the message has ended or is being cancelled; `.conflict` if its app is
  ///   being deleted; `.unknownMessage`, also if the caller may not access its app.
  package static func setPace(
    _ pace: Pace?, of seqno: Seqno, for caller: Caller, on connection: Connection
  ) throws(Problem) -> ReportService.FunnelAnswer {
    try caller.require(.control)
    _ = try ReportService.funnel(seqno, for: caller, on: connection)
    guard let message = try connection.answer(Messages.find(seqno)) else {
      throw Problem(.unknownMessage, "There is no message \(seqno).")
    }
    if let problem = try connection.app(message.appID).refusalWhileDeleted { throw problem }
    guard !message.state.isFinal, !message.isCancelling else {
      throw wrongState(
        "pace", seqno,
        MessageControl.Status(
          state: message.state, isCancelling: message.isCancelling, isFrozen: message.frozenAt != nil))
    }
    // The message need not be locked: changing the pace of one that ends at this moment is harmless.
    try connection.commit { () throws(PostgresError) in
      let before = try connection.run(Gates.lock(seqno))?.pace
      try connection.run(Gates.setPace(seqno, pace))
      try connection.run(Announcements.announce(channel, String(seqno)))
      let change = AuditTrail.Change("message.pace", String(seqno), app: message.app)
        .from { before?.write(to: &$0) }.to { pace?.write(to: &$0) }
      try connection.run(AuditTrail.add(change, by: caller))
    }
    return try ReportService.funnel(seqno, for: caller, on: connection)
  }

  /// Body of a request to change a message's pace.
  package struct PaceChange: Sendable {
    package var pace: Pace?

    package static let object = JSONObject(
      "PaceChange", from: PaceChange(),
      [.required("pace", .orNull(.pace), \.pace, missing: "is needed: {\"perSecond\":n}, or null for none")])
  }

  static func wrongState(_ action: String, _ seqno: Seqno, _ status: MessageControl.Status) -> Problem {
    let state: Sentence = status.isCancelling ? "being cancelled" : Sentence(word: status.state.name)
    let refusal: Sentence = "Cannot \(Sentence(word: action)) message \(seqno): it is \(state)."
    let advice: Sentence? =
      switch (action, status.state) {
      case ("resume", .paused) where status.hold == .waiting:
        "It waits for a second person: somebody else approves or rejects it among the approvals."
      case ("pause", .scheduled): "Cancel it if it is not to go out."
      case ("resume", .scheduled): "It goes out when it is due."
      case ("resend", .paused), ("resend", .sending), ("resend", .queued): "Wait until it has ended, or cancel it."
      default: nil
      }
    return Problem(.wrongState, advice.map { Sentence(joining: [refusal, $0]) } ?? refusal)
  }
}

extension Operations.Limits {
  /// Maximum time for which a cancellation waits for deliveries in flight. Those still queued in a `PushProvider` are
  /// submitted or given back within half a second.
  static let cancelTimeout: Duration = .milliseconds(900)
  static let cancelPause: Duration = .milliseconds(20)
}
