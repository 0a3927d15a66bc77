internal import Domain

/// The paused apps as known to this node: as of the last heartbeat, plus those this node has paused since. A decision
/// that must be exact reads the database instead.
struct PausedApps {
  private var apps: Set<App.Number> = []
  /// Number of pauses made by this node itself.
  private(set) var changes = 0

  func contains(_ app: App.Number) -> Bool { apps.contains(app) }

  mutating func insert(_ app: App.Number) {
    apps.insert(app)
    changes += 1
  }

  /// Replaces the set by the database's.
  /// - Parameter changes: value of `changes` before the query; if it has changed since, the result may lack new pauses,
  ///   and is merged instead.
  mutating func renew(_ present: Set<App.Number>, changes before: Int) {
    if before == changes { apps = present } else { apps.formUnion(present) }
  }
}
