package import Domain
internal import Postgres
package import Time

/// Ranges of SEQNOs and the partitions with their messages' history: opened by age, dropped as a whole.
///
/// ```
///   created ─► in use ─► over (the next is in use) ─► closed ─ a minute ─► dropped, table by table ─► forgotten
///               └ older than a fraction of the retention period: the next message opens the next range
/// ```
/// A dropped range is forgotten when the ledger has been swept and the range's messages are gone: until then its row
/// records that their history is not kept. Every statement that checks this reads all closed ranges, so their number
/// must not grow without bound.
/// Look-ups of messages for confirmations exclude closed ranges, so nothing is written there any more. A drop must lock
/// the partitioned parent table: if it does not get the lock within a tenth of a second, it is retried later.
/// Each step is a transaction and reads how far other nodes have come, so any node can perform any step and stop at any
/// moment.
package enum HistoryRanges {
  /// The tables whose partitions are dropped, in this order. Outcomes are first: a resend that runs meanwhile then
  /// finds no recipients. If the reads were dropped before the outcomes, the resend would go to people who have read
  /// the message.
  package static let tables = [
    "outcomes", "blocks", "block_states", "waits", "block_confirmations", "row_receipts", "row_reads",
  ]

  /// SQL condition: the history of message `m` is kept. A statement reads the closed ranges once, like the SQL function
  /// `closed_seqnos`, but without the cost of a function call.
  static let isKept = """
    (m.forgotten_at IS NULL AND NOT m.seqno <@ (
      SELECT coalesce(range_agg(int8range(from_seqno, upto_seqno)), '{}'::int8multirange) FROM seqno_ranges
      WHERE closed_at IS NOT NULL))
    """

  private static let beginStatement = Statement(
    "history-begin-range", "SELECT begin_seqno_range(make_interval(hours => $1))")

  /// Makes the next message open the next range if the first message of the current range is older than `hours`. Skips
  /// the SEQNOs in between. Returns the SEQNO of the next message; nil, without changes, if the current range is
  /// younger, is almost used up, or has no range after it yet.
  package static func begin(afterHours hours: Int32) -> Query<Int64?> {
    Query(one: beginStatement, hours) { $0.optionalInt64() }
  }

  private static let leaveStatement = Statement(
    "history-leave-ranges",
    """
    UPDATE seqno_ranges SET left_at = clock_timestamp() WHERE from_seqno IN (
      SELECT r.from_seqno FROM seqno_ranges r
      WHERE r.left_at IS NULL AND r.upto_seqno <= (SELECT last_value + 1 FROM pg_sequences
        WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq')
      ORDER BY r.from_seqno FOR UPDATE SKIP LOCKED)
    """)

  /// Records, for ranges in which no more SEQNOs are assigned, when this was first observed. Such a range can be closed
  /// a day later, even if no further message is stored.
  package static func leave() -> Query<Void> { Query(leaveStatement) { _ in } }

  package struct Range: Sendable {
    package let from: Int64
    package let upto: Int64

    package init(from: Int64, upto: Int64) {
      self.from = from
      self.upto = upto
    }
  }

  private static let closeStatement = Statement(
    "history-close-ranges",
    """
    WITH over AS (
      SELECT r.from_seqno FROM seqno_ranges r
      WHERE r.closed_at IS NULL
        -- Behind the numbers that are given now.
        AND r.upto_seqno <= (SELECT last_value + 1 FROM pg_sequences
          WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq')
        -- Long in the past: whoever was given a number of it has stored his message, or never will. By the clock, for
        -- in a quiet database no message comes after it.
        AND (r.left_at < now() - interval '1 day'
          OR (SELECT created_at FROM messages WHERE seqno >= r.upto_seqno ORDER BY seqno LIMIT 1)
            < now() - interval '1 day')
        -- From the end, where the youngest are.
        AND (SELECT 1 FROM messages m WHERE m.seqno >= r.from_seqno AND m.seqno < r.upto_seqno
            AND (m.finished_at IS NULL OR m.finished_at > now() - make_interval(days => $1))
          ORDER BY m.seqno DESC LIMIT 1) IS NULL
        -- Whoever is to get one of them again is still read from its history.
        AND NOT EXISTS (
          SELECT FROM messages b WHERE b.finished_at IS NULL AND b.resend_of >= r.from_seqno AND b.resend_of < r.upto_seqno)
      FOR UPDATE OF r SKIP LOCKED)
    UPDATE seqno_ranges r SET closed_at = clock_timestamp() FROM over o WHERE r.from_seqno = o.from_seqno
    RETURNING r.from_seqno, r.upto_seqno
    """)

  /// Closes the ranges whose messages all ended more than `days` ago, and returns these ranges. A range stays open for
  /// at least a day after its last SEQNO was assigned or skipped, and while one of its messages is being resent. Skips
  /// locked ranges.
  package static func close(keepingDays days: Int32) -> Query<[Range]> {
    Query(closeStatement, days, read: ranges)
  }

  private static let closedStatement = Statement(
    "history-closed-ranges",
    """
    SELECT from_seqno, upto_seqno FROM seqno_ranges
    WHERE closed_at < clock_timestamp() - interval '1 minute' AND dropped_at IS NULL ORDER BY from_seqno LIMIT 10
    """)

  /// Returns at most ten ranges that may be dropped, because they were closed over a minute ago, in ascending order.
  package static func closed() -> Query<[Range]> { Query(closedStatement, read: ranges) }

  private static let dropStatement = Statement("history-drop-range", "SELECT drop_seqno_range($1, $2)")

  /// Drops one table's partition of a range, if it still exists.
  ///
  /// Returns true if the partition is gone. Returns false, without changes, if the range may not be dropped yet or has
  /// been dropped completely, if another node is dropping one of the range's partitions, or if a transaction that is
  /// older than a second uses the table. Fails with `.lockNotAvailable` if the lock is not free within a tenth of a
  /// second; try again later.
  package static func drop(_ range: Range, of table: String) -> Query<Bool> {
    Query(one: dropStatement, range.from, table) { $0.bool() }
  }

  private static let droppedStatement = Statement(
    "history-range-dropped",
    "UPDATE seqno_ranges SET dropped_at = clock_timestamp() WHERE from_seqno = $1 AND dropped_at IS NULL")

  /// Records that all partitions of a range are dropped, which the caller has made sure of. Returns false if another
  /// node has recorded it already.
  package static func dropped(_ range: Range) -> Query<Bool> {
    Query(droppedStatement, range.from) { $0.affected == 1 }
  }

  private static func ranges(_ rows: Rows) -> [Range] {
    rows.decode { Range(from: $0.int64(), upto: $0.int64()) }
  }

  // MARK: Badge ledger

  /// The position of a sweep that deletes the entries of closed ranges from the badge ledger: the last entry examined.
  package struct LedgerPlace: Equatable, Sendable {
    package var app: Int32 = 0
    package var userKey = ""
    package var seqno = Seqno.zero
    /// True if the sweep has skipped locked entries so far, so that another sweep is needed.
    package var leftSome = false

    package init() {}
  }

  private static let forgetStatement = Statement(
    "history-forget-ranges",
    """
    DELETE FROM seqno_ranges WHERE from_seqno IN (
      SELECT r.from_seqno FROM seqno_ranges r
      WHERE r.swept_at IS NOT NULL
        AND (SELECT 1 FROM messages m WHERE m.seqno >= r.from_seqno AND m.seqno < r.upto_seqno
          ORDER BY m.seqno LIMIT 1) IS NULL
      ORDER BY r.from_seqno LIMIT $1 FOR UPDATE SKIP LOCKED)
    """)

  /// Deletes the rows of at most `limit` dropped ranges without messages for which the ledger has been swept, and
  /// returns their number. Skips locked rows.
  package static func forget(atMost limit: Int) -> Query<Int> {
    Query(forgetStatement, limit) { $0.affected }
  }

  private static let unsweptStatement = Statement(
    "history-unswept", "SELECT EXISTS (SELECT FROM seqno_ranges WHERE dropped_at IS NOT NULL AND swept_at IS NULL)")

  /// Returns whether the ledger can still contain entries of dropped ranges, because no complete sweep has begun since
  /// a range was dropped.
  package static func needsSweep() -> Query<Bool> { Query(one: unsweptStatement) { $0.bool() } }

  private static let sweepStatement = Statement(
    "history-sweep-ledger",
    """
    WITH page AS MATERIALIZED (
      SELECT app, user_key, seqno FROM badge_ledger
      WHERE (app, user_key, seqno) > ($1, $2, $3) ORDER BY app, user_key, seqno LIMIT $4)
    , over AS MATERIALIZED (SELECT * FROM page WHERE seqno <@ (SELECT closed_seqnos()))
    -- Skips rows that are locked: the next round takes them.
    , free AS MATERIALIZED (
      SELECT l.app, l.user_key, l.seqno FROM badge_ledger l JOIN over o USING (app, user_key, seqno)
      ORDER BY l.app, l.user_key, l.seqno FOR UPDATE OF l SKIP LOCKED)
    , gone AS (
      DELETE FROM badge_ledger l USING free f
      WHERE l.app = f.app AND l.user_key = f.user_key AND l.seqno = f.seqno)
    SELECT app, user_key, seqno, (SELECT count(*) FROM over) > (SELECT count(*) FROM free)
    FROM page ORDER BY app DESC, user_key DESC, seqno DESC LIMIT 1
    """)

  /// Deletes the entries of closed ranges among the next `limit` ledger entries. Returns the place after which the next
  /// call continues; nil if no entries are left after `start`. Skips locked entries, and records that in the place.
  package static func sweepLedger(after start: LedgerPlace, atMost limit: Int) -> Query<LedgerPlace?> {
    Query(first: sweepStatement, start.app, start.userKey, start.seqno, limit) { row in
      var place = start
      (place.app, place.userKey, place.seqno) = (row.int32(), row.text(), row.seqno())
      if row.bool() { place.leftSome = true }
      return place
    }
  }

  private static let sweptStatement = Statement(
    "history-swept", "UPDATE seqno_ranges SET swept_at = clock_timestamp() WHERE dropped_at < $1 AND swept_at IS NULL")

  /// Records that a sweep that began at this time has covered the whole ledger, for all ranges that were dropped
  /// before.
  package static func swept(since began: Timestamp) -> Query<Void> {
    Query(sweptStatement, began) { _ in }
  }
}
