internal import Domain

/// Paused apps as this node knows them: as the database said a heartbeat ago, plus what this node has paused since.
/// Code that depends on it must ask the database.
struct PausedApps {
  private var apps: Set<App.Number> = []
  /// Number of pauses by this node itself.
  private(set) var changes = 0

  func contains(_ app: App.Number) -> Bool { apps.contains(app) }

  mutating func insert(_ app: App.Number) {
    apps.insert(app)
    changes += 1
  }

  /// Takes over the database's answer.
  /// - Parameter changes: the value before the database was asked; the answer may lack what was paused since.
  mutating func renew(_ present: Set<App.Number>, changes before: Int) {
    if before == changes { apps = present } else { apps.formUnion(present) }
  }
}
