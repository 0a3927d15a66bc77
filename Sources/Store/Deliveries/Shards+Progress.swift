package import Domain
internal import Postgres

/// Reports the progress of claiming a message's shards.
extension Shards {
  package struct Progress: Sendable {
    package let app: App.Number
    /// True if the whole audience is planned into shards.
    package let planned: Bool
    /// Number of the message's shards, in `page` or not.
    package var count: Int64 = 0
    /// Number of these shards with nothing left to claim.
    package var exhausted: Int64 = 0
    package var targeted: Int64 = 0
    package var claimed: Int64 = 0
    package var page: [Shard] = []

    package struct Shard: Sendable {
      package let shard: Int32
      package let wave: Int16
      package let targeted: Int64
      package let claimed: Int64
      package let exhausted: Bool
    }
  }

  private static let progressStatement = Statement(
    "shards-progress",
    """
    SELECT m.app, m.planned, t.count, t.exhausted, t.targeted, t.claimed,
      s.shard, s.wave, s.targeted, s.claimed, s.exhausted
    FROM messages m CROSS JOIN LATERAL (
      SELECT count(*) AS count, count(*) FILTER (WHERE exhausted) AS exhausted,
        coalesce(sum(targeted), 0)::bigint AS targeted, coalesce(sum(claimed), 0)::bigint AS claimed
      FROM shards WHERE seqno = m.seqno) t
    LEFT JOIN LATERAL (
      SELECT * FROM shards WHERE seqno = m.seqno AND shard > $2 ORDER BY shard LIMIT $3) s ON true
    WHERE m.seqno = $1 ORDER BY s.shard
    """)

  /// Returns at most `limit` of a message's shards with numbers above `shard` (-1 for the first page), in ascending
  /// order, and the sums over all its shards, from one snapshot. Returns nil if the message does not exist.
  package static func progress(_ seqno: Seqno, after shard: Int32, limit: Int) -> Query<Progress?> {
    Query(progressStatement, seqno, shard, limit) { rows in
      var progress: Progress?
      // Each row repeats the sums over the whole message.
      rows.forEach { row in
        var sums = Progress(app: row.int32(), planned: row.bool())
        sums.count = row.int64()
        sums.exhausted = row.int64()
        sums.targeted = row.int64()
        sums.claimed = row.int64()
        sums.page = progress?.page ?? []
        if row.isNextNull {
          row.skip(5)
        } else {
          sums.page.append(
            Progress.Shard(
              shard: row.int32(), wave: row.int16(), targeted: row.int64(), claimed: row.int64(),
              exhausted: row.bool()))
        }
        progress = sums
      }
      return progress
    }
  }
}
