internal import Domain
internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// Counts wrong passwords and codes, and slows down guessing. All nodes share the counters.
///
/// | failures within 15 minutes | more than | consequence |
/// | --- | --- | --- |
/// | from an address (IPv6: a /64) | 20 | 429 for that address |
/// | from an address for one login | 5 | 429 for that address and login |
/// | for a login, from anywhere | 20 | one attempt every 1, 2, 4 … 30 seconds, from unknown places |
///
/// A place is an address, or for IPv6 its /64; it is known for a login that has signed in from there within 90 days.
/// For a login from its known place, the first and the last row do not apply, and the second one allows one attempt
/// every 1 … 30 seconds instead of 429. So nobody can lock a login out of its owner's usual place, and guessing from a
/// thousand addresses stays slow.
///
/// A wrong password and a wrong code of the second factor are the same kind of failure. Failures for unknown logins
/// count as well; otherwise the counting would reveal which logins exist. A new counter evicts expired counters and,
/// beyond `signInFailures` of them, those that expire first.
struct SignInThrottle {
  /// The client's address.
  let origin: String
  let now: Timestamp

  private var place: String { IPAddress(origin)?.network.description ?? origin }
  private var until: Timestamp { now + .seconds(Operations.Limits.signInWindowSeconds) }

  /// Returns the hash under which a counter or a network is stored.
  private func subject(_ kind: String, _ rest: String...) -> [UInt8] {
    Authorization.hash(([kind] + rest).joined(separator: " "))
  }

  /// Counts an attempt as a failure, until `forgive` or `uncount`: for the address, for the login at that address, and,
  /// except from a known place, for the login from anywhere. Stops at the first of these limits that refuses the
  /// attempt. Call it before checking the password, so that concurrent attempts count too.
  /// - Parameter flooded: called when this attempt takes the address over its limit.
  /// - Throws: `.tooManyAttempts` if the attempt is not allowed now; it stays counted.
  func count(_ login: String, on connection: Connection, flooded: () throws(Problem) -> Void) throws(Problem) {
    let isKnown = try knows(login, on: connection)
    let ofAddress = try fail(subject("address", place), on: connection)
    if ofAddress == Operations.Limits.failuresOfAddress + 1 { try flooded() }
    if !isKnown, ofAddress > Operations.Limits.failuresOfAddress {
      throw Self.tooMany(Operations.Limits.signInWindowSeconds)
    }
    let both = subject("login", login, place)
    let ofBoth = try fail(both, on: connection)
    if isKnown {
      // Another person behind the same address may be guessing.
      return try wait(for: both, after: ofBoth - Operations.Limits.failuresOfLogin, on: connection)
    }
    guard ofBoth <= Operations.Limits.failuresOfLogin else { throw Self.tooMany(Operations.Limits.signInWindowSeconds) }
    let ofLogin = subject("login", login)
    let failures = try fail(ofLogin, on: connection)
    try wait(for: ofLogin, after: failures - Operations.Limits.failuresOfLoginAnywhere, on: connection)
  }

  /// Allows one attempt per delay, which doubles with each failure from 1 to 30 seconds. Allows every attempt if
  /// `failures` is not positive.
  /// - Throws: `.tooManyAttempts` before the delay of the last allowed attempt is over.
  private func wait(for subject: [UInt8], after failures: Int32, on connection: Connection) throws(Problem) {
    guard failures > 0 else { return }
    let seconds = min(Int64(1) << Int64(min(failures - 1, 5)), Operations.Limits.longestSignInTurnSeconds)
    guard try connection.answer(SignInCounts.takeTurn(subject, now: now, next: now + .seconds(seconds))) else {
      throw Self.tooMany(seconds)
    }
  }

  private func fail(_ subject: [UInt8], on connection: Connection) throws(Problem) -> Int32 {
    let failures = try connection.answer(SignInCounts.fail(subject, now: now, until: until))
    // A new counter evicts expired and surplus ones.
    if failures == 1 {
      try connection.answer(SignInCounts.tidy(now: now, keeping: Operations.Limits.signInFailures))
    }
    return failures
  }

  /// After a success, resets the login's counters, at this address and from anywhere, and uncounts the attempt for the
  /// address. The address keeps its other failures; otherwise the owner of one account could guess the passwords of all
  /// others without limit.
  func forgive(_ login: String, on connection: Connection) throws(Problem) {
    try connection.answer(SignInCounts.forgive([subject("login", login, place), subject("login", login)]))
    try connection.answer(SignInCounts.decrement(subject("address", place)))
  }

  /// Uncounts an attempt whose password or link was right but which lacked the second factor. Earlier failures remain.
  func uncount(_ login: String, on connection: Connection) throws(Problem) {
    var counters = [subject("login", login, place), subject("address", place)]
    // `count` does not add attempts from known places to the login's count from anywhere.
    if !(try knows(login, on: connection)) { counters.append(subject("login", login)) }
    for counter in counters { try connection.answer(SignInCounts.decrement(counter)) }
  }

  /// Returns whether somebody has signed in to the account from the client's network within the last 90 days. False if
  /// there is no such account.
  private func knows(_ login: String, on connection: Connection) throws(Problem) -> Bool {
    try connection.answer(
      SignInCounts.knows(login, subject("place", place), since: now - .seconds(Operations.Limits.placeSeconds)))
  }

  /// Records the client's network as known for the account. Keeps the `placesOfAccount` most recent ones.
  func note(_ account: Int32, on connection: Connection) throws(PostgresError) {
    try connection.run(
      SignInCounts.note(
        account, subject("place", place), now: now, keeping: Operations.Limits.placesOfAccount))
  }

  /// Counts a refusal, and returns whether it may be audited. The number of entries within 15 minutes is limited per
  /// address (IPv6: a /64) and in total, so that attackers cannot flood the log.
  func mayTell(on connection: Connection) throws(Problem) -> Bool {
    guard try fail(subject("told", place), on: connection) <= Operations.Limits.failuresOfAddress + 1 else {
      return false
    }
    return try fail(subject("told"), on: connection) <= Operations.Limits.toldFailures
  }

  private static func tooMany(_ seconds: Int64) -> Problem {
    var problem = Problem(
      .tooManyAttempts,
      seconds < 60
        ? "Signing in failed too often. Wait \(seconds) seconds, or ask an administrator for a link."
        : "Signing in failed too often. Wait \(seconds / 60) minutes, or ask an administrator for a link."
    )
    problem.retryAfterSeconds = Int(seconds)
    return problem
  }
}

extension Operations.Limits {
  static let signInWindowSeconds: Int64 = 900
  /// Failures allowed per login and address in the window, before further attempts are refused or, from a known place,
  /// slowed down.
  static let failuresOfLogin: Int32 = 5
  /// Failures allowed per login from all addresses before attempts from unknown networks are slowed down.
  static let failuresOfLoginAnywhere: Int32 = 20
  /// Failures allowed per address, which may serve a whole company.
  static let failuresOfAddress: Int32 = 20
  /// Limit of audit entries about failures in the window, for all addresses together.
  static let toldFailures: Int32 = 1_000
  /// Longest delay between two attempts, in seconds.
  static let longestSignInTurnSeconds: Int64 = 30
  /// Limit of stored failure counters, for all addresses and logins: enough for a few hundred addresses that use up
  /// their attempts.
  static let signInFailures: Int64 = 10_000
  /// Limit of known networks stored per account.
  static let placesOfAccount: Int64 = 32
  /// Time in seconds for which a network stays known after a sign-in: 90 days.
  static let placeSeconds: Int64 = 90 * 86_400
}
