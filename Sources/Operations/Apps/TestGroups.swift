package import Domain
package import JSON
package import Postgres
internal import Store

/// An app's test groups: who gets a message for a trial before everyone does.
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

  /// All groups of an app, in the place of those that it had.
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

  /// Replaces an app's groups.
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
      // How many, not who: the log outlives the persons.
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
  /// Test groups of an app, and users of one group: they are chosen from a list by eye.
  static let testGroups = 20
  static let testRecipients = 50
}
