/// What a connection with provider tokens has been bound to by its first valid token, and the last verified token,
/// so that the same bytes are not verified again (a campaign sends one token a hundred thousand times a second).
package struct ProviderBinding: Sendable {
  /// The key of the first valid token, as it was then: a topic that is added later needs a new connection.
  package private(set) var key: SigningKey?
  /// The last token that passed, as sent.
  private(set) var tokenBytes: [UInt8] = []
  /// `iat` of that token, seconds since 1970.
  private(set) var issuedAt: Int64 = 0
  /// The state of the keys when that token passed.
  private(set) var generation = -1
  /// The last topic that passed, with its push type: most connections carry one.
  var provenTopic: [UInt8] = []
  var provenPushType: PushType?

  package init() {}

  package var isBound: Bool { key != nil }

  mutating func bind(_ key: SigningKey, token: [UInt8], issuedAt: Int64, generation: Int) {
    // A related key may come and go; what the connection was bound to first stays.
    if self.key == nil || self.key?.keyID == key.keyID { self.key = key }
    tokenBytes = token
    self.issuedAt = issuedAt
    self.generation = generation
    provenTopic = []
    provenPushType = nil
  }
}

/// Which provider tokens each team has used lately, over all connections: for the stricter reading of "too many
/// updates" that third parties observed (429 for fresh tokens of one address, whatever the connection).
package struct ProviderTokenHistory: Sendable {
  private struct Use {
    let issuedAt: Int64
    let bytes: [UInt8]
  }

  private var uses: [String: [Use]] = [:]

  package init() {}

  /// Whether a token may be used now by its team: one that it used before, or one issued late enough after the newest.
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
