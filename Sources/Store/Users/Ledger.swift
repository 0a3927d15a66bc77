package import Domain
package import Postgres

/// The ledger of what each message added to each user's badge count. The increments of a message with blocks are stored
/// in the blocks (`Blocks`). For such a message, a user has a ledger entry only after reading it, after one of its
/// deliveries ended negative, if the count had no room for the whole increment, or if the count had been set after the
/// message got its SEQNO. The SQL function `badge_entry` combines ledger and blocks. Decision 009.
package enum Ledger {
  package struct Key: Hashable, Sendable {
    package let user: Users.Key
    package let seqno: Seqno

    package init(user: Users.Key, seqno: Seqno) {
      self.user = user
      self.seqno = seqno
    }
  }

  private static let readStatement = Statement(
    "ledger-read",
    """
    INSERT INTO badge_ledger (app, user_key, seqno, increment, read_option)
    SELECT app, user_key, seqno, 0, option FROM unnest($1, $2, $3, $4) AS t(app, user_key, seqno, option)
    ORDER BY app, user_key COLLATE "C", seqno
    ON CONFLICT (app, user_key, seqno) DO UPDATE SET read_option = excluded.read_option
    -- The first read decides; a repeated one, from whatever device, finds it taken.
    WHERE badge_ledger.read_option IS NULL
    RETURNING app, user_key, seqno, increment > 0 AND negatives > 0 AND negatives = deliveries
    """)

  /// Marks messages as read by users, creating missing entries. Returns those that were unread, and for each whether
  /// its increment has been taken back. A message that was read before keeps its first read, and is omitted.
  package static func read(_ reads: [(key: Key, option: BadgeOption)]) -> Query<[Key: Bool]> {
    var parameters = columns(reads.map(\.key))
    var options = Int16Column()
    for read in reads { options.append(read.option.code) }
    parameters.append(options)
    return Query(readStatement, parameters) {
      $0.dictionary { row in
        (key(&row), row.bool())
      }
    }
  }

  private static let claimStatement = Statement(
    "ledger-claim",
    """
    INSERT INTO badge_ledger (app, user_key, seqno, increment, deliveries)
    SELECT * FROM unnest($1, $2, $3, $5, $4) AS t(app, user_key, seqno, increment, deliveries)
    ORDER BY app, user_key COLLATE "C", seqno
    ON CONFLICT (app, user_key, seqno)
      DO UPDATE SET deliveries = badge_ledger.deliveries + excluded.deliveries,
        -- Where the count moves (again), what it is asked to move by; what there is room for is noted afterwards.
        increment = CASE
          WHEN badge_ledger.deliveries = CASE WHEN badge_ledger.read_option IS NULL THEN badge_ledger.negatives ELSE 0 END
          THEN excluded.increment ELSE badge_ledger.increment END
    -- What was read is not taken back when it ends negative, so it is not given again.
    RETURNING app, user_key, seqno, deliveries - CASE WHEN read_option IS NULL THEN negatives ELSE 0 END
    """)

  /// A claim of a message that changes badge counts, for one user with `deliveries` devices.
  package struct Claim: Sendable {
    package let key: Key
    package let deliveries: Int32
    package let increment: Int16

    package init(key: Key, deliveries: Int32, increment: Int16) {
      self.key = key
      self.deliveries = deliveries
      self.increment = increment
    }
  }

  /// Records claims, and returns those whose users' counts must be changed: the first claim of a message for a user,
  /// even if the user has read the message before, and a later one if the increment has been taken back in between.
  /// No pair of user and message may occur twice.
  package static func claim(_ claims: [Claim]) -> Query<Set<Key>> {
    var parameters = columns(claims.map(\.key))
    var (deliveries, increments) = (Int32Column(), Int16Column())
    var asked: [Key: Int32] = [:]
    for claim in claims {
      deliveries.append(claim.deliveries)
      increments.append(claim.increment)
      asked[claim.key] = claim.deliveries
    }
    parameters.append(deliveries)
    parameters.append(increments)
    return Query(claimStatement, parameters) { rows in
      var fresh: Set<Key> = []
      rows.forEach { row in
        let key = key(&row)
        // New, because no deliveries had been claimed before, or all had ended negative and the increment had been
        // taken back: the number of deliveries that have not ended negative equals that of this claim.
        if row.int32() == asked[key] { fresh.insert(key) }
      }
      return fresh
    }
  }

  private static let copyCommand = """
    COPY badge_ledger (app, user_key, seqno, increment, deliveries) FROM STDIN (FORMAT binary)
    """

  /// Records claims that are all new, with COPY, which is faster than `claim`. Blocks until the database has answered.
  /// Throws `.uniqueViolation` if an entry exists already.
  package static func copy(_ claims: [Claim], _ connection: Connection) throws(PostgresError) {
    let ordered = claims.sorted { left, right in
      (left.key.user.app, left.key.user.userKey, left.key.seqno)
        < (right.key.user.app, right.key.user.userKey, right.key.seqno)
    }
    try connection.copyIn(copyCommand) { (rows) throws(PostgresError) in
      for claim in ordered {
        try rows.beginRow(columns: 5)
        rows.append(claim.key.user.app)
        rows.append(text: claim.key.user.userKey.text)
        rows.append(claim.key.seqno)
        rows.append(claim.increment)
        rows.append(claim.deliveries)
      }
    }
  }

  private static let negativeStatement = Statement(
    "ledger-negative",
    """
    INSERT INTO badge_ledger (app, user_key, seqno, increment, deliveries, negatives)
    SELECT t.app, t.user_key, t.seqno, coalesce(g.increment, 0), coalesce(g.deliveries, 0), t.negatives
    FROM unnest($1, $2, $3, $4) AS t(app, user_key, seqno, negatives)
    -- What stands with a block only is out of the ordinary from now on.
    LEFT JOIN LATERAL (
      SELECT * FROM block_grant(t.app, t.user_key, t.seqno) WHERE (
        SELECT 1 FROM badge_ledger l
        WHERE l.app = t.app AND l.user_key = t.user_key AND l.seqno = t.seqno AND l.deliveries > 0) IS NULL) g ON true
    ORDER BY t.app, t.user_key COLLATE "C", t.seqno
    ON CONFLICT (app, user_key, seqno) DO UPDATE SET negatives = badge_ledger.negatives + excluded.negatives,
      -- A read came first: it knows nothing of what was added.
      increment = CASE WHEN badge_ledger.deliveries = 0 THEN excluded.increment ELSE badge_ledger.increment END,
      deliveries = CASE WHEN badge_ledger.deliveries = 0 THEN excluded.deliveries ELSE badge_ledger.deliveries END
    -- What was read did arrive, whatever the network said last: the read has moved the count already.
    RETURNING app, user_key, seqno, increment, counted_at, negatives = deliveries AND read_option IS NULL
    """)

  /// The amount that a message has added to a user's count: less than requested if the count would have exceeded 1000.
  package struct Move: Sendable {
    package let key: Key
    package let increment: Int16
    let countedAt: Seqno?

    /// Returns true if the count still includes the amount, because the count was not set afterwards.
    func isIn(_ count: Users.Count) -> Bool {
      !count.wasSet(since: key.seqno) || count.setSeqno == countedAt
    }
  }

  /// Records deliveries that ended negative, creating missing entries. Returns the increments to be taken back if the
  /// count still includes them: those of unread messages all of whose deliveries to the user have ended negative. Omits
  /// increments of 0.
  static func addNegatives(_ negatives: [(key: Key, count: Int32)]) -> Query<[Move]> {
    var parameters = columns(negatives.map(\.key))
    var counts = Int32Column()
    for negative in negatives { counts.append(negative.count) }
    parameters.append(counts)
    return Query(negativeStatement, parameters) { rows in
      rows.decode { row in
        let move = move(&row)
        return row.bool() ? move : nil
      }.compactMap { $0 }
    }
  }

  private static let restoreStatement = Statement(
    "ledger-give-back",
    """
    INSERT INTO badge_ledger (app, user_key, seqno, increment, negatives)
    SELECT app, user_key, seqno, 0, t.negatives FROM unnest($1, $2, $3, $4) AS t(app, user_key, seqno, negatives)
    -- Only where it is known: a message without a badge has no row.
    JOIN badge_ledger USING (app, user_key, seqno)
    ORDER BY app, user_key COLLATE "C", seqno
    ON CONFLICT (app, user_key, seqno) DO UPDATE SET negatives = badge_ledger.negatives - excluded.negatives
    RETURNING app, user_key, seqno, increment, counted_at, read_option IS NULL, negatives, deliveries
    """)

  /// Records that deliveries that had ended negative are deferred again; ignores messages without an entry. Returns the
  /// increments to be added again unless the count was set since: those of unread messages all of whose deliveries to
  /// the user had ended negative. Omits increments of 0.
  static func restore(_ negatives: [(key: Key, count: Int32)]) -> Query<[Move]> {
    var parameters = columns(negatives.map(\.key))
    var counts = Int32Column()
    var given: [Key: Int32] = [:]
    for negative in negatives {
      counts.append(negative.count)
      given[negative.key] = negative.count
    }
    parameters.append(counts)
    return Query(restoreStatement, parameters) { rows in
      rows.decode { row in
        let move = move(&row)
        let (isUnread, negatives, deliveries) = (row.bool(), row.int32(), row.int32())
        guard let move, isUnread, negatives + (given[move.key] ?? 0) == deliveries else { return nil }
        return move
      }.compactMap { $0 }
    }
  }

  private static let movedStatement = Statement(
    "ledger-moved",
    """
    UPDATE badge_ledger l SET increment = t.increment FROM unnest($1, $2, $3, $4) AS t(app, user_key, seqno, increment)
    WHERE l.app = t.app AND l.user_key = t.user_key AND l.seqno = t.seqno
    """)

  /// Records the actual change of counts where it is smaller than requested, so that only that amount is taken back or
  /// added again later. The caller holds the entries' row locks.
  package static func noteMoved(_ moved: [(key: Key, increment: Int16)]) -> Query<Void> {
    var parameters = columns(moved.map(\.key))
    var increments = Int16Column()
    for move in moved { increments.append(move.increment) }
    parameters.append(increments)
    return Query(movedStatement, parameters) { _ in }
  }

  private static let countedStatement = Statement(
    "ledger-counted",
    """
    UPDATE badge_ledger l SET counted_at = u.set_seqno
    FROM unnest($1, $2, $3) AS t(app, user_key, seqno) JOIN users u USING (app, user_key)
    WHERE l.app = t.app AND l.user_key = t.user_key AND l.seqno = t.seqno AND u.set_seqno >= t.seqno
    """)

  /// Records that increments were added after the users' counts were last set, although the SEQNOs of their messages
  /// are not higher than `set_seqno`. Call it in the transaction that has just claimed these entries. Ignores entries
  /// whose SEQNO is higher, and users whose count was never set.
  package static func noteCounted(_ late: [Key]) -> Query<Void> {
    Query(countedStatement, columns(late)) { _ in }
  }

  /// Decodes a row's increment; nil if it is 0.
  private static func move(_ row: inout RowReader) -> Move? {
    let move = Move(key: key(&row), increment: row.int16(), countedAt: row.optionalSeqno())
    return move.increment > 0 ? move : nil
  }

  private static func columns(_ entries: [Key]) -> Parameters {
    var parameters = Users.keys(entries.map(\.user))
    var seqnos = Int64Column()
    for entry in entries { seqnos.append(entry.seqno) }
    parameters.append(seqnos)
    return parameters
  }

  private static func key(_ row: inout RowReader) -> Key {
    Key(user: Users.Key(app: row.int32(), userKey: row.userKey()), seqno: row.seqno())
  }
}
