internal import Domain
internal import Postgres
internal import Store

/// Cancels a scheduled message that another one replaces, within the transaction that stores the new message or its
/// approval request.
enum ScheduledMessage {
  /// Locks the old message. Returns its status if it cannot be replaced; nil if it can.
  static func objection(_ seqno: Seqno, _ connection: Connection) throws(PostgresError) -> MessageControl.Status? {
    guard let locked = try connection.run(Controls.lock(seqno)) else {
      return MessageControl.Status(state: .cancelled, isCancelling: false, isFrozen: false)
    }
    return locked.status.state == .scheduled && !locked.status.isFrozen ? nil : locked.status
  }

  /// Starts cancelling the old message. It must be the last step of the transaction that stores the new message or its
  /// approval request, after `objection` returned nil: a transaction that stores nothing must not cancel anything.
  static func beginCancelling(_ seqno: Seqno, by caller: Caller, _ connection: Connection) throws(PostgresError) {
    guard let locked = try connection.run(Controls.lock(seqno)) else { return }
    try ControlService.beginCancelling(seqno, locked, by: caller, on: connection)
    try connection.run(Announcements.announce(ControlService.channel, String(seqno)))
    try ControlService.audit(.cancel, seqno, locked, by: caller, on: connection)
  }
}
