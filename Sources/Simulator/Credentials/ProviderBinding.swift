/// The key that a connection is bound to by its first valid provider token, and the last token verified. Keeping the
/// latter avoids repeated verification, because a provider sends the same token with every push.
package struct ProviderBinding: Sendable {
  /// The key of the first valid token, as it was at that time: topics added later need a new connection.
  package private(set) var key: SigningKey?
  /// The last valid token, as sent.
  private(set) var tokenBytes: [UInt8] = []
  /// `iat` of that token, in seconds since 1970.
  private(set) var issuedAt: Int64 = 0
  /// Value of `SigningKeys.generation` when that token was verified.
  private(set) var generation = -1
  /// The last topic that was accepted, and its push type; most connections use only one.
  var provenTopic: [UInt8] = []
  var provenPushType: PushType?

  package init() {}

  package var isBound: Bool { key != nil }

  mutating func bind(_ key: SigningKey, token: [UInt8], issuedAt: Int64, generation: Int) {
    // Remain bound to the first key, even if a related key is used meanwhile.
    if self.key == nil || self.key?.keyID == key.keyID { self.key = key }
    tokenBytes = token
    self.issuedAt = issuedAt
    self.generation = generation
    provenTopic = []
    provenPushType = nil
  }
}

/// The provider tokens that each team has used lately, on all connections. Serves the stricter reading of "too many
/// updates" that third parties observed: 429 for a new token on any connection.
package struct ProviderTokenHistory: Sendable {
  private struct Use {
    let issuedAt: Int64
    let bytes: [UInt8]
  }

  private var uses: [String: [Use]] = [:]

  package init() {}

  /// Returns whether the team may use a token now: it has used the token before, or the token was issued at least
  /// `Limits.providerTokenUpdateSeconds` after the newest one.
  func allows(_ bytes: [UInt8], issuedAt: Int64, team: String) -> Bool {
    let known = uses[team] ?? []
    if known.contains(where: { $0.bytes == bytes }) { return true }
    guard let newest = known.map(\.issuedAt).max() else { return true }
    return issuedAt - newest >= Limits.providerTokenUpdateSeconds
  }

  mutating func record(_ bytes: [UInt8], issuedAt: Int64, team: String) {
    var known = uses[team] ?? []
    guard !known.contains(where: { $0.bytes == bytes }) else { return }
    known.removeAll { $0.issuedAt < issuedAt - Limits.providerTokenSeconds }
    known.append(Use(issuedAt: issuedAt, bytes: bytes))
    uses[team] = known
  }
}
