internal import Postgres

/// NOTIFY: tells other threads and nodes, when the transaction commits, that there is work.
///
/// Only for rare events: the commit of a transaction that notifies holds a database-wide lock.
package enum Announcements {
  private static let announceStatement = Statement("announcements-announce", "SELECT pg_notify($1, $2)")

  /// Wakes the channel's listeners. It is only a hint: listeners also poll now and then.
  package static func announce(_ channel: String, _ payload: String = "") -> Query<Void> {
    var parameters = Parameters()
    parameters.append(text: channel)
    parameters.append(text: payload)
    return Query(announceStatement, parameters) { _ in }
  }
}
