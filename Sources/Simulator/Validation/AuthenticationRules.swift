/// Validates the provider token of a request on a connection without a client certificate.
///
/// Apple validates the provider token before the device token, so an invalid one gets its 403 despite any other error.
/// Order of the checks: missing → unreadable, unknown key, bad signature, wrong team → revoked → key not related to the
/// connection's → other environment → too old or in the future → replaced too soon.
enum AuthenticationRules {
  static func check(
    _ request: PushRequest, _ binding: inout ProviderBinding, _ knowledge: inout ServiceKnowledge,
    _ environment: Environment, nowSeconds: Int64
  ) -> Rejection? {
    let outcome = request.with(.authorization) { value -> Rejection? in
      // Apple writes "bearer" in lower case, and so do all known providers.
      guard ASCII.hasPrefix(value, "bearer "), value.count > 7 else { return Rejection(.missingProviderToken) }
      let token = value.extracting(7..<value.count)
      if binding.generation == knowledge.keys.generation, ASCII.equal(token, binding.tokenBytes) {
        return age(of: binding.issuedAt, nowSeconds)
      }
      return checkNew(token, &binding, &knowledge, environment, nowSeconds)
    }
    return outcome ?? Rejection(.missingProviderToken)
  }

  /// Validates a token that this connection has not seen before, or not since the keys changed.
  private static func checkNew(
    _ text: Span<UInt8>, _ binding: inout ProviderBinding, _ knowledge: inout ServiceKnowledge,
    _ environment: Environment,
    _ nowSeconds: Int64
  ) -> Rejection? {
    guard let token = ProviderToken(text), let key = knowledge.keys[token.keyID], key.teamID == token.teamID,
      key.verifies(token.signature, of: token.signedBytes)
    else { return Rejection(.invalidProviderToken) }
    if key.isRevoked { return Rejection(.forbidden) }
    if let bound = binding.key {
      // A connection is bound to one team and one of its keys, or two related ones.
      if bound.teamID != key.teamID { return Rejection(.invalidProviderToken) }
      let isRelated = bound.relatedKeyID == key.keyID || key.relatedKeyID == bound.keyID
      if bound.keyID != key.keyID && !isRelated { return Rejection(.unrelatedKeyIDInToken) }
    }
    if !key.environments.contains(environment) { return Rejection(.badEnvironmentKeyIDInToken) }
    if let rejection = age(of: token.issuedAt, nowSeconds) { return rejection }
    let bytes = ASCII.array(text)
    if isTooSoon(bytes, token.issuedAt, key, binding, knowledge) { return Rejection(.tooManyProviderTokenUpdates) }
    knowledge.history.record(bytes, issuedAt: token.issuedAt, team: key.teamID)
    binding.bind(key, token: bytes, issuedAt: token.issuedAt, generation: knowledge.keys.generation)
    return nil
  }

  private static func age(of issuedAt: Int64, _ nowSeconds: Int64) -> Rejection? {
    if nowSeconds - issuedAt > Limits.providerTokenSeconds { return Rejection(.expiredProviderToken) }
    if issuedAt - nowSeconds > Limits.providerTokenSkewSeconds { return Rejection(.invalidProviderToken) }
    return nil
  }

  private static func isTooSoon(
    _ bytes: [UInt8], _ issuedAt: Int64, _ key: SigningKey, _ binding: ProviderBinding, _ knowledge: ServiceKnowledge
  ) -> Bool {
    if knowledge.rules.countsUpdatesPerTeam {
      return !knowledge.history.allows(bytes, issuedAt: issuedAt, team: key.teamID)
    }
    guard binding.isBound, bytes != binding.tokenBytes else { return false }
    return issuedAt - binding.issuedAt < Limits.providerTokenUpdateSeconds
  }
}
