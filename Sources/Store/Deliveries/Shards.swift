package import Domain
internal import Postgres

/// Shards: the parts into which a message's audience is planned, each of which is claimed in batches.
package enum Shards {
  package struct Record: Sendable {
    package let seqno: Seqno
    package let shard: Int32
    package let part: Part
    package let targeted: Int64
    package let claimed: Int64
    /// Number of the wave; 0 for messages without waves.
    package let wave: Int16
    /// Number of the shard's next block: 14 bits, of which the upper 3 are the database's timeline minus 1, modulo 8.
    ///
    /// After a failover, the promoted standby may lack the last claims, whose pushes were already sent with their block
    /// numbers in the pushkeys. Each timeline therefore uses a different eighth of the numbers, so that no receipt
    /// counts for a device in a newer block with the same number (Decision 126). Only eight failovers during one
    /// message would reuse the first eighth.
    package let blocks: Int32

    /// The block that the next claim can create; nil if this timeline's numbers are used up, or if the shard's own
    /// number is too large for block numbers. The last number of a timeline is never assigned, because the counter
    /// would continue in the next eighth.
    package var nextBlock: BlockID? {
      blocks & Shards.lastOfTimeline < Shards.lastOfTimeline && shard < (1 << 14) - 1
        ? BlockID(seqno: seqno, number: shard << 14 | blocks) : nil
    }

    /// The part of the shard that is not claimed yet.
    package enum Part: Equatable, Sendable {
      /// User keys in (after, upto]; for a resend, encoded places in the earlier message's deliveries instead.
      case keys(after: String, upto: String)
      /// Entries of the request's list of recipients, counted from 0.
      case entries(Range<Int>)
    }
  }

  /// Number of low bits of a block's number within its shard that count the blocks of one timeline.
  private static let timelineBits = 11
  /// The last number within a timeline, which is never assigned to a block.
  private static let lastOfTimeline: Int32 = (1 << timelineBits) - 1
  /// SQL for the first number of the current timeline; timelines start at 1.
  private static let firstOfTimeline = "(((present_timeline() - 1) & 7) << \(timelineBits))"

  private static let createStatement = Statement(
    "shards-create",
    """
    INSERT INTO shards (seqno, shard, after_key, upto_key, list_from, list_to, cursor_key, cursor_entry, targeted, wave)
    SELECT $1, (SELECT count(*) FROM shards WHERE seqno = $1), $2, $3, $4, $5, $2, $4, $6, $7
    """)

  package static func create(
    _ seqno: Seqno, _ part: Record.Part, targeted: Int64, wave: Int16 = 0
  ) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(seqno)
    switch part {
    case .keys(let after, let upto):
      parameters.append(after)
      parameters.append(upto)
      parameters.append(nil as Int32?)
      parameters.append(nil as Int32?)
    case .entries(let range):
      parameters.append(nil as String?)
      parameters.append(nil as String?)
      parameters.append(Int32(range.lowerBound))
      parameters.append(Int32(range.upperBound))
    }
    parameters.append(targeted)
    parameters.append(wave)
    return Query(createStatement, parameters) { _ in }
  }

  private static let lastKeyStatement = Statement(
    "shards-last-key", "SELECT max(upto_key) FROM shards WHERE seqno = $1 AND wave = $2")

  /// Returns the highest `upto` (inclusive) of the shards of a message or wave, up to which the audience is planned.
  /// Returns nil if there are no shards, or if they are parts of a list.
  package static func lastKey(_ seqno: Seqno, wave: Int16 = 0) -> Query<String?> {
    Query(one: lastKeyStatement, seqno, wave) { $0.optionalText() }
  }

  private static let lockStatement = Statement(
    "shards-lock",
    """
    SELECT shard, cursor_key, upto_key, cursor_entry, list_to, targeted, claimed, wave,
      CASE WHEN blocks >> \(timelineBits) << \(timelineBits) = \(firstOfTimeline) THEN blocks ELSE \(firstOfTimeline) END
    FROM shards s
    WHERE seqno = $1 AND NOT exhausted AND \(LatenessCondition.isOpen)
      -- One wave after the other. While a node claims one wave, a device may move to a zone of the next, and no other
      -- node sees yet that it is claimed already. Waves are planned in their order.
      AND wave = (SELECT f.wave FROM shards f WHERE f.seqno = $1 AND NOT f.exhausted ORDER BY f.shard LIMIT 1)
    ORDER BY shard LIMIT 1
    -- Another node's claimer works on its own shard; nobody waits.
    FOR UPDATE OF s SKIP LOCKED
    """)

  /// Locks a message's first shard that is not exhausted, until the transaction ends, and returns it. Skips shards that
  /// another transaction has locked, and those of waves that are not open or are late. Skips those of all waves but the
  /// first that has such a shard: no two waves of a message are claimed at the same time. Returns nil if there is none.
  package static func lock(_ seqno: Seqno) -> Query<Record?> {
    Query(first: lockStatement, seqno) { row in
      Record(
        seqno: seqno, shard: row.int32(), part: part(&row), targeted: row.int64(), claimed: row.int64(),
        wave: row.int16(), blocks: row.int32())
    }
  }

  private static let lockAllStatement = Statement(
    "shards-lock-all",
    """
    SELECT shard FROM shards WHERE seqno = $1 AND ($2 IS NULL OR wave = $2) AND NOT exhausted
    -- Whoever is claiming one at this moment is waited for, and then seen.
    ORDER BY shard FOR UPDATE
    """)

  /// Locks all shards of a message that are not exhausted, until the transaction ends, and waits for transactions that
  /// have locked one. The caller must not have locked a shard before.
  /// - Parameter wave: only the shards of this wave; nil for all.
  package static func lockAll(_ seqno: Seqno, wave: Int16? = nil) -> Query<Void> {
    Query(lockAllStatement, seqno, wave) { _ in }
  }

  private static let lockOthersStatement = Statement(
    "shards-lock-others",
    """
    WITH free AS MATERIALIZED (
      SELECT shard FROM shards WHERE seqno = $1 AND shard <> $2 AND wave = $3 AND NOT exhausted FOR SHARE SKIP LOCKED
    )
    SELECT count(*) = (SELECT count(*) FROM free) FROM shards
    WHERE seqno = $1 AND shard <> $2 AND wave = $3 AND NOT exhausted
    """)

  /// Locks the other shards of a locked shard's wave that are not exhausted, so that no other transaction claims from
  /// the message before this one ends. Leaves the shards of other waves alone: there may be dozens of waves with as
  /// many shards each, and none is claimed meanwhile (`lock`). Returns true if it has locked them all: the claims of
  /// others are then committed, and the statements that follow see them. Returns false, without waiting, if another
  /// transaction has locked one.
  package static func lockOthers(of shard: Record) -> Query<Bool> {
    Query(one: lockOthersStatement, shard.seqno, shard.shard, shard.wave) { $0.bool() }
  }

  private static func part(_ row: inout RowReader) -> Record.Part {
    let (after, upto) = (row.optionalText(), row.optionalText())
    let (entry, listEnd) = (row.optionalInt32(), row.optionalInt32())
    guard let after else { return .entries(Int(entry ?? 0)..<Int(listEnd ?? 0)) }
    return .keys(after: after, upto: upto ?? "")
  }

  private static let advanceStatement = Statement(
    "shards-advance",
    """
    UPDATE shards SET cursor_key = $3, cursor_entry = $4, claimed = claimed + $5, exhausted = $6, blocks = $7,
      -- What was really claimed counts, also for a planner that adds the shards up afterwards.
      targeted = CASE WHEN $6 THEN claimed + $5 ELSE greatest(targeted, claimed + $5) END
    WHERE seqno = $1 AND shard = $2
    """)

  /// Advances the cursor of a locked shard and adds the claimed devices. Raises `targeted` if more were claimed than
  /// planned; sets it to the claimed number when the shard is exhausted.
  /// - Parameters:
  ///   - rest: the part that is left to claim.
  ///   - claimed: number of devices just claimed.
  ///   - makesBlock: true if the claimed devices form its `nextBlock`.
  ///   - exhausted: true if nothing is left to claim.
  package static func advance(
    _ shard: Record, to rest: Record.Part, claimed: Int, makesBlock: Bool, exhausted: Bool
  ) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(shard.seqno)
    parameters.append(shard.shard)
    switch rest {
    case .keys(let after, _):
      parameters.append(after)
      parameters.append(nil as Int32?)
    case .entries(let range):
      parameters.append(nil as String?)
      parameters.append(Int32(range.lowerBound))
    }
    parameters.append(claimed)
    parameters.append(exhausted)
    parameters.append(shard.blocks + (makesBlock ? 1 : 0))
    return Query(advanceStatement, parameters) { _ in }
  }
}
