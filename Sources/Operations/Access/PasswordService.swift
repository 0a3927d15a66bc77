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
  /// the browser signs in again. The current password is required unless the session was started with a link moments
  /// ago (`OwnerProof`).
  /// - Throws: `.forbidden` for a caller without an account that signs in here, or with a link that was opened too long
  ///   ago; `.invalidField` at `/current` for a missing or wrong current password, or at `/new` for a password that
  ///   breaks `PasswordRule`; `.tooManyAttempts`, because a wrong current password counts like a failed sign-in, and is
  ///   audited like one.
  package static func choose(
    _ password: NewPassword, session token: String?, _ policy: ConsolePolicy, by caller: Caller,
    on connection: Connection, now: Timestamp
  ) throws(Problem) {
    guard caller.account != nil, let token, let account = try connection.answer(Accounts.find(login: caller.name)),
      !account.isByProvider
    else { throw Problem(.forbidden, "Only an account that signs in here has a password.") }
    try OwnerProof.check(
      password.current, at: "/current", of: account, session: token, policy, by: caller, on: connection, now: now)
    try PasswordRule.check(password.new, login: account.login)
    let salt = Array(MasterKey.makeBytes().prefix(16))
    let hash = PasswordHash.make(password.new, salt: salt, rounds: policy.passwordRounds)
    try connection.commit { () throws(PostgresError) in
      try connection.run(Accounts.setPassword(account.number, hash, salt: salt))
      try connection.run(Sessions.endAll(of: account.number))
      try connection.run(
        AuditTrail.add(AuditTrail.Change("account.password", account.login, app: account.app), by: caller))
    }
  }
}
