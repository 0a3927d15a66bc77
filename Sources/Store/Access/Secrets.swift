package import Domain
internal import Postgres
package import Time

/// Secrets, stored encrypted (push credentials, signing keys) or hashed (API keys).
package enum Secrets {
  // MARK: API keys

  package struct APIKey: Sendable {
    package let number: Int32
    package let role: String
    /// The app that the key is limited to; nil for all apps.
    package let app: App.Number?
    package let name: String
  }

  private static let isValid = "revoked_at IS NULL AND (ends_at IS NULL OR ends_at > clock_timestamp())"

  private static let findKeyStatement = Statement(
    "api-keys-find", "SELECT api_key, role, app, name FROM api_keys WHERE sha256 = $1 AND \(isValid)")

  /// Returns the API key with this SHA-256; nil if there is none, or if it is revoked or has expired.
  package static func findAPIKey(sha256: [UInt8]) -> Query<APIKey?> {
    Query(first: findKeyStatement, sha256, read: key)
  }

  private static let allKeysStatement = Statement(
    "api-keys-all", "SELECT api_key, role, app, name, sha256 FROM api_keys WHERE \(isValid)")

  /// Returns all API keys that are neither revoked nor expired, by SHA-256.
  package static func apiKeys() -> Query<[[UInt8]: APIKey]> {
    Query(allKeysStatement) { rows in
      let keys = rows.decode { row in
        let key = key(&row)
        return (row.bytes(), key)
      }
      return Dictionary(keys) { first, _ in first }
    }
  }

  private static func key(_ row: inout RowReader) -> APIKey {
    APIKey(
      number: row.int32(), role: row.text(), app: row.optionalInt32(),
      name: row.text())
  }

  private static let createKeyStatement = Statement(
    "api-keys-create",
    """
    INSERT INTO api_keys (sha256, role, app, name, ends_at, made_by)
    VALUES ($1, $2, $3, $4, $7, coalesce($5, (SELECT made_by FROM api_keys WHERE api_key = $6)))
    RETURNING api_key
    """)

  /// Stores a new API key and returns its number. Fails with `api_keys_sha256_is_unique` if the key is stored already.
  /// - Parameters:
  ///   - app: the app that the key is limited to; nil for all apps.
  ///   - endsAt: when the key expires; nil if it never does.
  ///   - maker: the person who creates the key; nil if it is created with an API key or by a program.
  ///   - key: the API key with which the new key is created; if `maker` is nil, the creator of `key` is recorded as the
  ///     new key's creator. Nil if no API key is involved.
  package static func createAPIKey(
    sha256: [UInt8], role: String, app: App.Number?, name: String, endsAt: Timestamp? = nil,
    madeBy maker: Principal? = nil, apiKey key: Int32? = nil
  ) -> Query<Int32> {
    Query(one: createKeyStatement, sha256, role, app, name, maker?.stored, key, endsAt) { $0.int32() }
  }

  // MARK: Credentials of push networks

  package struct Credential: Sendable {
    package let app: App.Number
    package let network: PushNetwork
    package let kind: String
    /// Public part of the credential as JSON.
    package let publicPart: String
    package let sealed: [UInt8]
    /// When the app's credential was last saved, by the database's clock; nil for a credential that was not read from
    /// the database.
    package let storedAt: Timestamp?

    package init(
      app: App.Number, network: PushNetwork, kind: String, publicPart: String, sealed: [UInt8],
      storedAt: Timestamp? = nil
    ) {
      self.app = app
      self.network = network
      self.kind = kind
      self.publicPart = publicPart
      self.sealed = sealed
      self.storedAt = storedAt
    }
  }

  private static let credentialsStatement = Statement(
    "credentials-all", "SELECT app, network, kind, public_part::text, sealed, updated_at FROM credentials")

  package static func credentials() -> Query<[Credential]> {
    Query(each: credentialsStatement) { row in
      Credential(
        app: row.int32(), network: PushNetwork(rawValue: row.int16()) ?? .apns,
        kind: row.text(), publicPart: row.text(), sealed: row.bytes(),
        storedAt: row.timestamp())
    }
  }

  private static let saveCredentialStatement = Statement(
    "credentials-save",
    """
    INSERT INTO credentials (app, network, kind, public_part, sealed, updated_at)
    VALUES ($1, $2, $3, $4, $5, clock_timestamp())
    ON CONFLICT (app, network) DO UPDATE SET
      kind = excluded.kind, public_part = excluded.public_part, sealed = excluded.sealed,
      -- Not now(): the transaction may have waited for locks since it began, and nodes may have read meanwhile.
      updated_at = clock_timestamp(),
      -- Nobody has asked about this one.
      check_begun_at = NULL, checked_at = NULL, check_result = NULL, check_word = NULL
    """)

  package static func save(_ credential: Credential) -> Query<Void> {
    Query(
      saveCredentialStatement, credential.app, credential.network.rawValue, credential.kind,
      JSONValue(credential.publicPart), credential.sealed
    ) { _ in }
  }

  // MARK: Signing keys

  /// A signing key that is valid for verification.
  package struct SigningKey: Sendable {
    package let purpose: String
    package let generation: Int32
    package let sealed: [UInt8]
    /// True if the key is old enough to sign. Of a purpose's active keys, the one with the highest generation signs.
    package let isActive: Bool
  }

  private static let signingKeysStatement = Statement(
    "signing-keys",
    """
    SELECT purpose, generation, sealed, active_at <= now() FROM signing_keys WHERE ended_at IS NULL
    ORDER BY purpose, generation DESC
    """)

  /// Returns the keys of all purposes that have not been ended, ordered by purpose, newest generation first.
  package static func signingKeys() -> Query<[SigningKey]> {
    Query(each: signingKeysStatement) { row in
      SigningKey(
        purpose: row.text(), generation: row.int32(), sealed: row.bytes(),
        isActive: row.bool())
    }
  }

  /// A signing key without its secret, ended or not. `isActive` is true if the key is old enough to sign, even if it
  /// has ended.
  package struct SigningKeyRecord: Sendable {
    package let purpose: String
    package let generation: Int32
    /// When the key was stored.
    package let createdAt: Timestamp
    package let activeAt: Timestamp
    package let endedAt: Timestamp?
    package let isActive: Bool
  }

  private static let allSigningKeysStatement = Statement(
    "signing-keys-all",
    """
    SELECT purpose, generation, created_at, active_at, ended_at, active_at <= now() FROM signing_keys
    ORDER BY purpose, generation
    """)

  package static func allSigningKeys() -> Query<[SigningKeyRecord]> {
    Query(each: allSigningKeysStatement) { row in
      SigningKeyRecord(
        purpose: row.text(), generation: row.int32(), createdAt: row.timestamp(),
        activeAt: row.timestamp(), endedAt: row.optionalTimestamp(),
        isActive: row.bool())
    }
  }

  private static let nextSigningKeyStatement = Statement(
    "signing-keys-next", "SELECT coalesce(max(generation), 0) + 1 FROM signing_keys WHERE purpose = $1")

  /// Returns the generation that a purpose's next key gets: 1 for the first key, otherwise the highest one plus 1.
  package static func nextSigningKey(purpose: String) -> Query<Int32> {
    Query(one: nextSigningKeyStatement, purpose) { $0.int32() }
  }

  private static let addSigningKeyStatement = Statement(
    "signing-keys-add",
    """
    INSERT INTO signing_keys (purpose, generation, sealed, active_at)
    VALUES ($1, $2, $3, now() + make_interval(secs => $4))
    -- Two nodes may start together: the first one's key stands.
    ON CONFLICT (purpose, generation) DO NOTHING
    """)

  /// Stores a signing key. Has no effect if the purpose has a key of this generation already, for example from another
  /// node.
  /// - Parameter seconds: delay in seconds before the key can sign; it verifies signatures at once.
  package static func addSigningKey(
    purpose: String, generation: Int32, sealed: [UInt8], seconds: Int32 = 0
  ) -> Query<Void> {
    Query(addSigningKeyStatement, purpose, generation, sealed, seconds) { _ in }
  }

  private static let endSigningKeyStatement = Statement(
    "signing-keys-end",
    "UPDATE signing_keys SET ended_at = now() WHERE purpose = $1 AND generation = $2 AND ended_at IS NULL")

  package static func endSigningKey(purpose: String, generation: Int32) -> Query<Void> {
    Query(endSigningKeyStatement, purpose, generation) { _ in }
  }
}
