package import Domain
internal import Postgres
package import Time

/// Users whose other devices must still be sent the new badge count: one row per user. A row is written in the
/// transaction that changes the count, under the user's lock. It stays until every push for it has a result, or until
/// it is deleted because claiming or sending it fails.
package enum BadgeSyncs {
  private static let queueStatement = Statement(
    "badge-syncs-queue",
    """
    INSERT INTO badge_syncs (app, user_key, device, generation, due_at)
    -- From anywhere: a late answer about a row that is gone must not delete the one that came after it.
    SELECT app, user_key, device, (random() * 1000000000)::integer, $4
    FROM unnest($1, $2, $3) AS t(app, user_key, device)
    ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET generation = badge_syncs.generation + 1, attempts = 0,
      -- Moved from two devices: neither knows the sum.
      device = CASE WHEN badge_syncs.device = excluded.device THEN excluded.device END,
      -- What waits for its first try keeps its time, however often the count moves: so nobody waits for ever.
      due_at = CASE WHEN badge_syncs.attempts = 0 THEN badge_syncs.due_at ELSE excluded.due_at END
    """)

  /// Queues a sync of each user's devices except `device`, which already knows the count; nil includes all devices. If
  /// a sync of the user is queued already, the two become one: its tries count from 0, and it includes all devices
  /// unless both exclude the same one. The sync queued first keeps its due time if it has not been tried yet; otherwise
  /// `dueAt` applies. No user may occur twice.
  package static func queue(_ changes: [(user: Users.Key, device: DeviceID?)], dueAt: Timestamp) -> Query<Void> {
    var parameters = Users.keys(changes.map(\.user))
    var devices = UUIDColumn()
    for change in changes {
      if let device = change.device { devices.append(device) } else { devices.append(nil as UUIDValue?) }
    }
    parameters.append(devices)
    parameters.append(dueAt)
    return Query(queueStatement, parameters) { _ in }
  }

  package struct Due: Sendable {
    package let user: Users.Key
    package let device: DeviceID?
    package let generation: Int32
    /// Number of tries, including this one.
    package let attempts: Int16
  }

  private static let takeStatement = Statement(
    "badge-syncs-take",
    """
    UPDATE badge_syncs b SET attempts = b.attempts + 1, due_at = $2
    FROM (
      SELECT app, user_key FROM badge_syncs WHERE due_at <= $1
        AND ($4::integer IS NULL OR app = $4 AND user_key = $5)
      ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED) due
    WHERE b.app = due.app AND b.user_key = due.user_key
    RETURNING b.app, b.user_key, b.device, b.generation, b.attempts
    """)

  /// Returns at most `limit` syncs that are due, preferring those due longest, counts a try for each, and postpones
  /// them to `again`: syncs that are not done by then are returned again. Skips locked rows.
  /// - Parameter user: the only user whose sync may be returned; nil for any.
  package static func take(
    only user: Users.Key? = nil, at now: Timestamp, again: Timestamp, limit: Int
  ) -> Query<[Due]> {
    Query(each: takeStatement, now, again, limit, user?.app, user?.userKey.text) { row in
      Due(
        user: Users.Key(app: row.int32(), userKey: row.userKey()),
        device: row.optionalDevice(), generation: row.int32(),
        attempts: row.int16())
    }
  }

  private static let devicesStatement = Statement(
    "badge-syncs-devices",
    """
    SELECT \(Audiences.memberColumns), d.app FROM unnest($1, $2) AS t(app, user_key)
    CROSS JOIN LATERAL (
      SELECT * FROM devices WHERE devices.app = t.app AND devices.user_key = t.user_key
        AND devices.state = \(Devices.State.active.sql)
      ORDER BY devices.device LIMIT $3) d
    ORDER BY d.user_key, d.device
    """)

  /// Returns at most `limit` active devices of each user, those with the lowest ids, in order of id. The users must be
  /// distinct; those without active devices are omitted.
  package static func devices(
    of users: some Collection<Users.Key>, atMost limit: Int
  ) -> Query<[Users.Key: [Audiences.Member]]> {
    var parameters = Users.keys(users)
    parameters.append(limit)
    return Query(devicesStatement, parameters, read: Audiences.membersByUser)
  }

  private static let lockStatement = Statement(
    "badge-syncs-lock",
    "SELECT app, user_key FROM badge_syncs WHERE due_at <= $1 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED")

  /// Locks the longest due sync that is not locked, and returns its user; nil if there is none.
  package static func lock(at now: Timestamp) -> Query<Users.Key?> {
    Query(first: lockStatement, now) { Users.Key(app: $0.int32(), userKey: $0.userKey()) }
  }

  private static let dropStatement = Statement(
    "badge-syncs-drop",
    """
    DELETE FROM badge_syncs WHERE (app, user_key) IN (
      SELECT app, user_key FROM badge_syncs WHERE app = $1 AND user_key = $2 AND due_at <= $3 FOR UPDATE SKIP LOCKED)
    RETURNING app
    """)

  /// Deletes a user's due sync, because claiming it fails. The user's devices then receive the count only with their
  /// next message. Returns false, changing nothing, if it is done or no longer due, or locked by somebody else.
  package static func drop(_ user: Users.Key, at now: Timestamp) -> Query<Bool> {
    Query(dropStatement, user.app, user.userKey.text, now) { $0.count == 1 }
  }

  private static let doneStatement = Statement(
    "badge-syncs-done",
    """
    DELETE FROM badge_syncs WHERE (app, user_key) IN (
      SELECT b.app, b.user_key FROM unnest($1, $2, $3) AS t(app, user_key, generation)
      JOIN badge_syncs b ON b.app = t.app AND b.user_key = t.user_key
      -- A count that moved meanwhile has still to be told.
      AND b.generation = t.generation
      ORDER BY b.app, b.user_key COLLATE "C" FOR UPDATE OF b)
    """)

  /// Deletes syncs whose pushes have all ended, or that cannot be sent, except those that were queued again meanwhile.
  package static func done(_ syncs: [Due]) -> Query<Void> {
    Query(doneStatement, keys(syncs)) { _ in }
  }

  private static let postponeStatement = Statement(
    "badge-syncs-postpone",
    """
    UPDATE badge_syncs SET attempts = attempts - 1, due_at = $4 WHERE (app, user_key) IN (
      SELECT b.app, b.user_key FROM unnest($1, $2, $3) AS t(app, user_key, generation)
      JOIN badge_syncs b ON b.app = t.app AND b.user_key = t.user_key AND b.generation = t.generation
      ORDER BY b.app, b.user_key COLLATE "C" FOR UPDATE OF b)
    """)

  /// Postpones syncs that `take` has returned but that were not tried, because their app is paused, and takes back the
  /// try that `take` counted. Ignores a sync that was queued again meanwhile.
  package static func postpone(_ syncs: [Due], until time: Timestamp) -> Query<Void> {
    var parameters = keys(syncs)
    parameters.append(time)
    return Query(postponeStatement, parameters) { _ in }
  }

  private static func keys(_ syncs: [Due]) -> Parameters {
    var parameters = Users.keys(syncs.map(\.user))
    var generations = Int32Column()
    for sync in syncs { generations.append(sync.generation) }
    parameters.append(generations)
    return parameters
  }
}
