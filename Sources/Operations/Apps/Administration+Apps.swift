package import Domain
package import JSON
package import Postgres
internal import Store

/// Creates, lists and resumes apps.
extension Administration {
  package struct NewApp: Sendable {
    package var appID = ""
    package var name = ""
    package var timeZone = "Asia/Seoul"
    package var identity = App.Identity.proof

    package init() {}

    package static let object = JSONObject(
      "NewApp", from: NewApp(),
      [
        .required("appId", .appID, \.appID), .required("name", .name, \.name),
        .given("timeZone", .timeZone, \.timeZone, "IANA name; Asia/Seoul when absent."),
        .given("identity", .identity, \.identity, "`proof` when absent. \(App.IdentityRules.about)"),
      ])
  }

  package struct AppCreated: DescribedAnswer {
    package let appID: String
    /// Identifies the app in its requests. It is embedded in the app, so it is no secret.
    package let clientKey: String
    package let identity: App.Identity

    package static let object = JSONObject<AppCreated>(
      "AppCreated",
      [
        .always("appId", .appID, \.appID), .always("clientKey", .anyText, \.clientKey),
        .always("identity", .identity, \.identity),
      ])
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
      try connection.run(TimeZones.add(timeZone))
      let record = try connection.run(
        Apps.create(
          appID: appID, name: name, clientKey: clientKey, timeZone: timeZone, identity: identity,
          confidentiality: confidentiality))
      try connection.run(Announcements.announce(Catalog.channel))
      let change = AuditTrail.Change("app.create", appID, in: record.app).to { App.audited.write(record.app, to: &$0) }
      try connection.run(AuditTrail.add(change, by: caller))
      return AppCreated(appID: record.app.appID, clientKey: record.clientKey, identity: identity)
    }
  }

  /// An app with all its settings.
  package struct AppEntry: DescribedAnswer {
    package let app: App
    package let clientKey: String
    private let former: Apps.FormerKey?
    /// Whether the app's extension sends receipts; nil if not determined or if there is too little data.
    var extensionReports: Bool?

    init(_ record: Apps.Record) {
      app = record.app
      clientKey = record.clientKey
      former = record.former
    }

    package static let object = JSONObject<AppEntry>(
      "App",
      [.always("appId", .appID, \.app.appID), .always("clientKey", .anyText, \.clientKey)]
        + App.settings.map { $0.of(\.app) } + [
          .optional(
            "extensionReports", .flag, \.extensionReports,
            """
            False: the app's extension does not report; none of its last 1,000 accepted iOS alerts with mutable-content \
            was confirmed. Only where one app is asked for, and where enough is known.
            """),
          .always(
            "formerClientKey", .orNull(.anyText), { $0.former?.clientKey },
            "The client key before, which identifies the app too; null: there is none."),
          .always(
            "formerClientKeyEndsAt", .orNull(.moment), { $0.former?.endsAt },
            "Until when it does; null: until it is ended."),
          .always("pausedReason", .orNull(.anyText), \.app.pausedReason, "Why it is paused; null when it is not."),
          .always(
            "state", .words(["active", "deleting", "purging"]), \.app.state,
            """
            `deleting`: it can be taken back until `purgeAfter`, and is neither changed nor sent to. `purging`: what is stored \
            of it is being removed.
            """),
          .always(
            "purgeAfter", .orNull(.moment), { $0.app.deletion?.purgeAfter },
            "When the grace of its deletion ends; null: it is not being deleted."),
          .always(
            "purgedRows", .orNull(.count), { $0.app.deletion?.removedRows },
            "Rows of the database removed so far; null: the removal has not begun."),
        ])
  }

  /// Returns all apps that the caller may access, sorted by id, without `extensionReports`.
  package static func apps(for caller: Caller, on connection: Connection) throws(Problem) -> [AppEntry] {
    try caller.require(.manageApps)
    return try connection.answer(Apps.all()).filter { caller.reaches($0.app.number) }
      .sorted { $0.app.appID < $1.app.appID }
      .map { AppEntry($0) }
  }

  /// Resumes an app that was paused, automatically or by an operator, and wakes the dispatcher. Audits the call even if
  /// the app was not paused.
  /// - Throws: `.forbidden`, `.unknownApp`, or `.conflict` if the app is being deleted.
  package static func resumeApp(_ appID: String, by caller: Caller, on connection: Connection) throws(Problem)
    -> AppEntry
  {
    let app = try connection.app(appID)
    try caller.require(.manageApps, in: app)
    if let problem = app.refusalWhileDeleted { throw problem }
    try connection.commit { () throws(PostgresError) in
      let reason = try connection.run(AppPauses.reason(of: app.number))
      try release(app, on: connection)
      let change = AuditTrail.Change("app.resume", appID, in: app).from { $0.member("pausedReason", reason) }
      try connection.run(AuditTrail.add(change, by: caller))
    }
    guard let record = try connection.answer(Apps.find(appID: appID)) else {
      throw Problem(.unknownApp, "The app \(appID) was deleted meanwhile.")
    }
    return AppEntry(record)
  }

  /// Ends an app's pause, unless the app is being deleted, and wakes the dispatchers of all nodes. To be called within
  /// a transaction.
  static func release(_ app: App, on connection: Connection) throws(PostgresError) {
    try connection.run(AppPauses.resume(app.number))
    try connection.run(Announcements.announce(Catalog.channel))
    // Wake the dispatcher: the app's messages wait in the queue.
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
