internal import Postgres
internal import Store

/// The checks of `upmc doctor` for settings that affect all nodes.
struct SettingsChecks {
  /// The settings of this process, as nodes report theirs (`Configuration.sharedSettings`).
  let settings: String

  func examine(_ connection: Connection, _ note: (Finding) -> Void) throws(PostgresError) {
    for one in try connection.run(NodeSettings.differences(with: settings)) {
      note(
        .warning(
          "settings", one.name, "differs between the nodes, or from this command's value: \(one.values)",
          remedy: "Set the same value on every node and for this command, and restart the nodes that had another one."))
    }
    for one in try connection.run(NodeSettings.shortenings(with: settings)) {
      note(
        .warning(
          "settings", one.name,
          "is \(one.now) now, and was \(one.beforeInWords) on a node that has ended: a day after that, older data is deleted",
          remedy: "If this is a mistake, set the former value again within the day: deleted data cannot be recovered."))
    }
  }
}
