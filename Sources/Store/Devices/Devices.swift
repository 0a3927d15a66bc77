package import Domain
internal import Postgres
package import Time

/// Devices, one row per installation of an app. Rows of unregistered devices are kept, and can be reused for another
/// installation with the same DEVICE_ID. Decision 007.
package enum Devices {
  package enum State: Int16, CaseIterable, Sendable {
    case active = 1
    case unregistered = 2
    /// The network has reported the token as invalid. A new registration reactivates the device.
    case tokenRefused = 3
  }

  /// Attributes that a device reports.
  package struct Attributes: Equatable, Sendable {
    package var platform = ""
    package var model = ""
    package var osVersion = ""
    package var appVersion = ""
    package var locale = ""
    package var timeZone = ""

    package init() {}

    /// Returns these attributes, but with the locale and time zone of `known`: for a protocol that reports neither.
    package func keepingUnsaid(of known: Attributes) -> Attributes {
      var merged = known
      merged.platform = platform
      merged.model = model
      merged.osVersion = osVersion
      merged.appVersion = appVersion
      return merged
    }
  }

  /// A proved user to whom a device will be bound when the device has returned a push.
  package struct Pending: Equatable, Sendable {
    package let userKey: UserKey
    /// When the user was proved; only a push sent later counts.
    package let at: Timestamp

    package init(userKey: UserKey, at: Timestamp) {
      self.userKey = userKey
      self.at = at
    }
  }

  package struct Record: Equatable, Sendable {
    package let device: DeviceID
    package let app: App.Number
    package var userKey: UserKey
    package let network: PushNetwork
    package var environment: PushEnvironment
    package var state: State
    package var authEpoch: Int16
    package var psid: String
    package let installation: String
    package var attributes: Attributes
    package var consents = Consents()
    /// When the device was bound to its user.
    package var boundAt: Timestamp
    package var registeredAt: Timestamp
    package var createdAt: Timestamp
    /// When the device last registered or made a call. To save writes, calls shortly after the recorded time do not
    /// update it.
    package var seenAt: Timestamp
    /// The identity mode under which the device was bound to its user; `open` for guests.
    package var identity = App.Identity.open
    /// The user to whom the device will be bound when it has returned a push; nil if there is none.
    package var pending: Pending?

    package init(
      device: DeviceID, app: App.Number, userKey: UserKey, network: PushNetwork, environment: PushEnvironment,
      psid: String, installation: String, attributes: Attributes, now: Timestamp
    ) {
      self.device = device
      self.app = app
      self.userKey = userKey
      self.network = network
      self.environment = environment
      state = .active
      authEpoch = 0
      self.psid = psid
      self.installation = installation
      self.attributes = attributes
      boundAt = now
      registeredAt = now
      createdAt = now
      seenAt = now
    }

    /// Decodes the columns of `Devices.columnList`.
    init(_ row: inout RowReader) {
      device = row.device()
      app = row.int32()
      userKey = row.userKey()
      network = PushNetwork(rawValue: row.int16()) ?? .apns
      environment = PushEnvironment(rawValue: row.int16()) ?? .production
      state = State(rawValue: row.int16()) ?? .unregistered
      authEpoch = row.int16()
      psid = row.text()
      installation = row.text()
      attributes = Attributes()
      attributes.platform = row.text()
      attributes.model = row.text()
      attributes.osVersion = row.text()
      attributes.appVersion = row.text()
      attributes.locale = row.text()
      attributes.timeZone = row.text()
      let (notification, ad, nightAd) = (row.optionalBool(), row.optionalBool(), row.optionalBool())
      boundAt = row.timestamp()
      registeredAt = row.timestamp()
      createdAt = row.timestamp()
      consents.notification = Self.consent(notification, at: row.optionalTimestamp())
      consents.ad = Self.consent(ad, at: row.optionalTimestamp())
      consents.nightAd = Self.consent(nightAd, at: row.optionalTimestamp())
      seenAt = max(registeredAt, row.optionalTimestamp() ?? registeredAt)
      identity = App.Identity(rawValue: row.int16()) ?? .open
      let (pendingUser, pendingAt) = (row.optionalText(), row.optionalTimestamp())
      if let pendingUser, let pendingAt {
        pending = Pending(userKey: UserKey(stored: pendingUser), at: pendingAt)
      }
    }

    private static func consent(_ isGiven: Bool?, at time: Timestamp?) -> Consents.Answer? {
      isGiven.map { Consents.Answer(isGiven: $0, at: time ?? .zero) }
    }
  }

  /// The columns from which a `Record` is decoded.
  static let columnList = """
    device, app, user_key, network, environment, state, auth_epoch, psid, device_id, platform, model, os_version,
    app_version, locale, time_zone, consent_notification, consent_ad, consent_night_ad, bound_at, registered_at, created_at,
    consent_notification_at, consent_ad_at, consent_night_ad_at, seen_at, identity, pending_user, pending_at
    """

  /// SQL expression: the epoch that follows the row's. Epochs go round, as with `&+` in a `Record`: otherwise a device
  /// that has used up its epochs could no longer be erased, and its next registration would fail all of its batch.
  static let nextEpoch = "CASE WHEN auth_epoch = 32767 THEN -32768 ELSE auth_epoch + 1 END"

  /// SQL condition, in the update of a conflicting row: the new epoch does not come after the row's.
  static let isEpochPast = "(((excluded.auth_epoch::integer - devices.auth_epoch) & 65535) NOT BETWEEN 1 AND 32767)"

  /// SQL expression, in the update of a conflicting row: when the device was unregistered; NULL if it is not.
  static let unregisteredAt = """
    CASE WHEN excluded.state = \(Devices.State.unregistered.sql)
      THEN coalesce(devices.unregistered_at, clock_timestamp()) END
    """

  /// Number of columns in `columnList`.
  static let columnCount = columnList.split(separator: ",").count

  private static let lockStatement = Statement(
    "devices-lock",
    """
    INSERT INTO devices (\(columnList))
    SELECT d.* FROM (SELECT unnest($1::uuid[]) AS device) u
    CROSS JOIN LATERAL (SELECT \(columnList) FROM devices WHERE devices.device = u.device) d
    -- In key order, so that two writers never wait for each other in a circle.
    ORDER BY device
    ON CONFLICT (device) DO UPDATE SET device = excluded.device
    RETURNING \(columnList)
    """)

  /// Locks the devices in key order until the transaction ends, and returns their latest rows. Devices that do not
  /// exist are omitted.
  package static func lock(_ devices: some Collection<DeviceID>) -> Query<[Record]> {
    Query(lockStatement, ids(devices)) { $0.decode { Record(&$0) } }
  }

  private static let findStatement = Statement(
    "devices-find", "SELECT \(columnList) FROM devices WHERE device = ANY($1::uuid[])")

  /// Returns the rows of devices, without locks. Devices that do not exist are omitted.
  package static func find(_ devices: some Collection<DeviceID>) -> Query<[Record]> {
    Query(findStatement, ids(devices)) { $0.decode { Record(&$0) } }
  }

  private static let saveStatement = Statement(
    "devices-save",
    """
    INSERT INTO devices (\(columnList))
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
      $22, $23, $24, $25, $26, $27, $28) AS t(\(columnList))
    ORDER BY device
    ON CONFLICT (device) DO UPDATE SET
      user_key = excluded.user_key, device_id = excluded.device_id,
      -- A row that its writer took for free: whoever reuses one knows its epoch.
      state = CASE WHEN excluded.created_at <> devices.created_at AND \(Devices.isEpochPast)
        THEN row_is_taken() ELSE excluded.state END,
      unregistered_at = \(Devices.unregisteredAt),
      -- What the network told us about this very token outranks what the app believes.
      environment = CASE WHEN devices.environment_is_learned AND devices.psid = excluded.psid
        THEN devices.environment ELSE excluded.environment END,
      environment_is_learned = devices.environment_is_learned AND devices.psid = excluded.psid,
      -- A registration, and nothing else that is saved, ends a quarantine.
      quarantined_at = CASE WHEN excluded.registered_at = devices.registered_at THEN devices.quarantined_at END,
      quarantine_reason = CASE WHEN excluded.registered_at = devices.registered_at THEN devices.quarantine_reason END,
      quarantine_seqno = CASE WHEN excluded.registered_at = devices.registered_at THEN devices.quarantine_seqno END,
      auth_epoch = excluded.auth_epoch, psid = excluded.psid, platform = excluded.platform, model = excluded.model,
      os_version = excluded.os_version, app_version = excluded.app_version, locale = excluded.locale,
      time_zone = excluded.time_zone, consent_notification = excluded.consent_notification,
      consent_ad = excluded.consent_ad, consent_night_ad = excluded.consent_night_ad, bound_at = excluded.bound_at,
      registered_at = excluded.registered_at, consent_notification_at = excluded.consent_notification_at,
      consent_ad_at = excluded.consent_ad_at, consent_night_ad_at = excluded.consent_night_ad_at,
      -- Another device in a row that was free: what was noted of the former one is not its.
      tags = CASE WHEN excluded.created_at = devices.created_at THEN devices.tags ELSE '{}' END,
      is_imported = devices.is_imported AND excluded.created_at = devices.created_at,
      seen_at = excluded.seen_at, created_at = excluded.created_at, identity = excluded.identity,
      pending_user = excluded.pending_user, pending_at = excluded.pending_at
    """)

  /// Inserts rows, or updates those that exist. An update never changes app or network, and:
  /// - keeps an environment that the push network has reported, as long as the token is the same;
  /// - ends a quarantine if `registeredAt` has changed;
  /// - deletes the tags and the mark of an import if `createdAt` has changed, because the row is then reused for
  ///   another installation.
  ///
  /// Fails with a serialization failure, to be retried, if another transaction has reused one of the rows first.
  package static func save(_ records: [Record]) -> Query<Void> {
    Query(saveStatement, columns(records)) { _ in }
  }

  /// Returns the values of the records as one array per column, in the order of `columnList`.
  static func columns(_ records: [Record]) -> Parameters {
    var uuids = UUIDColumn()
    var apps = Int32Column()
    var shorts = [Int16Column](repeating: Int16Column(), count: 4)
    var texts = [TextColumn](repeating: TextColumn(), count: 9)
    var consents = [BoolColumn](repeating: BoolColumn(), count: 3)
    var times = [TimestampColumn](repeating: TimestampColumn(), count: 7)
    var (identities, pendingUsers, pendingTimes) = (Int16Column(), TextColumn(), TimestampColumn())
    for record in records {
      uuids.append(record.device)
      apps.append(record.app)
      for (index, value) in [
        record.network.rawValue, record.environment.rawValue, record.state.rawValue, record.authEpoch,
      ].enumerated() { shorts[index].append(value) }
      let about = record.attributes
      for (index, value) in [
        record.userKey.text, record.psid, record.installation, about.platform, about.model, about.osVersion,
        about.appVersion, about.locale, about.timeZone,
      ].enumerated() { texts[index].append(value) }
      let answers = [record.consents.notification, record.consents.ad, record.consents.nightAd]
      for (index, answer) in answers.enumerated() { consents[index].append(answer?.isGiven) }
      let moments = [record.boundAt, record.registeredAt, record.createdAt] + answers.map { $0?.at } + [record.seenAt]
      for (index, value) in moments.enumerated() { times[index].append(value) }
      identities.append(record.identity.rawValue)
      pendingUsers.append(record.pending?.userKey.text)
      pendingTimes.append(record.pending?.at)
    }
    var parameters = Parameters()
    parameters.append(uuids)
    parameters.append(apps)
    parameters.append(texts[0])
    for column in shorts { parameters.append(column) }
    for column in texts.dropFirst() { parameters.append(column) }
    for column in consents { parameters.append(column) }
    for column in times { parameters.append(column) }
    parameters.append(identities)
    parameters.append(pendingUsers)
    parameters.append(pendingTimes)
    return parameters
  }

  private static let touchStatement = Statement(
    "devices-touch",
    """
    INSERT INTO devices (\(columnList))
    SELECT d.* FROM (SELECT unnest($1::uuid[]) AS device) u
    CROSS JOIN LATERAL (SELECT \(columnList) FROM devices WHERE devices.device = u.device) d
    ORDER BY device
    ON CONFLICT (device) DO UPDATE SET seen_at = $2
    """)

  /// Sets `seenAt` of the devices to `now`, locking the rows in key order. Ignores devices that do not exist.
  package static func touch(_ devices: some Collection<DeviceID>, at now: Timestamp) -> Query<Void> {
    var parameters = ids(devices)
    parameters.append(now)
    return Query(touchStatement, parameters) { _ in }
  }

  static func ids(_ devices: some Collection<DeviceID>) -> Parameters {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    return Parameters(column)
  }
}
