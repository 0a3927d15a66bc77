internal import APNs
internal import Logging
internal import Operations
internal import Postgres
internal import Store
internal import Time

/// Stores and mints the provider tokens that all nodes share, one per key. A node that mints one locks the key's row
/// meanwhile.
enum SharedProviderToken {
  /// Returns the token that another node has minted, or mints one; never more often than Apple allows. Returns nil when
  /// the refused token is too young to be replaced, because Apple would refuse the new one too.
  /// - Parameters:
  ///   - refused: a token that APNs has reported as expired; nil if there is none.
  static func take(
    _ key: SigningKey, refused: ProviderToken?, now: Timestamp, _ master: MasterKey, _ connection: Connection
  ) throws -> ProviderToken? {
    let now = now.seconds
    return try connection.withTransaction { () throws -> ProviderToken? in
      let fingerprint = key.name.fingerprint
      let place = ProviderTokens.place(of: fingerprint)
      let stored = try connection.run(ProviderTokens.lock(fingerprint))
      // A stored token that cannot be decrypted was encrypted with another master key, or tampered with. It is ignored.
      if let issuedAt = stored.issuedAt, let opened = try? master.open(stored.sealed, for: place) {
        let token = ProviderToken(key.name, value: String(decoding: opened, as: UTF8.self), issuedAt: issuedAt)
        let mayMint = now >= issuedAt + APNs.Limits.tokenRestSeconds || token.isAhead(atSeconds: now)
        if token.isGood(atSeconds: now), token != refused, !token.isDue(atSeconds: now) { return token }
        // Probably this machine's clock is wrong.
        if token == refused, !mayMint {
          Logger(label: "apns-credentials").error(
            "APNs refuses a young provider token; check the clock of this machine")
          return nil
        }
      }
      let minted = try key.mint(issuedAt: now)
      try connection.run(
        ProviderTokens.save(
          fingerprint, sealed: master.seal(Array(minted.value.utf8), for: place), issuedAt: minted.issuedAt))
      return minted
    }
  }
}
