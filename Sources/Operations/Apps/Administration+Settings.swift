package import Domain
internal import JSON
package import Postgres
internal import Store

/// Looking at apps and changing what their operators decide.
extension Administration {
  /// What is to be changed of an app; nil: stays.
  package struct AppChange: Sendable {
    package var name: String?
    package var timeZone: String?
    package var devicePolicy: App.DevicePolicy?
    /// Messages that one device may send to other users in a minute; 0: none.
    package var deviceSends: Int16?
    /// Whether a user's other devices are told a new count.
    package var badgeSync: Bool?
    /// What an account sends to more devices than this needs a second person; 0: nothing does.
    package var approvalAbove: Int64?
    /// Lanes whose messages are confidential without saying so.
    package var confidentialLanes: Set<Lane>?
    /// Whether that holds for sends through the SDK's door too.
    package var confidentialSDK: Bool?
    /// Whether it has a Notification Service Extension, which its alerts start.
    package var hasExtension: Bool?
    package var identity = IdentityChange()

    package init() {}
  }

  /// Apps by their ids, page by page.
  package static func apps(
    _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<AppEntry> {
    try caller.require(.viewMessages)
    // Apps are few: they are read whole.
    let entries = try connection.answer(Apps.all())
      .filter { caller.reaches($0.app.number) && $0.app.appID > (page.cursor ?? "") }
      .sorted { $0.app.appID < $1.app.appID }
      .map { AppEntry(app: $0.app, clientKey: $0.clientKey) }
    return ItemPage(entries, limit: page.limit) { $0.app.appID }
  }

  package static func app(_ appID: String, by caller: Caller, on connection: Connection) throws(Problem) -> AppEntry {
    try caller.require(.viewMessages)
    guard let record = try connection.answer(Apps.find(appID: appID)) else {
      throw Problem(.unknownApp, "There is no app \(appID).")
    }
    try caller.require(.viewMessages, in: record.app)
    var entry = AppEntry(app: record.app, clientKey: record.clientKey)
    entry.extensionReports = try ExtensionLook.reports(record.app, on: connection)
    return entry
  }

  package static func change(
    _ appID: String, _ change: AppChange, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppEntry {
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
    if let above = change.approvalAbove, !Operations.Limits.approvalAbove.contains(above) {
      let range = Operations.Limits.approvalAbove
      throw Problem(at: "/approvalAbove", "must be null, or from \(range.lowerBound) to \(range.upperBound)")
    }
    let refusal = try connection.commit { () throws(PostgresError) -> Problem? in
      guard let before = try connection.run(Apps.lock(app.number)) else { return nil }
      var after = before
      if let name = change.name { after.name = name }
      if let zone = change.timeZone { after.timeZone = zone }
      if let policy = change.devicePolicy { after.devicePolicy = policy }
      if let sends = change.deviceSends { after.deviceSendsPerMinute = sends }
      if let syncs = change.badgeSync { after.syncsBadges = syncs }
      if let above = change.approvalAbove { after.approvalAbove = above == 0 ? nil : above }
      if let lanes = change.confidentialLanes { after.confidentiality.lanes = lanes }
      if let covers = change.confidentialSDK { after.confidentiality.coversSDK = covers }
      if let hasExtension = change.hasExtension { after.hasExtension = hasExtension }
      if let problem = try self.change(&after, change.identity, on: connection) { return problem }
      guard after != before else { return nil }
      try connection.run(Apps.save(after))
      if let was = before.approvalAbove, after.approvalAbove.map({ $0 > was }) ?? true {
        try connection.run(Holds.loosen(app.number, by: caller.asker, apiKey: caller.apiKey, was: was))
      }
      try connection.run(Announcements.announce(Catalog.channel))
      let audited = AuditTrail.Change("app.change", appID, in: app).from { before.writeSettings(to: &$0) }
        .to { after.writeSettings(to: &$0) }
      try connection.run(AuditTrail.add(audited, by: caller))
      return nil
    }
    if let refusal { throw refusal }
    return try self.app(appID, by: caller, on: connection)
  }
}

extension App.Confidentiality {
  func write(to writer: inout JSONWriter) {
    writer.member(
      "confidentialLanes",
      array: { writer in for lane in Lane.allCases where lanes.contains(lane) { writer.value(lane.name) } })
    writer.member("confidentialSdkSends", coversSDK)
  }
}

extension App {
  /// What operators decide.
  fileprivate func writeSettings(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("timeZone", timeZone)
    writer.member("devicePolicy", devicePolicy.name)
    writer.member("deviceSends", deviceSendsPerMinute)
    identityRules.write(to: &writer)
    confidentiality.write(to: &writer)
    writer.member("proofGeneration", identityRules.proofGeneration)
    writer.member("badgeSync", syncsBadges)
    writer.member("approvalAbove", approvalAbove)
    writer.member("extension", hasExtension)
  }
}

extension Operations.Limits {
  /// Messages of one device in a minute. More is no conversation.
  package static let deviceSendsPerMinute: ClosedRange<Int64> = 0...1000
}
