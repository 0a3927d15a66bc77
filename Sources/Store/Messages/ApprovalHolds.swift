package import Domain
package import Postgres
package import Time

/// Holds for messages sent by a person: the audience is counted before anything goes out, and a message that is too
/// large waits for a second person's approval.
///
/// ```
///   created: uncounted ──frozen, the app requires no approval──► none
///                │ frozen: still queued, all shards written, then counted
///                ├── small enough, together with the last hour ──► none: sending
///                └── too large ──► waiting: paused ──approved──► none: sending
///                                     └── rejected, or undecided for a week ──► cancelling
/// ```
/// A held message is never `sending` (the schema enforces it), so nothing claims it. Nothing else changes: its shards
/// count as pending meanwhile.
///
/// Decision 061.
package enum ApprovalHolds {
  /// Time within which a second person must decide, in seconds (7 days).
  package static let waitSeconds: Int64 = 7 * 86_400

  // MARK: Approval limits

  /// Returns an SQL expression for the number of devices that a person may send to without a second person, in an app
  /// `a`; NULL means any number. For a day after raising the limit, a person is still bound by the old one.
  static func most(_ asker: String) -> String {
    """
    least(a.approval_above, (SELECT min(l.was) FROM approval_loosenings l
      WHERE l.app = a.app AND l.by = \(asker) AND l.at > clock_timestamp() - interval '1 day'))
    """
  }

  private static let mostStatement = Statement(
    "holds-most", "SELECT \(most("$2")) FROM apps a WHERE a.app = $1")

  /// Returns how many devices a person may send to without a second person in an app; nil means any number. For a day
  /// after raising the limit, a person is still bound by the old one.
  package static func most(of asker: Principal, in app: App.Number) -> Query<Int64?> {
    Query(first: mostStatement, app, asker.stored) { $0.optionalInt64() }
  }

  private static let loosenStatement = Statement(
    "holds-loosen",
    """
    WITH old AS (DELETE FROM approval_loosenings WHERE at < clock_timestamp() - interval '2 days')
    INSERT INTO approval_loosenings (app, by, was)
    SELECT $1, m.maker, $4 FROM (SELECT coalesce($2, (SELECT made_by FROM api_keys WHERE api_key = $3)) AS maker) m
    WHERE m.maker IS NOT NULL
    """)

  /// Records that a person (or the creator of an API key) has raised an app's approval limit, together with the old
  /// limit `most`, which continues to apply to that person for a day. Records nothing if neither is known. Deletes
  /// records that are over two days old.
  package static func loosen(_ app: App.Number, by asker: Principal?, apiKey: Int32?, was most: Int64) -> Query<Void> {
    Query(loosenStatement, app, asker?.stored, apiKey, most) { _ in }
  }

  // MARK: Counting

  private static let hourStatement = Statement(
    "holds-hour",
    """
    SELECT coalesce(sum(coalesce(targeted, 0)), 0)::bigint FROM messages WHERE seqno IN (
      SELECT seqno FROM messages WHERE asked_by = $1 AND app = $2 AND asked_at > $3
      UNION SELECT seqno FROM messages WHERE asked_by = $1 AND app = $2 AND frozen_at > $3)
      -- What a second person has seen counts no more, what waits for one not yet, nor what was called off in time.
      AND approved_for IS NULL AND held <> \(MessageHold.waiting.sql) AND (state <> \(MessageState.cancelled.sql) OR frozen_at IS NOT NULL)
    """)

  /// Returns the number of devices of the messages that a person requested or that were frozen for that person within
  /// the hour before `now`. Messages that are still to be sent count with their estimates, uncounted ones with 0.
  /// Messages that a second person has approved, that wait for approval, or that were cancelled before they were frozen
  /// do not count.
  package static func withinHour(_ asker: Principal, app: App.Number, now: Timestamp) -> Query<Int64> {
    Query(one: hourStatement, asker.stored, app, now - .seconds(3_600)) { $0.int64() }
  }

  private static let frozenStatement = Statement(
    "holds-frozen",
    """
    SELECT coalesce(sum(o.targeted), 0)::bigint FROM messages o JOIN messages m ON m.seqno = $1
    WHERE o.asked_by = m.asked_by AND o.app = m.app AND o.seqno <> m.seqno
      AND o.frozen_at > m.frozen_at - interval '1 hour'
      -- Only what has gone, or goes: one that is being counted has its turn after this one.
      AND o.approved_for IS NULL AND o.held = \(MessageHold.none.sql)
    """)

  private static let countedStatement = Statement(
    "holds-counted",
    """
    SELECT m.state, m.targeted, m.approved_for, \(most("m.asked_by")), m.app, m.asked_by
    FROM messages m JOIN apps a ON a.app = m.app WHERE m.seqno = $1 AND m.held = $2 AND m.planned FOR UPDATE OF m
    """)

  /// Locks a person in an app until the transaction ends: of two messages of the same person, the second is counted
  /// after the first has been decided, so that the count for the second includes the first.
  private static let turnStatement = Statement(
    "holds-turn", "SELECT pg_advisory_xact_lock(hashtextextended('upmc asker ' || $1 || ' ' || $2, 0)) IS NULL")

  private static let passStatement = Statement(
    "holds-pass",
    """
    UPDATE messages
      SET state = \(MessageState.sending.sql), held = \(MessageHold.none.sql), state_reason = NULL WHERE seqno = $1
    """)

  /// Decides, within a transaction, whether an uncounted, planned and queued message is sent or waits for a second
  /// person. Sets its state to `sending`, or pauses it and creates the approval and an audit entry. Does nothing for
  /// any other message: a paused one is decided when it is resumed. Locks no other messages.
  /// - Returns: the approval for which the message waits; nil if it needs none, or if nothing was decided.
  @discardableResult
  package static func settle(_ seqno: Seqno, on connection: Connection) throws(PostgresError) -> Approvals.Number? {
    guard let counted = try count(seqno, .uncounted, connection), counted.state == .queued else { return nil }
    guard let because = counted.because else {
      _ = try connection.run(passStatement, Parameters(seqno))
      return nil
    }
    return try hold(seqno, because == .size ? .growth : because, counted.withinHour, connection)
  }

  private struct Counted {
    let state: MessageState
    /// Why a second person must approve; nil if none is needed.
    var because: SecondPerson.Because?
    var withinHour: Int64 = 0
  }

  /// Locks a planned message that has the given hold, and checks whether a second person must approve the message
  /// with `more` devices than were counted. Returns nil if there is no such message.
  private static func count(
    _ seqno: Seqno, _ hold: MessageHold, plus more: Int64 = 0, _ connection: Connection
  ) throws(PostgresError) -> Counted? {
    var parameters = Parameters()
    parameters.append(seqno)
    let one = parameters
    parameters.append(hold.rawValue)
    let found = try connection.run(countedStatement, parameters)
    let message = found.decodeFirst { row in
      (
        state: MessageState(rawValue: row.int16()), devices: row.optionalInt64(), approved: row.optionalInt64(),
        most: row.optionalInt64(), app: row.int32(), asker: row.optionalText()
      )
    }
    guard let message, let state = message.state else { return nil }
    var counted = Counted(state: state)
    guard let most = message.most, let asker = message.asker else { return counted }
    _ = try connection.run(turnStatement, Parameters(asker, String(message.app)))
    counted.withinHour = try connection.run(frozenStatement, one).decodeOne { $0.int64() }
    counted.because = SecondPerson.approvalReason(
      devices: (message.devices ?? 0) + more, approved: message.approved, withinHour: counted.withinHour, most: most)
    return counted
  }

  // MARK: Audience growth while sending

  private static let expectStatement = Statement(
    "holds-expect", "UPDATE shards SET targeted = $3 WHERE seqno = $1 AND shard = $2")

  /// Holds a message that is being sent if a shard has so many more devices than planned that the message now needs an
  /// approval, or another one (`SecondPerson.approvalReason`). This happens if a segment's tags or a group's subgroups
  /// have changed since the audience was counted. If it holds the message, adds the surplus to the planned devices of
  /// the shard and the message, pauses the message, and creates the approval and an audit entry. Call this in the
  /// transaction of a claim, with the shard locked.
  /// - Parameter devices: number of devices left in the shard.
  /// - Returns: true if the message is now held, so that the claim must not claim any devices; false if nothing
  ///   changed.
  package static func holdWhenGrown(
    _ shard: Shards.Record, to devices: Int64, on connection: Connection
  ) throws(PostgresError) -> Bool {
    let total = shard.claimed + devices
    let more = total - shard.targeted
    guard let counted = try count(shard.seqno, .none, plus: more, connection), counted.state == .sending,
      counted.because != nil
    else { return false }
    _ = try connection.run(expectStatement, Parameters(shard.seqno, shard.shard, total))
    try connection.run(Messages.correctTargeted(shard.seqno, by: more))
    _ = try hold(shard.seqno, .growth, counted.withinHour, connection)
    return true
  }

  // MARK: Holding

  private static let askStatement = Statement(
    "holds-ask",
    """
    WITH asked AS (
      INSERT INTO approvals (app, request, request_sha256, targeted, unknown_entries, account, asked_by, requested_by,
        requested_at, ends_at, seqno, held, because, within_hour, resend_of)
      -- The request stands in the message alone.
      SELECT m.app, 'null', m.request_sha256, m.targeted, '[]', coalesce(c.account, 0), m.asked_by,
        coalesce(c.login, 'command line (' || substr(m.asked_by, 6) || ')'), m.asked_at,
        clock_timestamp() + make_interval(secs => $4), m.seqno, true, $2, $3, m.resend_of
      FROM messages m LEFT JOIN accounts c ON m.asked_by = 'account ' || c.account WHERE m.seqno = $1
      RETURNING approval, seqno, targeted)
    UPDATE messages m SET state = \(MessageState.paused.sql), held = \(MessageHold.waiting.sql),
      state_reason = 'It waits for a second person, approval ' || a.approval || ': it is for ' || a.targeted || ' devices.'
    FROM asked a WHERE m.seqno = a.seqno
    RETURNING a.approval, m.app, m.targeted
    """)

  private static func hold(
    _ seqno: Seqno, _ because: SecondPerson.Because, _ withinHour: Int64, _ connection: Connection
  ) throws(PostgresError) -> Approvals.Number {
    let asked = try connection.run(askStatement, Parameters(seqno, because.rawValue, withinHour, waitSeconds))
    let (approval, app, targeted) = asked.decodeOne { ($0.int64(), $0.int32(), $0.int64()) }
    var entry = AuditLog.New(
      actor: "upmc", role: AuditLog.serverRole, action: "approval.request", object: String(approval))
    entry.app = app
    entry.after = #"{"targeted":\#(targeted),"seqno":"\#(seqno)","because":"\#(because.name)"}"#
    try connection.run(AuditLog.add(entry))
    return approval
  }

  // MARK: Deciding

  private static let releaseStatement = Statement(
    "holds-release",
    """
    WITH released AS (
      UPDATE messages SET state = \(MessageState.sending.sql), held = \(MessageHold.none.sql), state_reason = NULL,
        approved_for = targeted,
        -- The time that it waited is none of its own.
        expires_at = expires_at + $2 * interval '1 microsecond',
        due_at = CASE WHEN local_time IS NULL THEN greatest(due_at, CASE WHEN due_at IS NOT NULL THEN clock_timestamp() END)
          ELSE due_at END
      WHERE seqno = $1 AND state = \(MessageState.paused.sql) AND held = \(MessageHold.waiting.sql)
        AND cancelled_at IS NULL
      RETURNING seqno, schedule, targeted),
    -- Who lets one go out lets those that follow go out to as many.
    further AS (
      UPDATE messages m SET approved_for = r.targeted FROM released r
      WHERE m.schedule = r.schedule AND m.state = \(MessageState.scheduled.sql) AND r.schedule IS NOT NULL)
    SELECT count(*) FROM released
    """)

  /// Releases a locked message from its hold, so that it is sent. Its number of devices counts as approved, for the
  /// scheduled occurrences of the same repetition too. Its expiry moves by the time that it was held, and a past due
  /// time, except by local time, becomes the present. Returns false, without changes, if the message is no longer held
  /// or is being cancelled.
  /// - Parameter waited: how long the message was held.
  package static func release(_ seqno: Seqno, waited: Duration) -> Query<Bool> {
    Query(one: releaseStatement, seqno, waited.microseconds) { $0.int64() == 1 }
  }

  private static let overdueStatement = Statement(
    "holds-overdue",
    """
    SELECT p.seqno FROM approvals p JOIN messages m ON m.seqno = p.seqno
    WHERE p.held AND p.state = \(Approvals.State.waiting.sql) AND p.ends_at < clock_timestamp()
      AND m.held = \(MessageHold.waiting.sql) AND m.state = \(MessageState.paused.sql)
      AND m.cancelled_at IS NULL
    ORDER BY p.ends_at LIMIT 100
    """)

  /// Returns at most 100 held messages whose approval was not decided in time, longest overdue first. Omits messages
  /// that are being cancelled.
  package static func overdue() -> Query<[Seqno]> {
    Query(each: overdueStatement) { $0.seqno() }
  }

  private static let callOffStatement = Statement(
    "holds-call-off",
    """
    UPDATE approvals SET state = \(Approvals.State.rejected.sql), decided_by = $2, decided_at = clock_timestamp(),
      reason = $3
    WHERE seqno = $1 AND held AND state = \(Approvals.State.waiting.sql)
    """)

  /// Rejects the waiting approval, if there is one, of a held message that is being cancelled, so that nobody need
  /// decide it any more.
  package static func callOff(_ seqno: Seqno, by name: String, reason: String?) -> Query<Void> {
    Query(callOffStatement, seqno, name, reason) { _ in }
  }
}
