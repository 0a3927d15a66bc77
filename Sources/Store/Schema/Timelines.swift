internal import Postgres

/// Timelines of the database: PostgreSQL starts a new one whenever a standby is promoted. The standby may lack the
/// primary's last transactions, so SEQNOs and numbers of claims that the old primary may have assigned are skipped: see
/// `follow_timeline` and `follow_timeline_with_claims`.
package enum Timelines {
  private static let changeStatement = Statement(
    "timelines-change", "SELECT timeline, from_seqno, upto_seqno FROM seqno_timeline WHERE changed_at IS NOT NULL")

  /// A change of timeline after which SEQNOs were skipped.
  package struct Change: Equatable, Sendable {
    package let timeline: Int32
    /// The last SEQNO that was known on the new timeline.
    package let from: Int64
    /// The SEQNO after which numbering continued.
    package let upto: Int64
  }

  /// Returns the latest change; nil if there has been none since the database was created.
  package static func change() -> Query<Change?> {
    Query(first: changeStatement) { row in
      Change(timeline: row.int32(), from: row.int64(), upto: row.int64())
    }
  }
}
