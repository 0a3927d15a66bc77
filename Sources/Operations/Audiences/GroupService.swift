package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Lists and changes the groups of the group tree, and manages their members.
package enum GroupService {
  package struct Entry: DescribedAnswer {
    package let record: GroupTree.Record

    package static let object = JSONObject<Entry>(
      "GroupEntry",
      [
        .always("groupSeq", .sequence, \.record.group), .always("appId", .appID, \.record.appID),
        .always("name", .anyText, \.record.name),
        .always("parent", .orNull(.sequence), \.record.parent, "Null at the top."),
        .always("createdAt", .moment, \.record.createdAt),
        .always("hasGroups", .flag, \.record.hasGroups, "There are groups below it."),
        .always("joinable", .flag, \.record.isJoinable, "Devices may join it by themselves."),
        .always(
          "members", .orNull(.count), \.record.members,
          "Its own members, without those of groups below; null: more than \(GroupTree.countedMembers)."),
        .always(
          "above", .raw(JSONSchema.list(of: JSONSchema.anyText)), { Array($0.record.above.utf8) },
          "The names of the groups above it, from the top."),
      ])
  }

  /// Lists the direct children of a group, sorted by name in the database's collation; empty if the group has none or
  /// is not one of the app's.
  /// - Parameter parent: number of the group; nil for the top level.
  /// - Throws: `.forbidden`, `.unknownApp`.
  package static func list(
    of appID: String, below parent: Groups.Number?, _ page: PageRequest, by caller: Caller,
    on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let app = try connection.app(appID, allowing: caller, to: .viewPeople)
    let found = try connection.answer(
      GroupTree.list(of: app.number, below: parent, after: page.cursor ?? "", limit: page.limit + 1))
    return ItemPage(found.map(Entry.init), limit: page.limit) { $0.record.name }
  }

  /// Lists the groups on all levels whose names contain `text`, ignoring case, in the order of their numbers. If few
  /// names match, a page can be short or even empty although another page follows.
  /// - Throws: `.forbidden`, `.unknownApp`, `.invalidField` for another list's cursor.
  package static func list(
    of appID: String, named text: String, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let app = try connection.app(appID, allowing: caller, to: .viewPeople)
    let (after, window) = (try page.number(first: 0), Operations.Limits.searchedRows)
    let found = try connection.answer(
      GroupTree.search(of: app.number, named: text, after: after, window: window, limit: page.limit + 1))
    guard found.count <= page.limit else {
      return ItemPage(found.map(Entry.init), limit: page.limit) { String($0.record.group) }
    }
    let edge = try connection.answer(GroupTree.edge(of: app.number, after: after, window: window))
    return ItemPage(items: found.map(Entry.init), behind: edge.map(String.init))
  }

  package static func group(
    _ group: Groups.Number, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    Entry(record: try find(group, .viewPeople, caller, connection))
  }

  // MARK: Changes

  package struct Change: Sendable {
    package var name: String?
    /// Number of the new parent; `.some(nil)` moves the group to the top level, and nil does not move it.
    package var parent: Groups.Number??
    /// Whether devices may join the group themselves; nil leaves that unchanged.
    package var isJoinable: Bool?

    package init() {}

    package static let object = JSONObject(
      "GroupChange", from: Change(), more: [("minProperties", .number(1))],
      [
        .given("name", .text(upTo: Domain.Limits.groupNameBytes), \.name),
        .given("parent", .orNull(.groupSeq), \.parent, "Null: to the top."),
        .given("joinable", .flag, \.isJoinable, "Whether devices may join it by themselves."),
      ])

    fileprivate var isEmpty: Bool { name == nil && parent == nil && isJoinable == nil }
  }

  /// Renames a group, moves it with its subgroups, or changes whether devices may join it, and audits that. Equal
  /// values change nothing and are not audited.
  /// - Throws: `.unknownGroup` if the group or the new parent does not exist, is in another app, or is in an app that
  ///   the caller may not access; `.conflict` if the new parent is the group itself or below it, if the parent has
  ///   another subgroup of this name, if a group that it would leave is named in the audience of a message that is not
  ///   sent to everyone yet or awaits approval, or if the app is being deleted; `.invalidField` if `change` is empty;
  ///   `.forbidden`.
  package static func change(
    _ group: Groups.Number, _ change: Change, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    guard !change.isEmpty else {
      throw Problem(.invalidField, "Give what is to change: name, parent, or joinable.")
    }
    let record = try find(group, .manageGroups, caller, connection)
    if let parent = change.parent ?? nil {
      guard try connection.answer(Groups.joinRules(of: [parent]))[parent]?.app == record.app else {
        throw Problem(.unknownGroup, "The app \(record.appID) has no group \(parent).")
      }
    }
    let refusal = try connection.commit { () throws(PostgresError) -> Problem? in
      try connection.run(GroupTree.lockTree(of: record.app))
      guard let before = try connection.run(GroupTree.find(group)) else { return unknown(group) }
      let name = change.name ?? before.name
      let parent = change.parent ?? before.parent
      let isJoinable = change.isJoinable ?? before.isJoinable
      guard name != before.name || parent != before.parent || isJoinable != before.isJoinable else { return nil }
      if parent != before.parent {
        let (former, latter) = (try line(of: before.parent, connection), try line(of: parent, connection))
        if let parent, latter.contains(group) {
          return Problem(.conflict, "The group \(group) cannot move below itself: \(parent) belongs to it.")
        }
        let isEmpty = before.members == 0 && !before.hasGroups
        let left: Set<Groups.Number> = isEmpty ? [] : former.subtracting(latter)
        if let used = try refusalWhileUsed(before, leaving: left, connection) { return used }
      }
      try connection.run(GroupTree.change(group, name: name, parent: parent, isJoinable: isJoinable))
      let audited = AuditTrail.Change("group.change", String(group), app: before.app)
        .from { $0.write(name: before.name, parent: before.parent, isJoinable: before.isJoinable) }
        .to { $0.write(name: name, parent: parent, isJoinable: isJoinable) }
      try connection.run(AuditTrail.add(audited, by: caller))
      return nil
    }
    if let refusal { throw refusal }
    return try self.group(group, by: caller, on: connection)
  }

  /// Deletes a group and its memberships, and audits that.
  /// - Throws: `.conflict` for a group with subgroups; for a group that is named in the audience of a message that is
  ///   not sent to everyone yet or awaits approval, or that has members and is below such a group; or in an app that is
  ///   being deleted; `.unknownGroup` if the group does not exist or the caller may not access its app; `.forbidden`.
  package static func delete(
    _ group: Groups.Number, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    let record = try find(group, .manageGroups, caller, connection)
    let refusal = try connection.commit { () throws(PostgresError) -> Problem? in
      try connection.run(GroupTree.lockTree(of: record.app))
      try connection.run(GroupTree.lock(group))
      guard let before = try connection.run(GroupTree.find(group)) else { return unknown(group) }
      guard !before.hasGroups else {
        return Problem(.conflict, "The group \(group) has groups below it. Move or delete them first.")
      }
      let left: Set<Groups.Number> = try before.members == 0 ? [group] : line(of: group, connection)
      if let used = try refusalWhileUsed(before, leaving: left, connection) { return used }
      let members = try connection.run(GroupTree.delete(group, of: before.app))
      let audited = AuditTrail.Change("group.delete", String(group), app: before.app).from { writer in
        writer.write(name: before.name, parent: before.parent, isJoinable: before.isJoinable)
        writer.member("members", members)
      }
      try connection.run(AuditTrail.add(audited, by: caller))
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Returns why a group may not be deleted or moved yet; nil if it may. Messages would silently leave out its members,
  /// or reach those whom a segment excludes by the group or by one above it.
  /// - Parameter left: the groups to which its members, those of its subgroups included, belong no longer.
  private static func refusalWhileUsed(
    _ group: GroupTree.Record, leaving left: Set<Groups.Number>, _ connection: Connection
  ) throws(PostgresError) -> Problem? {
    guard !left.isEmpty else { return nil }
    let limit = Operations.Limits.namedGroupUses + 1
    let messages = try connection.run(GroupUses.messages(naming: left, of: group.app, limit: limit))
    if !messages.isEmpty {
      return Problem(
        .conflict,
        "Unfinished messages name the group \(group.group) or one above it in their audience: \(listed(messages)). Cancel or replace them, or wait until they are sent."
      )
    }
    let approvals = try connection.run(GroupUses.approvals(naming: left, of: group.app, limit: limit))
    if !approvals.isEmpty {
      return Problem(
        .conflict,
        "Requests that wait for approval name the group \(group.group) or one above it in their audience: \(listed(approvals)). Approve or reject them first."
      )
    }
    return nil
  }

  /// Returns a group and all groups above it; none for nil.
  private static func line(
    of group: Groups.Number?, _ connection: Connection
  ) throws(PostgresError) -> Set<Groups.Number> {
    guard let group else { return [] }
    return try connection.run(GroupTree.line(of: group))
  }

  private static func listed(_ uses: [some CustomStringConvertible]) -> String {
    let named = uses.prefix(Operations.Limits.namedGroupUses).map(\.description).joined(separator: ", ")
    return uses.count > Operations.Limits.namedGroupUses ? named + ", …" : named
  }

  // MARK: Members

  package struct MemberEntry: DescribedAnswer {
    let member: GroupTree.Member

    package static let object = JSONObject<MemberEntry>(
      "Member", isNamed: false,
      [
        .always("clientUid", .orNull(.anyText), \.member.userKey.clientUID, "Null for a guest."),
        // A guest has no CUID and is identified by its device.
        .always(
          "device", .orNull(.anyText.described(JSONSchema.uuid)),
          { $0.member.userKey.isGuest ? String($0.member.userKey.text.dropFirst()) : nil }, "The guest's device."),
        .always("clientName", .anyText, \.member.name), .always("joinedAt", .moment, \.member.joinedAt),
      ])
  }

  package static func members(
    of group: Groups.Number, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<MemberEntry> {
    let record = try find(group, .viewPeople, caller, connection)
    try AuditTrail.note(.groupMembers, of: record.app, by: caller, on: connection)
    let found = try connection.answer(
      GroupTree.members(of: group, app: record.app, after: page.cursor ?? "", limit: page.limit + 1))
    return ItemPage(found.map(MemberEntry.init), limit: page.limit) { $0.member.userKey.text }
  }

  package struct MembersChanged: DescribedAnswer {
    package let count: Int
    package let unknown: [String]

    package static let object = JSONObject<MembersChanged>(
      "MembersChanged",
      [
        .always("members", .count, \.count),
        .always("unknown", .list(of: .anyText), \.unknown, "Not known to the app."),
      ])
  }

  /// Users to add to a group or remove from it.
  package struct Members: Sendable {
    package var clientUIDs: [String] = []

    package init() {}

    package static let object = JSONObject(
      "Members", from: Members(),
      [
        .required(
          "clientUids",
          .list(
            of: .clientUID, 0...Domain.Limits.audienceEntries,
            tooMany: "is more than \(Domain.Limits.audienceEntries); send several requests"), \.clientUIDs)
      ])
  }

  /// Adds users to a group or removes them, in one commit, and audits that. Added users who were members already, and
  /// removed ones who were not members, count too.
  /// - Parameter adding: true to add the users, false to remove them.
  /// - Returns: the number of users that the app knows, and the others, which are skipped. If the app knows none,
  ///   nothing changes and nothing is audited.
  /// - Throws: `.unknownGroup` if the group does not exist or the caller may not access its app; `.conflict` if the app
  ///   is being deleted; `.forbidden`.
  package static func changeMembers(
    of group: Groups.Number, adding: Bool, _ clientUIDs: [String], by caller: Caller, on connection: Connection,
    now: Timestamp
  ) throws(Problem) -> MembersChanged {
    let record = try find(group, .manageGroups, caller, connection)
    let users = Set(clientUIDs.map(UserKey.init(clientUID:)))
    let known = try connection.answer(GroupTree.known(users, of: record.app))
    let unknown = users.subtracting(known).map(\.description).sorted()
    guard !known.isEmpty else { return MembersChanged(count: 0, unknown: unknown) }
    let memberships = known.sorted().map {
      Groups.Membership(user: Users.Key(app: record.app, userKey: $0), group: group)
    }
    let isThere = try connection.commit { () throws(PostgresError) -> Bool in
      // It may have been deleted since it was found.
      if adding, try connection.run(Groups.hold([group])).isEmpty { return false }
      try connection.run(adding ? Groups.join(memberships, at: now) : Groups.leave(memberships))
      let action = adding ? "group.add-members" : "group.remove-members"
      let audited = AuditTrail.Change(action, String(group), app: record.app).to { writer in
        writer.member("members", known.count)
        // Name the members only if there are few.
        if known.count <= Operations.Limits.auditedMembers {
          writer.member(
            "clientUids",
            array: { writer in
              for user in known.sorted() { writer.value(PersonRights.trace(user.description)) }
            })
        }
      }
      try connection.run(AuditTrail.add(audited, by: caller))
      return true
    }
    guard isThere else { throw Self.unknown(group) }
    return MembersChanged(count: known.count, unknown: unknown)
  }

  /// Returns a group after checking the permission.
  /// - Throws: `.forbidden` if the role lacks the permission; `.unknownGroup` if the group does not exist, or belongs
  ///   to an app that the caller may not access.
  private static func find(
    _ group: Groups.Number, _ permission: Permission, _ caller: Caller, _ connection: Connection
  ) throws(Problem) -> GroupTree.Record {
    try caller.require(permission)
    guard let record = try connection.answer(GroupTree.find(group)), caller.reaches(record.app) else {
      throw unknown(group)
    }
    return record
  }

  private static func unknown(_ group: Groups.Number) -> Problem {
    Problem(.unknownGroup, "There is no group \(group).")
  }
}

extension JSONWriter {
  fileprivate mutating func write(name: String, parent: Groups.Number?, isJoinable: Bool) {
    member("name", name)
    member("parent", parent.map(String.init))
    member("joinable", isJoinable)
  }
}

extension Operations.Limits {
  /// Maximum number of members named in one audit entry. An entry about more members names none.
  static let auditedMembers = 100
  /// Maximum number of messages or requests named in the refusal to delete or move a group.
  static let namedGroupUses = 10
}
