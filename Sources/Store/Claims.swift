package import Domain
package import Postgres

/// Devices that are on their way: claimed, and their outcomes not all written.
package enum Claims {
  package struct Record: Sendable {
    package let claim: Int64
    package let seqno: Int64
    package let entries: [Entry]
  }

  package struct Entry: Sendable {
    package let device: DeviceID
    package let userKey: UserKey
    /// Tries before this claim.
    package let attempts: Int16

    package init(device: DeviceID, userKey: UserKey, attempts: Int16) {
      self.device = device
      self.userKey = userKey
      self.attempts = attempts
    }
  }

  private static let createStatement = Statement(
    "claims-create",
    "INSERT INTO claims (seqno, node, devices, user_keys) VALUES ($1, $2, $3, $4) RETURNING claim")

  package static func create(_ seqno: Int64, node: UUIDValue, _ entries: [Entry]) -> Query<Int64> {
    var devices = UUIDColumn()
    var keys = TextColumn()
    for entry in entries {
      devices.append(entry.device)
      keys.append(entry.userKey.text)
    }
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(uuid: node)
    parameters.append(uuids: devices)
    parameters.append(texts: keys)
    return Query(createStatement, parameters) { $0.int64(0, 0) }
  }

  private static let finishStatement = Statement(
    "claims-finish", "DELETE FROM claims WHERE claim = ANY($1) AND node = $2")

  /// All devices of these claims have an outcome. A claim that another node has taken over is left to it.
  package static func finish(_ claims: some Collection<Int64>, node: UUIDValue) -> Query<Void> {
    var column = Int64Column()
    for claim in claims { column.append(claim) }
    var parameters = Parameters()
    parameters.append(int64s: column)
    parameters.append(uuid: node)
    return Query(finishStatement, parameters) { _ in }
  }

  private static let adoptStatement = Statement(
    "claims-adopt",
    """
    UPDATE claims SET node = $1, fence = fence + 1 WHERE claim = (
      SELECT c.claim FROM claims c LEFT JOIN nodes n ON n.node = c.node
      -- The database's clock decides, for its word is the same for every node.
      WHERE n.node IS NULL OR n.alive_until < now()
      ORDER BY c.claim LIMIT 1 FOR UPDATE OF c SKIP LOCKED)
    RETURNING claim, seqno
    """)

  /// Takes over one claim of a node that is not alive any more; nil when there is none.
  package static func adopt(node: UUIDValue) -> Query<(claim: Int64, seqno: Int64)?> {
    var parameters = Parameters()
    parameters.append(uuid: node)
    return Query(adoptStatement, parameters) { $0.count == 1 ? ($0.int64(0, 0), $0.int64(0, 1)) : nil }
  }

  private static let ofNodeStatement = Statement("claims-of-node", "SELECT claim FROM claims WHERE node = $1")

  /// The claims of one node.
  package static func ofNode(_ node: UUIDValue) -> Query<[Int64]> {
    var parameters = Parameters()
    parameters.append(uuid: node)
    return Query(ofNodeStatement, parameters) { rows in rows.map { rows.int64($0, 0) } }
  }

  private static let releaseStatement = Statement(
    "claims-release",
    """
    -- The node that does not exist: whoever is alive takes them over.
    UPDATE claims SET node = '00000000-0000-0000-0000-000000000000', fence = fence + 1
    WHERE claim = ANY($1) AND node = $2
    """)

  /// Gives claims up, to be taken over like those of a dead node.
  package static func release(_ claims: some Collection<Int64>, node: UUIDValue) -> Query<Void> {
    var column = Int64Column()
    for claim in claims { column.append(claim) }
    var parameters = Parameters()
    parameters.append(int64s: column)
    parameters.append(uuid: node)
    return Query(releaseStatement, parameters) { _ in }
  }

  private static let undecidedStatement = Statement(
    "claims-undecided",
    """
    SELECT k.device, k.user_key, coalesce(o.attempts, 0)::smallint
    FROM claims c, unnest(c.devices, c.user_keys) AS k(device, user_key)
    LEFT JOIN outcomes o ON o.seqno = $2 AND o.device = k.device
    -- No row: submitted perhaps, never answered. A deferred row without due time: the same, on a later try.
    WHERE c.claim = $1 AND (o.device IS NULL OR o.status = 6 AND o.due_at IS NULL)
    """)

  /// The devices of a claim whose end is not known.
  package static func undecided(_ claim: Int64, seqno: Int64) -> Query<[Entry]> {
    var parameters = Parameters()
    parameters.append(claim)
    parameters.append(seqno)
    return Query(undecidedStatement, parameters) { rows in
      rows.map { Entry(device: rows.device($0, 0), userKey: rows.userKey($0, 1), attempts: rows.int16($0, 2)) }
    }
  }

  private static let dueStatement = Statement(
    "claims-due",
    """
    UPDATE outcomes o SET due_at = NULL FROM (
      SELECT o.seqno, o.device FROM outcomes o JOIN messages m ON m.seqno = o.seqno JOIN apps a ON a.app = m.app
      WHERE o.status = 6 AND o.due_at <= $1 AND m.state = 2
        -- What has expired meanwhile ends even while its app is paused.
        AND (a.paused_reason IS NULL OR m.expires_at <= $1)
      ORDER BY o.due_at LIMIT $2 FOR UPDATE OF o SKIP LOCKED) due
    WHERE o.seqno = due.seqno AND o.device = due.device
    RETURNING o.seqno, o.device, o.user_key, o.attempts
    """)

  /// Takes deferred deliveries whose time has come, within a transaction that also claims them.
  package static func due(at now: Int64, limit: Int) -> Query<[(seqno: Int64, entry: Entry)]> {
    var parameters = Parameters()
    parameters.append(timestampMicroseconds: now)
    parameters.append(limit)
    return Query(dueStatement, parameters) { rows in
      rows.map { row in
        (
          rows.int64(row, 0),
          Entry(device: rows.device(row, 1), userKey: rows.userKey(row, 2), attempts: rows.int16(row, 3))
        )
      }
    }
  }
}
