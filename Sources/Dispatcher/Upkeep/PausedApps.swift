internal import Domain

/// The paused apps as known to this node: as of the last heartbeat, plus those this node has paused since. A decision
/// that must be exact reads the database instead.
struct PausedApps {
  private var apps: Set<App.Number> = []
  /// Number of calls of `insert`, that is, of pauses that this node has made itself.
  private(set) var changes = 0

  func contains(_ app: App.Number) -> Bool { apps.contains(app) }

  mutating func insert(_ app: App.Number) {
    apps.insert(app)
    changes += 1
  }

  /// Replaces the set with the apps that the database reports as paused.
  /// - Parameters:
  ///   - present: the paused apps according to the query.
  ///   - before: value of `changes` before the query. If it has changed since, the result may lack new pauses, so it is
  ///     added to the set instead.
  mutating func renew(_ present: Set<App.Number>, changes before: Int) {
    if before == changes { apps = present } else { apps.formUnion(present) }
  }
}
