internal import Postgres

/// Care for the database as a whole.
package enum PlannerStatistics {
  private static let analyzeStatement = Statement("maintenance-analyze", "ANALYZE")

  /// Renews what the planner believes of all tables: after many rows came at once, before autovacuum has looked.
  package static func analyze() -> Query<Void> {
    Query(analyzeStatement, Parameters()) { _ in }
  }
}
