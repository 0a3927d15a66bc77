internal import Domain
internal import Logging
internal import Postgres
internal import Store

/// Removes the stored data of deleted apps. Decision 156.
extension RetentionWorker {
  /// Begins the removal of one app whose grace period has ended, if the database's clock has been steady for an hour
  /// (`ClockWatch`). Then removes up to `Limits.purgePortions` portions of apps whose removal has begun.
  func purgeApps(_ connection: Connection) throws(PostgresError) {
    // After a clock jump, a grace period must not end early.
    if try connection.run(ClockWatch.read()).isSteady {
      let begun = try connection.transaction(attempts: 3) { () throws(PostgresError) -> String? in
        guard let (app, appID) = try connection.run(AppPurge.begin()) else { return nil }
        try connection.run(Self.entry("app.purge", app, appID, after: nil))
        return appID
      }
      if let begun { log.notice("begins to remove a deleted app", metadata: ["app": .string(begun)]) }
    }
    for _ in 0..<Limits.purgePortions where !isStopping() {
      guard let step = try purgePortion(connection), step != .waiting else { return }
      if case .ended(_, let appID, let rows) = step {
        log.notice(
          "removed a deleted app", metadata: ["app": .string(appID), "rows": .stringConvertible(rows)])
      }
    }
  }

  private func purgePortion(_ connection: Connection) throws(PostgresError) -> AppPurge.Step? {
    do throws(PostgresError) {
      return try connection.transaction(attempts: 3) { () throws(PostgresError) in
        let step = try AppPurge.step(
          atMost: Limits.purgedRows, restSeconds: Limits.purgeRestSeconds, on: connection)
        if case .ended(let app, let appID, let rows)? = step {
          try connection.run(Self.entry("app.purged", app, appID, after: #"{"rows":\#(rows)}"#))
        }
        return step
      }
    } catch {
      guard error.isOwnFault else { throw error }
      // Another transaction wrote rows for the app after their stage had run: another round removes them.
      _ = try connection.run(AppPurge.restart())
      isolation.note("a part of a deleted app cannot be removed", nil, error)
      return nil
    }
  }

  /// Returns the query that adds the audit log entry of a removal, in the name of no person; the request for the
  /// removal has an entry of its own.
  /// - Parameter after: JSON with the result; nil if there is none.
  private static func entry(_ action: String, _ app: App.Number, _ appID: String, after: String?) -> Query<Void> {
    var entry = AuditLog.New(
      actor: "the end of its grace", role: AuditLog.serverRole, action: action, object: appID)
    entry.app = app
    entry.after = after
    return AuditLog.add(entry)
  }
}

extension Limits {
  /// Maximum portions of deleted apps removed per iteration.
  static let purgePortions = 40
  /// Maximum rows of one table removed per portion, which takes about 100 ms.
  static let purgedRows = 10_000
  /// Seconds between the beginning of a removal and its first portion: nodes reload apps each second, and no
  /// transaction lasts as long.
  static let purgeRestSeconds: Int32 = 30
}
