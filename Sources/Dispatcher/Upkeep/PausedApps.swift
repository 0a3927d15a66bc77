internal import Domain

/// Apps that are held back, as this node knows it: as the database said a heartbeat ago, and what this node has paused
/// since. Whoever depends on it asks the database.
struct PausedApps {
  private var apps: Set<App.Number> = []
  /// Raised by each pause of this node's own.
  private(set) var changes = 0

  func contains(_ app: App.Number) -> Bool { apps.contains(app) }

  mutating func insert(_ app: App.Number) {
    apps.insert(app)
    changes += 1
  }

  /// Takes over what the database says.
  /// - Parameter changes: as it stood before the database was asked: what was paused meanwhile, it may not know yet.
  mutating func renew(_ present: Set<App.Number>, changes before: Int) {
    if before == changes { apps = present } else { apps.formUnion(present) }
  }
}
