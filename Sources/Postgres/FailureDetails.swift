internal import Synchronization

/// Log details of a database failure, and the process-wide flag that the database is logged as unavailable.
package enum FailureDetails {
  /// Name of the log's fault "the database is unavailable", shared by all threads that notice it. Decision 118.
  package static let away = "database"

  private static let isAway = Atomic(false)

  /// Returns the log details of an error: `error` and, if the database is unavailable, `fault`, by which the log merges
  /// the lines of the dozen threads that notice it. Also records for `isOver` that the database is unavailable.
  package static func of(_ error: any Error) -> [String: String] {
    var details = ["error": "\(error)"]
    if (error as? PostgresError)?.isConnectionLost == true {
      details["fault"] = away
      isAway.store(true, ordering: .relaxed)
    }
    return details
  }

  /// Records that the database responds. Returns true if `of` has reported it unavailable since the last call.
  package static func isOver() -> Bool { isAway.exchange(false, ordering: .relaxed) }
}
