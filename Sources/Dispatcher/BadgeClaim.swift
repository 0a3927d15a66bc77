internal import Domain
internal import Postgres
internal import Store

/// Moves the badge counts of the users in a claim: once per (user, message), in the claim's own transaction, so that the
/// payload carries a number that is committed.
struct BadgeClaim {
  private let message: DispatchMessage

  init(_ message: DispatchMessage) {
    self.message = message
  }

  /// Answers each user's count after this message.
  func run(_ members: [Audiences.Member], _ connection: Connection) throws(PostgresError) -> [UserKey: Int16] {
    guard !members.isEmpty else { return [:] }
    var devices: [Users.Key: Int16] = [:]
    for member in members { devices[Users.Key(app: message.app, userKey: member.userKey), default: 0] += 1 }
    let claims = devices.map { user, count in
      Ledger.Claim(
        key: Ledger.Key(user: user, seqno: message.seqno), deliveries: count, increment: message.request.badge.increment
      )
    }
    let fresh = try connection.run(Ledger.claim(claims))
    var counts = try connection.run(Users.lock(devices.keys))
    var changed: [(key: Users.Key, badge: Int16)] = []
    for key in fresh {
      let before = counts[key.user] ?? 0
      let after = message.request.badge.count(after: before)
      counts[key.user] = after
      if after != before { changed.append((key.user, after)) }
    }
    if !changed.isEmpty { try connection.run(Users.saveCounts(changed)) }
    var badges: [UserKey: Int16] = [:]
    for (user, count) in counts { badges[user.userKey] = count }
    return badges
  }
}
