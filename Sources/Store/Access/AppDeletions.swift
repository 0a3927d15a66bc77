package import Domain
internal import Postgres

/// Requests the deletion of apps, and withdraws such requests. `AppPurge` performs the deletion.
package enum AppDeletions {
  private static let askStatement = Statement(
    "app-deletions-ask",
    """
    UPDATE apps SET deleting_since = clock_timestamp(), purge_after = clock_timestamp() + make_interval(days => $2),
      paused_before = paused_reason, paused_reason = $3
    WHERE app = $1 AND purge_after IS NULL RETURNING app
    """)

  /// Pauses an app and starts the grace period after which it is deleted. Returns false, without an effect, if the app
  /// does not exist, or if a request to delete it is in force already.
  /// - Parameters:
  ///   - days: length of the grace period in days.
  ///   - reason: why the app is paused, for people to read; replaces the reason of an earlier pause until `withdraw`.
  package static func ask(_ app: App.Number, graceDays days: Int32, reason: String) -> Query<Bool> {
    Query(askStatement, app, days, reason) { $0.count == 1 }
  }

  private static let takeBackStatement = Statement(
    "app-deletions-take-back",
    """
    UPDATE apps a SET deleting_since = NULL, purge_after = NULL, paused_reason = a.paused_before, paused_before = NULL,
      resumed_at = CASE WHEN a.paused_before IS NULL THEN clock_timestamp() ELSE a.resumed_at END
    -- Lock the row before reading the clock, as for an app that is resumed.
    FROM (SELECT app FROM apps WHERE app = $1 AND purge_after IS NOT NULL FOR NO KEY UPDATE) l
    WHERE a.app = l.app AND NOT EXISTS (SELECT FROM app_purges p WHERE p.app = a.app)
    RETURNING a.app
    """)

  /// Withdraws the deletion of an app. Resumes the app, unless it was paused before the request: then it remains paused
  /// for the earlier reason. Returns false, without an effect, if the app does not exist, if its deletion is not
  /// requested, or if the removal of its data has begun.
  package static func withdraw(_ app: App.Number) -> Query<Bool> {
    Query(takeBackStatement, app) { $0.count == 1 }
  }
}
