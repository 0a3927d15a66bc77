internal import Postgres

/// Wakes other threads and nodes through PostgreSQL's NOTIFY when a transaction that creates work commits.
///
/// Only for rare events, because the commit of a transaction that notifies takes a database-wide lock.
package enum Announcements {
  private static let announceStatement = Statement("announcements-announce", "SELECT pg_notify($1, $2)")

  /// Notifies the channel's listeners when the transaction commits. Listeners also poll occasionally, so a lost
  /// notification only causes a delay.
  package static func announce(_ channel: String, _ payload: String = "") -> Query<Void> {
    Query(announceStatement, channel, payload) { _ in }
  }
}
