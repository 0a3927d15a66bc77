/// The only module that contains SQL: named statements, one file per aggregate, and what their rows mean.
///
/// A `Query` is a statement with its parameters and a closure that decodes the result. It does not care who runs it: a
/// blocking `Connection`, or a committer that pipelines many queries in one round trip.
///
/// **Writes are batches.** Each writes whole columns with `unnest` as an *ordered upsert*: `INSERT … SELECT … FROM
/// unnest(…) ORDER BY key ON CONFLICT (key) DO UPDATE … RETURNING …`. It locks the rows in key order, sees the latest
/// committed row and returns it. A plain `UPDATE … FROM unnest` becomes a hash join and locks in physical order: two
/// such writers deadlock within seconds.
///
/// **Lock order.** Every transaction takes tables in this order, and rows by key within each: `psids → devices →
/// device_send_meters → group_members → receipts → reads → block_states → outcomes → badge_ledger → users → badge_syncs
/// → totals → claims → shards → messages`. Where a rare path must violate it (a token that moves between devices),
/// PostgreSQL detects the deadlock and the transaction is retried. Partitions are dropped one table per transaction,
/// with a lock timeout of a tenth of a second (`HistoryRanges`), so a drop cannot hold up others for longer and cannot
/// take part in a deadlock.
///
/// **Times** are parameters. Leases are the exception: the database's own clock counts them.
package enum Store {
  package enum Limits {
    /// Number of rows of one page of a list.
    package static let pageRows = 100
    /// Number of SEQNOs in one partition of outcomes, receipts and reads.
    package static let partitionSeqnos: Int64 = 1_000_000
    /// How long the token of a Live Activity is kept. Apple updates an activity for 8 hours at most and removes it 4
    /// hours later; a day leaves some margin.
    package static let activityLifetime: Duration = .seconds(24 * 3_600)
    /// How long a device's former tokens still verify its pushkeys: 30 days.
    package static let formerTokenRetention: Duration = .seconds(30 * 86_400)
  }
}
