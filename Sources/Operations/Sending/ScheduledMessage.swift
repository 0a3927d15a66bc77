internal import Domain
internal import Postgres
internal import Store

/// Cancels a scheduled message that another one replaces, within the transaction that stores the new message or its
/// approval request.
enum ScheduledMessage {
  /// Locks the old message. Returns nil if it can be replaced, because it is scheduled and its audience is not frozen;
  /// otherwise its status, which is `cancelled` if it does not exist any more.
  static func objection(_ seqno: Seqno, _ connection: Connection) throws(PostgresError) -> MessageControl.Status? {
    guard let locked = try connection.run(Controls.lock(seqno)) else {
      return MessageControl.Status(state: .cancelled, isCancelling: false, isFrozen: false)
    }
    return locked.status.state == .scheduled && !locked.status.isFrozen ? nil : locked.status
  }

  /// Starts cancelling the old message, and announces and audits that. Call it in the transaction that stores the new
  /// message or its approval request, only after `objection` has returned nil and the new row is stored: a transaction
  /// that stores nothing must not cancel anything.
  static func beginCancelling(_ seqno: Seqno, by caller: Caller, _ connection: Connection) throws(PostgresError) {
    guard let locked = try connection.run(Controls.lock(seqno)) else { return }
    try ControlService.beginCancelling(seqno, locked, by: caller, on: connection)
    try connection.run(Announcements.announce(ControlService.channel, String(seqno)))
    try ControlService.audit(.cancel, seqno, locked, by: caller, on: connection)
  }
}
