package import Domain
package import JSON
package import Postgres
internal import Store

/// Making, listing and resuming apps.
extension Administration {
  package struct AppCreated: JSONAnswer {
    package let appID: String
    /// Goes into the app; it identifies, it is no secret.
    package let clientKey: String
    package let identity: App.Identity

    package func write(to writer: inout JSONWriter) {
      writer.member("appId", appID)
      writer.member("clientKey", clientKey)
      writer.member("identity", identity.name)
    }
  }

  package static func createApp(
    _ appID: String, name: String, timeZone: String, identity: App.Identity = .proof,
    confidentiality: App.Confidentiality = .ofNewApps, by caller: Caller, on connection: Connection
  ) throws(Problem) -> AppCreated {
    try caller.require(.manageApps)
    guard caller.app == nil else {
      throw Problem(.forbidden, "A credential for one app cannot make another.")
    }
    guard isValid(appID: appID) else {
      throw Problem(
        at: "/appId",
        """
        must be a bundle identifier or package name: 1 to \(Domain.Limits.appIDBytes) letters, digits, full stops, \
        hyphens and underscores
        """)
    }
    try check(name: name)
    guard try connection.answer(Apps.countTimeZones(named: timeZone)) == 1 else {
      throw Problem(at: "/timeZone", "must be an IANA time zone such as Asia/Seoul, not \"\(timeZone)\"")
    }
    let clientKey = RandomToken.make()
    return try connection.commit { () throws(PostgresError) in
      let record = try connection.run(
        Apps.create(
          appID: appID, name: name, clientKey: clientKey, timeZone: timeZone, identity: identity,
          confidentiality: confidentiality))
      try connection.run(Announcements.announce(Catalog.channel))
      let change = AuditTrail.Change("app.create", appID, in: record.app).to { writer in
        writer.member("name", name)
        writer.member("timeZone", timeZone)
        writer.member("identity", identity.name)
        confidentiality.write(to: &writer)
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return AppCreated(appID: record.app.appID, clientKey: record.clientKey, identity: identity)
    }
  }

  /// An app with everything that is set for it.
  package struct AppEntry: JSONAnswer {
    package let app: App
    package let clientKey: String
    /// Whether its extension makes receipts; nil: not looked at, or too little is known.
    var extensionReports: Bool?

    package init(app: App, clientKey: String) {
      self.app = app
      self.clientKey = clientKey
    }

    package func write(to writer: inout JSONWriter) {
      writer.member("appId", app.appID)
      writer.member("name", app.name)
      writer.member("timeZone", app.timeZone)
      writer.member("clientKey", clientKey)
      writer.member("devicePolicy", app.devicePolicy.name)
      app.identityRules.write(to: &writer)
      app.confidentiality.write(to: &writer)
      writer.member("badgeSync", app.syncsBadges)
      writer.member("deviceSends", app.deviceSendsPerMinute)
      writer.member("approvalAbove", app.approvalAbove)
      writer.member("extension", app.hasExtension)
      if let extensionReports { writer.member("extensionReports", extensionReports) }
      writer.member("pausedReason", app.pausedReason)
    }
  }

  /// The apps that the caller reaches, by id.
  package static func apps(for caller: Caller, on connection: Connection) throws(Problem) -> [AppEntry] {
    try caller.require(.manageApps)
    return try connection.answer(Apps.all()).filter { caller.reaches($0.app.number) }
      .sorted { $0.app.appID < $1.app.appID }
      .map { AppEntry(app: $0.app, clientKey: $0.clientKey) }
  }

  /// Lets the messages of an app go on that was paused, by itself or by an operator.
  package static func resumeApp(_ appID: String, by caller: Caller, on connection: Connection) throws(Problem)
    -> AppEntry
  {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    try connection.commit { () throws(PostgresError) in
      let reason = try connection.run(AppPauses.reason(of: app.number))
      try release(app, on: connection)
      let change = AuditTrail.Change("app.resume", appID, in: app).from { $0.member("pausedReason", reason) }
      try connection.run(AuditTrail.add(change, by: caller))
    }
    guard let record = try connection.answer(Apps.find(appID: appID)) else {
      throw Problem(.unknownApp, "The app \(appID) was deleted meanwhile.")
    }
    return AppEntry(app: record.app, clientKey: record.clientKey)
  }

  /// Within a transaction: ends an app's pause and tells everyone.
  static func release(_ app: App, on connection: Connection) throws(PostgresError) {
    try connection.run(AppPauses.resume(app.number))
    try connection.run(Announcements.announce(Catalog.channel))
    // Its messages wait in the queue: have it looked at now.
    try connection.run(Announcements.announce(SendService.channel))
  }

  static func isValid(appID: String) -> Bool {
    (1...Domain.Limits.appIDBytes).contains(appID.utf8.count)
      && appID.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  static func check(name: String) throws(Problem) {
    guard !name.isEmpty else { throw Problem(at: "/name", "must not be empty") }
    guard name.utf8.count <= Operations.Limits.nameBytes else {
      throw Problem(at: "/name", "is longer than \(Operations.Limits.nameBytes) bytes")
    }
  }
}
