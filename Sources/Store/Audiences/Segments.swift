package import Domain
internal import Postgres
package import Time

/// Saved segments, and queries for the devices that a segment selects.
package enum Segments {
  package typealias Number = Int64

  // MARK: Devices

  /// Counts a segment's active devices with user keys in (`after`, `upto`] that were bound to their users by
  /// `frozenAt`. Returns at most `limit`.
  package static func count(
    _ segment: Segment, app: App.Number, after: String, upto: String, frozenAt: Timestamp, limit: Int64
  ) -> Query<Int64> {
    var compiler = SegmentSQL(range(app, after, upto, frozenAt, limit), count: 5, now: frozenAt)
    // Counting stops at the limit.
    let statement = compiler.statement(
      select: "count(*) FROM (SELECT 1", where: isInRange, segment, rest: "LIMIT $5) part")
    return Query(statement, compiler.parameters) { $0.decodeOne { $0.int64() } }
  }

  /// Returns at most `limit` of a segment's active devices with user keys in (`after`, `upto`] that were bound to their
  /// users by `frozenAt`, ordered by user key and device.
  package static func read(
    _ segment: Segment, app: App.Number, after: String, upto: String, frozenAt: Timestamp, limit: Int
  ) -> Query<[Audiences.Member]> {
    var compiler = SegmentSQL(range(app, after, upto, frozenAt, Int64(limit)), count: 5, now: frozenAt)
    let statement = compiler.statement(
      select: Audiences.memberColumns, where: isInRange, segment, rest: "ORDER BY d.user_key, d.device LIMIT $5")
    return Query(statement, compiler.parameters, read: Audiences.members)
  }

  private static let isInRange =
    "d.app = $1 AND d.state = \(Devices.State.active.sql) AND d.user_key > $2 AND d.user_key <= $3 AND d.bound_at <= $4"

  private static func range(
    _ app: App.Number, _ after: String, _ upto: String, _ frozenAt: Timestamp, _ limit: Int64
  ) -> Parameters {
    return Parameters(app, after, upto, frozenAt, limit)
  }

  // MARK: Saved segments

  package struct Record: Sendable {
    package let segment: Number
    package let app: App.Number
    package let name: String
    /// The conditions as JSON text, as they were saved.
    package let conditions: String
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
  }

  private static let columnList = "segment, app, name, conditions::text, created_at, updated_at"

  private static let createStatement = Statement(
    "segments-create",
    """
    INSERT INTO segments (app, name, conditions, created_at, updated_at) VALUES ($1, $2, $3::text::json, $4, $4)
    RETURNING \(columnList)
    """)

  /// Creates a segment and returns it as stored. Fails with `segments_name_is_unique` if the app has a segment with
  /// this name.
  package static func create(app: App.Number, name: String, conditions: String, at now: Timestamp) -> Query<Record> {
    Query(one: createStatement, app, name, conditions, now, read: record)
  }

  private static let findStatement = Statement(
    "segments-find", "SELECT \(columnList) FROM segments WHERE segment = $1")

  package static func find(_ segment: Number) -> Query<Record?> {
    Query(first: findStatement, segment, read: record)
  }

  private static let lockStatement = Statement(
    "segments-lock", "SELECT \(columnList) FROM segments WHERE segment = $1 FOR UPDATE")

  /// Locks a segment until the transaction ends, and returns it; nil if it does not exist.
  package static func lock(_ segment: Number) -> Query<Record?> {
    Query(first: lockStatement, segment, read: record)
  }

  private static let listStatement = Statement(
    "segments-list",
    """
    SELECT \(columnList), found FROM (
      SELECT f.*, sum(f.size) OVER (ORDER BY f.segment) - f.size AS size_before, count(*) OVER () AS found FROM (
        SELECT *, octet_length(conditions::text) AS size FROM segments WHERE app = $1 AND segment > $2
        ORDER BY segment LIMIT $3) f) s
    WHERE size_before < $4 ORDER BY segment
    """)

  /// Returns at most `limit` segments of an app with numbers above `after`, in the order of their numbers. Ends with the
  /// segment with which their conditions have a size of `bytes`.
  package static func list(app: App.Number, after: Number, bytes: Int, limit: Int) -> Query<SizedList<Record>> {
    Query(listStatement, app, after, limit, bytes) { SizedList($0, record) }
  }

  private static let changeStatement = Statement(
    "segments-change",
    """
    UPDATE segments SET name = coalesce($2, name), conditions = coalesce($3::text::json, conditions), updated_at = $4
    WHERE segment = $1 RETURNING \(columnList)
    """)

  /// Sets the fields that are not nil, and `updatedAt`, and returns the changed segment; nil if it does not exist.
  /// Fails with `segments_name_is_unique` if the app has another segment with this name.
  package static func change(_ segment: Number, name: String?, conditions: String?, at now: Timestamp) -> Query<Record?>
  {
    Query(first: changeStatement, segment, name, conditions, now, read: record)
  }

  private static let deleteStatement = Statement("segments-delete", "DELETE FROM segments WHERE segment = $1")

  package static func delete(_ segment: Number) -> Query<Void> {
    Query(deleteStatement, segment) { _ in }
  }

  private static func record(_ row: inout RowReader) -> Record {
    Record(
      segment: row.int64(), app: row.int32(), name: row.text(), conditions: row.text(),
      createdAt: row.timestamp(), updatedAt: row.timestamp())
  }
}
