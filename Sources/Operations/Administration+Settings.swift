package import Domain
package import JSON
package import Postgres
internal import Store

/// Looking at apps and changing what their operators decide.
extension Administration {
  /// An app with everything that is set for it.
  package struct AppDetail: JSONAnswer {
    let entry: AppEntry
    let settings: AppSettings.Settings

    package func write(to writer: inout JSONWriter) {
      entry.write(to: &writer)
      writer.member("devicePolicy", settings.devicePolicy.name)
    }
  }

  /// What is to be changed of an app; nil: stays.
  package struct AppChange: Sendable {
    package var name: String?
    package var timeZone: String?
    package var devicePolicy: App.DevicePolicy?
    /// Messages that one device may send to other users in a minute; 0: none.
    package var deviceSends: Int16?

    package init() {}

    package var isEmpty: Bool { name == nil && timeZone == nil && devicePolicy == nil && deviceSends == nil }
  }

  /// Apps by their ids, page by page.
  package static func apps(
    _ page: Reporting.PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<AppEntry> {
    try caller.require(.viewMessages)
    // Apps are few: they are read whole.
    let entries = try connection.answer(Apps.all())
      .filter { caller.reaches($0.app.number) && $0.app.appID > (page.cursor ?? "") }
      .sorted { $0.app.appID < $1.app.appID }
      .map { AppEntry(app: $0.app, clientKey: $0.clientKey) }
    return ItemPage(entries, limit: page.limit) { $0.app.appID }
  }

  package static func app(_ appID: String, by caller: Caller, on connection: Connection) throws(Problem) -> AppDetail {
    try caller.require(.viewMessages)
    let app = try connection.app(appID)
    try caller.require(.viewMessages, in: app)
    guard let record = try connection.answer(Apps.find(appID: appID)),
      let settings = try connection.answer(AppSettings.find(app.number))
    else { throw Problem(.unknownApp, "The app \(appID) was deleted meanwhile.") }
    return AppDetail(entry: AppEntry(app: record.app, clientKey: record.clientKey), settings: settings)
  }

  package static func change(
    _ appID: String, _ change: AppChange, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppDetail {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    if let name = change.name { try check(name: name) }
    if let zone = change.timeZone, try connection.answer(Apps.countTimeZones(named: zone)) != 1 {
      throw Problem(at: "/timeZone", "must be an IANA time zone such as Asia/Seoul, not \"\(zone)\"")
    }
    if let sends = change.deviceSends, !Operations.Limits.deviceSendsPerMinute.contains(Int64(sends)) {
      let range = Operations.Limits.deviceSendsPerMinute
      throw Problem(at: "/deviceSends", "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    try connection.commit { () throws(PostgresError) in
      guard let before = try connection.run(AppSettings.lock(app.number)) else { return }
      var after = before
      if let name = change.name { after.name = name }
      if let zone = change.timeZone { after.timeZone = zone }
      if let policy = change.devicePolicy { after.devicePolicy = policy }
      if let sends = change.deviceSends { after.deviceSends = sends }
      guard after != before else { return }
      try connection.run(AppSettings.save(after, of: app.number))
      try connection.run(Announcements.announce(Catalog.channel))
      let audited = Auditing.Change("app.change", appID, in: app).from { before.write(to: &$0) }
        .to { after.write(to: &$0) }
      try connection.run(Auditing.add(audited, by: caller))
    }
    return try self.app(appID, by: caller, on: connection)
  }
}

extension AppSettings.Settings {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("timeZone", timeZone)
    writer.member("devicePolicy", devicePolicy.name)
    writer.member("deviceSends", deviceSends)
  }
}

extension App.DevicePolicy {
  package var name: String { self == .multi ? "multi" : "single" }

  package init?(name: String) {
    switch name {
    case "multi": self = .multi
    case "single": self = .single
    default: return nil
    }
  }
}

extension Operations.Limits {
  /// Messages of one device in a minute. More is no conversation.
  package static let deviceSendsPerMinute: ClosedRange<Int64> = 0...1000
}
