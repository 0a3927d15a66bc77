internal import APNs
internal import Logging
internal import Operations
internal import Postgres
internal import Store

/// The provider token of a key that all nodes use, minted under its row's lock.
enum SharedProviderToken {
  /// Takes the token that another node has minted, or mints one. Never more often than Apple allows.
  /// - Parameters:
  ///   - refused: the token that APNs called expired.
  ///   - now: seconds since 1970.
  /// - Returns: nil when a young one was refused: minting again would only be throttled.
  static func take(
    _ key: SigningKey, refused: ProviderToken?, now: Int64, _ master: MasterKey, _ connection: Connection
  ) throws -> ProviderToken? {
    try connection.withTransaction { () throws -> ProviderToken? in
      let fingerprint = key.name.fingerprint
      let place = ProviderTokens.place(of: fingerprint)
      let stored = try connection.run(ProviderTokens.lock(fingerprint))
      // What does not open was sealed with another master key, or put there: as if there were none.
      if let issuedAt = stored.issuedAt, let opened = try? master.open(stored.sealed, for: place) {
        let token = ProviderToken(key.name, value: String(decoding: opened, as: UTF8.self), issuedAt: issuedAt)
        let mayMint = now >= issuedAt + APNs.Limits.tokenRestSeconds || token.isAhead(atSeconds: now)
        if token.isGood(atSeconds: now), token != refused, !token.isDue(atSeconds: now) { return token }
        // The clock may be wrong.
        if token == refused, !mayMint {
          Logger(label: "apns-keeper").error("APNs refuses a young provider token; check the clock of this machine")
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
