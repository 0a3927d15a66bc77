internal import Crypto
package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Lets the owner of an account choose a new password.
package enum PasswordService {
  package struct NewPassword: Sendable {
    package var new = ""
    package var current: String?

    package static let object = JSONObject(
      "Password", from: NewPassword(),
      [
        .required(
          "new", .givenText, \.new,
          "At least 12 characters and at most 256 bytes, and not among the first that are guessed."),
        .given("current", .givenText, \.current),
      ])
  }

  /// Sets a new password, ends all of the account's sessions, including this one, and deletes its unused sign-in links:
  /// the browser signs in again. The current password is required unless the account has none or the session was
  /// started with a link.
  /// - Throws: `.forbidden` for a caller without an account that signs in here; `.invalidField` at `/current` for a
  ///   missing or wrong current password, or at `/new` for a password that breaks `PasswordRule`; `.tooManyAttempts`,
  ///   because a wrong current password counts like a failed sign-in, and is audited like one.
  package static func choose(
    _ password: NewPassword, session token: String?, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) {
    guard caller.account != nil, let token, let account = try connection.answer(Accounts.find(login: caller.name)),
      !account.isByProvider
    else { throw Problem(.forbidden, "Only an account that signs in here has a password.") }
    let isByLink = try connection.answer(Sessions.isByLink(sha256: Authorization.hash(token)))
    if account.password != nil, !isByLink { try checkCurrent(password, of: account, by: caller, on: connection, now) }
    try PasswordRule.check(password.new, login: account.login)
    let salt = Array(MasterKey.makeBytes().prefix(16))
    let hash = PasswordHash.make(password.new, salt: salt)
    try connection.commit { () throws(PostgresError) in
      try connection.run(Accounts.setPassword(account.number, hash, salt: salt))
      try connection.run(Sessions.endAll(of: account.number))
      try connection.run(
        AuditTrail.add(AuditTrail.Change("account.password", account.login, app: account.app), by: caller))
    }
  }

  private static func checkCurrent(
    _ password: NewPassword, of account: Accounts.Record, by caller: Caller, on connection: Connection, _ now: Timestamp
  ) throws(Problem) {
    let wrong = Problem(at: "/current", "is not the current password")
    guard let current = password.current else { throw wrong }
    try RefusalLog.check(account, "current-password", orElse: wrong, by: caller, on: connection, now: now) {
      PasswordHash.matches(current, account.password, salt: account.salt)
    }
  }
}
