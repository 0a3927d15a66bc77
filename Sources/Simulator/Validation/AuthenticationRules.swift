/// Who is asking: the provider token of a connection without client certificate.
///
/// Apple validates the request with the token before it looks at the device token, so a bad provider token gets its
/// 403 whatever else is wrong. Order: missing → unreadable, unknown key, bad signature, foreign team → revoked →
/// another key on this connection → other environment → too old or from the future → replaced too soon.
enum AuthenticationRules {
  /// What the check needs to know besides the request.
  struct Facts {
    let keys: SigningKeys
    let environment: Environment
    /// Whether too many updates are counted for the whole team instead of for each connection.
    let countsUpdatesPerTeam: Bool
    /// Now, seconds since 1970.
    let nowSeconds: Int64
  }

  static func check(
    _ request: PushRequest, _ binding: inout ProviderBinding, _ history: inout ProviderTokenHistory, _ facts: Facts
  ) -> Rejection? {
    // One closure per outcome would allocate; `with` is generic and inlined.
    let outcome = request.with(.authorization) { value -> Rejection?? in
      // Apple writes "bearer" in lower case everywhere, and so do all known providers.
      guard ASCII.hasPrefix(value, "bearer "), value.count > 7 else { return .some(Rejection(.missingProviderToken)) }
      let token = value.extracting(7..<value.count)
      if binding.generation == facts.keys.generation, ASCII.equal(token, binding.tokenBytes) {
        return .some(age(of: binding.issuedAt, facts))
      }
      return .some(checkNew(token, &binding, &history, facts))
    }
    guard let outcome, let verdict = outcome else { return Rejection(.missingProviderToken) }
    return verdict
  }

  /// A token that this connection has not seen before (or not since the keys changed).
  private static func checkNew(
    _ text: Span<UInt8>, _ binding: inout ProviderBinding, _ history: inout ProviderTokenHistory, _ facts: Facts
  ) -> Rejection? {
    guard let token = ProviderToken(text), let key = facts.keys[token.keyID], key.teamID == token.teamID,
      key.verifies(token.signature, of: token.signedBytes)
    else { return Rejection(.invalidProviderToken) }
    if key.isRevoked { return Rejection(.forbidden) }
    if let bound = binding.key {
      // One connection carries one team, and one key of it (or the two that are related).
      if bound.teamID != key.teamID { return Rejection(.invalidProviderToken) }
      let isRelated = bound.relatedKeyID == key.keyID || key.relatedKeyID == bound.keyID
      if bound.keyID != key.keyID && !isRelated { return Rejection(.unrelatedKeyIDInToken) }
    }
    if !key.environments.contains(facts.environment) { return Rejection(.badEnvironmentKeyIDInToken) }
    if let rejection = age(of: token.issuedAt, facts) { return rejection }
    let bytes = ASCII.array(text)
    if isTooSoon(bytes, token.issuedAt, key, binding, history, facts) {
      return Rejection(.tooManyProviderTokenUpdates)
    }
    history.record(bytes, issuedAt: token.issuedAt, team: key.teamID)
    binding.bind(key, token: bytes, issuedAt: token.issuedAt, generation: facts.keys.generation)
    return nil
  }

  private static func age(of issuedAt: Int64, _ facts: Facts) -> Rejection? {
    if facts.nowSeconds - issuedAt > Simulator.Limits.providerTokenSeconds { return Rejection(.expiredProviderToken) }
    if issuedAt - facts.nowSeconds > Simulator.Limits.providerTokenSkewSeconds {
      return Rejection(.invalidProviderToken)
    }
    return nil
  }

  private static func isTooSoon(
    _ bytes: [UInt8], _ issuedAt: Int64, _ key: SigningKey, _ binding: ProviderBinding,
    _ history: ProviderTokenHistory, _ facts: Facts
  ) -> Bool {
    if facts.countsUpdatesPerTeam { return !history.allows(bytes, issuedAt: issuedAt, team: key.teamID) }
    guard binding.isBound, bytes != binding.tokenBytes else { return false }
    return issuedAt - binding.issuedAt < Simulator.Limits.providerTokenUpdateSeconds
  }
}
