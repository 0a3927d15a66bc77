internal import Domain
package import Postgres
internal import Time

/// The export of what is stored about one user, and its erasure.
package enum PersonErasure {
  // MARK: Export

  /// One table's rows about the user, as JSON objects.
  package struct Part: Sendable {
    package let name: String
    /// The rows as a JSON array.
    package let rows: String
  }

  private static func part(_ name: String, _ select: String) -> (name: String, statement: Statement) {
    (
      name,
      Statement(
        "person-export-\(name)", "SELECT coalesce(json_agg(t), '[]')::text FROM (\(select)) t")
    )
  }

  /// The parts of an export, except the deliveries, with their statements. Of push tokens, only a prefix is exported,
  /// because a token gives access to the device and says nothing about the person. The phone number is left out,
  /// because it is stored encrypted (`Users.phone`).
  private static let parts = [
    part(
      "user", "SELECT substr(user_key, 2) AS client_uid, name, badge, tags FROM users WHERE app = $1 AND user_key = $2"),
    part(
      "devices",
      """
      SELECT device, network, environment, state, left(psid, 8) AS psid_prefix, device_id, platform, model, os_version,
        app_version, locale, time_zone, consent_notification, consent_notification_at, consent_ad, consent_ad_at,
        consent_night_ad, consent_night_ad_at, tags, bound_at, registered_at, created_at, seen_at, quarantined_at, quarantine_reason
      FROM devices WHERE app = $1 AND user_key = $2 AND state = \(Devices.State.active.sql) ORDER BY device
      """),
    part(
      "groups",
      """
      SELECT m.groupseq, g.name, m.joined_at FROM group_members m JOIN groups g ON g.groupseq = m.groupseq
      WHERE m.app = $1 AND m.user_key = $2 ORDER BY m.groupseq
      """),
    part(
      "testGroups",
      "SELECT group_name AS name FROM test_recipients WHERE app = $1 AND user_key = $2 ORDER BY group_name"),
    part(
      "badges",
      """
      SELECT s.seqno, e.* FROM (
        SELECT seqno FROM badge_ledger WHERE app = $1 AND user_key = $2
        UNION SELECT m.seqno FROM (SELECT DISTINCT seqno FROM blocks OFFSET 0) campaigns JOIN messages m USING (seqno)
        CROSS JOIN LATERAL block_grant($1, $2, m.seqno) WHERE m.app = $1) s
      CROSS JOIN LATERAL badge_entry($1, $2, s.seqno) e ORDER BY s.seqno DESC LIMIT 10000
      """),
    part(
      "shortMessages",
      """
      SELECT seqno, due_at, decision, decided_at, late_at FROM fallbacks
      WHERE app = $1 AND user_key = $2 ORDER BY seqno DESC LIMIT 10000
      """),
    part(
      "inbox",
      """
      SELECT e.seqno, i.sent_at, e.ends_at, e.read_at, i.request->'alert' AS alert, e.filled
      FROM inbox_entries e LEFT JOIN inbox_messages i ON i.seqno = e.seqno
      WHERE e.app = $1 AND e.user_key = $2 ORDER BY e.seqno DESC LIMIT 10000
      """),
  ]

  /// The names of all parts of an export, in order.
  package static let partNames = parts.map(\.name) + ["deliveries"]

  /// Returns the parts of `partNames`, in this order. Omits the phone number, events, lines of uploaded files, vouchers
  /// and former tokens. Badges, SMS fallbacks, inbox and deliveries contain the newest 10,000 entries each. Deliveries
  /// outside of blocks are included only if they went to the user's current devices. A part without data is an empty
  /// array; for an unknown user, all parts are. With millions of messages this takes a minute, so call it outside of
  /// transactions.
  package static func export(_ user: Users.Key, on connection: Connection) throws(PostgresError) -> [Part] {
    var found: [Part] = []
    for (name, statement) in parts {
      found.append(Part(name: name, rows: try connection.run(statement, parameters(user)).decodeOne { $0.text() }))
    }
    found.append(try deliveries(of: user, on: connection))
    return found
  }

  // MARK: Erasure

  private static let devicesStatement = Statement(
    "person-erase-devices",
    """
    SELECT device FROM devices WHERE app = $1 AND user_key = $2 AND state = \(Devices.State.active.sql)
    -- The other states have an index of their own.
    UNION ALL SELECT device FROM devices WHERE app = $1 AND user_key = $2 AND state <> \(Devices.State.active.sql)
    ORDER BY device
    """)

  /// Returns the user's devices in any state, in order of id.
  private static func devices(_ user: Users.Key, on connection: Connection) throws(PostgresError) -> [DeviceID] {
    let rows = try connection.run(devicesStatement, parameters(user))
    return rows.decode { $0.device() }
  }

  private static let tokensStatement = Statement(
    "person-erase-tokens",
    """
    -- No index leads from a device to its alert token, which is in its row.
    WITH alert AS (
      DELETE FROM psids p USING devices d
      WHERE d.device = ANY($1) AND p.app = d.app AND p.psid = d.psid AND p.network = d.network
        AND p.kind = \(TokenKind.alert.sql) AND p.device = d.device),
    further AS (DELETE FROM psids WHERE device = ANY($1) AND kind > \(TokenKind.alert.sql)),
    former AS (DELETE FROM former_psids WHERE device = ANY($1)),
    users AS (DELETE FROM former_users WHERE device = ANY($1))
    -- Nothing of the person is left in the row; that it was there is.
    UPDATE devices SET \(emptied) WHERE device = ANY($1)
    """)

  /// SQL assignments that remove all personal data from a device's row and make its keys invalid.
  static let emptied = """
    user_key = 'g' || device, state = \(Devices.State.unregistered.sql), psid = '', device_id = '', platform = '',
      model = '',
      os_version = '', app_version = '', locale = '', time_zone = '', consent_notification = NULL, consent_ad = NULL,
      consent_night_ad = NULL, consent_notification_at = NULL, consent_ad_at = NULL, consent_night_ad_at = NULL,
      tags = '{}', bound_at = now(), auth_epoch = \(Devices.nextEpoch), quarantined_at = NULL,
      quarantine_reason = NULL, quarantine_seqno = NULL, refused_at = NULL, unregistered_at = NULL,
      identity = 0, pending_user = NULL, pending_at = NULL, proved_at = NULL, proved_seqno = NULL
    """

  /// Further arguments of `translate`, which turn whatever surrounds a word of a CSV line into commas, so that a whole
  /// word can be found: quotes, blanks (which `CSVReader` takes from around a cell) and line breaks.
  private static let asCommas = """
    '"'' ' || chr(9) || chr(10) || chr(13), ',,,,,,'
    """

  private static let accountStatement = Statement(
    "person-erase-account",
    """
    WITH members AS (DELETE FROM group_members WHERE app = $1 AND user_key = $2 RETURNING 1),
    ledger AS (DELETE FROM badge_ledger WHERE app = $1 AND user_key = $2 RETURNING 1),
    inbox AS (DELETE FROM inbox_entries WHERE app = $1 AND user_key = $2 RETURNING 1),
    syncs AS (DELETE FROM badge_syncs WHERE app = $1 AND user_key = $2 RETURNING 1),
    voucher AS (DELETE FROM vouchers WHERE app = $1 AND user_key = $2 RETURNING 1),
    notice AS (DELETE FROM device_notices WHERE app = $1 AND user_key = $2 RETURNING 1),
    pending AS (
      UPDATE devices SET pending_user = NULL, pending_at = NULL WHERE app = $1 AND pending_user = $2 RETURNING 1),
    fallback AS (DELETE FROM fallbacks WHERE app = $1 AND user_key = $2 RETURNING 1),
    testers AS (DELETE FROM test_recipients WHERE app = $1 AND user_key = $2 RETURNING 1),
    former AS (DELETE FROM former_users WHERE app = $1 AND user_key = $2 RETURNING 1),
    gone AS (
      DELETE FROM events WHERE app = $1 AND data->>'clientUid' = substr($2, 2)
        -- Only the kinds that name one person, by their index: there may be very many others.
        AND event_kind IN ('sms.requested', 'token.dropped', 'device.added') RETURNING event),
    told AS (DELETE FROM event_deliveries WHERE event IN (SELECT event FROM gone)),
    lines AS (
      DELETE FROM csv_lines WHERE user_key = $2 AND csv IN (SELECT csv FROM csv_audiences WHERE app = $1) RETURNING 1),
    -- A wrong line has no columns that could be trusted, so it goes if the person's CUID is anywhere among its words.
    faulty AS (
      DELETE FROM import_errors WHERE import IN (SELECT import FROM imports WHERE app = $1)
        -- Alone, the comparison of words would take seconds for the 100,000 lines of one import.
        AND position(substr($2, 2) IN replace(text, '""', '"')) > 0
        AND position(',' || translate(substr($2, 2), \(asCommas)) || ','
          IN ',' || translate(replace(text, '""', '"'), \(asCommas)) || ',') > 0 RETURNING 1),
    person AS (DELETE FROM users WHERE app = $1 AND user_key = $2 RETURNING 1)
    SELECT (SELECT count(*) FROM members) + (SELECT count(*) FROM ledger) + (SELECT count(*) FROM inbox)
      + (SELECT count(*) FROM syncs) + (SELECT count(*) FROM voucher) + (SELECT count(*) FROM notice)
      + (SELECT count(*) FROM pending) + (SELECT count(*) FROM fallback) + (SELECT count(*) FROM testers)
      + (SELECT count(*) FROM former) + (SELECT count(*) FROM gone) + (SELECT count(*) FROM lines)
      + (SELECT count(*) FROM faulty) + (SELECT count(*) FROM person)
    """)

  private static let historyStatement = Statement(
    "person-erase-history",
    """
    UPDATE outcomes o SET user_key = 'g' || o.device
    -- No index leads from a device to its deliveries: each message is looked at.
    FROM (SELECT seqno FROM messages WHERE app = $1 ORDER BY seqno DESC LIMIT $4) m
    WHERE o.seqno = m.seqno AND o.device = ANY($3) AND o.user_key = $2
    """)

  /// Number of an app's newest messages whose deliveries are searched at once, which takes a fraction of a second.
  /// Searching those of a year in the caller's transaction would exceed the statement timeout.
  private static let messagesAtOnce = 10_000

  /// Erases a user, within a transaction: unregisters the user's devices and removes their data; deletes everything
  /// else that is stored under the user's key, such as name, badge count, memberships, inbox and events; and replaces
  /// the user in deliveries of the newest messages to these devices by a guest. Leaves deliveries of older messages,
  /// those in blocks, and those to devices that the user no longer has to `Erasures`, and all but the oldest events
  /// about recipients to `RecipientEvents.forgetNext`. Keeps totals. Locks tables in the order that all writers use.
  /// - Returns: the number of devices that the user had. Nil, without changes, if nothing is stored under the user's
  ///   key.
  package static func erase(_ user: Users.Key, on connection: Connection) throws(PostgresError) -> Int? {
    let devices = try devices(user, on: connection)
    if !devices.isEmpty {
      // Before the devices, as a registration of one of them does at that moment.
      _ = try connection.run(Tokens.lock([], leaving: Set(devices), at: .zero))
      _ = try connection.run(Devices.lock(devices))
      _ = try connection.run(tokensStatement, Devices.ids(devices))
      var history = parameters(user)
      var column = UUIDColumn()
      for device in devices { column.append(device) }
      history.append(column)
      history.append(messagesAtOnce)
      _ = try connection.run(historyStatement, history)
    }
    let removed = try connection.run(accountStatement, parameters(user)).decodeOne { $0.int64() }
    guard removed > 0 || !devices.isEmpty else { return nil }
    try RecipientEvents.forget(user, on: connection)
    try Erasures.add(user, on: connection)
    return devices.count
  }

  private static func parameters(_ user: Users.Key) -> Parameters {
    return Parameters(user.app, user.userKey.text)
  }
}
