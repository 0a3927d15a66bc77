internal import Postgres

/// Keeps the query planner's statistics current.
package enum PlannerStatistics {
  private static let analyzeStatement = Statement("maintenance-analyze", "ANALYZE")

  /// Analyzes all tables. Used after a large import, instead of waiting for autovacuum.
  package static func analyze() -> Query<Void> {
    Query(analyzeStatement) { _ in }
  }
}
