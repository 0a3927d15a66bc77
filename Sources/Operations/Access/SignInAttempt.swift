internal import Domain
internal import JSON
internal import Postgres
internal import Reactor
internal import Store

/// One sign-in attempt: verifies the proof, counts failures and writes the audit log.
///
/// | failures within 15 minutes | more than | consequence |
/// | --- | --- | --- |
/// | wrong passwords from an address (IPv6: a /64) | 20 | 429 for that address |
/// | wrong passwords from an address for one login | 5 | 429 for that address and login |
/// | wrong passwords for a login, from anywhere | 20 | one attempt every 1, 2, 4 … 30 seconds, from places it never signed in from |
///
/// From a place where the login has signed in before, one attempt every 1 … 30 seconds is allowed instead of a 429 for
/// a quarter of an hour. So nobody can lock a login out of its owner's usual place, and guessing from a thousand
/// addresses stays slow. Links are 256 random bits and are never refused because of other failures. Failures for
/// unknown logins count as well; otherwise the counting would reveal which logins exist. Adding a row removes expired
/// ones, and at most `signInFailures` rows exist: those that expire first are evicted.
struct SignInAttempt {
  let proof: SignInService.Proof
  /// The client's address.
  let origin: String
  let requestID: String
  /// When the attempt was made, in microseconds since 1970.
  let now: Int64

  private var place: String { IPAddress(origin)?.network.description ?? origin }
  private var until: Int64 { now + Operations.Limits.signInWindowSeconds * 1_000_000 }

  /// Hash under which a counter or place is stored.
  private func subject(_ kind: String, _ rest: String...) -> [UInt8] {
    Authorization.hash(([kind] + rest).joined(separator: " "))
  }

  /// Verifies the proof and returns the account. - Throws: the problem for the client, which has also been audited.
  func prove(on connection: Connection) throws(Problem) -> Accounts.Record {
    let found: Accounts.Record?
    switch proof {
    case .password(let login, let password):
      let login = ConsoleAccounts.normalize(login)
      try count(login, on: connection)
      let account = try connection.answer(Accounts.find(login: login))
      guard PasswordHash.matches(password, account?.password, salt: account?.salt) else {
        throw try refused(account, "password", on: connection)
      }
      found = account
    case .link(let token):
      let login = try connection.answer(Sessions.takeLink(sha256: Authorization.hash(token), now: now))
      guard let login else { throw try refused(nil, "link", on: connection) }
      found = try connection.answer(Accounts.find(login: login))
    }
    guard let account = found, account.disabledAt == nil else {
      throw try refused(found, "disabled", on: connection)
    }
    try forgive(account.login, on: connection)
    return account
  }

  /// Records that the account has signed in from this place.
  func note(_ account: Int32, on connection: Connection) throws(PostgresError) {
    try connection.run(
      SignInCounts.note(
        account, subject("place", place), now: now, keeping: Operations.Limits.placesOfAccount))
  }

  // MARK: Counting

  private func count(_ login: String, on connection: Connection) throws(Problem) {
    let isKnown = try connection.answer(
      SignInCounts.knows(
        login, subject("place", place), since: now - Operations.Limits.placeSeconds * 1_000_000))
    let ofAddress = try fail(subject("address", place), on: connection)
    // Audited once per window: further failures are the same.
    if ofAddress == Operations.Limits.failuresOfAddress + 1 { _ = try refused(nil, "too-many", on: connection) }
    if !isKnown, ofAddress > Operations.Limits.failuresOfAddress {
      throw Self.tooMany(Operations.Limits.signInWindowSeconds)
    }
    let both = subject("login", login, place)
    let ofBoth = try fail(both, on: connection)
    if isKnown {
      // The failures may be those of a colleague behind the same address, so only delay the attempt.
      return try wait(for: both, after: ofBoth - Operations.Limits.failuresOfLogin, on: connection)
    }
    guard ofBoth <= Operations.Limits.failuresOfLogin else { throw Self.tooMany(Operations.Limits.signInWindowSeconds) }
    let ofLogin = subject("login", login)
    let failures = try fail(ofLogin, on: connection)
    try wait(for: ofLogin, after: failures - Operations.Limits.failuresOfLoginAnywhere, on: connection)
  }

  /// Allows one attempt at a time, with delays that grow with the number of failures.
  private func wait(for subject: [UInt8], after failures: Int32, on connection: Connection) throws(Problem) {
    guard failures > 0 else { return }
    let seconds = min(Int64(1) << Int64(min(failures - 1, 5)), Operations.Limits.longestSignInTurnSeconds)
    guard try connection.answer(SignInCounts.takeTurn(subject, now: now, next: now + seconds * 1_000_000)) else {
      throw Self.tooMany(seconds)
    }
  }

  private func fail(_ subject: [UInt8], on connection: Connection) throws(Problem) -> Int32 {
    let failures = try connection.answer(SignInCounts.fail(subject, now: now, until: until))
    // Delete expired and surplus rows whenever one is added.
    if failures == 1 {
      try connection.answer(SignInCounts.tidy(now: now, keeping: Operations.Limits.signInFailures))
    }
    return failures
  }

  /// Resets the counters of the login after a correct password. The address keeps its other failures; otherwise the
  /// owner of one account could guess all others without limit.
  private func forgive(_ login: String, on connection: Connection) throws(Problem) {
    guard case .password = proof else { return }
    try connection.answer(SignInCounts.forgive([subject("login", login, place), subject("login", login)]))
    try connection.answer(SignInCounts.takeBack(subject("address", place)))
  }

  private static func tooMany(_ seconds: Int64) -> Problem {
    var problem = Problem(
      .tooManyAttempts,
      "Signing in failed too often. Wait \(seconds < 60 ? "\(seconds) seconds" : "\(seconds / 60) minutes"), or ask an administrator for a link."
    )
    problem.retryAfterSeconds = Int(seconds)
    return problem
  }

  // MARK: Auditing

  /// Audits a failure and returns the problem for the client. Entries within 15 minutes are limited per address and in
  /// total, so strangers cannot flood the log.
  private func refused(
    _ account: Accounts.Record?, _ reason: String, on connection: Connection
  ) throws(Problem) -> Problem {
    let problem = Problem(.badCredential, "Login and password do not belong together, or the link was used or is over.")
    guard try fail(subject("told", place), on: connection) <= Operations.Limits.failuresOfAddress + 1,
      try fail(subject("told"), on: connection) <= Operations.Limits.toldFailures
    else { return problem }
    // The login is not logged: a password may have been typed into its field.
    let change = AuditTrail.Change("session.refuse", account?.login ?? "unknown login", app: account?.app)
      .to { $0.member("reason", reason) }
    var nobody = Caller.nobody
    nobody.origin = origin
    nobody.requestID = requestID
    try connection.answer(AuditTrail.add(change, by: nobody))
    return problem
  }
}

extension Operations.Limits {
  static let signInWindowSeconds: Int64 = 900
  /// Failures allowed per login and address within the window.
  static let failuresOfLogin: Int32 = 5
  /// Failures allowed per login within the window, from all addresses together, before attempts from unknown places are
  /// delayed.
  static let failuresOfLoginAnywhere: Int32 = 20
  /// Failures allowed per address within the window. A whole company may share an address.
  static let failuresOfAddress: Int32 = 20
  /// Maximum number of audit entries about failures within the window, for all addresses together.
  static let toldFailures: Int32 = 1_000
  static let longestSignInTurnSeconds: Int64 = 30
  /// Maximum number of stored failure counters, for all addresses and logins together.
  static let signInFailures: Int64 = 10_000
  /// Maximum number of known places stored per account, and how long each is stored.
  static let placesOfAccount: Int64 = 32
  static let placeSeconds: Int64 = 90 * 86_400
}
