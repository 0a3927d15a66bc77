package import Domain
package import JSON
package import Postgres
internal import Store

/// Test groups of an app: the users who get a message as a test before it goes to everyone.
package enum TestGroups {
  /// A named list of users.
  package struct Group: Equatable, Sendable {
    package var name = ""
    package var clientUIDs: [String] = []

    package init() {}

    init(_ stored: TestRecipients.Group) {
      name = stored.name
      clientUIDs = stored.users.compactMap(\.clientUID)
    }

    var stored: TestRecipients.Group {
      TestRecipients.Group(name: name, users: clientUIDs.map(UserKey.init(clientUID:)))
    }

    static let shown = JSONObject<Group>(
      "TestGroup", isNamed: false,
      [.always("name", .anyText, \.name), .always("clientUids", .list(of: .anyText), \.clientUIDs)])

    static let given = JSONObject<Group>(
      "NewTestGroup", isNamed: false, from: Group(),
      [
        .required("name", .text(upTo: Operations.Limits.nameBytes), \.name, "What people call it."),
        .required(
          "clientUids", .list(of: .clientUID, 1...Operations.Limits.testRecipients), \.clientUIDs,
          "Who is in it; those who are not known yet too."),
      ])
  }

  /// All groups of an app.
  package struct Entry: DescribedAnswer {
    package var groups: [Group]

    package static let object = JSONObject<Entry>(
      "TestGroups", [.always("groups", .list(of: Group.shown.form), \.groups, "By name.")])
  }

  /// Body of a change: the complete list of an app's groups, which replaces the current one.
  package struct Change: Sendable {
    package var groups: [Group] = []

    package init() {}

    package static let object = JSONObject(
      "TestGroupsChange", from: Change(),
      [.required("groups", .list(of: Group.given.form, 0...Operations.Limits.testGroups), \.groups)])
  }

  package static func show(
    _ appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    let app = try connection.app(appID, allowing: caller, to: .send)
    return try entry(of: app, connection)
  }

  /// Replaces all of an app's groups and audits the number of users in each. Changes and audits nothing if the groups
  /// equal the stored ones; the order of users within a group matters, that of the groups does not.
  /// - Returns: the groups as stored, by name.
  /// - Throws: `.impossible` if a name occurs twice, or a group names a user twice or names GUEST; `.conflict` if the
  ///   app is being deleted; `.forbidden`; `.unknownApp`.
  package static func change(
    _ change: Change, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    let app = try connection.app(appID, allowing: caller, to: .manageContent)
    var names: Set<String> = []
    for (place, group) in change.groups.enumerated() {
      guard names.insert(group.name).inserted else {
        throw Problem(.impossible, at: "/groups/\(place)/name", "is the name of another group too")
      }
      guard Set(group.clientUIDs).count == group.clientUIDs.count else {
        throw Problem(.impossible, at: "/groups/\(place)/clientUids", "names somebody twice")
      }
      guard !group.clientUIDs.contains(UserKey.guestUID) else {
        throw Problem(.impossible, at: "/groups/\(place)/clientUids", "names GUEST, which means: no user")
      }
    }
    let before = try entry(of: app, connection)
    guard before.groups != change.groups.sorted(by: { $0.name < $1.name }) else { return before }
    try connection.commit { () throws(PostgresError) in
      for query in TestRecipients.replace(change.groups.map(\.stored), of: app.number) { try connection.run(query) }
      // Audit the number of users, not who they are: the log is kept for longer than personal data.
      let audited = AuditTrail.Change("app.test-groups", app.appID, in: app).from { before.groups.summarize(to: &$0) }
        .to { change.groups.summarize(to: &$0) }
      try connection.run(AuditTrail.add(audited, by: caller))
    }
    return try entry(of: app, connection)
  }

  private static func entry(of app: App, _ connection: Connection) throws(Problem) -> Entry {
    Entry(groups: try connection.answer(TestRecipients.list(app.number)).map(Group.init))
  }
}

extension [TestGroups.Group] {
  fileprivate func summarize(to writer: inout JSONWriter) {
    for group in self { writer.member(group.name, group.clientUIDs.count) }
  }
}

extension Operations.Limits {
  /// Maximum number of test groups of an app, so that people choose from a short list.
  static let testGroups = 20
  /// Maximum number of users of a test group.
  static let testRecipients = 50
}
