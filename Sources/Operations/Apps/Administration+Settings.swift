package import Domain
package import JSON
package import Postgres
internal import Store

/// Shows apps and changes their settings.
extension Administration {
  /// Changes to an app's settings; nil settings stay as they are.
  package struct AppChange: Equatable, Sendable {
    package var name: String?
    package var timeZone: String?
    package var devicePolicy: App.DevicePolicy?
    /// Number of messages that one device may send to other users per minute; 0 for none.
    package var deviceSends: Int16?
    /// Whether a user's other devices are notified of a new badge count.
    package var badgeSync: Bool?
    /// Number of devices above which what a person sends, at once or within an hour, needs a second person's approval;
    /// 0 for no approval. Whoever raises or removes the limit remains bound by the old one for a day.
    package var approvalAbove: Int64?
    /// Lanes whose messages are confidential by default.
    package var confidentialLanes: Set<Lane>?
    /// Whether `confidentialLanes` also applies to sends through the legacy SDK API.
    package var confidentialSDK: Bool?
    /// Whether the app has a Notification Service Extension; its alerts then contain `mutable-content`, which starts
    /// it.
    package var hasExtension: Bool?
    package var android: AndroidContent?
    package var identity = IdentityChange()

    package init() {}

    package static let object = JSONObject(
      "AppChange", from: AppChange(), more: [("minProperties", .number(1))],
      [
        .given("name", .name, \.name), .given("timeZone", .timeZone, \.timeZone, "IANA name."),
        .given(
          "devicePolicy", .devicePolicy, \.devicePolicy,
          "Whether all devices of a user get its messages, or only the last registered one."),
        .given(
          "deviceSends", .number(Operations.Limits.deviceSendsPerMinute), \.deviceSends,
          "Messages that one device may send to other users in a minute; 0: none."),
        .given(
          "identity", .identity, \.identity.identity,
          "\(App.IdentityRules.about) `upmc app policy` shows the secret that proofs are made with."),
        .given(
          "unprovedBindings", .count, \.identity.unprovedBindings,
          "For a stricter identity: how many devices at most may lose their user in 30 days."),
        .given(
          "observedIdentity", .orNull(.identity), \.identity.observed,
          "A stricter one to try out: what it would refuse is counted."),
        .given("keepsUserOnRefresh", .flag, \.identity.keepsUserOnRefresh, App.IdentityRules.aboutRefresh),
        .given(
          "confidentialTo", .confidentialTo, \.identity.keepsConfidentialToProved, App.IdentityRules.aboutConfidential),
        .given("confidentialLanes", .lanes, \.confidentialLanes, App.Confidentiality.aboutLanes),
        .given("confidentialSdkSends", .flag, \.confidentialSDK, App.Confidentiality.aboutSDK),
        .given(
          "renewsUserProofSecret", .flag, \.identity.renewsSecret,
          "True: proofs are made with another secret from now on, which `upmc app policy` shows."),
        .given("tellsDevices", .flag, \.identity.tellsDevices, App.IdentityRules.aboutTelling),
        .given(
          "approvalAbove", approvalAbove, \.approvalAbove,
          """
          What a person sends to more devices, at once or within an hour, waits for a second one; null or 0: nothing does.
          """),
        .given("badgeSync", .flag, \.badgeSync, "A new count is sent to a user's other devices by a silent push."),
        .given("extension", .flag, \.hasExtension, App.aboutExtension),
        .given(
          "android", AndroidContent.object.form, \.android,
          "\(App.aboutAndroid) It replaces what was there: `{}` for none."),
      ])
    private static let approvalAbove = JSONForm<Int64?>.orNull(.number(Operations.Limits.approvalAbove)).mapped(
      by: { .some($0 ?? 0) }, else: "is not known", written: { $0 })
  }

  /// Lists the apps that the caller may access, sorted by id. Does not determine `extensionReports`.
  package static func apps(
    _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<AppEntry> {
    try caller.require(.viewMessages)
    // There are few apps, so read all of them.
    let entries = try connection.answer(Apps.all())
      .filter { caller.reaches($0.app.number) && $0.app.appID > (page.cursor ?? "") }
      .sorted { $0.app.appID < $1.app.appID }
      .map { AppEntry($0) }
    return ItemPage(entries, limit: page.limit) { $0.app.appID }
  }

  package static func app(_ appID: String, by caller: Caller, on connection: Connection) throws(Problem) -> AppEntry {
    try caller.require(.viewMessages)
    guard let record = try connection.answer(Apps.find(appID: appID)) else {
      throw Problem(.unknownApp, "There is no app \(appID).")
    }
    try caller.require(.viewMessages, in: record.app)
    var entry = AppEntry(record)
    entry.extensionReports = try ExtensionCheck.reports(record.app, on: connection)
    return entry
  }

  package static func change(
    _ appID: String, _ change: AppChange, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppEntry {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    guard change != AppChange() else { throw Problem(.invalidField, "Name a setting: {\"deviceSends\":10}.") }
    if let name = change.name { try check(name: name) }
    if let zone = change.timeZone, try connection.answer(Apps.countTimeZones(named: zone)) != 1 {
      throw Problem(at: "/timeZone", "must be an IANA time zone such as Asia/Seoul, not \"\(zone)\"")
    }
    if let sends = change.deviceSends, !Operations.Limits.deviceSendsPerMinute.contains(sends) {
      let range = Operations.Limits.deviceSendsPerMinute
      throw Problem(at: "/deviceSends", "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    if let above = change.approvalAbove, !Operations.Limits.approvalAbove.contains(above) {
      let range = Operations.Limits.approvalAbove
      throw Problem(at: "/approvalAbove", "must be null, or from \(range.lowerBound) to \(range.upperBound)")
    }
    var lax: [App.Identity: Int64]?
    if let identity = change.identity.identity, identity > app.identity {
      // Before the lock: it reads all of the app's devices, and the app must be able to pause meanwhile.
      lax = try connection.answer(Bindings.countLax(in: app.number))
    }
    let refusal = try connection.commit { () throws(PostgresError) -> Problem? in
      if let zone = change.timeZone { try connection.run(TimeZones.add(zone)) }
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
      if let android = change.android { after.android = android }
      if let hasExtension = change.hasExtension { after.hasExtension = hasExtension }
      if let problem = try self.change(&after, change.identity, lax: lax, on: connection) { return problem }
      guard after != before else { return nil }
      try connection.run(Apps.save(after))
      if after.timeZone != before.timeZone {
        try StatisticsRollup.moveDays(of: app.number, from: before.timeZone, to: after.timeZone, on: connection)
      }
      if let was = before.approvalAbove, after.approvalAbove.map({ $0 > was }) ?? true {
        try connection.run(ApprovalHolds.loosen(app.number, by: caller.asker, apiKey: caller.apiKey, was: was))
      }
      try connection.run(Announcements.announce(Catalog.channel))
      let audited = AuditTrail.Change("app.change", appID, in: app).from { App.audited.write(before, to: &$0) }
        .to { App.audited.write(after, to: &$0) }
      try connection.run(AuditTrail.add(audited, by: caller))
      return nil
    }
    if let refusal { throw refusal }
    return try self.app(appID, by: caller, on: connection)
  }
}

extension Operations.Limits {
  /// Permitted values of `deviceSends`: messages that one device may send per minute.
  package static let deviceSendsPerMinute: ClosedRange<Int16> = 0...1000
}
