package import Domain
internal import JSON
package import Postgres
internal import Store

/// Deletes apps, after a grace period in which the deletion can be cancelled. Decision 156.
///
/// ```
///   active ── delete ──► deleting, in the grace period: paused, refuses changes, can be read and exported
///     ▲                     │      │
///     └────── restore ──────┘      └── grace period ends ──► purging: removed in portions ──► gone, except for its id
/// ```
extension Administration {
  /// Starts an app's deletion and audits that: pauses the app, whose data a server removes when the grace period ends.
  /// - Parameters:
  ///   - confirmation: the app's id, typed again.
  ///   - graceDays: 0 to 365; nil for the usual grace period of 30 days.
  /// - Throws: `.forbidden` without permission or for a caller limited to one app, `.unknownApp`, `.impossible` if the
  ///   ids differ, `.invalidField` for other grace periods, `.conflict` if the app is being deleted already.
  package static func deleteApp(
    _ appID: String, confirmation: String, graceDays: Int32?, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppEntry {
    let app = try appOfServer(appID, caller, connection)
    guard confirmation == appID else {
      throw Problem(.impossible, "Type the app's id again: ?confirm=\(appID). Nothing was deleted.")
    }
    let days = graceDays ?? Operations.Limits.usualGraceDays
    guard Operations.Limits.graceDays.contains(days) else {
      throw Problem(
        .invalidField,
        """
        graceDays is a whole number of days from \(Operations.Limits.graceDays.lowerBound) to \
        \(Operations.Limits.graceDays.upperBound).
        """)
    }
    let isNew = try connection.commit { () throws(PostgresError) in
      let reason = "It is being deleted; `upmc app restore` takes that back."
      guard try connection.run(AppDeletions.ask(app.number, graceDays: days, reason: reason)) else { return false }
      try connection.run(Announcements.announce(Catalog.channel))
      let change = AuditTrail.Change("app.delete", appID, in: app).to { $0.member("graceDays", Int64(days)) }
      try connection.run(AuditTrail.add(change, by: caller))
      return true
    }
    guard isNew else {
      throw Problem(.conflict, "The app \(appID) is being deleted already; `upmc app list` says when its grace ends.")
    }
    return try self.app(appID, by: caller, on: connection)
  }

  /// Cancels the deletion of an app before its removal begins, and audits that. Resumes the app, unless it was paused
  /// before the deletion.
  /// - Throws: `.forbidden` without permission or for a caller limited to one app, `.unknownApp`, `.conflict` if the
  ///   app is not being deleted or its removal has begun.
  package static func restoreApp(
    _ appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppEntry {
    let app = try appOfServer(appID, caller, connection)
    let isBack = try connection.commit { () throws(PostgresError) in
      guard try connection.run(AppDeletions.withdraw(app.number)) else { return false }
      try connection.run(Announcements.announce(Catalog.channel))
      // Wake the dispatcher: the app's messages wait in the queue.
      try connection.run(Announcements.announce(SendService.channel))
      try connection.run(AuditTrail.add(AuditTrail.Change("app.restore", appID, in: app), by: caller))
      return true
    }
    guard isBack else {
      throw app.deletion == nil
        ? Problem(.conflict, "The app \(appID) is not being deleted: nothing can be taken back.")
        : Problem(
          .conflict, "The app \(appID) is being removed since its grace has ended: nothing can be taken back.")
    }
    return try self.app(appID, by: caller, on: connection)
  }

  /// Returns the app if the caller administers the whole server.
  /// - Throws: `.forbidden` without permission or for a caller limited to one app, `.unknownApp`.
  private static func appOfServer(
    _ appID: String, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> App {
    try caller.require(.manageApps)
    guard caller.app == nil else {
      throw Problem(.forbidden, "A credential for one app can neither delete an app nor take that back.")
    }
    return try connection.app(appID)
  }
}

extension Operations.Limits {
  /// Permitted grace periods between the request to delete an app and its removal, in days.
  package static let graceDays: ClosedRange<Int32> = 0...365
  /// Default grace period, in days.
  package static let usualGraceDays: Int32 = 30
}
