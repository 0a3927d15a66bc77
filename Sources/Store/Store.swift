/// The only module with SQL on the server's tables: named statements, one file per aggregate, and what their rows mean.
///
/// A `Query` is a statement with its parameters and a closure that decodes the result. It can be run by a blocking
/// `Connection`, or by a committer that pipelines many queries in one round trip.
///
/// **Frequent writes are batches.** Most write whole columns with `unnest` as an *ordered upsert*: `INSERT … SELECT …
/// FROM unnest(…) ORDER BY key ON CONFLICT (key) DO UPDATE … RETURNING …`. The upsert locks the rows in key order, sees
/// the latest committed rows and returns them. A plain `UPDATE … FROM unnest` becomes a hash join and locks the rows in
/// physical order: two concurrent writers of that kind deadlock within seconds. Many first outcomes are copied in
/// instead (decision 008).
///
/// **Lock order.** A transaction that writes several of these tables locks their rows in this order of tables, and by
/// key within each table: `groups → psids → devices → device_send_meters → group_members → row_receipts → row_reads →
/// block_states → outcomes → badge_ledger → users → badge_syncs → message_totals → claims → shards → messages`. Where a
/// rare path must violate the order (a token that moves between devices), PostgreSQL detects the deadlock and the
/// transaction is retried. Partitions are dropped one table per transaction, with a lock timeout of a tenth of a second
/// (`HistoryRanges`), so a drop cannot block others for longer and cannot take part in a deadlock.
///
/// **Indexes** of large tables contain no column that ordinary writes change, except the due times and states by which
/// queues are read: each change of such a column adds an entry to all indexes of the table. A partial index counts even
/// for rows that it does not hold.
///
/// **Times** come from the database's clock: read in the statement, or passed as a parameter by a node whose clock
/// follows the database's (decision 013). Leases are always computed in the statement.
package enum Store {
  package enum Limits {
    /// Number of SEQNOs in one partition of the delivery tables (`HistoryRanges.tables`).
    package static let partitionSeqnos: Int64 = 1_000_000
    /// How long the token of a Live Activity is kept after it was registered. Apple updates an activity for 8 hours at
    /// most and removes it 4 hours later; a day leaves some margin.
    static let activityLifetime: Duration = .seconds(24 * 3_600)
    /// How long a token that a device has replaced still verifies the device's pushkeys: 30 days.
    static let formerTokenRetention: Duration = .seconds(30 * 86_400)
  }
}
