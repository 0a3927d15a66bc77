package import Domain
package import Postgres

/// The removal of the stored data of deleted apps whose grace period has ended, in portions. Decision 156.
///
/// ```
///   due ─► begun ─► messages stopped ─► claims ended ─► secrets ─► devices ─► people ─► messages ─► the rest ─┐
///                     ▲                                                                       found something │
///                     └───────────────────────────────────────────────────────────────────────────────────────┤
///                                                                           found nothing: the app's row ◄────┘
/// ```
///
/// Each portion is one transaction, which also stores the progress: a killed node leaves a portion undone but never
/// half done, and any node continues. Rows that a node with an outdated view of the app writes meanwhile are removed by
/// the next round. The audit log is kept, and so is the row in `app_purges`, so that the app's id is never used again.
package enum AppPurge {
  package enum Step: Equatable, Sendable {
    /// A portion was removed, possibly an empty one; more can be left.
    case removed
    /// Deliveries are still in progress, or nodes may not have noticed yet that the removal has begun.
    case waiting
    /// Nothing is left of the app with this id; `rows` is the total number of rows removed.
    case ended(App.Number, appID: String, rows: Int64)
  }

  private static let beginStatement = Statement(
    "app-purge-begin",
    """
    WITH due AS (
      SELECT app, app_id FROM apps
      WHERE purge_after <= clock_timestamp() AND NOT EXISTS (SELECT FROM app_purges p WHERE p.app = apps.app)
      ORDER BY app LIMIT 1 FOR UPDATE SKIP LOCKED)
    INSERT INTO app_purges (app, app_id) SELECT app, app_id FROM due RETURNING app, app_id
    """)

  /// Begins the removal of one app whose grace period has ended; from then on the deletion can no longer be withdrawn.
  /// Returns nil if there is no such app, or another node is beginning its removal.
  package static func begin() -> Query<(app: App.Number, appID: String)?> {
    Query(first: beginStatement) { ($0.int32(), $0.text()) }
  }

  private static let nextStatement = Statement(
    "app-purge-next",
    """
    SELECT app, app_id, stage, place, round_removed, removed, begun_at <= clock_timestamp() - make_interval(secs => $1)
    FROM app_purges WHERE ended_at IS NULL ORDER BY looked_at, app LIMIT 1 FOR UPDATE SKIP LOCKED
    """)

  private static let keepStatement = Statement(
    "app-purge-keep",
    """
    UPDATE app_purges SET stage = $2, place = $3, removed = removed + $4,
      round_removed = CASE WHEN $5 THEN 0 ELSE round_removed + $4 END, looked_at = clock_timestamp()
    WHERE app = $1
    """)

  private static let endStatement = Statement(
    "app-purge-end",
    """
    WITH gone AS (DELETE FROM apps WHERE app = $1)
    UPDATE app_purges SET ended_at = clock_timestamp(), looked_at = clock_timestamp(), removed = removed + 1
    WHERE app = $1
    """)

  /// Removes the next portion of the app that has waited longest for one. Call this within a transaction. Returns nil
  /// if no removal is in progress, or if other nodes have locked all of them.
  /// - Parameters:
  ///   - limit: maximum number of rows of one table in a portion.
  ///   - rest: seconds between the beginning and the first portion, in which nodes learn of the removal and earlier
  ///     transactions end.
  package static func step(
    atMost limit: Int, restSeconds rest: Int32, on connection: Connection
  ) throws(PostgresError) -> Step? {
    let next = try connection.run(nextStatement, Parameters(rest)).decodeFirst { row in
      (
        app: row.int32(), appID: row.text(), stage: row.text(), place: row.text(), roundRemoved: row.int64(),
        removed: row.int64(), hasRested: row.bool()
      )
    }
    guard let next else { return nil }
    let app = next.app
    // If another release has stored a stage unknown here, start over with the first one: removal is repeatable.
    let index = stages.firstIndex { $0.name == next.stage } ?? 0
    guard next.hasRested else {
      try keep(app, stages[0].name, removed: 0, on: connection)
      return .waiting
    }
    let portion = Portion(app: app, place: next.place, limit: limit)
    let done = try stages[index].remove(portion, connection)
    if done.waits {
      try keep(app, stages[index].name, removed: done.removed, on: connection)
      return .waiting
    }
    if let place = done.place {
      try keep(app, stages[index].name, at: place, removed: done.removed, on: connection)
      return .removed
    }
    if index + 1 < stages.count {
      try keep(app, stages[index + 1].name, removed: done.removed, on: connection)
      return .removed
    }
    guard next.roundRemoved + done.removed == 0 else {
      try keep(app, stages[0].name, removed: done.removed, beginsRound: true, on: connection)
      return .removed
    }
    _ = try connection.run(endStatement, Parameters(app))
    return .ended(app, appID: next.appID, rows: next.removed + 1)
  }

  private static func keep(
    _ app: App.Number, _ stage: String, at place: String = "", removed: Int64, beginsRound: Bool = false,
    on connection: Connection
  ) throws(PostgresError) {
    _ = try connection.run(keepStatement, Parameters(app, stage, place, removed, beginsRound))
  }

  private static let restartStatement = Statement(
    "app-purge-restart",
    """
    UPDATE app_purges SET stage = '', place = '', round_removed = 0, looked_at = clock_timestamp()
    WHERE app = (SELECT app FROM app_purges WHERE ended_at IS NULL ORDER BY looked_at, app LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING app
    """)

  /// After a portion has failed because of its data, sets the removal that `step` would continue back to the first
  /// stage, behind the other removals. Returns the app's number; nil if no removal is in progress, or if other nodes
  /// have locked all of them.
  package static func restart() -> Query<App.Number?> {
    Query(first: restartStatement) { $0.int32() }
  }
}
