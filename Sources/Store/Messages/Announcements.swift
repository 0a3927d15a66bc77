internal import Postgres

/// Notifications by PostgreSQL's NOTIFY, which wake other threads and nodes when a transaction that creates work
/// commits.
///
/// Only for rare events, because a transaction that notifies acquires a database-wide lock for its commit.
package enum Announcements {
  private static let announceStatement = Statement("announcements-announce", "SELECT pg_notify($1, $2)")

  /// Notifies the channel's listeners when the transaction commits; a rollback drops the notification. Listeners also
  /// poll occasionally, so a lost notification only causes a delay.
  package static func announce(_ channel: String, _ payload: String = "") -> Query<Void> {
    Query(announceStatement, channel, payload) { _ in }
  }
}
