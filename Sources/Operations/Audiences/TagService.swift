package import Domain
package import JSON
package import Postgres
internal import Store

/// Tags users and devices, singly or in bulk. A user's tags apply to all its devices; a device's tags belong to the
/// installation, regardless of its user.
package enum TagService {
  package enum Owners: Sendable {
    /// Users by CUID, who can be tagged before the app knows them.
    case users([String])
    case devices([DeviceID])

    /// Text for the audit log: a single owner's device id or hash of the CUID, or else the number of owners.
    fileprivate var summary: String {
      switch self {
      case .users(let users): users.count == 1 ? PersonRights.trace(users[0]) : "\(users.count) users"
      case .devices(let devices): devices.count == 1 ? devices[0].description : "\(devices.count) devices"
      }
    }
  }

  package struct Change: Sendable {
    package var add: [String] = []
    package var remove: [String] = []
    /// Whether `add` replaces all existing tags.
    package var replaces = false

    package init() {}

    fileprivate func write(to writer: inout JSONWriter) {
      writer.member(replaces ? "set" : "add", array: { writer in for tag in add { writer.value(tag) } })
      writer.member("remove", array: { writer in for tag in remove { writer.value(tag) } })
    }
  }

  package struct Changed: DescribedAnswer {
    package let count: Int
    package let unknown: [String]

    package static let object = JSONObject<Changed>(
      "TagsChanged",
      [
        .always("changed", .count, \.count, "Users or devices that were found."),
        .always("unknown", .list(of: .anyText), \.unknown, "Devices that are not registered."),
      ])
  }

  package struct List: DescribedAnswer {
    package let tags: [String]

    package static let object = JSONObject<List>("Tags", [.always("tags", .list(of: .anyText), \.tags)])
  }

  /// Changes tags and audits that, committing after each `taggedOwners` owners so that rows are locked only briefly.
  /// Stores users that the app does not know yet. Repeating the call changes no tags, but is audited again. Without
  /// owners, does nothing.
  /// - Returns: the number of users or devices found or stored, and the devices that are not registered, which are
  ///   skipped.
  /// - Throws: `.impossible` if `change` is empty, or an owner would have too many tags; the parts before remain
  ///   changed. `.conflict` if the app is being deleted, `.forbidden`, `.unknownApp`.
  package static func change(
    _ change: Change, of owners: Owners, in appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Changed {
    let app = try connection.app(appID, allowing: caller, to: .manageAudiences)
    guard change.replaces || !change.add.isEmpty || !change.remove.isEmpty else {
      throw Problem(.impossible, "Give add, remove or set: which tags.")
    }
    /// Audits the whole change, together with its first part.
    func audit() throws(PostgresError) {
      let entry = AuditTrail.Change("tags.change", owners.summary, in: app).to { change.write(to: &$0) }
      try connection.run(AuditTrail.add(entry, by: caller))
    }
    var isFirst = true
    switch owners {
    case .users(let clientUIDs):
      let users = Set(clientUIDs.map(UserKey.init(clientUID:))).sorted()
      var count = 0
      for part in users.parts(of: Operations.Limits.taggedOwners) {
        count += try connection.commit { () throws(PostgresError) in
          if isFirst { try audit() }
          return try connection.run(
            TagLists.changeUsers(
              app: app.number, part, add: change.add, remove: change.remove, replacing: change.replaces))
        }.count
        isFirst = false
      }
      return Changed(count: count, unknown: [])
    case .devices(let devices):
      var known: Set<DeviceID> = []
      for part in Set(devices).sorted().parts(of: Operations.Limits.taggedOwners) {
        known.formUnion(
          try connection.commit { () throws(PostgresError) in
            if isFirst { try audit() }
            return try connection.run(
              TagLists.changeDevices(
                app: app.number, part, add: change.add, remove: change.remove, replacing: change.replaces))
          })
        isFirst = false
      }
      return Changed(count: known.count, unknown: devices.filter { !known.contains($0) }.map(\.description))
    }
  }

  /// Lists the tags in use in an app, at most the first `shownTags` in byte order. Reads all of the app's users and
  /// devices.
  /// - Throws: `.forbidden`, `.unknownApp`.
  package static func all(
    in appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> List {
    let app = try connection.app(appID, allowing: caller, to: .manageAudiences)
    return List(tags: try connection.answer(TagLists.inUse(app: app.number, limit: Operations.Limits.shownTags)))
  }

  /// Lists the tags of one user or device; empty for a user that the app does not know.
  /// - Parameter owner: only the first user or device counts.
  /// - Throws: `.unknownDevice` if the app has no such device, `.forbidden`, `.unknownApp`.
  package static func list(
    _ owner: Owners, in appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> List {
    let app = try connection.app(appID, allowing: caller, to: .manageAudiences)
    switch owner {
    case .users(let clientUIDs):
      let user = Users.Key(app: app.number, userKey: UserKey(clientUID: clientUIDs.first ?? ""))
      return List(tags: try connection.answer(TagLists.of(user)))
    case .devices(let devices):
      guard let device = devices.first, let record = try connection.answer(Devices.find([device])).first,
        record.app == app.number
      else { throw Problem(.unknownDevice, "The app \(appID) has no such device.") }
      return List(tags: try connection.answer(TagLists.of(device)))
    }
  }
}

extension Operations.Limits {
  /// Maximum number of users or devices tagged per commit, which locks their rows.
  static let taggedOwners = 500
  /// Maximum number of an app's tags that are listed.
  static let shownTags = 1_000
}

extension Array {
  /// Splits the array into consecutive parts of at most `size` elements.
  fileprivate func parts(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
