internal import Postgres
internal import Store

/// The checks of `upmc doctor` for settings that act on what all nodes share.
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
    for one in try connection.run(NodeSettings.shortenings(with: settings)) {
      let before = one.before == 0 ? "0 (for ever)" : "\(one.before)"
      note(
        .warning(
          "settings", one.name,
          "is \(one.now) now, and was \(before) on a node that has ended: what is older is kept for a day from then",
          remedy: "If that is a mistake, set the former value again within the day: what is removed is gone for good."))
    }
  }
}
