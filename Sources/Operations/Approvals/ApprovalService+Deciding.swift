package import Domain
internal import JSON
package import Postgres
package import Store
package import Time

/// Approves and rejects requests that wait for a second person.
extension ApprovalService {
  // MARK: Approving

  /// Approves the request: creates the message on behalf of the requester, or releases the message that is held.
  /// - Parameter seal: decrypts confidential content; nil if the server cannot.
  /// - Returns: the answer that the send would have returned; the same one if the same approver repeats the call.
  /// - Throws: `.notFound`; `.forbidden` if the caller may not approve, or is not a second person; `.conflict` if the
  ///   approval was decided or has expired, the requester may not send any more, or the app is being deleted; and the
  ///   problems of the send.
  package static func approve(
    _ number: Approvals.Number, hosting: ContentHosting, seal: ContentSeal? = nil, by caller: Caller,
    on connection: Connection, now: Timestamp
  ) throws(Problem) -> SendAnswer {
    try caller.require(.approve)
    let record = try find(number, caller, connection)
    try checkSecondPerson(caller, record, connection)
    if record.state == .approved, record.decidedBy == caller.name, let seqno = record.seqno {
      return accepted(record, seqno)
    }
    try checkWaiting(record, now)
    let asker = try requester(of: record, connection)
    if record.isHeld, let seqno = record.seqno {
      try release(seqno, record, by: caller, connection, now)
      return accepted(record, seqno)
    }
    var request = SendRequest(
      body: try whole(record, seal), idempotencyKey: record.idempotencyKey, caller: asker, hosting: hosting,
      trace: record.trace)
    request.seal = seal
    request.consent = SendConsent(
      approval: number, by: caller, requestSHA256: record.requestSHA256, requestedAt: record.requestedAt,
      targeted: record.targeted)
    if let seqno = record.resendOf { return try ResendService.resend(seqno, request, on: connection, now: now) }
    return try SendService.send(request, on: connection, now: now)
  }

  private static func accepted(_ record: Approvals.Record, _ seqno: Seqno) -> SendAnswer {
    .accepted(
      SendAnswer.Accepted(
        seqno: seqno, targeted: record.targeted, unknown: Array(record.unknownEntries.utf8), resendOf: record.resendOf))
  }

  /// Approves and releases a message that was held after its audience grew, and extends its expiry by the time for
  /// which it was held.
  /// - Throws: `.conflict` if the approval was decided meanwhile.
  private static func release(
    _ seqno: Seqno, _ record: Approvals.Record, by caller: Caller, _ connection: Connection, _ now: Timestamp
  ) throws(Problem) {
    let heldSince = record.endsAt - .seconds(ApprovalHolds.waitSeconds)
    let isDone = try connection.commit { () throws(PostgresError) in
      // Lock the message before the approval, in the order that every decision uses.
      guard try connection.run(Controls.lock(seqno)) != nil,
        try connection.run(Approvals.lock(record.number))?.state == .waiting,
        try connection.run(ApprovalHolds.release(seqno, waited: max(.zero, now - heldSince)))
      else { return false }
      try note(record.number, seqno: seqno, app: record.app, by: caller, connection)
      try connection.run(Announcements.announce(ControlService.channel, String(seqno)))
      return true
    }
    guard isDone else { throw decided(record.number) }
  }

  /// Returns the requester as a caller with the requester's present permissions.
  /// - Throws: `.conflict` if the requester's account is gone, disabled, or may no longer send in the app.
  private static func requester(
    of record: Approvals.Record, _ connection: Connection
  ) throws(Problem) -> Caller {
    switch record.requester.asker {
    case .unixUser(let name): return .commandLine(of: name)
    case .account(let number):
      guard let account = try connection.answer(Accounts.find(number)), account.disabledAt == nil,
        let role = Role(rawValue: account.role), role.allows(.send), account.app == nil || account.app == record.app
      else { throw Problem(.conflict, "\(record.requester.name), who asked for it, may not send any more.") }
      return Caller(role: role, app: account.app, apiKey: nil, account: account.number, name: account.login)
    }
  }

  /// Locks the approval and returns whether it is undecided; an expired one counts as undecided. Call it in the
  /// transaction that creates the message.
  static func isWaiting(_ consent: SendConsent, _ connection: Connection) throws(PostgresError) -> Bool {
    try connection.run(Approvals.lock(consent.approval))?.state == .waiting
  }

  static func decided(_ number: Approvals.Number) -> Problem {
    Problem(.conflict, "The approval \(number) was decided meanwhile.")
  }

  static func settle(_ consent: SendConsent, seqno: Seqno, app: App.Number, _ connection: Connection)
    throws(PostgresError)
  {
    try note(consent.approval, seqno: seqno, app: app, by: consent.by, connection)
  }

  private static func note(
    _ number: Approvals.Number, seqno: Seqno, app: App.Number, by caller: Caller, _ connection: Connection
  ) throws(PostgresError) {
    try connection.run(Approvals.decide(number, .approved, by: caller.name, reason: nil, seqno: seqno))
    let change = AuditTrail.Change("approval.approve", String(number), app: app)
      .to { $0.member("seqno", String(seqno)) }
    try connection.run(AuditTrail.add(change, by: caller))
  }

  // MARK: Rejecting

  /// Rejects the request and audits that, so nothing is sent; cancels the message if it is held. Everyone with the
  /// permission may reject, even the requester and API keys.
  /// - Parameter reason: shown with the approval; nil for none.
  /// - Throws: `.invalidField` at `/reason` if the reason is longer than `approvalReasonBytes`; `.conflict` if the
  ///   approval was decided or has expired, or the app is being deleted; `.notFound`; `.forbidden`.
  package static func reject(
    _ number: Approvals.Number, reason: String?, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Entry {
    try caller.require(.approve)
    if let reason, reason.utf8.count > Operations.Limits.approvalReasonBytes {
      throw Problem(at: "/reason", "must have at most \(Operations.Limits.approvalReasonBytes) bytes")
    }
    let record = try find(number, caller, connection)
    try checkWaiting(record, now)
    let held = record.isHeld ? record.seqno : nil
    let isDone = try connection.commit { () throws(PostgresError) in
      if let held {
        guard let message = try connection.run(Controls.lock(held)), message.status.hold == .waiting,
          MessageControl.cancel.effect(on: message.status) == .beginCancelling
        else { return false }
        try connection.run(Controls.beginCancelling(held))
        try connection.run(Announcements.announce(ControlService.channel, String(held)))
      }
      guard let record = try connection.run(Approvals.lock(number)), record.state == .waiting else { return false }
      try connection.run(Approvals.decide(number, .rejected, by: caller.name, reason: reason, seqno: held))
      let change = AuditTrail.Change("approval.reject", String(number), app: record.app)
        .to { $0.member("reason", reason) }
      try connection.run(AuditTrail.add(change, by: caller))
      return true
    }
    guard isDone else { throw decided(number) }
    if let held { _ = try ControlService.finishCancelling(held, for: caller, on: connection, now: now) }
    return try show(number, by: caller, on: connection, now: now)
  }

  private static func checkWaiting(_ record: Approvals.Record, _ now: Timestamp) throws(Problem) {
    switch record.state {
    case .waiting where record.endsAt >= now: return
    case .waiting:
      throw Problem(.conflict, "The approval \(record.number) ended \(record.endsAt). Send it again.")
    case .approved, .rejected:
      let other = record.decidedBy.map(Sentence.init(verbatim:)) ?? "somebody"
      throw Problem(.conflict, "The approval \(record.number) was decided by \(other) already.")
    }
  }
}
