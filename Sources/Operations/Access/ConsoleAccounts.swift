package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Accounts of console users. An administrator creates them, and their owner signs in for the first time with a
/// one-time link. Accounts of the identity provider are created when their owner first signs in there instead.
package enum ConsoleAccounts {
  package struct Entry: DescribedAnswer {
    let record: Accounts.Record

    package static let object = JSONObject<Entry>(
      "Account",
      [
        .always("accountId", .sequence, \.record.number), .always("login", .anyText, \.record.login),
        .always("name", .anyText, \.record.name), .always("role", .role, \.record.role),
        .always("appId", .orNull(.anyText), \.record.appID, "The only app; null: all."),
        .always("createdAt", .moment, \.record.createdAt), .always("disabledAt", .orNull(.moment), \.record.disabledAt),
        .always("hasPassword", .flag, { $0.record.password != nil }),
        .always("hasSecondFactor", .flag, { $0.record.factor != nil }),
        .always("byIdentityProvider", .flag, \.record.isByProvider, "It signs in at the identity provider."),
      ])
  }

  /// A one-time sign-in link, valid for an hour.
  package struct Link: DescribedAnswer {
    package let account: Int32
    package let token: String
    package let endsAt: Timestamp

    /// Path to append to the server's address. The token is in the fragment, so no proxy or log contains it.
    package var path: String { "/#sign-in=\(token)" }

    package static let object = JSONObject<Link>(
      "SignInLink",
      [
        .always("accountId", .sequence, \.account), .always("path", .anyText, \.path, "Behind the server's address."),
        .always("endsAt", .moment, \.endsAt),
      ])
  }

  package struct NewAccount: Sendable {
    package var login = ""
    package var name = ""
    package var role = Role.viewer
    /// The only app the account may access; nil for all apps.
    package var appID: String?

    package static let object = JSONObject(
      "NewAccount", from: NewAccount(),
      [
        .required("login", loginForm, \.login, "An e-mail address, or any name without blanks."),
        .required("name", .name, \.name), .required("role", .role, \.role),
        .given("appId", .orNull(.appID), \.appID, "The only app it reaches."),
      ])

    /// JSON Schema of a login. The rules are checked when an account is created, after conversion to lower case.
    private static let loginForm = JSONForm.anyText.described(
      JSONSchema.text(upTo: Operations.Limits.loginBytes, matching: #"^[^\u0000-\u0020\u007F]+$"#))
  }

  /// Returns the login in lower case, because logins are case-insensitive.
  static func normalize(_ login: String) -> String { login.lowercased() }

  static func isLogin(_ login: String) -> Bool {
    (1...Operations.Limits.loginBytes).contains(login.utf8.count) && login.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  package static func list(
    _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    try caller.require(.manageAccounts)
    let records = try connection.answer(
      Accounts.list(of: caller.app, after: Int32(clamping: try page.number(first: 0)), limit: page.limit + 1))
    return ItemPage(records.map(Entry.init), limit: page.limit) { String($0.record.number) }
  }

  /// Creates an account and its sign-in link, and audits that.
  /// - Parameters:
  ///   - login: stored in lower case.
  ///   - appID: the only app the account may access; nil for the caller's only app, or for all apps if the caller may
  ///     access all.
  /// - Throws: `.forbidden` without permission or for an app the caller may not access, `.unknownApp`, `.invalidField`
  ///   for a bad login or name, `.conflict` if the login exists or the app is being deleted.
  package static func create(
    _ login: String, name: String, role: Role, appID: String?, by caller: Caller, on connection: Connection,
    now: Timestamp
  ) throws(Problem) -> Link {
    try caller.require(.manageAccounts)
    let app = try Administration.scope(appID, .manageAccounts, caller, connection)
    let login = normalize(login)
    guard isLogin(login) else {
      throw Problem(
        at: "/login", "must have 1 to \(Operations.Limits.loginBytes) bytes and no blanks: an e-mail address")
    }
    try Administration.check(name: name)
    let (token, endsAt) = (RandomToken.make(), now + .seconds(Operations.Limits.linkSeconds))
    return try connection.commit { () throws(PostgresError) in
      let number = try connection.run(Accounts.create(login: login, name: name, role: role.rawValue, app: app))
      try connection.run(Accounts.note(number, heldBy: caller.asker, apiKey: caller.apiKey, made: true, at: now))
      try connection.run(Sessions.addLink(sha256: Authorization.hash(token), account: number, endsAt: endsAt))
      // A caller who is limited to one app need not name it.
      let only = try connection.run(Accounts.find(number))?.appID
      let change = AuditTrail.Change("account.create", login, app: app).to { writer in
        writer.member("name", name)
        writer.member("role", role.rawValue)
        writer.member("appId", only)
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return Link(account: number, token: token, endsAt: endsAt)
    }
  }

  package struct Change: Sendable {
    package var name: String?
    package var role: Role?
    /// Whether the account is disabled, which signs it out everywhere; nil leaves it unchanged.
    package var isDisabled: Bool?

    package init() {}

    package static let object = JSONObject(
      "AccountChange", from: Change(),
      [
        .given("name", .name, \.name), .given("role", .role, \.role), .given("disabled", .flag, \.isDisabled),
      ])
  }

  package static func change(
    _ number: Int32, _ change: Change, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    try caller.require(.manageAccounts)
    if let name = change.name { try Administration.check(name: name) }
    guard number != caller.account || change.isDisabled != true && change.role == nil else {
      throw Problem(.conflict, "Nobody disables or degrades the account they are signed in with.")
    }
    let changed = try connection.commit { () throws(PostgresError) -> Accounts.Record? in
      guard let before = try find(number, caller, connection) else { return nil }
      let (name, role) = (change.name ?? before.name, change.role?.rawValue ?? before.role)
      let isDisabled = change.isDisabled ?? (before.disabledAt != nil)
      guard name != before.name || role != before.role || isDisabled != (before.disabledAt != nil) else {
        return before
      }
      try connection.run(Accounts.save(number, name: name, role: role, isDisabled: isDisabled))
      // A new role applies only after a new sign-in.
      if isDisabled || role != before.role { try connection.run(Sessions.endAll(of: number)) }
      let audited = AuditTrail.Change("account.change", before.login, app: before.app)
        .from { $0.write(before.name, before.role, before.disabledAt != nil) }.to { $0.write(name, role, isDisabled) }
      try connection.run(AuditTrail.add(audited, by: caller))
      return try connection.run(Accounts.lock(number))
    }
    guard let changed else { throw unknown(number) }
    return Entry(record: changed)
  }

  /// Creates a new sign-in link for an account that has no password yet, or whose owner has lost it, and audits that.
  /// Invalidates the account's earlier link; password and sessions remain. Also records that the caller could sign in
  /// with the link, which matters for approvals (`ApprovalService`).
  /// - Throws: `.conflict` for the caller's own account, because the link would stand in for its password
  ///   (`OwnerProof`); `.notFound` if the account is unknown to the caller, disabled, or signs in at the identity
  ///   provider; `.forbidden` without permission.
  package static func link(
    _ number: Int32, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Link {
    try caller.require(.manageAccounts)
    guard number != caller.account else {
      throw Problem(
        .conflict, "Nobody makes a link for the account they are signed in with. Another administrator does.")
    }
    let (token, endsAt) = (RandomToken.make(), now + .seconds(Operations.Limits.linkSeconds))
    let isMade = try connection.commit { () throws(PostgresError) in
      guard let account = try find(number, caller, connection), account.disabledAt == nil, !account.isByProvider else {
        return false
      }
      try connection.run(Accounts.note(number, heldBy: caller.asker, apiKey: caller.apiKey, made: false, at: now))
      try connection.run(Sessions.addLink(sha256: Authorization.hash(token), account: number, endsAt: endsAt))
      try connection.run(AuditTrail.add(AuditTrail.Change("account.link", account.login, app: account.app), by: caller))
      return true
    }
    guard isMade else { throw unknown(number) }
    return Link(account: number, token: token, endsAt: endsAt)
  }

  /// Removes the second factor and recovery codes of another account whose owner has lost them, ends that account's
  /// sessions and deletes its unused sign-in links. The owner signs in with the password and sets up a new factor.
  /// Changes nothing if the account has no second factor.
  /// - Throws: `.conflict` for the caller's own account, `.notFound` if the account is unknown to the caller,
  ///   `.forbidden` without permission.
  package static func resetFactor(
    _ number: Int32, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Entry {
    try caller.require(.manageAccounts)
    guard number != caller.account else {
      throw Problem(.conflict, "Another administrator resets it; your own you replace with one of your codes.")
    }
    let changed = try connection.commit { () throws(PostgresError) -> Accounts.Record? in
      guard let account = try find(number, caller, connection) else { return nil }
      guard account.factor != nil else { return account }
      try connection.run(SecondFactors.remove(number))
      try connection.run(Sessions.endAll(of: number))
      let change = AuditTrail.Change("account.second-factor-reset", account.login, app: account.app)
      try connection.run(AuditTrail.add(change, by: caller))
      return try connection.run(Accounts.lock(number))
    }
    guard let changed else { throw unknown(number) }
    return Entry(record: changed)
  }

  /// Locks and returns an account. Returns nil if there is none, or the caller is limited to one app and the account is
  /// not limited to the same app.
  private static func find(
    _ number: Int32, _ caller: Caller, _ connection: Connection
  ) throws(PostgresError) -> Accounts.Record? {
    guard let record = try connection.run(Accounts.lock(number)), caller.app == nil || record.app == caller.app else {
      return nil
    }
    return record
  }

  private static func unknown(_ number: Int32) -> Problem {
    Problem(.notFound, "There is no account \(number), or it is disabled, or it signs in elsewhere.")
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ name: String, _ role: String, _ isDisabled: Bool) {
    member("name", name)
    member("role", role)
    member("disabled", isDisabled)
  }
}

extension Operations.Limits {
  /// Maximum length of a login in bytes: an e-mail address has at most 254 (RFC 5321).
  static let loginBytes = 254
  /// Lifetime of a sign-in link in seconds: one hour.
  static let linkSeconds: Int64 = 3600
}
