package import Domain
internal import Postgres
package import Time

/// Gates, which limit how fast or when a message is sent: by pace, canary, or daily send window in the app's time zone.
/// A claim locks the message's gate row, so that the limits apply across all nodes. All times are the database's.
package enum Gates {
  private static let createStatement = Statement(
    "gates-create",
    """
    INSERT INTO gates (seqno, pace_devices, pace_wait, tokens, canary_phase, canary_devices, canary_percent,
      canary_wait, canary_limit, window_opens, window_closes, counted_at)
    VALUES ($1, $2, coalesce($3, 0), $4, $5, $6, $7, $8, $9, $10::text::time, $11::text::time, clock_timestamp())
    """)

  /// Returns the query that creates a new message's gate; nil if the message needs none, because it has no pace, no
  /// canary and no send window in the app's time zone. A window in the devices' time zones needs no gate.
  package static func create(
    _ seqno: Seqno, pace: Pace?, canary: Canary?, window: SendWindow?
  ) -> Query<Void>? {
    let window = window?.zone == .app ? window : nil
    guard pace != nil || canary != nil || window != nil else { return nil }
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(pace?.devices)
    parameters.append(pace?.waitSeconds)
    parameters.append(pace?.firstTokens ?? 0)
    parameters.append(canary.map { _ in Canary.Phase.filling.rawValue })
    var devices: Int64?
    var percent: Int32?
    switch canary?.size {
    case .devices(let count): devices = Int64(count)
    case .percent(let share): percent = share
    case nil: break
    }
    parameters.append(devices)
    parameters.append(percent)
    parameters.append(canary?.waitSeconds)
    parameters.append(canary?.maxRejectedPercent)
    parameters.append(window?.opens.text)
    parameters.append(window?.closes.text)
    return Query(createStatement, parameters) { _ in }
  }

  private static let copyStatement = Statement(
    "gates-copy",
    """
    INSERT INTO gates (seqno, pace_devices, pace_wait, canary_phase, canary_devices, canary_percent, canary_wait,
      canary_limit, window_opens, window_closes, counted_at)
    SELECT $2, pace_devices, pace_wait, CASE WHEN canary_phase IS NOT NULL THEN 0 END,
      CASE WHEN canary_percent IS NULL THEN canary_devices END, canary_percent, canary_wait, canary_limit, window_opens,
      window_closes, clock_timestamp()
    FROM gates WHERE seqno = $1
    """)

  /// Creates the gate of `next`, a later occurrence of a repetition, from that of `seqno`: with its window, its present
  /// pace, and its canary in the initial phase. Creates none if `seqno` has no gate.
  package static func copy(of seqno: Seqno, to next: Seqno) -> Query<Void> {
    Query(copyStatement, seqno, next) { _ in }
  }

  private static let setPaceStatement = Statement(
    "gates-set-pace",
    """
    INSERT INTO gates (seqno, pace_devices, pace_wait, tokens, counted_at)
    VALUES ($1, $2, coalesce($3, 0), $4, clock_timestamp())
    ON CONFLICT (seqno) DO UPDATE SET pace_devices = excluded.pace_devices, pace_wait = excluded.pace_wait,
      was_paced = gates.was_paced OR gates.pace_devices IS NOT NULL,
      -- Deliveries that the former pace has held back may pass from now on.
      tokens = excluded.tokens, counted_at = clock_timestamp(), ready_at = clock_timestamp()
    -- The same pace again gives no new portion.
    WHERE (gates.pace_devices, gates.pace_wait) IS DISTINCT FROM (excluded.pace_devices, excluded.pace_wait)
    """)

  /// Sets a message's pace, creating its gate if necessary; nil removes the pace. A new pace starts over, as for a new
  /// message. Changes nothing if the message has this pace already.
  package static func setPace(_ seqno: Seqno, _ pace: Pace?) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(pace?.devices)
    parameters.append(pace?.waitSeconds)
    parameters.append(pace?.firstTokens ?? 0)
    return Query(setPaceStatement, parameters) { _ in }
  }

  // MARK: Claiming

  /// SQL condition: gate `g` has a pace, or had one. Then only `GatedDeliveries` claims the deferred deliveries of its
  /// message, even after the pace was removed: any number of them may be due by then.
  static let isPaced = "(g.pace_devices IS NOT NULL OR g.was_paced)"

  /// A gate locked by a claim.
  package struct Locked: Sendable {
    package let seqno: Seqno
    /// The database's time when the gate was read.
    package let now: Timestamp
    package let pace: Pace?
    package let meter: PaceMeter
    package let canary: LockedCanary?
  }

  package struct LockedCanary: Sendable {
    package let phase: Canary.Phase
    /// Number of devices in the canary; nil while it is a percentage of an audience that has not been counted yet.
    package let devices: Int64?
    package let claimed: Int64
    package let waitSeconds: Int32
  }

  private static let lockStatement = Statement(
    "gates-lock",
    """
    SELECT clock_timestamp(), g.pace_devices, g.pace_wait, g.tokens, g.counted_at, g.ready_at, g.canary_phase,
      coalesce(g.canary_devices,
        CASE WHEN m.planned THEN greatest(1, ceil(m.targeted * g.canary_percent / 100.0))::bigint END),
      g.canary_claimed, g.canary_wait
    FROM gates g JOIN messages m ON m.seqno = g.seqno WHERE g.seqno = $1 FOR UPDATE OF g
    """)

  /// Locks a message's gate within the claim's transaction, waiting for others, and returns it; nil if the message has
  /// no gate.
  package static func lock(_ seqno: Seqno) -> Query<Locked?> {
    Query(first: lockStatement, seqno) { row in
      let now = row.timestamp()
      let pace = row.pace()
      let meter = PaceMeter(
        tokens: Double(row.int64()) / 1_000_000, countedAt: row.timestamp(), readyAt: row.optionalTimestamp())
      let (phase, devices) = (row.optionalInt16(), row.optionalInt64())
      let (claimed, wait) = (row.optionalInt64(), row.optionalInt32())
      let canary = phase.map {
        LockedCanary(
          phase: Canary.Phase(rawValue: $0) ?? .passed, devices: devices, claimed: claimed ?? 0,
          waitSeconds: wait ?? 0)
      }
      return Locked(seqno: seqno, now: now, pace: pace, meter: meter, canary: canary)
    }
  }

  private static let saveStatement = Statement(
    "gates-save",
    """
    UPDATE gates SET tokens = $2, counted_at = $3, ready_at = $4, canary_devices = coalesce($5, canary_devices),
      canary_claimed = coalesce($6, canary_claimed), canary_phase = coalesce($7, canary_phase),
      canary_until = coalesce($8, canary_until)
    WHERE seqno = $1
    """)

  /// Stores a locked gate and its meter after a claim of `devices` devices. If they fill the canary, starts the wait
  /// for its result.
  package static func save(_ gate: Locked, _ meter: PaceMeter, claimed devices: Int) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(gate.seqno)
    parameters.append(meter.storedTokens)
    parameters.append(meter.countedAt)
    parameters.append(meter.readyAt)
    var claimed: Int64?
    var isFull = false
    if let canary = gate.canary, canary.phase == .filling, let size = canary.devices {
      let count = canary.claimed + Int64(devices)
      claimed = count
      isFull = count >= size
    }
    parameters.append(gate.canary?.devices)
    parameters.append(claimed)
    parameters.append(isFull ? Canary.Phase.watching.rawValue : nil)
    let until = isFull ? gate.now + .seconds(gate.canary?.waitSeconds ?? 0) : nil
    parameters.append(until)
    return Query(saveStatement, parameters) { _ in }
  }

  // MARK: Canaries

  /// The state of a canary that is full and whose result is awaited.
  package struct Watched: Sendable {
    package let seqno: Seqno
    /// Number of claimed deliveries that have no final result yet; 1 if there are some but their number is not known.
    package let open: Int64
    package let accepted: Int64
    package let rejected: Int64
    package let maxRejectedPercent: Int64
    package let isOver: Bool
    /// When the wait for the result ends; distinguishes this canary from others of the message.
    fileprivate let until: Timestamp?
  }

  private static let watchedStatement = Statement(
    "gates-watched",
    """
    SELECT seqno,
      CASE WHEN claimed > ended THEN claimed - ended
        -- Waves that came too late have ended too, unclaimed.
        WHEN EXISTS (SELECT FROM claims c WHERE c.seqno = w.seqno) THEN 1
        WHEN EXISTS (SELECT FROM outcomes o WHERE o.seqno = w.seqno AND o.status = \(OutcomeStatus.deferred.sql)) THEN 1
        WHEN EXISTS (SELECT FROM waits b WHERE b.seqno = w.seqno) THEN 1
        ELSE 0 END,
      accepted, rejected, canary_limit, is_over, canary_until
    FROM (
      SELECT g.seqno, (SELECT coalesce(sum(s.claimed), 0)::bigint FROM shards s WHERE s.seqno = g.seqno) AS claimed,
        coalesce(sum(t.decided), 0)::bigint AS ended,
        coalesce(sum(t.accepted), 0)::bigint AS accepted, coalesce(sum(t.rejected), 0)::bigint AS rejected,
        g.canary_limit::bigint, g.canary_until <= clock_timestamp() AS is_over, g.canary_until
      FROM gates g LEFT JOIN message_totals t ON t.seqno = g.seqno
      WHERE g.canary_phase = 1 GROUP BY g.seqno) w
    """)

  package static func watched() -> Query<[Watched]> {
    Query(each: watchedStatement) { row in
      Watched(
        seqno: row.seqno(), open: row.int64(), accepted: row.int64(),
        rejected: row.int64(), maxRejectedPercent: row.int64(), isOver: row.bool(), until: row.optionalTimestamp())
    }
  }

  private static let replaceCanaryStatement = Statement(
    "gates-replace-canary",
    """
    UPDATE gates SET canary_phase = 0, canary_until = clock_timestamp(),
      -- A small one begins below nothing, so that a thousand are tried: else a large part of the audience that gets
      -- nothing would be gone through one by one.
      canary_claimed = least(0, canary_devices - $2)
    WHERE seqno = $1 AND canary_phase = 1
      -- Another node may have judged this canary too, so that the next one is being watched by now.
      AND canary_until IS NOT DISTINCT FROM $3
    """)

  /// Replaces a canary whose result is awaited by a new one, because no push network has accepted or rejected any of
  /// its deliveries, and records that the rest of the audience has waited for it until now. The new one has as many
  /// devices as before, but at least `devices`. Changes nothing if the result is no longer awaited, or if another
  /// canary has taken its place.
  package static func replaceCanary(_ canary: Watched, atLeast devices: Int64) -> Query<Void> {
    Query(replaceCanaryStatement, canary.seqno, devices, canary.until) { _ in }
  }

  private static let endCanaryStatement = Statement(
    "gates-end-canary",
    """
    UPDATE gates SET canary_phase = $3, canary_until = clock_timestamp()
    WHERE seqno = $1 AND canary_phase = ANY($2) RETURNING seqno
    """)

  /// Moves a canary from one of `phases` to `phase`, and records that the rest of the audience has waited until now.
  /// Returns false, and changes nothing, if the canary is in none of `phases`, for example because another node has
  /// moved it, or if the message has no canary.
  package static func endCanary(_ seqno: Seqno, in phases: [Canary.Phase], as phase: Canary.Phase) -> Query<Bool> {
    var column = Int16Column()
    for phase in phases { column.append(phase.rawValue) }
    return Query(endCanaryStatement, seqno, column, phase.rawValue) { $0.count == 1 }
  }
}

extension PaceMeter {
  /// The tokens in the stored form: an integer number of millionths.
  fileprivate var storedTokens: Int64 { Int64((tokens * 1_000_000).rounded()) }
}

extension RowReader {
  /// Reads the two columns of a pace, its devices and its wait. Returns nil if the devices are NULL.
  mutating func pace() -> Pace? {
    let (devices, wait) = (optionalInt32(), optionalInt32())
    return devices.map { Pace(devices: $0, waitSeconds: wait ?? 0) }
  }
}

extension Pace {
  /// The tokens that a message with this pace starts with, in the stored form.
  fileprivate var firstTokens: Int64 { PaceMeter(self, now: .zero).storedTokens }
}
