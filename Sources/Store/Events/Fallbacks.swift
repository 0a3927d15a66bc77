package import Domain
internal import Postgres
package import Time

/// SMS fallbacks: one row for each message with a fallback and each user in its audience, except guests and users whose
/// consents do not allow the message.
///
/// ```
///   claimed ──► waits ──┬─ confirmed, before the deadline's transaction locks the row ─► confirmed
///                       ├─ the deadline comes first ─► requested, event in the same commit ─► (late receipt recorded)
///                       │                              (first waits for its push's pace; an ad's, for the morning too)
///                       └─ its message was cancelled or deleted, or a backup restored ─► called off
/// ```
/// The first transaction to lock the row decides; the other one sees the decision. The deadline's transaction skips
/// locked rows, so it never waits while it holds locks. A confirmation's transaction waits for locked rows. It locks
/// them in key order, after receipts and totals and before ledger and users.
///
/// Decision 045.
package enum Fallbacks {
  package struct Key: Hashable, Sendable {
    package let seqno: Seqno
    package let userKey: UserKey

    package init(seqno: Seqno, userKey: UserKey) {
      self.seqno = seqno
      self.userKey = userKey
    }
  }

  // MARK: Creation

  package struct New: Sendable {
    package let key: Key
    package let app: App.Number
    package let afterSeconds: Int64

    package init(_ key: Key, app: App.Number, afterSeconds: Int64) {
      self.key = key
      self.app = app
      self.afterSeconds = afterSeconds
    }
  }

  /// Returns the fallbacks to create for members of an audience; empty if `fallback` is nil. A user has one fallback if
  /// the consents of at least one of their devices allow the message. That includes users whose devices cannot be
  /// reached for another reason (quarantined, user not proved), because that is the purpose of a fallback. Guests have
  /// none, because they have no CUID.
  package static func wanted(
    by fallback: Fallback?, of kind: MessageKind, _ seqno: Seqno, app: App.Number, among members: [Audiences.Member]
  ) -> [New] {
    guard let fallback else { return [] }
    let users = Set(members.lazy.filter { !$0.userKey.isGuest && $0.mayGet(kind) }.map(\.userKey))
    return users.map { New(Key(seqno: seqno, userKey: $0), app: app, afterSeconds: fallback.afterSeconds) }
  }

  private static let createStatement = Statement(
    "fallbacks-create",
    """
    INSERT INTO fallbacks (seqno, user_key, app, due_at)
    SELECT t.seqno, t.user_key, t.app, clock_timestamp() + make_interval(secs => t.seconds)
    FROM unnest($1, $2, $3, $4::bigint[]) AS t(seqno, user_key, app, seconds)
    -- One that is there (a device in another time zone came first) is not waited for, though it may just be decided.
    WHERE NOT EXISTS (SELECT FROM fallbacks f WHERE f.seqno = t.seqno AND f.user_key = t.user_key)
    ORDER BY t.seqno, t.user_key COLLATE "C"
    ON CONFLICT DO NOTHING
    """)

  /// Creates fallbacks in the transaction that claims the message, before anything is sent. The time until the deadline
  /// counts from now, by the database's clock. A user who already has a fallback for the message keeps it.
  package static func create(_ fallbacks: some Collection<New>) -> Query<Void> {
    var (seqnos, keys, apps, seconds) = (Int64Column(), TextColumn(), Int32Column(), Int64Column())
    for fallback in fallbacks {
      seqnos.append(fallback.key.seqno)
      keys.append(fallback.key.userKey.text)
      apps.append(fallback.app)
      seconds.append(fallback.afterSeconds)
    }
    return Query(createStatement, seqnos, keys, apps, seconds) { _ in }
  }

  private static let postponeStatement = Statement(
    "fallbacks-postpone",
    """
    UPDATE fallbacks f SET due_at = greatest(f.due_at, l.due_at) FROM (
      SELECT f.seqno, f.user_key, t.due_at FROM unnest($1, $2, $3) AS t(seqno, user_key, due_at)
      JOIN fallbacks f ON f.seqno = t.seqno AND f.user_key = t.user_key
      -- A locked row is being decided.
      WHERE f.decision IS NULL FOR UPDATE OF f SKIP LOCKED) l
    WHERE f.seqno = l.seqno AND f.user_key = l.user_key
    """)

  /// Moves the deadlines of pending fallbacks to the given times, because their pushes were deferred to permitted
  /// hours. Deadlines that are later already do not change. Skips locked rows, which are being decided.
  package static func postpone(_ dues: [Key: Timestamp]) -> Query<Void> {
    Query(postponeStatement, columns(dues)) { _ in }
  }

  private static let restartStatement = Statement(
    "fallbacks-restart",
    """
    UPDATE fallbacks f SET due_at = l.due_at FROM (
      SELECT f.seqno, f.user_key, t.due_at FROM unnest($1, $2, $3) AS t(seqno, user_key, due_at)
      JOIN fallbacks f ON f.seqno = t.seqno AND f.user_key = t.user_key
      -- A locked row is being decided.
      WHERE f.decision IS NULL FOR UPDATE OF f SKIP LOCKED) l
    WHERE f.seqno = l.seqno AND f.user_key = l.user_key
    """)

  /// Sets the deadlines of pending fallbacks to the given times, because their pushes waited for the message's pace and
  /// are sent now. Skips locked rows, which are being decided.
  package static func restart(_ dues: [Key: Timestamp]) -> Query<Void> {
    Query(restartStatement, columns(dues)) { _ in }
  }

  private static func columns(_ dues: [Key: Timestamp]) -> Parameters {
    var times = TimestampColumn()
    var (seqnos, keys) = (Int64Column(), TextColumn())
    for (key, dueAt) in dues {
      seqnos.append(key.seqno)
      keys.append(key.userKey.text)
      times.append(dueAt)
    }
    return Parameters(seqnos, keys, times)
  }

  // MARK: Confirmation

  private static let confirmStatement = Statement(
    "fallbacks-confirm",
    """
    WITH locked AS (
      SELECT f.seqno, f.user_key FROM unnest($1, $2) AS t(seqno, user_key)
      JOIN fallbacks f ON f.seqno = t.seqno AND f.user_key = t.user_key
      WHERE f.decision IS NULL OR f.decision = 2 AND f.late_at IS NULL
      ORDER BY f.seqno, f.user_key FOR UPDATE OF f)
    UPDATE fallbacks f SET decision = coalesce(f.decision, 1), decided_at = coalesce(f.decided_at, $3),
      -- The short message has been asked for already: that is not taken back, it is known.
      late_at = CASE WHEN f.decision = 2 THEN $3 END
    FROM locked l WHERE f.seqno = l.seqno AND f.user_key = l.user_key
    """)

  /// Records confirmations, in the transaction that stores the receipts: a pending fallback becomes `confirmed`; if the
  /// SMS has already been requested, stores the time of the first late confirmation. Ignores other fallbacks, and keys
  /// without one. Waits for locked rows.
  package static func confirm(_ confirmed: some Collection<Key>, at now: Timestamp) -> Query<Void> {
    var (seqnos, keys) = (Int64Column(), TextColumn())
    for key in confirmed {
      seqnos.append(key.seqno)
      keys.append(key.userKey.text)
    }
    return Query(confirmStatement, seqnos, keys, now) { _ in }
  }

  // MARK: Deadline

  package enum Decision: Int16, Sendable {
    case confirmed = 1
    case asked = 2
    case calledOff = 3

    package var name: String {
      switch self {
      case .confirmed: "confirmed"
      case .asked: "sms-requested"
      case .calledOff: "called-off"
      }
    }
  }

  package struct Due: Sendable {
    package let key: Key
    package let app: App.Number
    /// The user's name; empty if it is not known.
    package let clientName: String
    /// The decision; nil if the fallback keeps waiting: the message is paused, the message is an ad and it is night for
    /// the user, or the user's push waits for the message's pace.
    package let decision: Decision?
    /// The end of the night, if an ad's SMS waits for it; an hour from now, if the push waits for the pace: the
    /// deadline starts again when the push is sent (`restart`). Nil if the fallback waits for neither.
    package let waitsUntil: Timestamp?
  }

  private static let dueStatement = Statement(
    "fallbacks-due",
    """
    WITH due AS MATERIALIZED (
      SELECT f.seqno, f.user_key, f.app, f.due_at FROM fallbacks f
      WHERE f.decision IS NULL AND f.due_at <= clock_timestamp()
      ORDER BY f.due_at LIMIT $1
      -- What is locked is being confirmed.
      FOR UPDATE OF f SKIP LOCKED
    ), told AS MATERIALIZED (
      -- A request may be long: it is read once for each message, and not for each person.
      SELECT o.* FROM (SELECT DISTINCT seqno FROM due) d CROSS JOIN LATERAL (
        SELECT m.seqno, m.state, m.cancelled_at, m.request->>'kind' = 'ad' AS is_ad,
          EXISTS (SELECT FROM gates g WHERE g.seqno = m.seqno AND g.pace_devices IS NOT NULL)
            AND (EXISTS (SELECT FROM waits w WHERE w.seqno = m.seqno) OR EXISTS (
              SELECT FROM outcomes o WHERE o.seqno = m.seqno AND o.status = \(OutcomeStatus.deferred.sql))) AS is_paced
        FROM messages m WHERE m.seqno = d.seqno OFFSET 0) o
    )
    SELECT f.seqno, f.user_key, f.app, coalesce(u.name, ''),
      CASE WHEN m.seqno IS NULL
        OR m.cancelled_at IS NOT NULL THEN 3
        WHEN m.state = \(MessageState.paused.sql) OR n.ends_at IS NOT NULL OR p.waits THEN 0 ELSE 2 END,
      coalesce(n.ends_at, CASE WHEN p.waits THEN clock_timestamp() + interval '1 hour' END)
    FROM due f LEFT JOIN told m ON m.seqno = f.seqno
      LEFT JOIN users u ON u.app = f.app AND u.user_key = f.user_key
      -- As pushes do: by the clock of the devices that agreed to ads, or of the app where none is left.
      LEFT JOIN LATERAL (
        SELECT CASE WHEN bool_or(d.consent_night_ad) THEN NULL
          WHEN count(d.device) = 0
          THEN window_opens_at(clock_timestamp(), \(TimeZones.ofApp), a.ad_night_to, a.ad_night_from)
          ELSE max(window_opens_at(clock_timestamp(), zone_or(d.time_zone, \(TimeZones.ofApp)), a.ad_night_to,
            a.ad_night_from)) END AS ends_at
        FROM apps a LEFT JOIN devices d ON d.app = a.app AND d.user_key = f.user_key
          AND d.state = \(Devices.State.active.sql) AND d.consent_ad AND d.consent_notification IS NOT FALSE
        WHERE a.app = f.app AND m.is_ad GROUP BY a.app) n ON true
      -- A push that waited for its hours and now waits for its pace: the SMS would arrive before it.
      LEFT JOIN LATERAL (
        SELECT EXISTS (SELECT FROM block_deliveries(f.seqno, f.user_key) b
            WHERE b.due_at IS NOT NULL AND b.reason IN ('window', 'night', 'local-time'))
          OR EXISTS (SELECT FROM devices d JOIN outcomes o ON o.seqno = f.seqno AND o.device = d.device
            WHERE d.app = f.app AND d.user_key = f.user_key AND d.state = \(Devices.State.active.sql)
              AND o.status = \(OutcomeStatus.deferred.sql) AND o.due_at IS NOT NULL
              AND o.reason IN ('window', 'night', 'local-time')) AS waits
        WHERE m.is_paced) p ON true
    ORDER BY f.due_at
    """)

  /// Locks and returns at most `limit` pending fallbacks whose deadline has passed, earliest deadline first, with the
  /// decision to make for each. Skips locked rows, which are being confirmed.
  package static func due(atMost limit: Int) -> Query<[Due]> {
    Query(each: dueStatement, limit) { row in
      Due(
        key: Key(seqno: row.seqno(), userKey: row.userKey()), app: row.int32(),
        clientName: row.text(), decision: Decision(rawValue: Int16(truncatingIfNeeded: row.int32())),
        waitsUntil: row.optionalTimestamp())
    }
  }

  private static let postponeFailedStatement = Statement(
    "fallbacks-postpone-failed",
    """
    UPDATE fallbacks SET due_at = clock_timestamp() + interval '10 minutes' WHERE (seqno, user_key) IN (
      SELECT seqno, user_key FROM fallbacks
      WHERE seqno = $1 AND user_key = $2 AND decision IS NULL AND due_at <= clock_timestamp()
      FOR UPDATE SKIP LOCKED)
    RETURNING seqno
    """)

  /// Makes a due fallback due again in ten minutes, because deciding it fails. Returns false, changing nothing, if it
  /// is decided or no longer due, or locked because somebody is deciding it.
  package static func postponeFailed(_ key: Key) -> Query<Bool> {
    Query(postponeFailedStatement, key.seqno, key.userKey.text) { $0.count == 1 }
  }

  private static let decideStatement = Statement(
    "fallbacks-decide",
    """
    UPDATE fallbacks f SET decision = t.decision,
      decided_at = CASE WHEN t.decision IS NOT NULL THEN clock_timestamp() END,
      -- Nobody knows how long a pause lasts.
      due_at = CASE WHEN t.decision IS NULL THEN coalesce(t.due_at, clock_timestamp() + interval '10 seconds')
        ELSE f.due_at END
    FROM unnest($1, $2, $3, $4) AS t(seqno, user_key, decision, due_at)
    WHERE f.seqno = t.seqno AND f.user_key = t.user_key
    """)

  /// Records the decisions about fallbacks that `due` has locked. Fallbacks without a decision are due again at
  /// `waitsUntil`, or after ten seconds.
  package static func decide(_ dues: [Due]) -> Query<Void> {
    var (seqnos, keys, decisions) = (Int64Column(), TextColumn(), Int16Column())
    var times = TimestampColumn()
    for due in dues {
      seqnos.append(due.key.seqno)
      keys.append(due.key.userKey.text)
      decisions.append(due.decision?.rawValue)
      times.append(due.waitsUntil)
    }
    return Query(decideStatement, seqnos, keys, decisions, times) { _ in }
  }
}
