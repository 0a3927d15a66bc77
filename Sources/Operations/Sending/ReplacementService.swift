package import Domain
internal import JSON
package import Postgres
internal import Store

/// Putting another message in the place of one that is scheduled.
package enum ReplacementService {
  /// - Parameter request: whose `replaces` is the message that goes.
  /// - Throws: `.wrongState` when the old one has begun or ended; nothing is changed then.
  package static func replace(
    _ request: SendRequest, on connection: Connection, catalog: Catalog? = nil, now: Int64
  ) throws(Problem) -> SendAnswer {
    try request.caller.require(.control)
    guard let old = request.replaces else { return try SendService.send(request, on: connection, now: now) }
    let found = try ReportService.funnel(old, for: request.caller, on: connection)
    let message = try MessageRequest(json: try SavedTemplate.fill(request.body, for: request.caller, on: connection))
    guard message.appID == found.funnel.appID else {
      throw Problem(.impossible, at: "/appId", "must be the app of message \(old): \(found.funnel.appID)")
    }
    guard !message.dryRun else { throw Problem(.impossible, at: "/dryRun", "is for a send: POST /v1/admin/messages") }
    let answer = try SendService.send(request, on: connection, catalog: catalog, now: now)
    switch answer {
    case .accepted:
      _ = try ControlService.finishCancelling(old, for: request.caller, on: connection, now: now)
    case .waiting:
      // It is no longer what is to go out, whatever the second person says to the new one.
      _ = try ControlService.control(.cancel, old, for: request.caller, on: connection, now: now)
    case .tried: break
    }
    return answer
  }

  /// Begins to cancel the old one, in the transaction that makes the new one. - Returns: how it is when it cannot be.
  static func begin(
    _ seqno: Int64, by caller: Caller, _ connection: Connection
  ) throws(PostgresError) -> MessageControl.Standing? {
    guard let locked = try connection.run(Controls.lock(seqno)) else {
      return MessageControl.Standing(state: .cancelled, isCancelling: false, isFrozen: false)
    }
    guard locked.standing.state == .scheduled, !locked.standing.isFrozen else { return locked.standing }
    try connection.run(Controls.beginCancelling(seqno))
    if let schedule = locked.schedule { try connection.run(Schedules.end(schedule)) }
    try connection.run(Announcements.announce(ControlService.channel, String(seqno)))
    let change = AuditTrail.Change("message.cancel", String(seqno), app: locked.app)
    try connection.run(AuditTrail.add(change.from { $0.member("state", locked.standing.state.name) }, by: caller))
    return nil
  }
}
