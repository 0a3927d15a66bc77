package import Domain
package import Postgres

/// Removes what is stored of apps whose grace has ended, in portions. Decision 156.
///
/// ```
///   due ─► begun ─► messages stopped ─► claims ended ─► secrets ─► devices ─► people ─► messages ─► the rest ─┐
///                     ▲                                                                       found something │
///                     └───────────────────────────────────────────────────────────────────────────────────────┤
///                                                                           found nothing: the app's row ◄────┘
/// ```
///
/// Each portion is one transaction, which also stores how far the removal has come: a node that is killed leaves a
/// portion undone, never half done, and any node goes on. What a node with an older view of the app writes meanwhile is
/// found by the next round. The audit log stays, and so does the row in `app_purges`, which keeps the id.
package enum AppPurge {
  package enum Step: Equatable, Sendable {
    /// A portion was removed.
    case removed
    /// Deliveries are still on their way, or the nodes have not yet had the time to see that the removal has begun.
    case waiting
    /// Nothing is left of the app with this id; `rows` were removed in all.
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

  /// Begins the removal of an app whose grace has ended. Nil: there is none. From then on it cannot be taken back.
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

  /// Removes the next portion of an app, within a transaction. Nil: there is nothing to remove, or other nodes do.
  /// - Parameters:
  ///   - limit: rows of one table that a portion removes at most.
  ///   - rest: seconds from the beginning until the first portion, in which nodes and transactions that knew the app as
  ///     it was before come to their end.
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
    // A stage that another release has named is begun again from the first one: removing is repeatable.
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

  /// Begins all parts of the app that is next again, after a portion that failed because of its data. Returns its
  /// number; nil if there is none.
  package static func restart() -> Query<App.Number?> {
    Query(first: restartStatement) { $0.int32() }
  }
}
