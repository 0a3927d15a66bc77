package import Domain
internal import Postgres
package import Time

/// Selects the audience of a resend: recipients of an earlier message, by their outcomes there. Those with outcome rows
/// come first, in device order, then those in blocks, by block and position. A device is included if it is active and
/// has been bound to the same user since `frozenAt` or longer; its current token is used.
///
/// Recipients who were excluded because the message (or the wave of their time zone) came too late have no outcome. If
/// there are any (`hasLeftOut`), a resend to failed devices resolves the earlier message's audience again instead, and
/// includes only the devices that are `unreached`.
package enum Resends {
  /// SQL condition that selects deliveries `o` by the target `$4`. 0: failed, that is, rejected, expired or skipped,
  /// but not cancelled. 1 and 2: accepted, but not confirmed as received (1) or read (2).
  private static let isMeant = """
    CASE $4::smallint
      WHEN 0 THEN o.status IN (\(DeliveryPages.failures))
      ELSE o.status = \(OutcomeStatus.accepted.sql) AND NOT o.is_confirmed END
    """

  // MARK: Recipients excluded as late

  private static let leftOutStatement = Statement(
    "resends-left-out",
    "SELECT EXISTS (SELECT FROM reason_totals WHERE seqno = $1 AND reason = $2 AND count > 0)")

  /// Returns true if recipients of a message were excluded because the message, or the wave of their time zone, came
  /// too late.
  package static func hasLeftOut(_ seqno: Seqno) -> Query<Bool> {
    Query(one: leftOutStatement, seqno, Schedules.lateReason) { $0.bool() }
  }

  private static let unreachedStatement = Statement(
    "resends-unreached",
    """
    SELECT d.device FROM unnest($2::uuid[]) AS d(device)
    WHERE NOT EXISTS (SELECT FROM outcomes o WHERE o.seqno = $1 AND o.device = d.device
      AND o.status IN (\(OutcomeStatus.accepted.sql), \(OutcomeStatus.cancelled.sql)))
      AND (NOT EXISTS (SELECT FROM blocks WHERE seqno = $1) OR coalesce(block_status($1, d.device), 0) NOT IN (1, 4))
      -- When it is not known any more who has got it, nobody may get it twice.
      AND EXISTS (SELECT FROM messages m WHERE m.seqno = $1 AND \(HistoryRanges.isKept))
    """)

  /// Returns those of the devices for which a message has neither an accepted nor a cancelled delivery, under any user.
  /// Empty if the message's history is not kept, because then it is unknown which devices the message has reached.
  package static func unreached(of seqno: Seqno, among devices: [DeviceID]) -> Query<Set<DeviceID>> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    return Query(unreachedStatement, seqno, column) { rows in Set(rows.decode { $0.device() }) }
  }

  // MARK: Selection by outcome

  private static let belongs = """
    \(isMeant) AND d.state = \(Devices.State.active.sql) AND d.bound_at <= $5
      -- The message was for a user: whoever has the device now did not ask for it.
      AND d.user_key = o.user_key
    """

  private static let members = """
    FROM (
      SELECT *, CASE
          WHEN $4 = 0 OR status <> \(OutcomeStatus.accepted.sql) THEN false
          -- Looked at once: lists have none, and rows for all.
          WHEN EXISTS (SELECT FROM blocks WHERE seqno = $1)
            THEN delivery_confirmed(seqno, device, user_key, $4 = 2) IS NOT NULL
          WHEN $4 = 2 THEN EXISTS (SELECT FROM row_reads r WHERE r.seqno = $1 AND r.device = outcomes.device)
          ELSE EXISTS (SELECT FROM row_receipts r WHERE r.seqno = $1 AND r.device = outcomes.device) END AS is_confirmed
      FROM outcomes WHERE seqno = $1 AND device > $2 AND device <= $3) o
    JOIN devices d ON d.device = o.device
    WHERE \(belongs)
    """

  private static let endStatement = Statement(
    "resends-end",
    """
    SELECT device FROM (
      SELECT device FROM outcomes WHERE seqno = $1 AND device > $2 ORDER BY device LIMIT $3) part
    ORDER BY device DESC LIMIT 1
    """)

  /// Returns the device of the last row in the part of a message's rows that begins after `device`, in device order. A
  /// part has `outcomes` rows; at the end, it can have fewer. Returns nil if no rows are left.
  package static func end(of seqno: Seqno, after device: DeviceID, outcomes: Int) -> Query<DeviceID?> {
    Query(first: endStatement, seqno, device, outcomes) { $0.device() }
  }

  private static let countStatement = Statement(
    "resends-count", "SELECT count(*) FROM (SELECT \(members) LIMIT $6) AS counted")

  /// Counts the devices to resend to among the recipients with rows and device ids in (`after`, `upto`].
  /// - Parameter limit: maximum number returned; nil for no limit.
  package static func count(
    of seqno: Seqno, _ target: ResendTarget, after: DeviceID, upto: DeviceID, frozenAt: Timestamp, limit: Int64? = nil
  ) -> Query<Int64> {
    var parameters = parameters(seqno, target, after, upto, frozenAt)
    parameters.append(limit)
    return Query(countStatement, parameters) { $0.decodeOne { $0.int64() } }
  }

  private static let readStatement = Statement(
    "resends-read",
    """
    SELECT \(Audiences.memberColumns) \(members)
    ORDER BY o.device LIMIT $6
    """)

  /// Returns at most `limit` devices to resend to among the recipients with rows and device ids in (`after`, `upto`],
  /// in the order of their ids.
  package static func read(
    of seqno: Seqno, _ target: ResendTarget, after: DeviceID, upto: DeviceID, frozenAt: Timestamp, limit: Int
  ) -> Query<[Audiences.Member]> {
    var parameters = parameters(seqno, target, after, upto, frozenAt)
    parameters.append(limit)
    return Query(readStatement, parameters, read: Audiences.members)
  }

  private static func parameters(
    _ seqno: Seqno, _ target: ResendTarget, _ after: DeviceID, _ upto: DeviceID, _ frozenAt: Timestamp
  ) -> Parameters {
    parameters(seqno, target, frozenAt) { range in
      range.append(after)
      range.append(upto)
    }
  }

  /// Returns the parameters of a query for one part of the recipients.
  /// - Parameter appendRange: appends the lower and upper bounds of the part.
  private static func parameters(
    _ seqno: Seqno, _ target: ResendTarget, _ frozenAt: Timestamp, _ appendRange: (inout Parameters) -> Void
  ) -> Parameters {
    var parameters = Parameters()
    parameters.append(seqno)
    appendRange(&parameters)
    parameters.append(target.rawValue)
    parameters.append(frozenAt)
    return parameters
  }

  // MARK: Deliveries in blocks

  /// SQL condition on a row of `block_states`: some delivery in the block has ended, and has no row.
  private static let hasEnds = "coalesce(accepted_at, left_out_at) IS NOT NULL"

  private static let blockEndStatement = Statement(
    "resends-block-end",
    """
    SELECT max(block) FROM (
      SELECT block FROM block_states WHERE seqno = $1 AND block > $2 AND \(hasEnds)
      ORDER BY block LIMIT $3) part
    """)

  /// Returns the number of the last block in the part that begins after `block`. A part has `blocks` blocks, or fewer
  /// at the end. Only blocks in which a delivery without a row has ended count; returns nil if none of these are left.
  package static func blockEnd(of seqno: Seqno, after block: Int32, blocks: Int) -> Query<Int32?> {
    Query(one: blockEndStatement, seqno, block, blocks) { $0.optionalInt32() }
  }

  private static let nextBlockStatement = Statement(
    "resends-next-block",
    """
    SELECT min(s.block) FROM block_states s
    WHERE s.seqno = $1 AND s.block >= $2 AND s.block <= $4 AND \(hasEnds)
      AND (s.block > $2 OR length(s.states) > $3)
    """)

  /// Returns the number of the first block in `block` … `end` (inclusive) in which a delivery without a row has ended;
  /// nil if there is none. Skips `block` itself if all its positions have been read.
  /// - Parameter done: number of positions of `block` that have been read.
  package static func nextBlock(of seqno: Seqno, from block: Int32, done: Int32, upto end: Int32) -> Query<Int32?> {
    Query(one: nextBlockStatement, seqno, block, done, end) { $0.optionalInt32() }
  }

  private static let blockMembers = """
    FROM (
      -- Whoever has confirmed is looked up once a block: joined, it would be once a device.
      WITH part AS MATERIALIZED (
        SELECT b.block, b.devices_count, b.devices, b.user_keys, s.states,
          ARRAY(SELECT f.place FROM block_confirmed(b.seqno, b.block, NULL, $4 = 2) f WHERE $4 > 0) AS confirmed
        FROM blocks b JOIN block_states s ON s.seqno = b.seqno AND s.block = b.block
        WHERE b.seqno = $1 AND b.block > $2 AND b.block <= $3)
      SELECT p.block, e.place, e.device, e.user_key, c.status, e.place = ANY(p.confirmed) AS is_confirmed
      FROM part p CROSS JOIN LATERAL block_entries(p.devices_count, p.devices, p.user_keys) e
      JOIN block_codes c ON c.code = get_byte(p.states, e.place)) o
    JOIN devices d ON d.device = o.device
    WHERE \(belongs)
    """

  private static let blockCountStatement = Statement(
    "resends-block-count", "SELECT count(*) FROM (SELECT \(blockMembers) LIMIT $6) AS counted")

  /// Counts the devices to resend to in the blocks with numbers in (`after`, `upto`].
  /// - Parameter limit: maximum number returned; nil for no limit.
  package static func count(
    of seqno: Seqno, _ target: ResendTarget, afterBlock after: Int32, upto: Int32, frozenAt: Timestamp,
    limit: Int64? = nil
  ) -> Query<Int64> {
    var parameters = parameters(seqno, target, after, upto, frozenAt)
    parameters.append(limit)
    return Query(blockCountStatement, parameters) { $0.decodeOne { $0.int64() } }
  }

  private static let blockReadStatement = Statement(
    "resends-block-read",
    """
    SELECT \(Audiences.memberColumns), o.place \(blockMembers) AND o.place >= $7
    ORDER BY o.place LIMIT $6
    """)

  /// Returns at most `limit` devices to resend to in a block, in the order of their positions and from `position`
  /// (inclusive) on. `last` is the position of the last of these devices; nil if there are none.
  package static func read(
    of block: BlockID, _ target: ResendTarget, from position: Int32, frozenAt: Timestamp, limit: Int
  ) -> Query<(members: [Audiences.Member], last: Int32?)> {
    var parameters = parameters(block.seqno, target, block.number - 1, block.number, frozenAt)
    parameters.append(limit)
    parameters.append(position)
    return Query(blockReadStatement, parameters) { rows in
      var last: Int32?
      let members = rows.decode { row in
        let member = Audiences.member(&row)
        last = row.int32()
        return member
      }
      return (members, last)
    }
  }

  private static func parameters(
    _ seqno: Seqno, _ target: ResendTarget, _ after: Int32, _ upto: Int32, _ frozenAt: Timestamp
  ) -> Parameters {
    parameters(seqno, target, frozenAt) { range in
      range.append(after)
      range.append(upto)
    }
  }
}
