package import Domain
package import Postgres
package import Time

/// Deliveries in blocks that were deferred before their first try: one row per block, due time (in whole seconds) and
/// reason, so that deferring a block costs one row and not one per recipient. A delivery that was tried before waits in
/// its own row in `outcomes`.
///
/// ```
///   in progress ──deferred──► a place here ──due, and the block has no claim──► in progress, in a claim of the block
///                                  └──── its message is cancelled or late ─────► ended
/// ```
/// Until the delivery is in progress again or ended, its state in the block is `.waits`. Changing that state, or
/// claiming deliveries that wait here, requires the lock on the block's states; so a block never has two claims, and
/// its open deliveries belong to its claim.
///
/// Decision 004.
package enum Waits {
  /// Deliveries of a block with the same due time and reason.
  package struct Key: Hashable, Sendable {
    package let block: BlockID
    /// Due time, rounded up to a whole second.
    package let dueAt: Timestamp
    package let reason: String

    package init(block: BlockID, dueAt: Timestamp, reason: String) {
      self.block = block
      self.dueAt = Timestamp(seconds: (dueAt + .microseconds(999_999)).seconds)
      self.reason = reason
    }
  }

  private static let addStatement = Statement(
    "waits-add",
    """
    INSERT INTO waits (seqno, block, due_at, reason, at, places)
    SELECT seqno, block, due_at, reason, $6, array_agg(place)
    FROM unnest($1, $2, $3, $4, $5) AS t(seqno, block, due_at, reason, place) GROUP BY seqno, block, due_at, reason
    ON CONFLICT (seqno, block, due_at, reason) DO UPDATE SET places = waits.places || excluded.places, at = excluded.at
    """)

  /// Adds waiting positions, within the transaction that sets their state to `.waits`. Positions with a key that has a
  /// row already are appended to that row, and its `at` becomes `now`.
  package static func add(_ waits: [Key: [Int32]], at now: Timestamp) -> Query<Void> {
    var (seqnos, blocks, dues) = (Int64Column(), Int32Column(), TimestampColumn())
    var (reasons, places) = (TextColumn(), Int16Column())
    for (key, positions) in waits {
      for position in positions {
        seqnos.append(key.block.seqno)
        blocks.append(key.block.number)
        dues.append(key.dueAt)
        reasons.append(key.reason)
        places.append(Int16(position))
      }
    }
    return Query(addStatement, seqnos, blocks, dues, reasons, places, now) { _ in }
  }

  // MARK: Claiming due deliveries

  /// A claim of deferred deliveries, which are thereby in progress again.
  package typealias Taken = (seqno: Seqno, hold: Claims.Hold, entries: [Claims.Entry])

  /// Deferred deliveries that `takeUp` has claimed.
  package struct TakenUp: Sendable {
    package var claims: [Taken] = []
    /// True if some deliveries are due but were not claimed because their block still has a claim; they can be claimed
    /// when that claim has ended.
    package var someAreClaimed = false
  }

  private static let dueStatement = Statement(
    "waits-due",
    """
    SELECT w.seqno, w.block, cardinality(w.places),
      EXISTS (SELECT FROM claims c WHERE c.seqno = w.seqno AND c.block = w.block)
    FROM waits w JOIN messages m ON m.seqno = w.seqno JOIN apps a ON a.app = m.app
    WHERE w.due_at > $3 AND \(Claims.isDue) ORDER BY w.due_at LIMIT $2
    """)

  private static let takeStatement = Statement(
    "waits-take",
    """
    WITH taken AS (
      DELETE FROM waits w USING unnest($1, $2) AS t(seqno, block)
      WHERE w.seqno = t.seqno AND w.block = t.block AND w.due_at <= $3
        AND NOT EXISTS (SELECT FROM claims c WHERE c.seqno = w.seqno AND c.block = w.block)
      RETURNING w.seqno, w.block, w.places
    )
    SELECT seqno, block, unnest(places) FROM taken
    """)

  /// Claims, within a transaction, due deliveries of messages that are being sent in `lanes`, are not late and have no
  /// pace, the earliest first. Skips those of paused apps until their messages expire. Locks the states of the claimed
  /// blocks.
  /// - Parameters:
  ///   - since: low-water mark: skips deliveries due at or before this time, because the apps or messages of all of
  ///     them are paused.
  ///   - devices: number of devices after which no further block is claimed.
  ///   - mostRows: maximum number of rows to read, including those of blocks that still have a claim, which are
  ///     skipped; must exceed the number of such rows, because otherwise nothing might be claimed.
  /// - Returns: one claim per block, with its open deliveries; none if nothing is due in a block without a claim.
  package static func takeUp(
    since: Timestamp, at now: Timestamp, lanes: [Lane], devices: Int, mostRows: Int, node: UUIDValue,
    on connection: Connection
  ) throws(PostgresError) -> TakenUp {
    let due = try connection.run(
      dueStatement, Parameters(now, mostRows, since, Int16Column(lanes)))
    var found = TakenUp()
    var (blocks, count): (Set<BlockID>, Int) = ([], 0)
    due.forEach { row in
      let (block, waiting) = (row.block(), Int(row.int32()))
      if row.bool() {
        found.someAreClaimed = true
      } else if count < devices {
        blocks.insert(block)
        count += waiting
      }
    }
    guard !blocks.isEmpty else { return found }
    let states = try connection.run(Blocks.lock(blocks))
    // Check again under the locks: another node may have claimed the block meanwhile.
    let taken = try connection.run(take(blocks, dueBefore: now))
    found.claims = try claim(taken, states, node: node, on: connection)
    return found
  }

  /// Claims the positions whose rows were removed from `waits`, in blocks whose states are locked.
  private static func claim(
    _ taken: [BlockID: [Int]], _ locked: [BlockID: BlockStates], node: UUIDValue, on connection: Connection
  ) throws(PostgresError) -> [Taken] {
    var (states, counts): ([BlockID: BlockStates], [BlockID: Int]) = (locked, [:])
    for (block, positions) in taken {
      for position in positions where states[block]?.takeUp(position) == true { counts[block, default: 0] += 1 }
    }
    guard !counts.isEmpty else { return [] }
    try connection.run(Blocks.save(states.filter { counts[$0.key] != nil }))
    let claims = try connection.run(Blocks.claim(counts, node: node))
    let open = try Claims.undecided(claims.values, inDoubt: false, on: connection)
    return claims.map { ($0.key.seqno, $0.value, open[$0.value.claim] ?? []) }
  }

  private static let dueOfMessageStatement = Statement(
    "waits-due-of-message",
    """
    SELECT w.block, sum(cardinality(w.places))::integer FROM waits w
    WHERE w.seqno = $1 AND w.due_at <= $2 AND w.due_at <= clock_timestamp()
      AND NOT EXISTS (SELECT FROM claims c WHERE c.seqno = w.seqno AND c.block = w.block)
    GROUP BY w.block ORDER BY min(w.due_at), w.block LIMIT $3
    """)

  private static let takeSomeStatement = Statement(
    "waits-take-some",
    """
    WITH found AS (
      SELECT w.seqno, w.block, w.due_at, w.reason, w.places,
        -- What the earlier rows leave of the block's share.
        t.most - coalesce(sum(cardinality(w.places)) OVER (
          PARTITION BY w.block ORDER BY w.due_at, w.reason ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
          0)::integer AS most
      FROM unnest($1, $2, $4) AS t(seqno, block, most) JOIN waits w ON w.seqno = t.seqno AND w.block = t.block
      WHERE w.due_at <= $3 AND w.due_at <= clock_timestamp()
        AND NOT EXISTS (SELECT FROM claims c WHERE c.seqno = w.seqno AND c.block = w.block)
    ), emptied AS (
      DELETE FROM waits w USING found f
      WHERE w.seqno = f.seqno AND w.block = f.block AND w.due_at = f.due_at AND w.reason = f.reason
        AND f.most >= cardinality(f.places)
      RETURNING w.seqno, w.block, w.places, w.reason
    ), divided AS (
      UPDATE waits w SET places = f.places[f.most + 1:] FROM found f
      WHERE w.seqno = f.seqno AND w.block = f.block AND w.due_at = f.due_at AND w.reason = f.reason
        AND f.most > 0 AND f.most < cardinality(f.places)
      RETURNING w.seqno, w.block, f.places[:f.most] AS places, w.reason
    )
    SELECT seqno, block, unnest(places), reason FROM (SELECT * FROM emptied UNION ALL SELECT * FROM divided) taken
    """)

  /// Claims, within a transaction, at most `devices` due deliveries of a message, the earliest blocks first. The rest
  /// of a block keeps waiting. Skips blocks that still have a claim. Locks the states of the claimed blocks.
  static func takeUp(
    of seqno: Seqno, at now: Timestamp, devices: Int, node: UUIDValue, on connection: Connection
  ) throws(PostgresError) -> [Taken] {
    let due = try connection.run(dueOfMessageStatement, Parameters(seqno, now, devices))
    var (shares, left): ([BlockID: Int], Int) = ([:], devices)
    due.forEach { row in
      let (block, waiting) = (BlockID(seqno: seqno, number: row.int32()), Int(row.int32()))
      guard left > 0 else { return }
      shares[block] = min(left, waiting)
      left -= min(left, waiting)
    }
    guard !shares.isEmpty else { return [] }
    let states = try connection.run(Blocks.lock(Set(shares.keys)))
    let blocks = shares.keys.sorted()
    var most = Int32Column()
    for block in blocks { most.append(Int32(shares[block] ?? 0)) }
    var parameters = Blocks.parameters(blocks)
    parameters.append(now)
    parameters.append(most)
    // Check again under the locks: another node may have claimed the block meanwhile.
    let reasons: [BlockPlace: String] = try connection.run(
      Query(takeSomeStatement, parameters) {
        $0.dictionary { row in
          (BlockPlace(block: row.block(), position: Int(row.int16())), row.text())
        }
      })
    let taken = Dictionary(grouping: reasons.keys, by: \.block).mapValues { $0.map { Int($0.position) } }
    var claims = try claim(taken, states, node: node, on: connection)
    for claim in claims.indices {
      for entry in claims[claim].entries.indices {
        claims[claim].entries[entry].deferredFor = claims[claim].entries[entry].place.flatMap { reasons[$0] }
      }
    }
    return claims
  }

  private static func take(_ blocks: Set<BlockID>, dueBefore end: Timestamp) -> Query<[BlockID: [Int]]> {
    var parameters = Blocks.parameters(Array(blocks))
    parameters.append(end)
    return Query(takeStatement, parameters, read: positions)
  }

  private static func positions(_ rows: Rows) -> [BlockID: [Int]] {
    var found: [BlockID: [Int]] = [:]
    rows.forEach { row in
      let block = row.block()
      found[block, default: []].append(Int(row.int16()))
    }
    return found
  }

  // MARK: Reading

  private static let ofBlockStatement = Statement(
    "waits-of-block", "SELECT unnest(places), reason, at FROM waits WHERE seqno = $1 AND block = $2")

  /// Returns, for each waiting position of a block, the reason, and when a position was last added to the same row.
  /// Empty if none waits.
  static func of(_ block: BlockID) -> Query<[Int: (reason: String, at: Timestamp)]> {
    Query(ofBlockStatement, block.seqno, block.number) {
      $0.dictionary { row in
        (Int(row.int16()), (row.text(), row.timestamp()))
      }
    }
  }

  // MARK: Ending

  private static let ofMessageStatement = Statement(
    "waits-of-message", "SELECT DISTINCT block FROM waits WHERE seqno = $1 ORDER BY block LIMIT $2")

  private static let removeStatement = Statement(
    "waits-remove",
    """
    WITH removed AS (
      DELETE FROM waits w USING unnest($1, $2) AS t(seqno, block) WHERE w.seqno = t.seqno AND w.block = t.block
      RETURNING w.seqno, w.block, w.places
    )
    SELECT seqno, block, unnest(places) FROM removed
    """)

  /// Ends the waiting deliveries in at most `blocks` blocks of a message, with 0 attempts, within a transaction. Does
  /// not change the totals. Returns the user of each ended delivery, so that a user with several devices occurs several
  /// times; empty if none waits.
  static func end(
    _ seqno: Seqno, as status: OutcomeStatus, reason: String, blocks: Int, on connection: Connection
  ) throws(PostgresError) -> [UserKey] {
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(blocks)
    let rows = try connection.run(ofMessageStatement, parameters)
    let ids = Set(rows.decode { BlockID(seqno: seqno, number: $0.int32()) })
    guard !ids.isEmpty else { return [] }
    let now = try connection.run(WallClock.now())
    var states = try connection.run(Blocks.lock(ids))
    let removed = try connection.run(Query(removeStatement, Blocks.parameters(Array(ids)), read: positions))
    var (users, records): ([UserKey], [Outcomes.Record]) = ([], [])
    for contents in try connection.run(Blocks.read(removed.keys)) {
      for position in removed[contents.block] ?? [] {
        let user = contents.recipients.userKey(position)
        let record = Outcomes.Record(
          seqno: seqno, device: contents.recipients.device(position), userKey: user, status: status, attempts: 0,
          reason: reason, dueAt: nil)
        switch states[contents.block]?.settle(position, as: BlockState(record), at: now) {
        case .taken: users.append(user)
        case .row: records.append(record)
        case .late, nil: break
        }
      }
    }
    try connection.run(Blocks.save(states))
    guard !records.isEmpty else { return users }
    // Only the outcomes written now: whoever wrote an earlier one has counted it.
    let written = try connection.run(Outcomes.write(records, at: now))
    return users + written.map { records[$0].userKey }
  }
}
