package import Domain
internal import Postgres
package import Time

/// Devices quarantined because their push network has refused the token. They keep their data and stay in audiences,
/// but deliveries to them are skipped until they register again or are released. Devices that stay silent for long are
/// emptied (`Tombstones.emptyRefused`). Decision 077.
package enum Quarantine {
  /// A device to quarantine.
  package struct Entry: Sendable {
    package let device: DeviceID
    /// The network's error code.
    package let reason: String
    /// The message whose delivery was refused.
    package let seqno: Seqno

    package init(device: DeviceID, reason: String, seqno: Seqno) {
      self.device = device
      self.reason = reason
      self.seqno = seqno
    }
  }

  private static let addStatement = Statement(
    "quarantine-add",
    """
    UPDATE devices d SET quarantined_at = $4, quarantine_reason = t.reason, quarantine_seqno = t.seqno
    FROM unnest($1, $2, $3) AS t(device, reason, seqno)
    -- The first refusal stands.
    WHERE d.device = t.device AND d.quarantined_at IS NULL
    RETURNING d.device
    """)

  /// Quarantines devices and returns those that were not quarantined before. The others keep their earlier time, reason
  /// and message. The caller holds the row locks.
  package static func add(_ entries: [Entry], at now: Timestamp) -> Query<Set<DeviceID>> {
    var devices = UUIDColumn()
    var reasons = TextColumn()
    var seqnos = Int64Column()
    for entry in entries {
      devices.append(entry.device)
      reasons.append(entry.reason)
      seqnos.append(entry.seqno)
    }
    return Query(addStatement, devices, reasons, seqnos, now) { rows in
      Set(rows.decode { $0.device() })
    }
  }

  private static let releaseStatement = Statement(
    "quarantine-release",
    """
    UPDATE devices SET quarantined_at = NULL, quarantine_reason = NULL, quarantine_seqno = NULL
    WHERE device = ANY($1) AND quarantined_at >= $2
    """)

  /// Releases those of the devices that were quarantined at or after `since`, and returns their number. The caller
  /// holds the row locks.
  package static func release(_ devices: some Collection<DeviceID>, since: Timestamp) -> Query<Int> {
    var parameters = Devices.ids(devices)
    parameters.append(since)
    return Query(releaseStatement, parameters) { $0.affected }
  }

  /// A quarantined device for lists.
  package struct Record: Sendable {
    package let device: DeviceID
    package let userKey: UserKey
    package let network: PushNetwork
    package let environment: PushEnvironment
    package let psid: String
    package let reason: String
    package let seqno: Seqno
    /// When the device was quarantined.
    package let at: Timestamp
  }

  private static let listStatement = Statement(
    "quarantine-list",
    """
    SELECT device, user_key, network, environment, psid, quarantine_reason, quarantine_seqno, quarantined_at
    FROM devices
    WHERE app = $1 AND device > $2 AND quarantined_at >= $3 AND state = \(Devices.State.active.sql)
      AND ($5::text IS NULL OR quarantine_reason = $5)
      ORDER BY device LIMIT $4
    """)

  /// Returns at most `limit` active devices of an app that are in quarantine, in ascending order of id, starting after
  /// `device`.
  /// - Parameters:
  ///   - since: includes only devices quarantined at or after this time.
  ///   - reason: the only reason to include; nil for all.
  package static func list(
    _ app: App.Number, after device: DeviceID, since: Timestamp = .zero, reason: String? = nil, limit: Int
  ) -> Query<[Record]> {
    Query(each: listStatement, app, device, since, limit, reason) { row in
      Record(
        device: row.device(), userKey: row.userKey(),
        network: PushNetwork(rawValue: row.int16()) ?? .apns,
        environment: PushEnvironment(rawValue: row.int16()) ?? .production, psid: row.text(),
        reason: row.text(), seqno: row.optionalSeqno() ?? .zero, at: row.timestamp())
    }
  }

  private static let reasonsStatement = Statement(
    "quarantine-reasons",
    """
    SELECT quarantine_reason, network, count(*), max(quarantined_at) FROM devices
    WHERE app = $1 AND quarantined_at IS NOT NULL AND state = \(Devices.State.active.sql)
    GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
    """)

  /// An app's active devices in quarantine on the same network for the same reason.
  package struct Reason: Sendable {
    package let reason: String
    package let network: PushNetwork
    package let devices: Int64
    /// When the last of these devices was quarantined.
    package let latest: Timestamp
  }

  /// Counts an app's active devices in quarantine by reason and network, most frequent first; empty if there are none.
  package static func reasons(_ app: App.Number) -> Query<[Reason]> {
    Query(each: reasonsStatement, app) { row in
      Reason(
        reason: row.text(), network: PushNetwork(rawValue: row.int16()) ?? .apns,
        devices: row.int64(), latest: row.timestamp())
    }
  }

  private static let floodStatement = Statement(
    "quarantine-flood",
    """
    SELECT device, quarantine_seqno FROM devices
    WHERE app = $1 AND network = $2 AND environment = $3 AND quarantined_at >= $4 AND quarantine_seqno IS NOT NULL
    """)

  /// Returns the refused deliveries for which devices of one route (app, network and environment) were quarantined, by
  /// any node, at or after `since`. Omits devices that are no longer in quarantine.
  package static func flood(
    _ app: App.Number, _ network: PushNetwork, _ environment: PushEnvironment, since: Timestamp
  ) -> Query<[Confirmations.Delivery]> {
    Query(each: floodStatement, app, network.rawValue, environment.rawValue, since) { row in
      let device = row.device()
      return Confirmations.Delivery(seqno: row.seqno(), device: device)
    }
  }

  // MARK: Other findings about a token

  private static let dropStatement = Statement(
    "quarantine-drop",
    """
    UPDATE devices SET state = \(Devices.State.tokenRefused.sql), refused_at = clock_timestamp()
    WHERE device = ANY($1)
      AND state = \(Devices.State.active.sql)
    """)

  /// Sets the state of active devices to `tokenRefused`, because their token is invalid: they receive nothing until
  /// they register again. Ignores devices in another state. The caller holds the row locks.
  package static func drop(_ devices: some Collection<DeviceID>) -> Query<Void> {
    Query(dropStatement, Devices.ids(devices)) { _ in }
  }

  private static let learnStatement = Statement(
    "quarantine-learn",
    """
    UPDATE devices d SET environment = t.environment, environment_is_learned = true
    FROM unnest($1, $2) AS t(device, environment) WHERE d.device = t.device
    """)

  /// Sets the environment of devices to the one reported by the push network. Registrations do not change that
  /// environment while the device keeps its token. The caller holds the devices' row locks.
  package static func learn(_ lessons: [(device: DeviceID, environment: PushEnvironment)]) -> Query<Void> {
    var devices = UUIDColumn()
    var environments = Int16Column()
    for lesson in lessons {
      devices.append(lesson.device)
      environments.append(lesson.environment.rawValue)
    }
    return Query(learnStatement, devices, environments) { _ in }
  }
}
