internal import Domain

/// SQL for the listeners of an event: the apps with an active webhook that subscribes to its kind.
extension EventKind {
  /// A subquery with the numbers of these apps, in parentheses.
  var listeners: String { Self.listeners(to: "'\(rawValue)'") }

  /// Returns the same subquery for a kind that is given as SQL, such as a parameter of the statement.
  static func listeners(to sql: String) -> String {
    "(SELECT app FROM webhooks WHERE active AND \(sql) = ANY(kinds))"
  }
}
