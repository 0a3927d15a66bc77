internal import Postgres

/// PostgreSQL begins another timeline whenever a standby is promoted. It may not have had the last moments of the server
/// before it, so no number is given on the new one that may have been given there: see `follow_timeline`.
package enum Timelines {
  private static let changeStatement = Statement(
    "timelines-change", "SELECT timeline, from_seqno, upto_seqno FROM seqno_timeline WHERE changed_at IS NOT NULL")

  /// A change that numbers have followed.
  package struct Change: Equatable, Sendable {
    package let timeline: Int32
    /// The last number that was known, and the one after which they went on.
    package let from: Int64
    package let upto: Int64
  }

  /// The last change; nil when there has been none.
  package static func change() -> Query<Change?> {
    Query(changeStatement, Parameters()) { rows in
      guard rows.count == 1 else { return nil }
      return Change(timeline: rows.int32(0, 0), from: rows.int64(0, 1), upto: rows.int64(0, 2))
    }
  }
}
