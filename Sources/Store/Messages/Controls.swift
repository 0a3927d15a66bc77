package import Domain
internal import Postgres
package import Time

/// Pausing, resuming and cancelling messages.
package enum Controls {
  /// A message that the transaction has locked in order to change its state.
  package struct Locked: Sendable {
    package let app: App.Number
    package let status: MessageControl.Status
    package let schedule: Int64?
    /// True if the message was paused because a release could not handle it.
    package let isSetAside: Bool
  }

  private static let lockStatement = Statement(
    "controls-lock",
    """
    SELECT m.app, m.state, m.cancelled_at IS NOT NULL AND m.state = \(MessageState.paused.sql),
      m.frozen_at IS NOT NULL, m.schedule, m.held, \(isSetAside) IS TRUE FROM messages m
    WHERE m.seqno = $1
    -- Keeps planner, finisher and other operators out until the change is committed, but does not wait until a large
    -- message's receipts are folded.
    FOR NO KEY UPDATE
    """)

  /// Locks a message until the transaction ends, waiting for others, and returns its state; nil if it does not exist.
  package static func lock(_ seqno: Seqno) -> Query<Locked?> {
    Query(first: lockStatement, seqno) { row in
      let app = row.int32()
      let (state, isCancelling, isFrozen) = (row.int16(), row.bool(), row.bool())
      let schedule = row.optionalInt64()
      return Locked(
        app: app,
        status: MessageControl.Status(
          state: MessageState(rawValue: state) ?? .queued, isCancelling: isCancelling, isFrozen: isFrozen,
          hold: MessageHold(rawValue: row.int16()) ?? .waiting),
        schedule: schedule, isSetAside: row.bool())
    }
  }

  private static let setStateStatement = Statement(
    "controls-set-state", "UPDATE messages SET state = $2, state_reason = $3 WHERE seqno = $1")

  /// Sets a locked message's state to one that is not final, and its reason; nil removes the previous reason.
  package static func setState(_ seqno: Seqno, _ state: MessageState, reason: String?) -> Query<Void> {
    Query(setStateStatement, seqno, state.rawValue, reason) { _ in }
  }

  /// Prefix of the state reason of a message that was paused because this release cannot handle it.
  static let setAsideWords = "Set aside: "

  /// Pauses a locked message that this release cannot handle, with a reason that says what an operator can do. If it is
  /// paused already, the reason takes the place of the present one.
  package static func setAside(_ seqno: Seqno, because reason: String) -> Query<Void> {
    setState(
      seqno, .paused,
      reason: "\(setAsideWords)\(reason). Cancel it, or resume it when the cause is fixed, perhaps by a newer release."
    )
  }

  /// SQL condition: message `m` was paused because a release could not handle it.
  static let isSetAside = """
    (m.state = \(MessageState.paused.sql) AND m.cancelled_at IS NULL AND starts_with(m.state_reason, 'Set aside: '))
    """

  private static let beginCancellingStatement = Statement(
    "controls-begin-cancelling",
    """
    UPDATE messages SET state = \(MessageState.paused.sql), cancelled_at = now(),
      state_reason = 'It is being cancelled.'
    WHERE seqno = $1
    """)

  /// Marks a locked message as being cancelled, and pauses it, so that no more of it is planned or claimed. Deliveries
  /// that would be retried are cancelled from now on. The caller or any node completes the cancellation
  /// (`Cancellation`).
  package static func beginCancelling(_ seqno: Seqno) -> Query<Void> {
    Query(beginCancellingStatement, seqno) { _ in }
  }

  private static let cancellingStatement = Statement(
    "controls-cancelling",
    """
    SELECT seqno FROM messages WHERE state = \(MessageState.paused.sql) AND cancelled_at IS NOT NULL
      ORDER BY seqno LIMIT $1
    """)

  /// Returns at most `limit` messages whose cancellation has begun but not ended, in ascending order of SEQNO.
  package static func cancelling(atMost limit: Int) -> Query<[Seqno]> {
    Query(each: cancellingStatement, limit) { $0.seqno() }
  }

  private static let pausedStatement = Statement(
    "controls-paused",
    """
    SELECT seqno FROM messages WHERE state = \(MessageState.paused.sql) ORDER BY seqno DESC LIMIT $1
    """)

  /// Returns at most `limit` messages that are paused or being cancelled, newest first.
  package static func paused(atMost limit: Int) -> Query<[Seqno]> {
    Query(each: pausedStatement, limit) { $0.seqno() }
  }

  private static let heldStatement = Statement(
    "controls-held",
    """
    SELECT app::bigint, true FROM apps WHERE paused_reason IS NOT NULL
    UNION ALL
    (SELECT seqno, false FROM messages WHERE state = \(MessageState.paused.sql) ORDER BY seqno DESC LIMIT $1)
    """)

  /// Returns all paused apps, and the newest `limit` messages that are paused or being cancelled.
  package static func held(atMost limit: Int) -> Query<(apps: Set<App.Number>, messages: Set<Seqno>)> {
    Query(heldStatement, limit) { rows in
      var held: (apps: Set<App.Number>, messages: Set<Seqno>) = ([], [])
      rows.forEach { row in
        let number = row.int64()
        if row.bool() {
          held.apps.insert(App.Number(number))
        } else {
          held.messages.insert(Seqno(number))
        }
      }
      return held
    }
  }

  /// Whether a message permits its deliveries to be submitted now, regardless of whether its app is paused.
  package enum Passage: Equatable, Sendable {
    case open
    /// The message is paused: return the delivery to the queue.
    case paused
    case cancelled
    /// The daily send window in the app's time zone is closed, and opens at this time.
    case closedUntil(Timestamp)
  }

  /// The state of a message and its app. Deliveries may be submitted only if the passage is open and the app is not
  /// paused.
  package struct SendState: Equatable, Sendable {
    package let passage: Passage
    package let isAppPaused: Bool
  }

  private static let sendStatesStatement = Statement(
    "controls-sendStates",
    """
    SELECT m.seqno, m.state, m.cancelled_at IS NOT NULL,
      CASE WHEN g.window_opens IS NULL THEN NULL
        WHEN \(TimeZones.isOfAppKnown)
        THEN window_opens_at(clock_timestamp(), a.time_zone, g.window_opens, g.window_closes)
        -- In an unknown zone it is closed: whoever takes the delivery up again sets the message aside.
        ELSE clock_timestamp() + interval '1 minute' END, a.paused_reason IS NOT NULL
    FROM messages m JOIN apps a ON a.app = m.app LEFT JOIN gates g ON g.seqno = m.seqno WHERE m.seqno = ANY($1)
    """)

  /// Returns, by message, whether deliveries may be submitted now. A message that no longer exists is missing from the
  /// result.
  package static func sendStates(_ seqnos: some Collection<Seqno>) -> Query<[Seqno: SendState]> {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    return Query(sendStatesStatement, column) {
      $0.dictionary { row in
        (row.seqno(), SendState(passage: passage(&row), isAppPaused: row.bool()))
      }
    }
  }

  private static func passage(_ row: inout RowReader) -> Passage {
    let (state, isCancelling, closedUntil) = (row.int16(), row.bool(), row.optionalTimestamp())
    if isCancelling { return .cancelled }
    if state == MessageState.paused.rawValue { return .paused }
    return closedUntil.map(Passage.closedUntil) ?? .open
  }

  private static let openCountStatement = Statement(
    "controls-open-count",
    """
    SELECT count(*), min(seqno) FROM (
      SELECT seqno FROM messages WHERE lane = $1
        AND state IN (\(MessageState.queued.sql), \(MessageState.sending.sql)) AND seqno >= $3
      -- Counting stops here: a full queue is full.
      ORDER BY seqno LIMIT $2) open
    """)

  /// Counts a lane's queued and sending messages with SEQNOs from `start` on, but no further than `limit`. Also returns
  /// the lowest of their SEQNOs; nil if there are none.
  package static func open(_ lane: Lane, from start: Seqno = .zero, limit: Int) -> Query<(count: Int64, first: Seqno?)>
  {
    Query(one: openCountStatement, lane.rawValue, limit, start) { ($0.int64(), $0.optionalSeqno()) }
  }
}
