internal import Domain
package import Postgres

/// The removal of erased persons from deliveries of older messages, from those to devices that no longer belong to
/// them, and from campaigns' blocks.
///
/// No index finds these deliveries: a device's row names only its present user, and the person's rows in `former_users`
/// are deleted at once. So erasures are stored, and while there are any, the nodes scan the deliveries of all messages,
/// a page at a time. All erasures share this scan; a new one joins the scan at its current position.
///
/// ```
///   requested ─► seen ─► settled ─────────────► joined at a position ─ one full scan ─► done
///                 │        └ no claim of then is at work       └ in progress: into `erasure_rests`, removed once ended
///                 └ no transaction is left that began before it was seen
/// ```
/// Before an erasure joins, every transaction that had read the person's key has ended, and what it claimed is stored
/// where the scan finds it, so one full scan is enough. Claims at which nothing works until their message is resumed or
/// cancelled (`Claims.restAside`) are not waited for: what they hold of the person goes into `erasure_rests` when the
/// erasure joins. A page, the new position and the completed erasures are written in one transaction, so a crash undoes
/// them together. A lock on the row with the position keeps two nodes from scanning at the same time. Messages created
/// after an erasure was settled are left alone, because the same CUID may be in use again. Deliveries that were in
/// progress before that are not sent to a person who registers with the CUID on the same device (`returned`).
package enum Erasures {
  package enum Limits {
    /// Maximum number of persons searched for at once; their keys must fit into a small table in the database's memory.
    package static let persons = 2_000
    /// Maximum number of rows of `erasure_rests` checked in one step.
    static let rests = 2_000
  }

  private static let addStatement = Statement(
    "erasures-add",
    """
    INSERT INTO erasures (app, user_key, upto_seqno)
    SELECT $1, $2, coalesce(max(seqno), 0) FROM messages
    -- Erased once more: all that began meanwhile is waited for anew.
    ON CONFLICT (app, user_key) DO UPDATE SET upto_seqno = excluded.upto_seqno, asked_at = now(), seen_at = NULL,
      upto_claim = NULL, lap = NULL, from_seqno = NULL, from_device = NULL
    """)

  /// Records an erasure, in the transaction that erases everything else. If an earlier erasure of the same user is not
  /// completed, starts it again.
  static func add(_ user: Users.Key, on connection: Connection) throws(PostgresError) {
    _ = try connection.run(addStatement, Parameters(user.app, user.userKey.text))
  }

  // MARK: Steps

  /// The position of the scan: the delivery that was examined last.
  private struct Place {
    var lap: Int32
    var seqno: Seqno
    var device: UUIDValue

    var parameters: Parameters {
      return Parameters(lap, seqno, device)
    }
  }

  private static let placeStatement = Statement(
    "erasures-place",
    "SELECT lap, seqno, device FROM erasure_walk WHERE EXISTS (SELECT FROM erasures) FOR UPDATE SKIP LOCKED")

  private static let pageEndStatement = Statement(
    "erasures-page-end",
    """
    SELECT seqno, device FROM outcomes
    -- The first condition chooses partitions, which the second cannot.
    WHERE seqno >= $1 AND (seqno, device) > ($1, $2) AND seqno <= $3 ORDER BY seqno, device LIMIT 1 OFFSET $4
    """)

  private static let takeOutStatement = Statement(
    "erasures-take-out",
    """
    WITH hits AS MATERIALIZED (
      SELECT o.seqno, o.device, e.app, e.user_key
      FROM outcomes o
        JOIN erasures e ON e.user_key = o.user_key AND e.lap IS NOT NULL AND o.seqno <= e.upto_seqno
        JOIN messages m ON m.seqno = o.seqno AND m.app = e.app
      WHERE o.seqno >= $1 AND o.seqno <= $3 AND (o.seqno, o.device) > ($1, $2) AND (o.seqno, o.device) <= ($3, $4))
    , taken AS (
      UPDATE outcomes o SET user_key = 'g' || o.device FROM hits h
      WHERE o.seqno >= $1 AND o.seqno <= $3 AND o.seqno = h.seqno AND o.device = h.device AND o.user_key = h.user_key
        -- While it is under way the name says whose count it moves.
        AND o.status <> \(OutcomeStatus.deferred.sql)
      RETURNING o.seqno, o.device)
    INSERT INTO erasure_rests (seqno, device, app, user_key)
    SELECT h.seqno, h.device, h.app, h.user_key FROM hits h
    -- Not by its status: one that was given back a moment ago was seen as ended, and was not taken.
    WHERE NOT EXISTS (SELECT FROM taken t WHERE t.seqno = h.seqno AND t.device = h.device)
    ON CONFLICT DO NOTHING
    """)

  private static let moveStatement = Statement(
    "erasures-move", "UPDATE erasure_walk SET lap = $1, seqno = $2, device = $3")

  private static let doneStatement = Statement(
    "erasures-done",
    """
    WITH done AS (
      DELETE FROM erasures WHERE (lap + 1, from_seqno, from_device) <= ($1, $2, $3)
      RETURNING app, user_key, upto_seqno)
    -- What was being claimed while the person was erased.
    , entries AS (
      DELETE FROM inbox_entries e USING done d
      WHERE e.app = d.app AND e.user_key = d.user_key AND e.seqno <= d.upto_seqno)
    SELECT app, user_key FROM done
    """)

  /// Removes the persons who have joined the scan from the next `deliveries` deliveries with rows and from some blocks;
  /// leaves deliveries in progress to `takeOutRests`. Completes the erasures whose full scan has ended, removes the
  /// persons' inbox entries that were written meanwhile, and leaves it to `RecipientEvents.forgetNext` to remove them
  /// from events that were written meanwhile. Call this within a transaction.
  /// - Returns: false if nothing was scanned, because no erasure has joined the scan yet or another node is scanning;
  ///   true if another step can be useful.
  package static func step(deliveries: Int, on connection: Connection) throws(PostgresError) -> Bool {
    let rows = try connection.run(placeStatement)
    guard var place = rows.decodeFirst({ Place(lap: $0.int32(), seqno: $0.seqno(), device: $0.uuid()) }) else {
      return false
    }
    guard let end = try welcome(at: place, on: connection) else { return false }
    var range = Parameters()
    range.append(place.seqno)
    range.append(place.device)
    var page = range
    page.append(end)
    page.append(Int64(deliveries - 1))
    let last = try connection.run(pageEndStatement, page)
    let pageEnd: (seqno: Seqno, device: UUIDValue)? =
      last.decodeFirst { (seqno: $0.seqno(), device: $0.uuid()) }
    // A message's blocks are searched when the scan leaves the message.
    let blocks = try BlockErasure.next(
      from: place.seqno, upto: pageEnd.map { $0.seqno.previous } ?? end, on: connection)
    if let rest = blocks.rest {
      // There are more blocks than fit into one step, so the scan continues at the first message whose blocks were not
      // searched.
      (place.seqno, place.device) = (rest, UUIDValue(high: 0, low: 0))
      range.append(place.seqno)
      range.append(place.device)
    } else if let pageEnd {
      (place.seqno, place.device) = pageEnd
      range.append(place.seqno)
      range.append(place.device)
    } else {
      // Less than a full page is left: this scan is complete, and the next one begins.
      range.append(end)
      range.append(UUIDValue(high: .max, low: .max))
      place = Place(lap: place.lap + 1, seqno: .zero, device: UUIDValue(high: 0, low: 0))
    }
    _ = try connection.run(takeOutStatement, range)
    try BlockErasure.takeOut(of: blocks.messages, on: connection)
    _ = try connection.run(moveStatement, place.parameters)
    let done = try connection.run(doneStatement, place.parameters)
    // Confirmations that were being folded meanwhile named the person once more.
    let people = done.decode { Users.Key(app: $0.int32(), userKey: $0.userKey()) }
    if !people.isEmpty { try connection.run(RecipientEvents.forgetLater(people)) }
    return true
  }

  // MARK: Joining

  private static let seeStatement = Statement(
    "erasures-see", "UPDATE erasures SET seen_at = clock_timestamp() WHERE seen_at IS NULL")

  private static let oldestStatement = Statement(
    "erasures-oldest-transaction",
    """
    SELECT CASE WHEN count(*) > 0 THEN greatest(min(xact_start), now() - interval '10 minutes') END FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
      -- Only programs of ours write names. A backup or a forgotten session that reads for hours writes none, and none
      -- of our own is open for so long: the server ends those whose machine has gone.
      AND application_name LIKE 'upmc%' AND xact_start IS NOT NULL
    """)

  private static let settleStatement = Statement(
    "erasures-settle",
    """
    UPDATE erasures SET
      -- Numbers, not rows: they are taken before anything is committed.
      upto_claim = (SELECT coalesce(max(last_value), 0) FROM pg_sequences
        WHERE schemaname = 'public' AND sequencename = 'claims_claim_seq'),
      upto_seqno = greatest(upto_seqno, (SELECT max(last_value) FROM pg_sequences
        WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq'))
    WHERE upto_claim IS NULL AND seen_at < coalesce($1::timestamptz, 'infinity')
    """)

  private static let joinStatement = Statement(
    "erasures-join",
    """
    UPDATE erasures SET lap = $1, from_seqno = $2, from_device = $3
    WHERE (app, user_key) IN (
      SELECT e.app, e.user_key FROM erasures e
      WHERE e.lap IS NULL AND e.upto_claim IS NOT NULL
        -- Whoever holds one of these has not written all outcomes yet. Looked for once, however many join.
        AND e.upto_claim < coalesce((
          SELECT c.claim FROM claims c LEFT JOIN messages m ON m.seqno = c.seqno
          WHERE NOT \(Claims.restAside) ORDER BY c.claim LIMIT 1), 9223372036854775807)
      ORDER BY e.asked_at LIMIT (SELECT greatest(0, $4 - count(*)) FROM erasures WHERE lap IS NOT NULL))
      -- Not one that was asked for anew while we waited for its row.
      AND lap IS NULL AND upto_claim IS NOT NULL
    """)

  private static let addRestsStatement = Statement(
    "erasures-add-rests",
    """
    INSERT INTO erasure_rests (seqno, device, app, user_key)
    SELECT c.seqno, k.device, e.app, e.user_key
    FROM claims c JOIN messages m ON m.seqno = c.seqno
      CROSS JOIN LATERAL unnest(c.devices, c.user_keys) AS k(device, user_key)
      JOIN erasures e ON e.app = m.app AND e.user_key = k.user_key AND c.claim <= e.upto_claim
    -- Any claim of that time: its message may have been resumed a moment ago.
    WHERE c.claim <= (SELECT max(upto_claim) FROM erasures WHERE lap = $1 AND from_seqno = $2 AND from_device = $3)
      AND e.lap = $1 AND e.from_seqno = $2 AND e.from_device = $3
    ORDER BY c.seqno, k.device ON CONFLICT DO NOTHING
    """)

  private static let endStatement = Statement(
    "erasures-end", "SELECT max(upto_seqno) FROM erasures WHERE lap IS NOT NULL")

  /// Advances the erasures that have not joined the scan. Those that are ready join at `place`, oldest first, until
  /// `Limits.persons` are in the scan. Returns the highest SEQNO that the scan must reach; nil if none has joined.
  private static func welcome(at place: Place, on connection: Connection) throws(PostgresError) -> Seqno? {
    _ = try connection.run(seeStatement)
    // Read after erasures were marked as seen, so that every transaction that began earlier is waited for.
    let oldest = try connection.run(oldestStatement).decodeOne { $0.optionalTimestamp() }
    _ = try connection.run(settleStatement, Parameters(oldest))
    var joining = place.parameters
    joining.append(Int64(Limits.persons))
    if try connection.run(joinStatement, joining).affected > 0 {
      _ = try connection.run(addRestsStatement, place.parameters)
    }
    return try connection.run(endStatement).decodeOne { $0.optionalSeqno() }
  }

  // MARK: Deliveries in progress during the scan

  /// SQL that selects and locks at most `$1` rows of `erasure_rests` that have not been checked for a minute.
  static let dueRests = """
    SELECT seqno, device, user_key FROM erasure_rests WHERE looked_at < clock_timestamp() - interval '1 minute'
    ORDER BY looked_at LIMIT $1 FOR UPDATE SKIP LOCKED
    """

  private static let restsStatement = Statement(
    "erasures-rests",
    """
    WITH part AS MATERIALIZED (
      \(dueRests))
    , found AS MATERIALIZED (
      SELECT p.* FROM part p JOIN outcomes o ON o.seqno = p.seqno AND o.device = p.device AND o.user_key = p.user_key)
    -- Their outcomes may be still to come. Each claim is read once.
    , claimed AS MATERIALIZED (
      SELECT c.seqno, k.device FROM claims c CROSS JOIN LATERAL unnest(c.devices, c.user_keys) AS k(device, user_key)
      WHERE c.seqno = ANY(ARRAY(SELECT seqno FROM part))
        AND (c.seqno, k.device, k.user_key) IN (SELECT seqno, device, user_key FROM part))
    , taken AS (
      UPDATE outcomes o SET user_key = 'g' || o.device FROM found f
      WHERE o.seqno = f.seqno AND o.device = f.device AND o.user_key = f.user_key
        AND o.status <> \(OutcomeStatus.deferred.sql)
      RETURNING o.seqno, o.device)
    , waiting AS (
      UPDATE erasure_rests r SET looked_at = clock_timestamp() FROM (
        SELECT f.seqno, f.device FROM found f
        WHERE NOT EXISTS (SELECT FROM taken t WHERE t.seqno = f.seqno AND t.device = f.device)
        UNION SELECT seqno, device FROM claimed) w
      WHERE r.seqno = w.seqno AND r.device = w.device
      RETURNING r.seqno, r.device)
    -- Also those whose history is gone.
    DELETE FROM erasure_rests r USING part p
    WHERE r.seqno = p.seqno AND r.device = p.device
      AND NOT EXISTS (SELECT FROM waiting w WHERE w.seqno = p.seqno AND w.device = p.device)
    """)

  /// Removes persons from deliveries that were in progress when the scan passed them and have ended since. Checks at
  /// most `Limits.rests` deliveries, and each no more than once a minute. Call this within a transaction. Returns the
  /// number of deliveries that need no further check.
  package static func takeOutRests(on connection: Connection) throws(PostgresError) -> Int {
    var parameters = Parameters()
    parameters.append(Limits.rests)
    // Blocks first: this postpones deliveries in progress that are stored in blocks. Otherwise the statement for rows
    // would treat them as ended, because they have no row.
    try BlockErasure.takeOutRests(atMost: Limits.rests, on: connection)
    return try connection.run(restsStatement, parameters).affected
  }
}
