internal import Domain
internal import Postgres
internal import Store

/// Moves the badge counts of the users in a claim: once per (user, message), in the claim's own transaction, so that the
/// payload carries a number that is committed.
///
/// What is claimed as a block needs no entries in the ledger: no user is in two blocks of a message, and what each was given
/// stands with the block. Everything else is noted there, ledger first, then users, both in the order of their keys. Many
/// users at once are copied into the ledger, for a row costs half as much then. Should one of them be there after all
/// (claimed in an earlier wave, or read on another device before), `run` throws `uniqueViolation`, the transaction is lost,
/// and the claim is for `copies: false`.
struct BadgeClaim {
  private let message: DispatchMessage
  private let copies: Bool

  init(_ message: DispatchMessage, copies: Bool) {
    self.message = message
    self.copies = copies
  }

  /// Returns each user's count after this message.
  /// - Parameter inBlock: the claim is a block that says what each was given.
  func run(
    _ claims: [Ledger.Claim], inBlock: Bool, _ connection: Connection
  ) throws(PostgresError) -> [UserKey: Int16] {
    guard !claims.isEmpty else { return [:] }
    if inBlock { return try moveAll(claims, inBlock: true, connection).byUser }
    if copies, claims.count >= Limits.copiedClaims {
      try Ledger.copy(claims, connection)
      return try moveAll(claims, inBlock: false, connection).byUser
    }
    let fresh = try connection.run(Ledger.claim(claims))
    guard fresh.count < claims.count else { return try moveAll(claims, inBlock: false, connection).byUser }
    return try moveSome(fresh, of: claims, connection).byUser
  }

  /// Every count moves.
  private func moveAll(
    _ claims: [Ledger.Claim], inBlock: Bool, _ connection: Connection
  ) throws(PostgresError) -> [Users.Key: Users.Count] {
    let users = claims.map(\.key.user)
    switch message.request.badge {
    case .none: return try connection.run(Users.lock(users))
    case .increment(let increment):
      let (counts, short) = try Increments.add(
        increment, by: claims.map(\.key), areNeighbours: inBlock, on: connection)
      // A count may have been set since the message was accepted: what this adds came after that.
      let late = Set(claims.lazy.map(\.key).filter { counts[$0.user]?.wasSet(since: $0.seqno) == true })
      if inBlock {
        let odd = late.union(short.map(\.key))
        if !odd.isEmpty { _ = try connection.run(Ledger.claim(claims.filter { odd.contains($0.key) })) }
      }
      if !short.isEmpty { try connection.run(Ledger.noteMoved(short)) }
      if !late.isEmpty { try connection.run(Ledger.noteCounted(Array(late))) }
      return counts
    case .set(let count): return try connection.run(Users.setCounts(users.map { ($0, count) }))
    case .clear: return try connection.run(Users.setCounts(users.map { ($0, 0) }))
    }
  }

  /// Some counts have been moved by an earlier claim for another device.
  private func moveSome(
    _ fresh: Set<Ledger.Key>, of claims: [Ledger.Claim], _ connection: Connection
  ) throws(PostgresError) -> [Users.Key: Users.Count] {
    var counts = try connection.run(Users.lock(claims.map(\.key.user)))
    let moved = claims.filter { fresh.contains($0.key) }
    guard !moved.isEmpty else { return counts }
    counts.merge(try moveAll(moved, inBlock: false, connection)) { _, new in new }
    return counts
  }
}

extension [Users.Key: Users.Count] {
  /// All are of one app.
  fileprivate var byUser: [UserKey: Int16] {
    reduce(into: [:]) { $0[$1.key.userKey] = $1.value.badge }
  }
}
