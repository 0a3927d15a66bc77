package import Domain
package import JSON
package import Postgres
package import Store

/// Looking at users and devices, and setting a user's badge. A token is shown only by its beginning.
package enum UserDirectory {
  /// A user as lists show it.
  package struct UserEntry: JSONAnswer {
    package let user: PeopleLists.User

    package func write(to writer: inout JSONWriter) {
      writer.member("clientUid", user.userKey.clientUID)
      writer.member("clientName", user.name)
      writer.member("badge", user.badge)
      writer.member("devices", user.devices)
    }
  }

  /// A device as lists show it.
  package struct DeviceEntry: JSONAnswer {
    package let device: PeopleLists.Device

    package func write(to writer: inout JSONWriter) {
      let record = device.record
      writer.member("device", record.device.description)
      writer.member("clientUid", record.userKey.clientUID)
      writer.member("clientName", record.userKey.isGuest ? nil : device.userName)
      writer.member("badge", device.badge)
      writer.member("pnsId", record.network.pnsID)
      writer.member("environment", record.environment.name)
      writer.member("psidPrefix", String(record.psid.prefix(Operations.Limits.shownTokenBytes)))
      writer.member("deviceId", record.installation)
      writer.member("identity", record.userKey.isGuest ? nil : record.identity.name)
      writer.member("state", record.state.name)
      let about = record.attributes
      writer.member("platform", about.platform)
      writer.member("model", about.model)
      writer.member("osVersion", about.osVersion)
      writer.member("appVersion", about.appVersion)
      writer.member("locale", about.locale)
      writer.member("timeZone", about.timeZone)
      // A file brought it, and it has not registered since.
      writer.member("registeredAt", record.registeredAt > 0 ? Timestamp.text(record.registeredAt) : nil)
      writer.member("boundAt", Timestamp.text(record.boundAt))
      writer.member("createdAt", Timestamp.text(record.createdAt))
      writer.member("quarantine", raw: quarantine)
    }

    private var quarantine: [UInt8] {
      guard let at = device.quarantinedAt else { return Array("null".utf8) }
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("reason", device.quarantineReason)
        writer.member("seqno", device.quarantineSeqno.map(String.init))
        writer.member("at", Timestamp.text(at))
      }
      return writer.bytes
    }
  }

  /// A device with what it said of consents, and its groups.
  package struct DeviceDetail: JSONAnswer {
    let appID: String
    let entry: DeviceEntry
    let groups: [(group: Groups.Number, name: String)]

    package func write(to writer: inout JSONWriter) {
      writer.member("appId", appID)
      entry.write(to: &writer)
      let consents = entry.device.record.consents
      writer.member(
        "consent",
        object: { writer in
          writer.optional("notification", consents.notification?.isGiven)
          writer.optional("ad", consents.ad?.isGiven)
          writer.optional("nightAd", consents.nightAd?.isGiven)
        })
      writer.write(groups: groups)
    }
  }

  /// A user with its devices and groups.
  package struct UserDetail: JSONAnswer {
    let appID: String
    let entry: UserEntry
    let devices: [DeviceEntry]
    let groups: [(group: Groups.Number, name: String)]

    package func write(to writer: inout JSONWriter) {
      writer.member("appId", appID)
      writer.member("clientUid", entry.user.userKey.clientUID)
      writer.member("clientName", entry.user.name)
      writer.member("badge", entry.user.badge)
      writer.member("devices", array: { writer in for item in devices { writer.object { item.write(to: &$0) } } })
      writer.write(groups: groups)
    }
  }

  // MARK: Users

  /// Users by CUID.
  /// - Parameter prefix: how the CUID begins; empty: all.
  package static func users(
    of appID: String, prefix: String, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<UserEntry> {
    let app = try look(appID, caller, connection)
    try AuditTrail.note(.users, of: app.number, by: caller, on: connection)
    let range = KeyRange(prefix: UserKey(clientUID: prefix).text)
    let after = page.cursor.map { UserKey(clientUID: $0).text } ?? ""
    let users = try connection.answer(
      PeopleLists.users(of: app.number, after: after, from: range.from, upto: range.upto, limit: page.limit + 1))
    return ItemPage(users.map(UserEntry.init), limit: page.limit) { $0.user.userKey.clientUID ?? "" }
  }

  package static func user(
    _ clientUID: String, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> UserDetail {
    let (key, found, devices) = try find(clientUID, of: appID, by: caller, on: connection)
    return UserDetail(
      appID: appID,
      entry: UserEntry(
        user: PeopleLists.User(
          userKey: key.userKey, name: found.name, badge: found.badge, devices: Int64(devices.count))),
      devices: devices.map(DeviceEntry.init), groups: try connection.answer(Groups.ofUsers([key]))[key] ?? [])
  }

  /// A user that is known, with its devices.
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

  /// Sets a user's count, as its devices could: the last write wins.
  package static func setBadge(
    _ badge: Int16, of clientUID: String, _ appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> UserDetail {
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
      let change = AuditTrail.Change("user.badge", clientUID, in: app).from { $0.member("badge", before) }
        .to { $0.member("badge", badge) }
      try connection.run(AuditTrail.add(change, by: caller))
    }
    return try user(clientUID, of: appID, by: caller, on: connection)
  }

  private static func unknown(_ clientUID: String, _ appID: String) -> Problem {
    Problem(.unknownUser, "The app \(appID) has no user \(clientUID).")
  }

  // MARK: Devices

  /// Whose devices are looked for.
  package enum DeviceQuestion: Sendable {
    /// How the CUID begins; empty: everyone's, guests' too.
    case user(prefix: String)
    /// The whole token, or the eight characters that lists show of it: any other beginning would let people read tokens
    /// off, character by character.
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
      return ItemPage(items: found.map(DeviceEntry.init), nextCursor: nil)
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
    // A device of an app that the caller does not reach does not exist for it.
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

/// All keys that begin alike, in byte order: from the prefix itself up to what no key with it reaches.
struct KeyRange {
  let from: String
  let upto: String

  /// U+10FFFF is the last character there is; nothing that is stored begins with it.
  init(prefix: String) {
    from = prefix
    upto = prefix + "\u{10FFFF}"
  }

  /// One key alone. Nothing that is stored comes between it and itself with U+0001 behind it.
  init(_ key: String) {
    from = key
    upto = key + "\u{1}"
  }

  static let all = KeyRange(prefix: "")
}

extension Devices.State {
  package var name: String {
    switch self {
    case .active: "active"
    case .unregistered: "unregistered"
    case .tokenRefused: "token-refused"
    }
  }
}

extension JSONWriter {
  mutating func optional(_ name: String, _ flag: Bool?) {
    self.name(name)
    if let flag { value(flag) } else { null() }
  }

  fileprivate mutating func write(groups: [(group: Groups.Number, name: String)]) {
    member(
      "groups",
      array: { writer in
        for group in groups {
          writer.object { writer in
            writer.member("groupSeq", String(group.group))
            writer.member("name", group.name)
          }
        }
      })
  }
}

extension Operations.Limits {
  /// Devices of one user that are shown: more than anybody has.
  static let shownDevices = 200
  /// Characters that are shown of a push token.
  package static let shownTokenBytes = 8
}
