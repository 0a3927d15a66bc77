internal import Domain
internal import Postgres
internal import Store
internal import Time

/// Asks whoever is signed in for the account's password once more, before a change of what opens the account later: a
/// session that was left open or stolen must neither lock its owner out nor last beyond its end.
enum OwnerProof {
  /// Accepts the account's password, or a session that was opened with a link moments ago: its owner may have no
  /// password, or have lost it. A wrong password counts like a failed sign-in (`SignInThrottle`), and is audited like
  /// one.
  /// - Parameters:
  ///   - password: the password that was sent; nil if none was.
  ///   - pointer: where the request contains it, as a JSON pointer.
  ///   - token: the token of the session that asks.
  /// - Throws: `.invalidField` at `pointer` for a missing or wrong password; `.forbidden` if the session was opened
  ///   with a link longer than `freshLinkSeconds` ago, and no password can prove the owner; `.tooManyAttempts`.
  static func check(
    _ password: String?, at pointer: String, of account: Accounts.Record, session token: String,
    _ policy: ConsolePolicy, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) {
    let openedAt = try connection.answer(Sessions.linkOpenedAt(sha256: Authorization.hash(token)))
    if let openedAt, openedAt >= now - .seconds(Operations.Limits.freshLinkSeconds) { return }
    guard account.password != nil, openedAt == nil || password != nil else {
      throw Problem(
        .forbidden,
        """
        The sign-in link was opened more than \(Operations.Limits.freshLinkSeconds / 60) minutes ago. Sign in again, \
        with the password or another link.
        """)
    }
    let wrong = Problem(at: pointer, "is not the current password")
    guard let password else { throw wrong }
    try RefusalLog.check(account, "current-password", orElse: wrong, by: caller, on: connection, now: now) {
      PasswordHash.matches(password, account.password, salt: account.salt, rounds: policy.passwordRounds)
    }
  }
}

extension Operations.Limits {
  /// Time in seconds for which a sign-in with a link stands for the password: 10 minutes, enough to choose a password
  /// or to install an authenticator app.
  static let freshLinkSeconds: Int64 = 600
}
