internal import Domain
internal import Postgres
internal import Store

/// The change of the badge counts of a claim's users: incremented, set or cleared, once per user and message, within
/// the claim's transaction, so that payloads contain a committed count.
///
/// A claim stored as a block needs no ledger entries: no user is in two blocks of a message, and the block records the
/// increment. (The exceptions are users whose count reached its limit or was set explicitly meanwhile.) All other
/// claims write ledger entries first, then the users, both in key order to avoid deadlocks. The ledger entries of many
/// users are written by COPY, which halves the cost of a row. If one of these users has an entry already (from an
/// earlier wave, or because the message was read on another device), `run` throws `uniqueViolation` and the transaction
/// is lost; repeat the claim with `copies: false`.
struct BadgeClaim {
  private let message: DispatchMessage
  private let copies: Bool

  init(_ message: DispatchMessage, copies: Bool) {
    self.message = message
    self.copies = copies
  }

  /// Changes the users' badge counts for the claim, within its transaction.
  /// - Parameters:
  ///   - claims: the claim's users, once each.
  ///   - inBlock: true if the claim is a block, which records the increment itself.
  /// - Returns: each user's count after this message; empty if there are no users.
  /// - Throws: `uniqueViolation` if a user has a ledger entry already, as described above.
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

  /// Increments, sets or clears the counts of all given users, as the message requires. If the message leaves badges
  /// alone, locks the users without changing them. Returns the new counts.
  private func moveAll(
    _ claims: [Ledger.Claim], inBlock: Bool, _ connection: Connection
  ) throws(PostgresError) -> [Users.Key: Users.Count] {
    let users = claims.map(\.key.user)
    switch message.request.badge {
    case .none: return try connection.run(Users.lock(users))
    case .increment(let increment):
      let (counts, short) = try Increments.add(
        increment, by: claims.map(\.key), areNeighbours: inBlock, on: connection)
      // A count may have been set explicitly after the message got its SEQNO: record that this increment came after it.
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

  /// Changes only the counts of users without an earlier ledger entry of the message, and locks the others. Returns the
  /// counts of all users.
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
  /// The badge counts by user key, without the app: all keys must belong to one app.
  fileprivate var byUser: [UserKey: Int16] {
    reduce(into: [:]) { $0[$1.key.userKey] = $1.value.badge }
  }
}
