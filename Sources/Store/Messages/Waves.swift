package import Domain
internal import Postgres
package import Time

/// Messages sent at a local time: devices whose time zones reach that time at the same instant form a wave. The last
/// wave of a message, the sweep, is for devices that moved to another time zone meanwhile and that no other wave
/// reached.
///
/// PostgreSQL converts local times to instants. A local time that is skipped when clocks go forward is moved by the
/// change: 02:30 becomes 03:30. One that occurs twice when clocks go back means the second occurrence. A device whose
/// time zone is unknown is treated as being in the app's.
package enum Waves {
  private static let spanStatement = Statement(
    "waves-span",
    """
    SELECT min(due_at), max(due_at) FROM (
      SELECT $2::text::timestamp AT TIME ZONE zone_or(time_zone, $3) AS due_at
      FROM \(TimeZones.used(by: "$1")) zones
      UNION ALL SELECT $2::text::timestamp AT TIME ZONE $3) dues
    """)

  /// Returns when the first and the last devices of an app are due. The app's own time zone always counts, even without
  /// devices.
  package static func span(
    app: App.Number, _ local: LocalTime, appTimeZone: String
  ) -> Query<(first: Timestamp, last: Timestamp)> {
    Query(one: spanStatement, app, local.text, appTimeZone) { ($0.timestamp(), $0.timestamp()) }
  }

  /// Maximum number of waves of a message, in addition to one for the app's own zone and the sweep. Far more than the
  /// world's time zones need, and their numbers fit into a smallint.
  private static let mostWaves: Int64 = 998

  private static let createStatement = Statement(
    "waves-create",
    """
    WITH zones AS (
      SELECT time_zone, $3::text::timestamp AT TIME ZONE zone_or(time_zone, $4) AS due_at
      FROM (SELECT DISTINCT \(TimeZones.named) AS time_zone FROM \(TimeZones.used(by: "$2")) reported) z
    ), ranked AS (
      SELECT time_zone, due_at, dense_rank() OVER (ORDER BY due_at) AS place FROM zones
    ), found AS (
      SELECT row_number() OVER (ORDER BY due_at) AS wave, due_at, array_agg(time_zone) AS zones FROM (
        -- The world has some forty; what is beyond the most waves of a message goes by the app's clock.
        SELECT time_zone, CASE WHEN place <= $5 THEN due_at ELSE $3::text::timestamp AT TIME ZONE $4 END AS due_at
        FROM ranked) dues
      -- Once, when the audience is frozen: whoever comes later does not belong.
      WHERE NOT EXISTS (SELECT FROM waves WHERE seqno = $1)
      GROUP BY due_at
    )
    INSERT INTO waves (seqno, wave, due_at, zones, sweeps)
    SELECT $1, wave, due_at, zones, false FROM found
    UNION ALL
    -- And one at the end for those who move meanwhile, into a zone whose wave is over or that has none.
    SELECT $1, max(wave) + 1, max(due_at), '{}', true FROM found HAVING count(*) > 0
    """)

  /// Creates the waves of a message within the transaction that freezes its audience: one for each instant at which
  /// active devices of the app are due, and the sweep. Devices beyond `mostWaves` instants are due at the app's local
  /// time. Creates no waves if they exist already, or if the app has no active devices.
  package static func create(
    _ seqno: Seqno, app: App.Number, _ local: LocalTime, appTimeZone: String
  ) -> Query<Void> {
    Query(createStatement, seqno, app, local.text, appTimeZone, mostWaves) { _ in }
  }

  private static let unplannedStatement = Statement(
    "waves-unplanned", "SELECT wave, sweeps FROM waves WHERE seqno = $1 AND NOT planned ORDER BY wave LIMIT 1")

  /// Returns the lowest wave that is not completely planned, and whether it is the sweep; nil if there is none.
  package static func unplanned(_ seqno: Seqno) -> Query<(wave: Int16, sweeps: Bool)?> {
    Query(first: unplannedStatement, seqno) { ($0.int16(), $0.bool()) }
  }

  private static let finishPlanStatement = Statement(
    "waves-finish-plan", "UPDATE waves SET planned = true WHERE seqno = $1 AND wave = $2")

  package static func finishPlan(_ seqno: Seqno, wave: Int16) -> Query<Void> {
    Query(finishPlanStatement, seqno, wave) { _ in }
  }

  // MARK: Members

  private static let countStatement = Statement(
    "waves-count",
    """
    SELECT count(*) FROM devices
    WHERE app = $1 AND state = \(Devices.State.active.sql) AND user_key > $2 AND user_key <= $3 AND bound_at <= $4
      AND \(TimeZones.named) = ANY((SELECT zones FROM waves WHERE seqno = $5 AND wave = $6)::text[])
    """)

  /// Returns the number of active devices that belong to a wave, were bound at or before `frozenAt`, and have user keys
  /// above `after`, up to and including `upto`. 0 for the sweep.
  package static func count(
    app: App.Number, after: String, upto: String, frozenAt: Timestamp, seqno: Seqno, wave: Int16
  ) -> Query<Int64> {
    Query(one: countStatement, app, after, upto, frozenAt, seqno, wave) { $0.int64() }
  }

  private static let membersStatement = Statement(
    "waves-members",
    """
    SELECT device FROM devices d WHERE device = ANY($1)
      AND CASE WHEN (SELECT sweeps FROM waves WHERE seqno = $2 AND wave = $3)
        -- Only a registration moves a device. (A minute, for the clocks of several nodes.)
        THEN d.registered_at >= (SELECT frozen_at - interval '1 minute' FROM messages WHERE seqno = $2)
          -- Whose wave was ended as too late has been counted there.
          AND NOT EXISTS (SELECT FROM waves w WHERE w.seqno = $2 AND w.late AND \(TimeZones.named) = ANY(w.zones))
        ELSE \(TimeZones.named) = ANY((SELECT zones FROM waves WHERE seqno = $2 AND wave = $3)::text[]) END
      -- One that moved to another zone meanwhile may have had its turn in the wave of the old one.
      AND NOT EXISTS (SELECT FROM outcomes o WHERE o.seqno = $2 AND o.device = d.device)
      AND NOT EXISTS (SELECT FROM claims c WHERE c.seqno = $2 AND c.devices @> ARRAY[d.device])
    """)

  /// Returns those of the devices that belong to a wave and have no delivery of the message yet. A device belongs to
  /// the sweep if it has registered since the audience was frozen, unless the wave of its time zone was ended as late.
  package static func members(of devices: [DeviceID], seqno: Seqno, wave: Int16) -> Query<Set<DeviceID>> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    return Query(membersStatement, column, seqno, wave) { rows in Set(rows.decode { $0.device() }) }
  }

  // MARK: Opening waves

  private static let openStatement = Statement(
    "waves-open",
    """
    UPDATE waves w SET opened = true FROM (
      SELECT seqno, wave FROM waves o WHERE NOT opened AND planned AND due_at <= clock_timestamp()
        -- The sweep looks at what is left when all others have claimed theirs.
        AND NOT (sweeps AND EXISTS (
          SELECT FROM shards s WHERE s.seqno = o.seqno AND s.wave <> o.wave AND NOT s.exhausted))
      ORDER BY seqno, wave LIMIT 100 FOR UPDATE SKIP LOCKED) due
    WHERE w.seqno = due.seqno AND w.wave = due.wave
    RETURNING w.seqno, w.wave, \(LatenessCondition.isHourOfWaveOver)
    """)

  /// Opens at most 100 planned waves that are due, so that their shards can be claimed, and returns them. A sweep opens
  /// only when the shards of all other waves are exhausted. Skips locked rows. The caller must end the waves returned
  /// as late in the same transaction.
  package static func open() -> Query<[(seqno: Seqno, wave: Int16, isLate: Bool)]> {
    Query(each: openStatement) { row in
      (row.seqno(), row.int16(), row.bool())
    }
  }

  private static let markLateStatement = Statement(
    "waves-mark-late", "UPDATE waves SET late = true WHERE seqno = $1 AND wave = $2")

  /// Records that a wave was ended because it was late.
  static func markLate(_ seqno: Seqno, wave: Int16) -> Query<Void> {
    Query(markLateStatement, seqno, wave) { _ in }
  }

  // MARK: Local times of individual devices

  /// A device's times for one message.
  package struct LocalTimes: Sendable {
    /// When the message expires for the device; nil if it expires for all devices at the same time.
    package let expiresAt: Timestamp?
    /// When the message's local time comes in the device's time zone, if the device has moved to a zone that belongs to
    /// no wave and is later than all of them; nil if the message need not wait for that.
    package let startsAt: Timestamp?
    /// When the daily send window opens in the device's time zone; nil if it is open, or if there is none.
    package let opensAt: Timestamp?
    /// When the night ends in the device's time zone, for an ad that must not be sent to the device at night; nil if
    /// the message need not wait for that.
    package let nightEndsAt: Timestamp?
    /// When the next night begins in the device's time zone, for an ad that must not be shown on the device at night: a
    /// push network must keep it no longer than that. Nil if it is night, or if the message need not heed the night.
    package let nightBeginsAt: Timestamp?
  }

  /// SQL expression: when a delivery is taken up again if the time zones of both its device and its app are unknown.
  /// Whoever takes it up reads the message again and sets it aside.
  private static let later = "clock_timestamp() + interval '1 minute'"

  private static let localTimesStatement = Statement(
    "waves-local-times",
    """
    SELECT d.device,
      CASE WHEN z.zone <> '' THEN ($3::text::timestamp AT TIME ZONE z.zone) + make_interval(secs => $4) END,
      -- The others' turn is when their wave opens.
      CASE WHEN z.zone <> '' AND ($3::text::timestamp AT TIME ZONE z.zone) > clock_timestamp()
        AND NOT EXISTS (SELECT FROM waves w WHERE w.seqno = $8
          AND CASE WHEN d.time_zone IN (SELECT name FROM time_zones) THEN d.time_zone ELSE '' END = ANY(w.zones))
        THEN $3::text::timestamp AT TIME ZONE z.zone END,
      CASE WHEN $5::text IS NULL THEN NULL
        WHEN z.zone <> '' THEN window_opens_at(clock_timestamp(), z.zone, $5::text::time, $6::text::time)
        ELSE \(later) END,
      -- By day, whoever agreed to ads gets them; at night those who agreed to that too. Others get none at all.
      CASE WHEN n.concerns THEN CASE WHEN z.zone <> ''
        THEN window_opens_at(n.moment, z.zone, a.ad_night_to, a.ad_night_from) ELSE \(later) END END,
      CASE WHEN n.concerns AND z.zone <> '' THEN window_opens_at(n.moment, z.zone, a.ad_night_from, a.ad_night_to) END
    FROM devices d JOIN apps a ON a.app = d.app,
      LATERAL (SELECT zone_or(d.time_zone, (SELECT zone_or($2, ''))) AS zone OFFSET 0) z,
      -- Compute both ends of the night from one moment, so that exactly one of them applies.
      LATERAL (SELECT clock_timestamp() AS moment, $7::boolean AND d.consent_ad AND d.consent_night_ad IS NOT TRUE
        AND d.consent_notification IS NOT FALSE AS concerns OFFSET 0) n
    WHERE d.device = ANY($1)
    """)

  /// Returns, for each device, when message `seqno` expires and when it may be sent by the device's local clock.
  /// Devices that do not exist are omitted. If neither the device's time zone nor the app's is known, it counts as
  /// night, and the window as closed, for another minute.
  /// - Parameters:
  ///   - local: the local time at which the message is sent; nil if it is sent to all devices at the same instant.
  ///   - window: the daily send window to apply in the device's time zone; nil for none.
  package static func localTimes(
    _ devices: [DeviceID], of seqno: Seqno, appTimeZone: String, local: LocalTime?, expiresInSeconds: Int64,
    window: SendWindow?, isAd: Bool
  ) -> Query<[DeviceID: LocalTimes]> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    return Query(
      localTimesStatement, column, appTimeZone, local?.text, Int32(clamping: expiresInSeconds), window?.opens.text,
      window?.closes.text, isAd, seqno
    ) {
      $0.dictionary { row in
        (
          row.device(),
          LocalTimes(
            expiresAt: row.optionalTimestamp(),
            startsAt: row.optionalTimestamp(),
            opensAt: row.optionalTimestamp(),
            nightEndsAt: row.optionalTimestamp(),
            nightBeginsAt: row.optionalTimestamp())
        )
      }
    }
  }
}
