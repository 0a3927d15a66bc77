internal import Postgres
internal import Store

/// The check of `upmc doctor` for settings that act on what all nodes share.
struct SettingsChecks {
  /// The settings of this process, as nodes report theirs (`Configuration.sharedSettings`).
  let settings: String

  func examine(_ connection: Connection, _ note: (Finding) -> Void) throws(PostgresError) {
    for one in try connection.run(NodeSettings.differences(with: settings)) {
      note(
        .warning(
          "settings", one.name, "is not the same on all nodes and here: \(one.values)",
          remedy: "Set it alike on every node and for this command, and restart the nodes that have another value."))
    }
  }
}
