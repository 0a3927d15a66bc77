internal import Postgres

/// NOTIFY: tells other threads and nodes, when the transaction commits, that there is something to look at.
///
/// Only for what happens rarely: the commit of a transaction that notifies holds a lock of the whole database.
package enum Announcements {
  private static let announceStatement = Statement("announcements-announce", "SELECT pg_notify($1, $2)")

  /// Wakes whoever listens to the channel. It is a hint: listeners also look by themselves now and then.
  package static func announce(_ channel: String, _ payload: String = "") -> Query<Void> {
    var parameters = Parameters()
    parameters.append(text: channel)
    parameters.append(text: payload)
    return Query(announceStatement, parameters) { _ in }
  }
}
