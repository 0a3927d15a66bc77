internal import Domain

/// SQL for who hears of an event: the apps with an active webhook that subscribes to its kind.
extension EventKind {
  /// A subquery with the numbers of these apps, in parentheses.
  var listeners: String { Self.listeners(to: "'\(rawValue)'") }

  /// Returns such a subquery for a kind that `sql` names, such as a parameter of the statement.
  static func listeners(to sql: String) -> String {
    "(SELECT app FROM webhooks WHERE active AND \(sql) = ANY(kinds))"
  }
}
