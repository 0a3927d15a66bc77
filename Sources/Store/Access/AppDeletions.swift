package import Domain
internal import Postgres

/// Asking for the deletion of an app, and taking that back. What follows is `AppPurge`.
package enum AppDeletions {
  private static let askStatement = Statement(
    "app-deletions-ask",
    """
    UPDATE apps SET deleting_since = clock_timestamp(), purge_after = clock_timestamp() + make_interval(days => $2),
      paused_before = paused_reason, paused_reason = $3
    WHERE app = $1 AND purge_after IS NULL RETURNING app
    """)

  /// Begins an app's grace; from then on the app is paused. Returns false if it is being deleted already.
  /// - Parameters:
  ///   - days: how long the grace lasts.
  ///   - reason: why the app is paused, for people.
  package static func ask(_ app: App.Number, graceDays days: Int32, reason: String) -> Query<Bool> {
    Query(askStatement, app, days, reason) { $0.count == 1 }
  }

  private static let takeBackStatement = Statement(
    "app-deletions-take-back",
    """
    UPDATE apps SET deleting_since = NULL, purge_after = NULL, paused_reason = paused_before, paused_before = NULL,
      resumed_at = CASE WHEN paused_before IS NULL THEN clock_timestamp() ELSE resumed_at END
    WHERE app = $1 AND purge_after IS NOT NULL AND NOT EXISTS (SELECT FROM app_purges p WHERE p.app = apps.app)
    RETURNING app
    """)

  /// Ends an app's deletion: it is as it was before, also paused if it was. Returns false if it is not being deleted, or
  /// if its grace has ended and the removal has begun.
  package static func takeBack(_ app: App.Number) -> Query<Bool> {
    Query(takeBackStatement, app) { $0.count == 1 }
  }
}
