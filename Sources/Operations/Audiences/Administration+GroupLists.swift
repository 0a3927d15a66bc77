package import Domain
package import Postgres
internal import Store

/// Lists and deletes groups.
extension Administration {
  package struct GroupEntry: Sendable {
    package let groupSeq: Int64
    package let name: String
    package let parent: Int64?
  }

  /// Lists at most `limit` of an app's groups, on all levels, in the order of their numbers.
  /// - Parameter group: the last group of the previous page; 0 for the first page.
  /// - Throws: `.forbidden`, `.unknownApp`.
  package static func groups(
    of appID: String, after group: Int64, limit: Int, by caller: Caller, on connection: Connection,
    catalog: Catalog? = nil
  ) throws(Problem) -> [GroupEntry] {
    let app = try groupApp(appID, caller, connection, catalog)
    return try connection.answer(Groups.list(app: app.number, after: group, limit: limit)).map {
      GroupEntry(groupSeq: $0.group, name: $0.name, parent: $0.parent)
    }
  }

  /// Lists at most `limit` of a group's direct members in byte order of their CUIDs. Guests, who have none, come first;
  /// their CUID is returned as GUEST. The name is empty if it is not known. Notes in the audit trail that the caller
  /// has read them.
  /// - Parameter clientUID: the last CUID of the previous page; nil for the first page. If it is GUEST, the page begins
  ///   with the first user who has a CUID, and guests who did not fit on the previous page are never listed.
  /// - Throws: `.unknownGroup` if the app has no such group, `.forbidden`, `.unknownApp`.
  package static func users(
    in group: Int64, of appID: String, after clientUID: String?, limit: Int, by caller: Caller,
    on connection: Connection, catalog: Catalog? = nil
  ) throws(Problem) -> [(clientUID: String, name: String)] {
    let app = try groupApp(appID, caller, connection, catalog)
    try require(group, of: app, connection)
    try AuditTrail.note(.groupMembers, of: app.number, by: caller, on: connection)
    // Keys of guests sort before those of users, which begin with `u`.
    let after = clientUID.map { $0 == UserKey.guestUID ? "u" : UserKey(clientUID: $0).text } ?? ""
    return try connection.answer(Groups.users(app: app.number, in: group, after: after, limit: limit)).map {
      (clientUID: $0.userKey.description, name: $0.name)
    }
  }

  /// Deletes a group and its memberships, and audits that.
  /// - Throws: `.unknownGroup` if the app has no such group; `.conflict` if the group has subgroups, if messages or
  ///   requests for approval still name it (`GroupService.delete`), or if the app is being deleted; `.forbidden`;
  ///   `.unknownApp`.
  package static func deleteGroup(
    _ group: Int64, of appID: String, by caller: Caller, on connection: Connection, catalog: Catalog? = nil
  ) throws(Problem) {
    let app = try groupApp(appID, caller, connection, catalog)
    try require(group, of: app, connection)
    try GroupService.delete(group, by: caller, on: connection)
  }

  private static func groupApp(
    _ appID: String, _ caller: Caller, _ connection: Connection, _ catalog: Catalog?
  ) throws(Problem) -> App {
    try caller.require(.manageGroups)
    let app = try connection.app(appID, catalog: catalog)
    try caller.require(.manageGroups, in: app)
    return app
  }

  private static func require(_ group: Int64, of app: App, _ connection: Connection) throws(Problem) {
    let rules = try connection.answer(Groups.joinRules(of: [group]))
    guard rules[group]?.app == app.number else { throw unknown(group, app) }
  }

  private static func unknown(_ group: Int64, _ app: App) -> Problem {
    Problem(.unknownGroup, "The app \(app.appID) has no group \(group).")
  }
}
