package import Postgres

/// The settings of each node that affect all nodes, as it reports them. They should be the same on all nodes, because
/// one node alone can delete history, or exceed a quota, for all.
///
/// After a node has ended, its row stays for at least a day in which other nodes work (`Nodes.bury`). Until the row is
/// gone, its settings still count for how long data is kept, so that a node that starts alone with a shorter time
/// deletes nothing at once.
package enum NodeSettings {
  private static let reportStatement = Statement(
    "node-settings-report", "UPDATE nodes SET settings = $2 WHERE node = $1")

  /// Records a node's settings. Has no effect before the node's first lease.
  /// - Parameter settings: a JSON object with a text for each variable.
  package static func report(_ node: UUIDValue, _ settings: String) -> Query<Void> {
    Query(reportStatement, node, JSONValue(settings)) { _ in }
  }

  /// A setting that is not the same on all nodes.
  package struct Difference: Sendable, Equatable {
    /// Name of the variable.
    package let name: String
    /// The different values, separated by commas.
    package let values: String
  }

  private static let differencesStatement = Statement(
    "node-settings-differences",
    """
    SELECT s.key, string_agg(DISTINCT s.value, ', ' ORDER BY s.value) FROM (
      SELECT settings FROM nodes WHERE alive_until > now() UNION ALL SELECT $1::jsonb) n
      CROSS JOIN LATERAL jsonb_each_text(n.settings) s
    GROUP BY s.key HAVING count(DISTINCT s.value) > 1 ORDER BY s.key
    """)

  /// Returns the settings in which the live nodes differ from each other, or from `own`, in the order of their names.
  /// - Parameter own: the settings of a process that is no node, in the form that `report` takes.
  package static func differences(with own: String = "{}") -> Query<[Difference]> {
    Query(each: differencesStatement, JSONValue(own)) { row in
      Difference(name: row.text(), values: row.text())
    }
  }

  private static let longestStatement = Statement(
    "node-settings-longest-kept",
    """
    SELECT CASE WHEN bool_or(history = 0) THEN 0 ELSE max(history) END,
      CASE WHEN bool_or(messages = 0) THEN 0 ELSE max(messages) END
    FROM (SELECT (settings->>'UPMC_KEEP_HISTORY_DAYS')::integer AS history,
        (settings->>'UPMC_KEEP_MESSAGES_DAYS')::integer AS messages
      FROM nodes) n
    """)

  /// Returns the longest times in days for which any node keeps history and messages, including nodes that have ended
  /// and are not forgotten yet. 0: for ever; nil: no node has reported one.
  package static func longestKept() -> Query<(historyDays: Int32?, messageDays: Int32?)> {
    Query(one: longestStatement) { row in (row.optionalInt32(), row.optionalInt32()) }
  }

  /// A retention time that is about to become shorter for all nodes.
  package struct Shortening: Sendable, Equatable {
    /// Name of the variable.
    package let name: String
    /// The longest time in days that any node was set to, including ended ones; 0: for ever.
    package let before: Int32
    /// The longest time in days that any live node is set to.
    package let now: Int32

    /// `before` for a person to read.
    package var beforeInWords: String { before == 0 ? "0 (for ever)" : "\(before)" }
  }

  private static let shorteningsStatement = Statement(
    "node-settings-shortenings",
    """
    SELECT name, nullif(before, 2147483647), present FROM (
      SELECT v.name, max(d.days) AS before, max(d.days) FILTER (WHERE n.is_alive) AS present
      FROM (SELECT settings, alive_until > now() AS is_alive FROM nodes UNION ALL SELECT $1::jsonb, true) n
        CROSS JOIN (VALUES ('UPMC_KEEP_HISTORY_DAYS'), ('UPMC_KEEP_MESSAGES_DAYS')) v(name)
        -- 0 means for ever, which is the longest.
        CROSS JOIN LATERAL (
          SELECT CASE n.settings->>v.name WHEN '0' THEN 2147483647 ELSE (n.settings->>v.name)::integer END AS days) d
      GROUP BY v.name) t
    WHERE before > present ORDER BY name
    """)

  /// Returns the times that are shorter on all live nodes, and in `own`, than on a node that has ended and is not
  /// forgotten yet. Once it is forgotten, everything older than the shorter time is deleted.
  /// - Parameter own: the settings of a process that is no node, in the form that `report` takes.
  package static func shortenings(with own: String = "{}") -> Query<[Shortening]> {
    Query(each: shorteningsStatement, JSONValue(own)) { row in
      Shortening(name: row.text(), before: row.optionalInt32() ?? 0, now: row.int32())
    }
  }
}
