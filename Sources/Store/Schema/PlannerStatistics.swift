internal import Postgres

/// The query planner's statistics about the tables.
package enum PlannerStatistics {
  private static let analyzeStatement = Statement("maintenance-analyze", "ANALYZE")

  /// Analyzes all tables, which updates the statistics. Used after a large import, instead of waiting for autovacuum.
  package static func analyze() -> Query<Void> {
    Query(analyzeStatement) { _ in }
  }
}
