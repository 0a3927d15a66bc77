package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Lists users and devices, and sets a user's badge. Only the beginning of a token is shown.
package enum UserDirectory {
  /// A user with name, badge count and number of active devices, as shown in lists.
  package struct UserEntry: DescribedAnswer {
    package let appID: String
    package let user: PeopleLists.User

    package static let object = JSONObject<UserEntry>(
      "UserEntry", isNamed: false,
      [.always("appId", .appID, \.appID)] + members + [.always("devices", .count, \.user.devices, "Active ones.")])

    fileprivate static let members: [JSONField<UserEntry>] = [
      .always("clientUid", .anyText, { $0.user.userKey.clientUID ?? "" }),
      .always("clientName", .anyText, \.user.name), .always("badge", .badgeCount, \.user.badge),
    ]
  }

  /// A user with devices (at most `shownDevices`) and groups.
  package struct UserDetail: DescribedAnswer {
    let appID: String
    let entry: UserEntry
    let devices: [DeviceEntry]
    let groups: [(group: Groups.Number, name: String)]

    package static let object = JSONObject<UserDetail>(
      "UserDetail",
      [.always("appId", .appID, \.appID)] + UserEntry.members.map { $0.of(\.entry) } + [
        .always("devices", .list(of: DeviceEntry.object.form), \.devices),
        .always("groups", .list(of: groupForm), \.groups),
      ])
  }

  static let groupForm = JSONObject<(group: Groups.Number, name: String)>(
    "GroupName", isNamed: false,
    [.always("groupSeq", .sequence, { $0.group }), .always("name", .anyText, { $0.name })]
  ).form

  /// Body of a request to set a user's badge count.
  package struct NewBadge: Sendable {
    package var appID = ""
    package var badge: Int16 = 0

    package static let object = JSONObject(
      "UserBadge", from: NewBadge(),
      [
        .required("appId", .appID, \.appID),
        .required("badge", .clampedBadge, \.badge),
      ])
  }

  // MARK: Users

  /// Lists users in the byte order of their CUIDs, and notes in the audit trail that the caller has read them.
  /// - Parameter prefix: prefix of the CUID; empty for all.
  package static func users(
    of appID: String, prefix: String, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<UserEntry> {
    let app = try look(appID, caller, connection)
    try AuditTrail.note(.users, of: app.number, by: caller, on: connection)
    let range = KeyRange(prefix: UserKey(clientUID: prefix).text)
    let after = page.cursor.map { UserKey(clientUID: $0).text } ?? ""
    let users = try connection.answer(
      PeopleLists.users(of: app.number, after: after, from: range.from, upto: range.upto, limit: page.limit + 1))
    return ItemPage(users.map { UserEntry(appID: appID, user: $0) }, limit: page.limit) {
      $0.user.userKey.clientUID ?? ""
    }
  }

  /// Lists users who have a name, in the byte order of their names, those with equal names by CUID. Notes in the audit
  /// trail that the caller has read them.
  /// - Parameter name: beginning of the name; empty for all names.
  package static func users(
    of appID: String, named name: String, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<UserEntry> {
    let app = try look(appID, caller, connection)
    try AuditTrail.note(.users, of: app.number, by: caller, on: connection)
    let range = KeyRange(prefix: name)
    let after = try NameCursor(page.cursor)
    let users = try connection.answer(
      PeopleLists.users(
        of: app.number, after: (after.name, after.key), named: range.from, upto: range.upto, limit: page.limit + 1))
    return ItemPage(users.map { UserEntry(appID: appID, user: $0) }, limit: page.limit) {
      NameCursor(name: $0.user.name, key: $0.user.userKey.text).text
    }
  }

  package static func user(
    _ clientUID: String, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> UserDetail {
    let (key, found, devices) = try find(clientUID, of: appID, by: caller, on: connection)
    return UserDetail(
      appID: appID,
      entry: UserEntry(
        appID: appID,
        user: PeopleLists.User(
          userKey: key.userKey, name: found.name, badge: found.badge, devices: Int64(devices.count))),
      devices: devices.map(DeviceEntry.init), groups: try connection.answer(Groups.ofUsers([key]))[key] ?? [])
  }

  /// Returns a user's key, badge count and name, and the first `shownDevices` of the user's devices.
  /// - Throws: `.unknownUser`; `.unknownApp`; `.forbidden` if the caller may not view people in the app.
  static func find(
    _ clientUID: String, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> (key: Users.Key, known: (badge: Int16, name: String), devices: [PeopleLists.Device]) {
    let app = try look(appID, caller, connection)
    let key = Users.Key(app: app.number, userKey: UserKey(clientUID: clientUID))
    guard let known = try connection.answer(Users.find([key]))[key] else { throw unknown(clientUID, appID) }
    let devices = try connection.answer(
      PeopleLists.devices(
        of: app.number, after: ("", DeviceID(high: 0, low: 0)), from: key.userKey.text,
        upto: key.userKey.text + "\u{1}", limit: Operations.Limits.shownDevices))
    return (key, known, devices)
  }

  /// Sets a user's badge count, as the user's devices can. The last change wins. A change is audited, and sent to the
  /// user's devices if the app syncs badges; setting the present count is neither.
  /// - Throws: `.badgeOutOfRange`; `.unknownUser`; `.unknownApp`; `.forbidden`.
  package static func setBadge(
    _ new: NewBadge, of clientUID: String, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> UserDetail {
    let (appID, badge) = (new.appID, new.badge)
    let app = try connection.app(appID)
    try caller.require(.managePeople, in: app)
    guard Domain.Limits.badgeCount.contains(badge) else {
      throw Problem(
        .badgeOutOfRange, at: "/badge",
        "must be from \(Domain.Limits.badgeCount.lowerBound) to \(Domain.Limits.badgeCount.upperBound)")
    }
    let key = Users.Key(app: app.number, userKey: UserKey(clientUID: clientUID))
    guard try connection.answer(Users.find([key]))[key] != nil else { throw unknown(clientUID, appID) }
    try connection.commit { () throws(PostgresError) in
      let before = try connection.run(Users.lock([key]))[key]?.badge ?? 0
      _ = try connection.run(Users.setCounts([(key, badge)]))
      guard before != badge else { return }
      if app.syncsBadges {
        try connection.run(BadgeSyncs.queue([(key, nil)], dueAt: now + Operations.Limits.badgeSyncDelay))
      }
      let change = AuditTrail.Change("user.badge", PersonRights.trace(clientUID), in: app)
        .from { $0.member("badge", before) }.to { $0.member("badge", badge) }
      try connection.run(AuditTrail.add(change, by: caller))
    }
    return try user(clientUID, of: appID, by: caller, on: connection)
  }

  private static func unknown(_ clientUID: String, _ appID: String) -> Problem {
    Problem(.unknownUser, "The app \(appID) has no user \(clientUID).")
  }

  // MARK: Devices

  /// Search criteria for devices.
  package enum DeviceQuestion: Sendable {
    /// Prefix of the CUID; empty for all devices, including guests'.
    case user(prefix: String)
    /// The complete token, or the eight characters shown in lists: other prefixes would allow tokens to be read out
    /// character by character.
    case token(String)
  }

  package static func devices(
    of appID: String, _ question: DeviceQuestion, _ page: PageRequest, by caller: Caller,
    on connection: Connection
  ) throws(Problem) -> ItemPage<DeviceEntry> {
    let app = try look(appID, caller, connection)
    try AuditTrail.note(.devices, of: app.number, by: caller, on: connection)
    switch question {
    case .token(let token):
      guard token.utf8.count >= Operations.Limits.shownTokenBytes else {
        throw Problem(
          .invalidField,
          "psid must be the first \(Operations.Limits.shownTokenBytes) characters of a push token, as lists show them, or all of it."
        )
      }
      let isBeginning = token.utf8.count == Operations.Limits.shownTokenBytes
      let range = isBeginning ? KeyRange(prefix: token) : KeyRange(PushNetwork.apns.normalize(psid: token) ?? token)
      let found = try connection.answer(
        PeopleLists.devices(of: app.number, tokensFrom: range.from, upto: range.upto, limit: page.limit))
      return ItemPage(items: found.map(DeviceEntry.init), behind: nil)
    case .user(let prefix):
      let range = prefix.isEmpty ? KeyRange.all : KeyRange(prefix: UserKey(clientUID: prefix).text)
      let found = try connection.answer(
        PeopleLists.devices(
          of: app.number, after: try after(page.cursor), from: range.from, upto: range.upto, limit: page.limit + 1))
      return ItemPage(found.map(DeviceEntry.init), limit: page.limit) {
        "\($0.device.record.device) \($0.device.record.userKey.text)"
      }
    }
  }

  package static func device(
    _ device: DeviceID, by caller: Caller, on connection: Connection
  ) throws(Problem) -> DeviceDetail {
    try caller.require(.viewPeople)
    // Report devices of other apps as nonexistent.
    guard let found = try connection.answer(PeopleLists.find(device)), caller.reaches(found.record.app),
      let app = try connection.answer(Apps.all()).first(where: { $0.app.number == found.record.app })
    else { throw Problem(.unknownDevice, "There is no device \(device).") }
    let key = Users.Key(app: found.record.app, userKey: found.record.userKey)
    return DeviceDetail(
      appID: app.app.appID, entry: DeviceEntry(device: found),
      groups: try connection.answer(Groups.ofUsers([key]))[key] ?? [])
  }

  private static func after(_ cursor: String?) throws(Problem) -> (key: String, device: DeviceID) {
    guard let cursor else { return ("", DeviceID(high: 0, low: 0)) }
    let parts = cursor.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let device = DeviceID(String(parts[0])) else {
      throw PageRequest.foreignCursor
    }
    return (String(parts[1]), device)
  }

  private static func look(_ appID: String, _ caller: Caller, _ connection: Connection) throws(Problem) -> App {
    let app = try connection.app(appID, allowing: caller, to: .viewPeople)
    return app
  }
}

/// Position at which a page of users by name begins: after the user with this name and key.
private struct NameCursor {
  let name: String
  let key: String

  init(name: String, key: String) {
    self.name = name
    self.key = key
  }

  /// Parses a cursor such as `3 KimuKB100`: the length of the name in bytes, the name, and the key.
  init(_ text: String?) throws(Problem) {
    guard let text else {
      (name, key) = ("", "")
      return
    }
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let length = Int(parts[0]), (0...parts[1].utf8.count).contains(length) else {
      throw PageRequest.foreignCursor
    }
    let bytes = Array(parts[1].utf8)
    name = String(decoding: bytes[..<length], as: UTF8.self)
    key = String(decoding: bytes[length...], as: UTF8.self)
  }

  var text: String { "\(name.utf8.count) \(name)\(key)" }
}

/// A range of keys in byte order, from `from` to before `upto`: those with a common prefix, or a single one.
struct KeyRange {
  let from: String
  let upto: String

  /// Creates the range of all keys that begin with a prefix; of all keys if it is empty. The range ends at the prefix
  /// followed by U+10FFFF, the last code point, which no stored key has there.
  init(prefix: String) {
    from = prefix
    upto = prefix + "\u{10FFFF}"
  }

  /// Creates the range of a single key: no stored key lies between it and the same key followed by U+0001.
  init(_ key: String) {
    from = key
    upto = key + "\u{1}"
  }

  static let all = KeyRange(prefix: "")
}

extension JSONForm<Int16> {
  /// Form of a badge count that clamps numbers which do not fit: the result is out of range as well, and is refused
  /// with a better message where it is used.
  fileprivate static let clampedBadge = JSONForm(
    JSONSchema.badgeCount, read: { (reader) throws(JSONError) in Int16(clamping: try reader.readInteger()) })
}

extension Operations.Limits {
  /// Maximum number of a user's devices that are shown, more than users usually have; further ones are left out.
  static let shownDevices = 200
  /// Number of characters of a push token that are shown.
  package static let shownTokenBytes = 8
}
