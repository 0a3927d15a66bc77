package import Domain
package import Postgres

/// The deletion of what is stored about the recipients of messages sent with `dbIn` false: 48 hours after the message's
/// end, or 30 days if the message has a badge. The totals are kept.
///
/// A message is first marked, so that nothing more is recorded for it. Transactions that were recording something at
/// that moment have ended a minute later; then the message's rows are deleted in portions, and finally the personal
/// data in its request.
package enum Forgetting {
  private static let markStatement = Statement(
    "forgetting-mark",
    """
    UPDATE messages SET forgotten_at = clock_timestamp() WHERE seqno IN (
      SELECT seqno FROM messages o
      -- Whoever is to get it again is still read from its history.
      WHERE NOT EXISTS (SELECT FROM messages b WHERE b.finished_at IS NULL AND b.resend_of = o.seqno)
        AND finished_at IS NOT NULL AND forgotten_at IS NULL AND NOT keeps_history
        AND CASE WHEN request->'badge' IS NULL THEN 0 ELSE 1 END = $1
        AND finished_at < now() - make_interval(hours => $2)
      ORDER BY finished_at LIMIT $3 FOR UPDATE SKIP LOCKED)
    """)

  private static let hours: Int32 = 48
  /// Hours for messages with a badge: more than for others, because a later read must subtract from the badge count
  /// what the message added.
  private static let hoursWithBadge: Int32 = 30 * 24

  /// Marks at most `limit` messages, either with or without a badge, whose recipients are due to be deleted, in the
  /// order in which they ended. Returns the number marked. Leaves out messages with a resend that has not ended. Skips
  /// locked rows.
  package static func mark(withBadge: Bool, atMost limit: Int) -> Query<Int> {
    Query(markStatement, withBadge ? 1 as Int32 : 0, withBadge ? hoursWithBadge : hours, limit) { $0.affected }
  }

  private static let markedStatement = Statement(
    "forgetting-marked",
    """
    SELECT seqno FROM messages
    WHERE emptied_at IS NULL AND forgotten_at < clock_timestamp() - interval '1 minute'
    ORDER BY forgotten_at LIMIT $1 FOR UPDATE SKIP LOCKED
    """)

  private static let emptyStatement = Statement(
    "forgetting-empty",
    """
    WITH part AS MATERIALIZED (SELECT seqno, device FROM outcomes WHERE seqno = ANY($1) ORDER BY seqno, device LIMIT $2)
    -- The list again with each table: it tells which partitions need not be looked at.
    , receipt AS (
      DELETE FROM row_receipts t USING part p WHERE t.seqno = ANY($1) AND t.seqno = p.seqno AND t.device = p.device)
    , "read" AS (
      DELETE FROM row_reads t USING part p WHERE t.seqno = ANY($1) AND t.seqno = p.seqno AND t.device = p.device)
    , outcome AS (
      DELETE FROM outcomes t USING part p WHERE t.seqno = ANY($1) AND t.seqno = p.seqno AND t.device = p.device
      RETURNING t.seqno, t.user_key)
    , ledger AS (
      DELETE FROM badge_ledger l USING outcome o, messages m
      WHERE m.seqno = o.seqno AND l.app = m.app AND l.user_key = o.user_key AND l.seqno = o.seqno)
    SELECT count(*) FROM outcome
    """)

  private static let emptyBlocksStatement = Statement(
    "forgetting-empty-blocks",
    """
    WITH part AS MATERIALIZED (
      SELECT seqno, block, devices_count, devices, user_keys FROM blocks WHERE seqno = ANY($1)
      ORDER BY seqno, block LIMIT $2)
    , entry AS MATERIALIZED (
      SELECT p.seqno, e.device, e.user_key FROM part p
      CROSS JOIN LATERAL block_entries(p.devices_count, p.devices, p.user_keys) e)
    , confirmed AS (
      DELETE FROM block_confirmations f USING part p
      WHERE f.seqno = ANY($1) AND f.seqno = p.seqno AND f.block = p.block)
    , ledger AS (
      DELETE FROM badge_ledger l USING entry e, messages m
      WHERE m.seqno = e.seqno AND l.app = m.app AND l.user_key = e.user_key AND l.seqno = e.seqno)
    , state AS (
      DELETE FROM block_states s USING part p WHERE s.seqno = ANY($1) AND s.seqno = p.seqno AND s.block = p.block)
    DELETE FROM blocks b USING part p WHERE b.seqno = ANY($1) AND b.seqno = p.seqno AND b.block = p.block
    """)

  /// Maximum number of blocks deleted in one step.
  private static let blocksAtOnce = 5

  private static let strayStatement = Statement(
    "forgetting-strays",
    """
    WITH receipt AS (DELETE FROM row_receipts WHERE seqno = ANY($1)),
    "read" AS (DELETE FROM row_reads WHERE seqno = ANY($1)),
    logged AS (DELETE FROM confirmation_log WHERE seqno = ANY($1))
    DELETE FROM fallbacks WHERE seqno = ANY($1) AND decision IS NOT NULL
    """)

  private static let emptiedStatement = Statement(
    "forgetting-emptied",
    """
    UPDATE messages SET emptied_at = clock_timestamp(), unknown_entries = '[]', request = CASE
      -- It names whom it was for, and what is said to one person tells of that person.
      WHEN request->'audience'->'clientUids' IS NOT NULL OR request->'audience'->'devices' IS NOT NULL
        OR request->'audience'->'psids' IS NOT NULL
      THEN json_build_object('appId', request->'appId', 'audience', json_build_object(
        'clientUids', json_build_array('(forgotten)')), 'alert', '(forgotten)', 'dbIn', false)
      ELSE request END
    WHERE seqno = ANY($1)
    """)

  private static let postponeStatement = Statement(
    "forgetting-postpone",
    """
    UPDATE messages SET forgotten_at = clock_timestamp() + interval '1 day' WHERE seqno IN (
      SELECT seqno FROM messages
      WHERE seqno = $1 AND emptied_at IS NULL AND forgotten_at < clock_timestamp() - interval '1 minute'
      FOR UPDATE SKIP LOCKED)
    RETURNING seqno
    """)

  /// Postpones the deletion for a marked message by a day, because the deletion fails. Returns false, changing nothing,
  /// if somebody else has completed or postponed it, or has locked the message.
  package static func postpone(_ seqno: Seqno) -> Query<Bool> {
    Query(postponeStatement, seqno) { $0.count == 1 }
  }

  /// Locks and returns at most `limit` messages that were marked over a minute ago and not emptied yet, in the order in
  /// which they were marked. Skips locked messages. Call this within a transaction.
  package static func marked(atMost limit: Int) -> Query<[Seqno]> {
    Query(each: markedStatement, limit) { $0.seqno() }
  }

  /// Deletes what is stored about the recipients of messages: up to `deliveries` deliveries with rows, and a few
  /// blocks. Call this in the transaction in which `marked` returned the messages.
  /// - Returns: true if nothing is left to delete; false if the limits were reached, so that another call has to
  ///   continue.
  package static func empty(
    _ messages: [Seqno], atMost deliveries: Int, on connection: Connection
  ) throws(PostgresError) -> Bool {
    var seqnos = Int64Column()
    for seqno in messages { seqnos.append(seqno) }
    let list = Parameters(seqnos)
    let gone = try connection.run(emptyStatement, Parameters(seqnos, deliveries)).decodeOne { $0.int64() }
    // The limit was reached, so there may be more.
    guard gone < deliveries else { return false }
    guard try connection.run(emptyBlocksStatement, Parameters(seqnos, blocksAtOnce)).affected < blocksAtOnce else {
      return false
    }
    _ = try connection.run(strayStatement, list)
    _ = try connection.run(emptiedStatement, list)
    return true
  }
}
