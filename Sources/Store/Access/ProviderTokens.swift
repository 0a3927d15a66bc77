internal import Postgres

/// APNs provider tokens, one per private key, shared by all nodes and stored encrypted.
package enum ProviderTokens {
  /// Returns the context to which the encryption of a provider token is bound.
  /// - Parameter fingerprint: fingerprint of the private key that signs the token.
  package static func place(of fingerprint: String) -> String { "apns token \(fingerprint)" }

  private static let lockStatement = Statement(
    "provider-tokens-lock",
    """
    INSERT INTO apns_tokens (fingerprint, sealed, issued_at) VALUES ($1, '', '-infinity')
    -- Locks the row, new or known: only one of all nodes mints.
    ON CONFLICT (fingerprint) DO UPDATE SET sealed = apns_tokens.sealed
    RETURNING sealed, CASE WHEN issued_at = '-infinity' THEN NULL ELSE extract(epoch FROM issued_at)::bigint END
    """)

  /// Locks and returns a key's provider token. The lock lasts until the transaction ends, so that only one node creates
  /// a new token. `issuedAt` is in seconds since 1970. If there is no token yet, adds and locks an empty row: `sealed`
  /// is empty, and `issuedAt` is nil.
  package static func lock(_ fingerprint: String) -> Query<(sealed: [UInt8], issuedAt: Int64?)> {
    Query(one: lockStatement, fingerprint) { ($0.bytes(), $0.optionalInt64()) }
  }

  private static let saveStatement = Statement(
    "provider-tokens-save",
    """
    -- Of keys that nobody uses any more.
    WITH old AS (DELETE FROM apns_tokens WHERE fingerprint <> $1 AND issued_at < to_timestamp($3) - interval '1 day'
      AND issued_at > '-infinity')
    UPDATE apns_tokens SET sealed = $2, issued_at = to_timestamp($3) WHERE fingerprint = $1
    """)

  package static func save(_ fingerprint: String, sealed: [UInt8], issuedAt: Int64) -> Query<Void> {
    Query(saveStatement, fingerprint, sealed, issuedAt) { _ in }
  }
}
