package import Domain
internal import Postgres
package import Time

/// Pauses and resumes apps, and reads which apps are paused. The state is in the database, so that all nodes share it.
package enum AppPauses {
  package struct State: Sendable {
    package let appID: String
    package let isPaused: Bool
    /// When the app was last resumed; nil if never. A time in the future is a clock fault and is read as nil, because
    /// deliveries would otherwise be deferred repeatedly until then.
    package let resumedAt: Timestamp?
  }

  private static let stateColumns = """
    app, app_id, paused_reason IS NOT NULL, CASE WHEN resumed_at <= clock_timestamp() THEN resumed_at END
    """

  private static let lookStatement = Statement(
    "app-pauses-look", "SELECT \(stateColumns) FROM apps WHERE app = ANY($1) ORDER BY app FOR SHARE")

  private static let lockStatement = Statement(
    "app-pauses-lock", "SELECT \(stateColumns) FROM apps WHERE app = ANY($1) ORDER BY app FOR NO KEY UPDATE")

  /// Locks apps in ascending order and returns their states, so that no other transaction pauses or resumes them until
  /// this one ends. Apps that do not exist are omitted.
  /// - Parameter alone: true for an exclusive lock, for a transaction that can pause the apps; false for a lock that
  ///   several transactions can have at once.
  package static func states(
    of apps: some Collection<App.Number>, alone: Bool
  ) -> Query<[App.Number: State]> {
    var column = Int32Column()
    for app in apps { column.append(app) }
    var parameters = Parameters()
    parameters.append(column)
    return Query(alone ? lockStatement : lookStatement, parameters) {
      $0.dictionary { row in
        (
          row.int32(),
          State(
            appID: row.text(), isPaused: row.bool(),
            resumedAt: row.optionalTimestamp())
        )
      }
    }
  }

  private static let reasonStatement = Statement(
    "app-pauses-reason", "SELECT paused_reason FROM apps WHERE app = $1 FOR NO KEY UPDATE")

  /// Locks an app, so that no other transaction pauses or resumes it until this one ends, and returns why it is paused;
  /// nil if it is not paused or does not exist.
  package static func reason(of app: App.Number) -> Query<String?> {
    Query(first: reasonStatement, app) { $0.optionalText() }
  }

  private static let heldStatement = Statement(
    "app-pauses-held", "SELECT app FROM apps WHERE app = ANY($1) AND paused_reason IS NOT NULL")

  /// Returns those of the apps that are paused.
  package static func held(_ apps: some Collection<App.Number>) -> Query<Set<App.Number>> {
    var column = Int32Column()
    for app in apps { column.append(app) }
    return Query(heldStatement, column) { rows in Set(rows.decode { $0.int32() }) }
  }

  private static let allStatement = Statement(
    "app-pauses-all", "SELECT app FROM apps WHERE paused_reason IS NOT NULL")

  /// Returns all paused apps, including those that are being deleted.
  package static func all() -> Query<Set<App.Number>> {
    Query(allStatement) { rows in Set(rows.decode { $0.int32() }) }
  }

  private static let pauseStatement = Statement(
    "app-pauses-pause",
    """
    UPDATE apps SET paused_reason = $2
    -- The first reason stands: what follows is mostly its consequence.
    WHERE app = $1 AND paused_reason IS NULL
    """)

  /// Pauses an app's messages and records the reason. Has no effect on an app that is paused already, which keeps its
  /// first reason.
  package static func pause(_ app: App.Number, reason: String) -> Query<Void> {
    Query(pauseStatement, app, reason) { _ in }
  }

  private static let faultStatement = Statement(
    "app-pauses-fault",
    """
    UPDATE apps SET paused_reason = $2 WHERE app = $1 AND paused_reason IS NULL
      -- Submitted before an operator has resumed the app: what was wrong then has been looked at.
      AND (resumed_at IS NULL OR resumed_at <= $4)
      -- Neither a fault of a credential that has been replaced nor the lack of one that has been stored since the node
      -- read them is anybody's business: the node reads them again before long.
      AND NOT EXISTS (SELECT FROM credentials c WHERE c.app = $1 AND c.network = $3 AND c.updated_at > $5)
    RETURNING app
    """)

  /// Pauses an app because of a faulty or missing credential, unless the app was resumed after `since`, or a credential
  /// was stored after `credentialsReadAt`. Returns true if this call has paused the app; false also if the app was
  /// paused before or does not exist.
  /// - Parameters:
  ///   - since: a time not later than when the faulty request was submitted.
  ///   - credentialsReadAt: a time by which whatever was stored was known to the node that submitted the request.
  package static func pause(
    _ app: App.Number, faultOf network: PushNetwork, reason: String, since: Timestamp, credentialsReadAt: Timestamp
  ) -> Query<Bool> {
    Query(faultStatement, app, reason, network.rawValue, since, credentialsReadAt) { $0.count == 1 }
  }

  private static let resumeStatement = Statement(
    "app-pauses-resume",
    """
    UPDATE apps a SET paused_reason = NULL, resumed_at = clock_timestamp()
    -- Lock the row before reading the clock: a decision that is made meanwhile is about what was sent before.
    FROM (SELECT app FROM apps WHERE app = $1 AND purge_after IS NULL FOR NO KEY UPDATE) l WHERE a.app = l.app
    """)

  /// Resumes an app's messages and sets `resumedAt`, even if the app was not paused. Has no effect on an app that is
  /// being deleted.
  package static func resume(_ app: App.Number) -> Query<Void> {
    Query(resumeStatement, app) { _ in }
  }

  private static let networksStatement = Statement(
    "app-pauses-networks", "SELECT app, network FROM credentials WHERE app = ANY($1)")

  /// Returns, for each app, the networks for which it has credentials. Apps without credentials are omitted.
  package static func networks(of apps: some Collection<App.Number>) -> Query<[App.Number: Set<PushNetwork>]> {
    var column = Int32Column()
    for app in apps { column.append(app) }
    return Query(networksStatement, column) { rows in
      var networks: [App.Number: Set<PushNetwork>] = [:]
      rows.forEach { row in
        let app = row.int32()
        if let network = PushNetwork(rawValue: row.int16()) { networks[app, default: []].insert(network) }
      }
      return networks
    }
  }
}
