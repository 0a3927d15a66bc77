internal import Synchronization

/// What a log line says of a failure in the database, and whether any line of this process has said that it is away.
package enum FailureDetails {
  /// The name of the fault that the database is away, whichever thread notices it. Decision 118.
  package static let away = "database"

  private static let isAway = Atomic(false)

  /// `error`; and `fault`, if the reason is that the database is away: a dozen threads notice that, and the log makes one
  /// line of what they say.
  package static func of(_ error: any Error) -> [String: String] {
    var details = ["error": "\(error)"]
    if (error as? PostgresError)?.isConnectionLost == true {
      details["fault"] = away
      isAway.store(true, ordering: .relaxed)
    }
    return details
  }

  /// The database answers: returns whether a line has said since the last call that it is away.
  package static func isOver() -> Bool { isAway.exchange(false, ordering: .relaxed) }
}
