package import Domain
package import JSON
package import Postgres
internal import Store

/// Creates groups of users.
extension Administration {
  package struct NewGroup: Sendable {
    package var appID: String
    package var name: String
    /// GROUPSEQ of the parent; nil at the top level.
    package var parent: Int64?
    /// Whether devices may join the group themselves; nil for the default, which is true in apps with the identity rule
    /// `open` and false in others.
    package var isJoinable: Bool?

    package init(appID: String = "", name: String = "", parent: Int64? = nil, isJoinable: Bool? = nil) {
      self.isJoinable = isJoinable
      self.appID = appID
      self.name = name
      self.parent = parent
    }

    package static let object = JSONObject(
      "NewGroup", from: NewGroup(),
      [
        .required("appId", .appID, \.appID),
        .required("name", .text(upTo: Domain.Limits.groupNameBytes), \.name),
        .given("parent", .orNull(.groupSeq), \.parent, "The group above it; absent at the top."),
        .given(
          "joinable", .flag, \.isJoinable, "Devices may join it by themselves. Absent: in apps that are open."),
      ])
  }

  package struct GroupCreated: DescribedAnswer {
    package let groupSeq: Int64

    package static let object = JSONObject<GroupCreated>(
      "GroupCreated", [.always("groupSeq", .sequence, \.groupSeq, "GROUPSEQ.")])
  }

  package static func createGroup(
    _ new: NewGroup, by caller: Caller, on connection: Connection, catalog: Catalog? = nil
  ) throws(Problem) -> GroupCreated {
    try caller.require(.manageGroups)
    let app = try connection.app(new.appID, catalog: catalog)
    try caller.require(.manageGroups, in: app)
    guard !new.name.isEmpty else { throw Problem(at: "/name", "must not be empty") }
    guard new.name.utf8.count <= Domain.Limits.groupNameBytes else {
      throw Problem(at: "/name", "is longer than \(Domain.Limits.groupNameBytes) bytes")
    }
    if let parent = new.parent {
      guard try connection.answer(Groups.joinRules(of: [parent]))[parent]?.app == app.number else {
        throw Problem(.unknownGroup, "The app \(app.appID) has no group \(parent).")
      }
    }
    // In apps where users must be vouched for, groups are closed to devices by default.
    let isJoinable = new.isJoinable ?? (app.identity == .open)
    return try connection.commit { () throws(PostgresError) in
      let group = try connection.run(
        Groups.create(app: app.number, name: new.name, parent: new.parent, isJoinable: isJoinable))
      let change = AuditTrail.Change("group.create", String(group), in: app).to { writer in
        writer.member("name", new.name)
        writer.member("parent", new.parent.map(String.init))
        writer.member("joinable", isJoinable)
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return GroupCreated(groupSeq: group)
    }
  }
}
