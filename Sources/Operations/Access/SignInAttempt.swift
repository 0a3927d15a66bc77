internal import Domain
internal import JSON
internal import Postgres
internal import Reactor
internal import Store

/// One try to sign in: who it is, how often it has failed, and what the audit log is told.
///
/// | counted in 15 minutes | more than | then |
/// | --- | --- | --- |
/// | wrong passwords of an address (IPv6: of a /64) | 20 | 429 for that address |
/// | wrong passwords of an address for one login | 5 | 429 for that address and login |
/// | wrong passwords for a login, from anywhere | 20 | one attempt every 1, 2, 4 … 30 seconds, from places it never signed in from |
///
/// Where the login is known to sign in from, what would be 429 for a quarter of an hour is one attempt every 1 … 30 seconds.
/// So nobody locks a login out from where its owner usually is, and guessing it from a thousand addresses stays slow. Links
/// are 256 random bits: they are never refused for the sake of others' failures. Logins that nobody has count like all
/// others, or the counting would tell which there are. Rows that are over go with the next new one, and there are no more
/// than `signInFailures`: those that end first make room.
struct SignInAttempt {
  let proof: SignInService.Proof
  /// The client's address.
  let origin: String
  let requestID: String
  /// Microseconds since 1970.
  let now: Int64

  private var place: String { IPAddress(origin)?.network.description ?? origin }
  private var until: Int64 { now + Operations.Limits.signInWindowSeconds * 1_000_000 }

  /// A hash that counts, or stands for a place.
  private func subject(_ kind: String, _ rest: String...) -> [UInt8] {
    Authorization.hash(([kind] + rest).joined(separator: " "))
  }

  /// - Throws: what is answered; the audit log knows of it.
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

  /// The place is known from now on.
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
    // Once: what follows is the same.
    if ofAddress == Operations.Limits.failuresOfAddress + 1 { _ = try refused(nil, "too-many", on: connection) }
    if !isKnown, ofAddress > Operations.Limits.failuresOfAddress {
      throw Self.tooMany(Operations.Limits.signInWindowSeconds)
    }
    let both = subject("login", login, place)
    let ofBoth = try fail(both, on: connection)
    if isKnown {
      // A colleague may be guessing.
      return try wait(for: both, after: ofBoth - Operations.Limits.failuresOfLogin, on: connection)
    }
    guard ofBoth <= Operations.Limits.failuresOfLogin else { throw Self.tooMany(Operations.Limits.signInWindowSeconds) }
    let ofLogin = subject("login", login)
    let failures = try fail(ofLogin, on: connection)
    try wait(for: ofLogin, after: failures - Operations.Limits.failuresOfLoginAnywhere, on: connection)
  }

  /// One attempt at a time, the longer apart the more there were.
  private func wait(for subject: [UInt8], after failures: Int32, on connection: Connection) throws(Problem) {
    guard failures > 0 else { return }
    let seconds = min(Int64(1) << Int64(min(failures - 1, 5)), Operations.Limits.longestSignInTurnSeconds)
    guard try connection.answer(SignInCounts.takeTurn(subject, now: now, next: now + seconds * 1_000_000)) else {
      throw Self.tooMany(seconds)
    }
  }

  private func fail(_ subject: [UInt8], on connection: Connection) throws(Problem) -> Int32 {
    let failures = try connection.answer(SignInCounts.fail(subject, now: now, until: until))
    // Who adds a row takes away what is too much.
    if failures == 1 {
      try connection.answer(SignInCounts.tidy(now: now, keeping: Operations.Limits.signInFailures))
    }
    return failures
  }

  /// The right password: its login begins anew. The address keeps its other failures, or whoever has one account could try
  /// all others without end.
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

  // MARK: Telling

  /// What is answered, once the audit log has its entry: of one address and in all only so many in 15 minutes, or strangers
  /// could fill it.
  private func refused(
    _ account: Accounts.Record?, _ reason: String, on connection: Connection
  ) throws(Problem) -> Problem {
    let problem = Problem(.badCredential, "Login and password do not belong together, or the link was used or is over.")
    guard try fail(subject("told", place), on: connection) <= Operations.Limits.failuresOfAddress + 1,
      try fail(subject("told"), on: connection) <= Operations.Limits.toldFailures
    else { return problem }
    // Somebody may have typed a password into the field for the login.
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
  /// Of one login at one address, in that window.
  static let failuresOfLogin: Int32 = 5
  /// Of a login at all addresses, before strangers' attempts are slowed down.
  static let failuresOfLoginAnywhere: Int32 = 20
  /// An address may be a whole company's.
  static let failuresOfAddress: Int32 = 20
  /// Entries of the audit log about failures, of all addresses together in that window.
  static let toldFailures: Int32 = 1_000
  static let longestSignInTurnSeconds: Int64 = 30
  /// Rows that count failures, of all addresses and logins: some hundred addresses that try all they may.
  static let signInFailures: Int64 = 10_000
  /// An account's owner is known at so many networks, for so long.
  static let placesOfAccount: Int64 = 32
  static let placeSeconds: Int64 = 90 * 86_400
}
