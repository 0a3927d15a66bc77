package import Domain
package import Postgres
internal import Store

/// Finds users in all apps that the caller may access, for operators who know a customer but not the app.
package enum PeopleFinder {
  /// Returns the first users, in byte order, whose CUID or name begins with the given text: a single page, without a
  /// next one. For each app of these users, notes in the audit trail that the caller has read them.
  /// - Parameters:
  ///   - prefix: beginning of the CUID; nil or empty to search by name.
  ///   - name: beginning of the name; nil or empty to search by CUID.
  /// - Throws: `.impossible` unless exactly one of the two is given, and for a cursor.
  package static func users(
    prefix: String?, named name: String?, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<UserDirectory.UserEntry> {
    try caller.require(.viewPeople)
    let (prefix, name) = (prefix ?? "", name ?? "")
    guard prefix.isEmpty != name.isEmpty else {
      throw Problem(.impossible, "Without appId, say how the CUID (prefix) or the name (name) begins.")
    }
    guard page.cursor == nil else { throw Problem(.impossible, "Without appId there is one page, and no cursor.") }
    let range = KeyRange(prefix: prefix.isEmpty ? name : UserKey(clientUID: prefix).text)
    let found = try connection.answer(
      prefix.isEmpty
        ? PeopleSearch.users(of: caller.app, namedFrom: range.from, upto: range.upto, limit: page.limit)
        : PeopleSearch.users(of: caller.app, from: range.from, upto: range.upto, limit: page.limit))
    // Audit only the apps whose users are listed: of the others, nothing was disclosed.
    for app in Set(found.map(\.app)).sorted() {
      try AuditTrail.note(.users, of: app, by: caller, on: connection)
    }
    return ItemPage(items: found.map { UserDirectory.UserEntry(appID: $0.appID, user: $0.user) }, behind: nil)
  }
}
