package import Domain
package import Postgres
package import Time

/// Claims: sets of devices whose deliveries of one message are in progress on one node. A claim exists until each of
/// its deliveries has an outcome or is deferred.
///
/// **Fencing.** A node that was frozen for longer than its lease still treats its claims as its own. Adopting a claim
/// increments the claim's fence, so a claim is identified by number *and* fence (`Hold`). Before a node writes an
/// outcome, it checks that it still holds the claim; only a push network's acceptance, or a rejection that cannot be
/// undone, is written without that check. Decisions 002 and 057.
package enum Claims {
  /// A claim as known to one of its holders.
  package struct Hold: Hashable, Sendable {
    package let claim: ClaimID
    /// 0 for a new claim; incremented whenever a node adopts or releases the claim. From then on, holds with a lower
    /// fence have no effect.
    package let fence: Int32

    package init(claim: ClaimID, fence: Int32 = 0) {
      self.claim = claim
      self.fence = fence
    }
  }

  package struct Entry: Sendable {
    package let device: DeviceID
    package let userKey: UserKey
    /// Number of tries so far, and whether one of them may have arrived without our knowing.
    package let attempts: Tries
    /// The delivery's block and its position there; nil if the claim lists its own devices.
    package let place: BlockPlace?
    /// Why the delivery was deferred before, if it was taken up by `GatedDeliveries`; otherwise nil.
    package var deferredFor: String?

    package init(
      device: DeviceID, userKey: UserKey, attempts: Tries, place: BlockPlace? = nil, deferredFor: String? = nil
    ) {
      self.device = device
      self.userKey = userKey
      self.attempts = attempts
      self.place = place
      self.deferredFor = deferredFor
    }
  }

  /// SQL condition: node `$1` holds the claim.
  ///
  /// Written so that PostgreSQL cannot use the index on nodes for it, because claims are looked up by number or
  /// message. If all claims are finished but an old snapshot keeps their rows, PostgreSQL assumes that there are none,
  /// and might scan every claim that the node ever had.
  private static let areHeld = "node IS NOT DISTINCT FROM $1"

  private static let createStatement = Statement(
    "claims-create",
    "INSERT INTO claims (seqno, node, devices, user_keys) VALUES ($1, $2, $3, $4) RETURNING claim")

  package static func create(_ seqno: Seqno, node: UUIDValue, _ entries: [Entry]) -> Query<Hold> {
    var devices = UUIDColumn()
    var keys = TextColumn()
    for entry in entries {
      devices.append(entry.device)
      keys.append(entry.userKey.text)
    }
    return Query(one: createStatement, seqno, node, devices, keys) { Hold(claim: $0.claim()) }
  }

  private static let createSeveralStatement = Statement(
    "claims-create-several",
    """
    INSERT INTO claims (seqno, node, devices, user_keys)
    -- Both arrays are gathered from the same rows in one pass, so they pair without an order. Ordered ones would be
    -- sorted apart, twice for each message.
    SELECT seqno, $1, array_agg(device), array_agg(user_key)
    FROM unnest($2, $3, $4) AS t(seqno, device, user_key) GROUP BY seqno
    RETURNING seqno, claim
    """)

  /// Claims devices of several messages, with one claim per message. Returns the claims by SEQNO; messages without
  /// devices get none.
  package static func create(
    _ parts: [(seqno: Seqno, entries: [Entry])], node: UUIDValue
  ) -> Query<[Seqno: Hold]> {
    var (seqnos, devices, keys) = (Int64Column(), UUIDColumn(), TextColumn())
    for (seqno, entries) in parts {
      for entry in entries {
        seqnos.append(seqno)
        devices.append(entry.device)
        keys.append(entry.userKey.text)
      }
    }
    return Query(createSeveralStatement, node, seqnos, devices, keys) {
      $0.dictionary { row in
        (row.seqno(), Hold(claim: row.claim()))
      }
    }
  }

  private static let finishStatement = Statement(
    "claims-finish",
    """
    DELETE FROM claims WHERE claim = ANY($2) AND \(areHeld)
      AND (claim, fence) IN (SELECT claim, fence FROM unnest($2, $3) AS t(claim, fence))
    """)

  /// Deletes claims, all of whose devices must have an outcome or be deferred. Claims that the node no longer holds
  /// with this fence are not deleted.
  package static func finish(_ holds: some Collection<Hold>, node: UUIDValue) -> Query<Void> {
    Query(finishStatement, parameters(holds, node)) { _ in }
  }

  // MARK: Holders

  private static let heldStatement = Statement(
    "claims-held", "SELECT claim, fence FROM claims WHERE claim = ANY($2) AND \(areHeld)")

  /// Returns those of the claims that exist and that the node still holds with the same fence.
  package static func held(_ holds: Set<Hold>, node: UUIDValue) -> Query<Set<Hold>> {
    Query(heldStatement, parameters(holds, of: node)) { holds.intersection(self.holds($0)) }
  }

  private static let inOrder = "SELECT claim, fence FROM claims WHERE claim = ANY($2) AND \(areHeld) ORDER BY claim"

  private static let lockStatement = Statement(
    "claims-lock",
    """
    \(inOrder)
    -- Whoever takes over dead nodes' claims passes these by until what is written about them is committed.
    FOR SHARE
    """)

  private static let lockAloneStatement = Statement("claims-lock-alone", "\(inOrder) FOR UPDATE")

  /// Returns those of the claims that exist and that the node still holds with the same fence. Locks them with a shared
  /// lock, so that no node adopts or deletes them before the transaction ends.
  /// - Parameter alone: true to lock them exclusively, and so to wait for the end of every other transaction that has
  ///   locked them.
  package static func lock(_ holds: Set<Hold>, node: UUIDValue, alone: Bool = false) -> Query<Set<Hold>> {
    Query(alone ? lockAloneStatement : lockStatement, parameters(holds, of: node)) {
      holds.intersection(self.holds($0))
    }
  }

  private static let ofNodeStatement = Statement(
    "claims-of-node",
    """
    -- Found before anything is joined: a plan that hopes for the order of messages would walk over all claims.
    WITH c AS MATERIALIZED (SELECT claim, fence, seqno FROM claims WHERE node = $1 AND claim >= $2)
    SELECT c.claim, c.fence, m.lane FROM c LEFT JOIN messages m ON m.seqno = c.seqno
    """)

  /// Returns all claims of a node with numbers from `start` (inclusive), and the lanes of their messages; `normal` if a
  /// message does not exist.
  package static func ofNode(_ node: UUIDValue, from start: ClaimID = .zero) -> Query<[(hold: Hold, lane: Lane)]> {
    Query(each: ofNodeStatement, node, start) { (hold(&$0), $0.optionalInt16().flatMap(Lane.init) ?? .normal) }
  }

  private static let lastStatement = Statement("claims-last", "SELECT last_value FROM claims_claim_seq")

  /// Returns the last claim number assigned, even if its transaction was not committed; 1 if there was none.
  package static func last() -> Query<ClaimID> { Query(one: lastStatement) { $0.claim() } }

  private static func hold(_ row: inout RowReader) -> Hold {
    Hold(claim: row.claim(), fence: row.int32())
  }

  private static func holds(_ rows: Rows) -> Set<Hold> {
    Set(rows.decode(hold))
  }

  private static func parameters(_ holds: some Collection<Hold>, of node: UUIDValue) -> Parameters {
    var claims = Int64Column()
    for hold in holds { claims.append(hold.claim) }
    return Parameters(node, claims)
  }

  private static func parameters(_ holds: some Collection<Hold>, _ node: UUIDValue) -> Parameters {
    var (claims, fences) = (Int64Column(), Int32Column())
    for hold in holds {
      claims.append(hold.claim)
      fences.append(hold.fence)
    }
    return Parameters(node, claims, fences)
  }

  // MARK: Adopting

  private static let adoptStatement = Statement(
    "claims-adopt",
    """
    WITH known AS (
      SELECT node,
        -- The database's clock decides, for its word is the same for every node.
        alive_until < now() AND left_nothing_at IS NULL AS is_dead FROM nodes
      UNION ALL
      -- The node that does not exist: what was given up.
      SELECT '00000000-0000-0000-0000-000000000000', true
    ), strangers AS (
      -- Holders that no row tells of, one between any two that are known: the claims of those who are alive are never
      -- walked over, however many of them are done and not removed yet.
      SELECT (SELECT c.node FROM claims c WHERE c.node > k.node AND c.node < k.next ORDER BY c.node LIMIT 1) AS node
      FROM (SELECT node, lead(node, 1, 'ffffffff-ffff-ffff-ffff-ffffffffffff') OVER (ORDER BY node) AS next
        FROM (SELECT DISTINCT node FROM known) d) k
    ), dead AS (
      SELECT node FROM known WHERE is_dead UNION ALL SELECT node FROM strangers WHERE node IS NOT NULL
    ), found AS (
      SELECT c.claim, c.devices FROM (SELECT DISTINCT node FROM dead) d CROSS JOIN LATERAL (
        -- One holder after the other, so that its own claims are all that is walked over: where all claims are done,
        -- and a snapshot keeps them, PostgreSQL believes that there are none, and takes any index for as good as
        -- another.
        SELECT c.claim, coalesce(c.devices_count, cardinality(c.devices)) AS devices
        FROM claims c LEFT JOIN messages m ON m.seqno = c.seqno
        WHERE c.node = d.node AND coalesce(m.lane, 1) = ANY($2) AND ($5::bigint IS NULL OR c.seqno = $5)
          -- Nobody could do anything with those of a message that cannot be read: they wait until it is resumed.
          AND \(Controls.isSetAside) IS NOT TRUE
        ORDER BY c.claim LIMIT $3 FOR UPDATE OF c SKIP LOCKED) c
      LIMIT $3
    ), counted AS (
      SELECT claim, sum(devices) OVER (ORDER BY claim) - devices AS before FROM found
    )
    UPDATE claims SET node = $1, fence = fence + 1
    -- As many as make one batch, but one at least.
    WHERE claim = ANY(ARRAY(SELECT claim FROM counted WHERE before < $4))
    RETURNING claim, fence, seqno
    """)

  /// Adopts released claims, and claims of nodes whose lease has ended or that are not recorded, of messages in
  /// `lanes`; a message that does not exist counts as `normal`. Increments the fences and returns the new holds. Skips
  /// claims of messages that were set aside, and those that another transaction has locked.
  /// - Parameters:
  ///   - claims: maximum number of claims.
  ///   - devices: number of devices after which no further claim is adopted; the first claim is adopted whatever its
  ///     size.
  ///   - seqno: only claims of this message; nil for those of all.
  package static func adopt(
    node: UUIDValue, lanes: [Lane], claims: Int, devices: Int, of seqno: Seqno? = nil
  ) -> Query<[(hold: Hold, seqno: Seqno)]> {
    Query(each: adoptStatement, node, Int16Column(lanes), claims, devices, seqno) { (hold(&$0), $0.seqno()) }
  }

  /// SQL condition: nothing works at claim `c` of message `m`, nor will before an operator resumes or cancels the
  /// message: it was set aside, and whoever held the claim has been gone for a minute.
  static let restAside = """
    (\(Controls.isSetAside) IS TRUE AND NOT EXISTS (
      SELECT FROM nodes n WHERE n.node = c.node AND n.alive_until > now() - interval '1 minute'))
    """

  private static let messagesStatement = Statement(
    "claims-messages", "SELECT claim, seqno FROM claims WHERE claim = ANY($1)")

  /// Returns the SEQNO of each claim, whoever holds it now. Claims that do not exist are omitted.
  package static func messages(of holds: some Collection<Hold>) -> Query<[ClaimID: Seqno]> {
    var claims = Int64Column()
    for hold in holds { claims.append(hold.claim) }
    return Query(messagesStatement, claims) { $0.dictionary { row in (row.claim(), row.seqno()) } }
  }

  private static let unlaunchedStatement = Statement(
    "claims-unlaunched",
    """
    SELECT c.seqno, c.claim, c.fence, k.device, k.user_key
    FROM claims c CROSS JOIN LATERAL unnest(c.devices, c.user_keys) AS k(device, user_key)
    WHERE c.seqno = ANY($2) AND \(areHeld) AND c.fence = 0
    """)

  /// Returns, for each message, the claim that this node created and still holds, with its devices. Omits messages
  /// without such a claim, and those whose claim names a block. Each message must have at most one claim.
  package static func own(
    of seqnos: [Seqno], node: UUIDValue
  ) -> Query<[Seqno: (hold: Hold, devices: [DeviceID: UserKey])]> {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    return Query(unlaunchedStatement, node, column) { rows in
      var claims: [Seqno: (hold: Hold, devices: [DeviceID: UserKey])] = [:]
      rows.forEach { row in
        let seqno = row.seqno()
        let hold = hold(&row)
        let device = row.device()
        claims[seqno, default: (hold, [:])].devices[device] = row.userKey()
      }
      return claims
    }
  }

  private static let releaseStatement = Statement(
    "claims-release",
    """
    -- The node that does not exist: whoever is alive takes them over.
    UPDATE claims SET node = '00000000-0000-0000-0000-000000000000', fence = fence + 1
    WHERE claim = ANY($2) AND \(areHeld)
      AND (claim, fence) IN (SELECT claim, fence FROM unnest($2, $3) AS t(claim, fence))
    """)

  /// Releases claims, so that any node can adopt them. Claims that the node no longer holds with this fence are not
  /// affected.
  package static func release(_ holds: some Collection<Hold>, node: UUIDValue) -> Query<Void> {
    Query(releaseStatement, parameters(holds, node)) { _ in }
  }

  private static let undecidedStatement = Statement(
    "claims-undecided",
    """
    -- Found before anything is joined: a plan that hopes for their order would walk over all claims.
    WITH c AS MATERIALIZED (SELECT claim, seqno, devices, user_keys FROM claims WHERE claim = ANY($1) AND block IS NULL)
    SELECT c.claim, k.device, k.user_key, coalesce(o.attempts, 0)::smallint
    FROM c CROSS JOIN LATERAL unnest(c.devices, c.user_keys) AS k(device, user_key)
    LEFT JOIN outcomes o ON o.seqno = c.seqno AND o.device = k.device
    -- No row: submitted perhaps, never answered. A deferred row without due time: the same, on a later try, unless a
    -- newer claim shows that it was taken up again. That is asked in this statement, because the newer claim may end
    -- before another one. All of the message's claims are read once, and only if there is such a row.
    WHERE o.device IS NULL OR o.status = \(OutcomeStatus.deferred.sql) AND o.due_at IS NULL
      AND (c.claim, k.device) NOT IN (
        SELECT claim, device FROM (
          SELECT a.claim, l.device, max(a.claim) OVER (PARTITION BY a.seqno, l.device) AS newest
          FROM claims a CROSS JOIN LATERAL unnest(a.devices) AS l(device) WHERE a.seqno IN (SELECT seqno FROM c)) t
        WHERE claim < newest)
    """)

  /// Returns, for each claim, the deliveries that have no outcome and are not waiting for a due time. Omits those that
  /// were deferred and are in progress in a newer claim, claims that have none left, and claims that do not exist.
  /// - Parameter inDoubt: true if each of these deliveries may have arrived, which is then noted in `attempts`; false
  ///   if the caller knows that nothing was submitted.
  package static func undecided(
    _ holds: some Collection<Hold>, inDoubt: Bool = true, on connection: Connection
  ) throws(PostgresError) -> [ClaimID: [Entry]] {
    var claims = Int64Column()
    for hold in holds { claims.append(hold.claim) }
    let rows = try connection.run(undecidedStatement, Parameters(claims))
    var entries: [ClaimID: [Entry]] = [:]
    rows.forEach { row in
      let claim = row.claim()
      let (device, userKey, attempts) = (row.device(), row.userKey(), Tries(stored: row.int16()))
      entries[claim, default: []].append(
        Entry(device: device, userKey: userKey, attempts: inDoubt ? attempts.inDoubt : attempts))
    }
    for (claim, contents) in try connection.run(Blocks.ofClaims(claims)) {
      let open = (0..<contents.recipients.count).filter { contents.states[$0] == .open }
      guard !open.isEmpty else { continue }
      entries[claim] = open.map { position in
        Entry(
          device: contents.recipients.device(position), userKey: contents.recipients.userKey(position),
          attempts: inDoubt ? (0 as Tries).inDoubt : 0,
          place: BlockPlace(block: contents.block, position: position))
      }
    }
    return entries
  }

  /// SQL condition: deferred delivery `w` is due, both at `$1` and by the database's clock; its message `m` is being
  /// sent in one of the lanes `$4`, is not late and has no pace; and the app `a` is not paused, unless the message has
  /// expired at `$1`.
  static let isDue = """
    -- By the database's clock too: it is what says when an hour opens, and what it closes would be taken in a circle.
    -- An index serves the first comparison, so no scan reads the rows that wait for the morning.
    w.due_at <= $1 AND w.due_at <= clock_timestamp() AND m.state = \(MessageState.sending.sql) AND m.lane = ANY($4)
      AND NOT \(LatenessCondition.isLate)
      -- What has expired meanwhile ends even while its app is paused.
      AND (a.paused_reason IS NULL OR m.expires_at <= $1)
      -- `GatedDeliveries` takes up the deliveries of a message with a pace, as the pace allows.
      AND (SELECT 1 FROM gates g WHERE g.seqno = m.seqno AND \(Gates.isPaced) LIMIT 1) IS NULL
    """

  private static let dueStatement = Statement(
    "claims-due",
    """
    UPDATE outcomes o SET due_at = NULL FROM (
      SELECT w.seqno, w.device FROM outcomes w JOIN messages m ON m.seqno = w.seqno JOIN apps a ON a.app = m.app
      WHERE w.status = \(OutcomeStatus.deferred.sql) AND w.due_at > $3 AND \(Claims.isDue)
      ORDER BY w.due_at LIMIT $2 FOR UPDATE OF w SKIP LOCKED) due
    WHERE o.seqno = due.seqno AND o.device = due.device
    RETURNING o.seqno, o.device, o.user_key, o.attempts
    """)

  /// Returns at most `limit` due deliveries that have rows, of messages that are being sent in `lanes`, are not late
  /// and have no pace. Chooses those due earliest, and returns them in any order. Removes their due times; the same
  /// transaction must claim them. Skips deliveries of paused apps until their messages expire, and those that another
  /// transaction has locked.
  /// - Parameter since: low-water mark: skips deliveries due at or before this time, because the apps or messages of
  ///   all of them are paused.
  package static func due(
    since: Timestamp, at now: Timestamp, lanes: [Lane], limit: Int
  ) -> Query<[(seqno: Seqno, entry: Entry)]> {
    Query(each: dueStatement, now, limit, since, Int16Column(lanes)) { row in
      (
        row.seqno(),
        Entry(device: row.device(), userKey: row.userKey(), attempts: Tries(stored: row.int16()))
      )
    }
  }
}

extension Int16Column {
  init(_ lanes: [Lane]) {
    self.init()
    for lane in lanes { append(lane.rawValue) }
  }
}
