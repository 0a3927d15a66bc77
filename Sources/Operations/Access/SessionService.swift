package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Lists and ends the caller's own sessions. All functions throw `.conflict` for a caller without a session, such as an
/// API key.
package enum SessionService {
  package struct Entry: DescribedAnswer {
    let record: SessionLists.Record

    package static let object = JSONObject<Entry>(
      "SignedInPlace",
      [
        .always("sessionId", .sequence, \.record.session),
        .always("by", .words(SignInMethod.allCases.map(\.rawValue)), \.record.method, "How it began."),
        .always("origin", .anyText, \.record.origin, "The address it began at."),
        .always("createdAt", .moment, \.record.createdAt),
        .always("usedAt", .moment, \.record.usedAt, "The last use, to the minute."),
        .always("endsAt", .moment, \.record.endsAt, "When it ends unless it is used."),
        .always("current", .flag, \.record.isCurrent, "The one that asks."),
      ])
  }

  package static func list(
    _ page: PageRequest, session token: String?, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> ItemPage<Entry> {
    let (account, token) = try own(token, caller)
    let records = try connection.answer(
      SessionLists.list(
        of: account, current: Authorization.hash(token), now: now, after: try page.number(first: 0),
        limit: page.limit + 1))
    return ItemPage(records.map(Entry.init), limit: page.limit) { String($0.record.session) }
  }

  /// Ends one of the caller's own sessions, even the current one.
  /// - Throws: `.notFound` if the account has no such session, or it was already ended.
  package static func end(
    _ session: Int64, token: String?, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    let (account, _) = try own(token, caller)
    let isEnded = try connection.commit { () throws(PostgresError) in
      guard let origin = try connection.run(SessionLists.end(of: account, session)) else { return false }
      let change = AuditTrail.Change("session.end", caller.name, app: caller.app).from { writer in
        writer.member("sessionId", session)
        writer.member("origin", origin)
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return true
    }
    guard isEnded else { throw Problem(.notFound, "You are not signed in there any more.") }
  }

  /// Ends all of the caller's sessions except the current one, and invalidates the caller's unused sign-in links.
  package static func endOthers(token: String?, by caller: Caller, on connection: Connection) throws(Problem) {
    let (account, token) = try own(token, caller)
    try connection.commit { () throws(PostgresError) in
      let count = try connection.run(SessionLists.endOthers(of: account, than: Authorization.hash(token)))
      let change = AuditTrail.Change("session.end-others", caller.name, app: caller.app).to {
        $0.member("ended", count)
      }
      try connection.run(AuditTrail.add(change, by: caller))
    }
  }

  private static func own(_ token: String?, _ caller: Caller) throws(Problem) -> (Int32, String) {
    guard let account = caller.account, let token else {
      throw Problem(.conflict, "Only a console account has sessions; an API key is revoked to end it.")
    }
    return (account, token)
  }
}
