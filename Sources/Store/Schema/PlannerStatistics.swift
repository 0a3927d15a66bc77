internal import Postgres

/// Keeps the query planner's statistics current.
package enum PlannerStatistics {
  private static let analyzeStatement = Statement("maintenance-analyze", "ANALYZE")

  /// Analyzes all tables, after a large import and before autovacuum gets to it.
  package static func analyze() -> Query<Void> {
    Query(analyzeStatement, Parameters()) { _ in }
  }
}
