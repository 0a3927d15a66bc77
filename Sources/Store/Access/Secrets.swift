package import Domain
internal import Postgres

/// Secrets, stored encrypted or hashed: push credentials, API keys and signing keys.
package enum Secrets {
  // MARK: API keys

  package struct APIKey: Sendable {
    package let number: Int32
    package let role: String
    /// The app that the key is limited to; nil for all apps.
    package let app: App.Number?
    package let name: String
  }

  private static let findKeyStatement = Statement(
    "api-keys-find", "SELECT api_key, role, app, name FROM api_keys WHERE sha256 = $1 AND revoked_at IS NULL")

  /// Returns the API key with this SHA-256 if it exists and is not revoked.
  package static func findAPIKey(sha256: [UInt8]) -> Query<APIKey?> {
    var parameters = Parameters()
    parameters.append(bytes: sha256)
    return Query(findKeyStatement, parameters) { $0.count == 1 ? key($0, 0) : nil }
  }

  private static let allKeysStatement = Statement(
    "api-keys-all", "SELECT api_key, role, app, name, sha256 FROM api_keys WHERE revoked_at IS NULL")

  /// Returns all API keys that are not revoked, by SHA-256.
  package static func apiKeys() -> Query<[[UInt8]: APIKey]> {
    Query(allKeysStatement, Parameters()) { rows in
      Dictionary(rows.map { (rows.bytes($0, 4), key(rows, $0)) }) { first, _ in first }
    }
  }

  private static func key(_ rows: Rows, _ row: Int) -> APIKey {
    APIKey(
      number: rows.int32(row, 0), role: rows.text(row, 1), app: rows.isNull(row, 2) ? nil : rows.int32(row, 2),
      name: rows.text(row, 3))
  }

  private static let createKeyStatement = Statement(
    "api-keys-create",
    """
    INSERT INTO api_keys (sha256, role, app, name, made_by)
    VALUES ($1, $2, $3, $4, coalesce($5, (SELECT made_by FROM api_keys WHERE api_key = $6)))
    RETURNING api_key
    """)

  /// Stores a new API key.
  /// - Parameters:
  ///   - maker: the person who creates the key; nil if it is created with an API key.
  ///   - key: the API key with which it is created; its own creator is then recorded.
  package static func createAPIKey(
    sha256: [UInt8], role: String, app: App.Number?, name: String, madeBy maker: Principal? = nil,
    apiKey key: Int32? = nil
  ) -> Query<Int32> {
    var parameters = Parameters()
    parameters.append(bytes: sha256)
    parameters.append(text: role)
    parameters.append(app)
    parameters.append(text: name)
    parameters.append(text: maker?.stored)
    parameters.append(key)
    return Query(createKeyStatement, parameters) { $0.int32(0, 0) }
  }

  // MARK: Credentials of push networks

  package struct Credential: Sendable {
    package let app: App.Number
    package let network: PushNetwork
    package let kind: String
    /// Public part of the credential as JSON.
    package let publicPart: String
    package let sealed: [UInt8]
    /// When it was stored, in microseconds since 1970 by the database's clock; nil before that.
    package let storedAt: Int64?

    package init(
      app: App.Number, network: PushNetwork, kind: String, publicPart: String, sealed: [UInt8], storedAt: Int64? = nil
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
    Query(credentialsStatement, Parameters()) { rows in
      rows.map { row in
        Credential(
          app: rows.int32(row, 0), network: PushNetwork(rawValue: rows.int16(row, 1)) ?? .apns,
          kind: rows.text(row, 2), publicPart: rows.text(row, 3), sealed: rows.bytes(row, 4),
          storedAt: rows.timestampMicroseconds(row, 5))
      }
    }
  }

  private static let saveCredentialStatement = Statement(
    "credentials-save",
    """
    INSERT INTO credentials (app, network, kind, public_part, sealed) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (app, network) DO UPDATE SET
      kind = excluded.kind, public_part = excluded.public_part, sealed = excluded.sealed, updated_at = now(),
      -- Nobody has asked about this one.
      check_begun_at = NULL, checked_at = NULL, check_result = NULL, check_word = NULL
    """)

  package static func save(_ credential: Credential) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(credential.app)
    parameters.append(credential.network.rawValue)
    parameters.append(text: credential.kind)
    parameters.append(json: credential.publicPart)
    parameters.append(bytes: credential.sealed)
    return Query(saveCredentialStatement, parameters) { _ in }
  }

  // MARK: Signing keys

  private static let signingKeysStatement = Statement(
    "signing-keys", "SELECT generation, sealed FROM signing_keys WHERE purpose = $1 ORDER BY generation DESC LIMIT 2")

  /// Returns the current and the previous key for a purpose, newest first.
  package static func signingKeys(purpose: String) -> Query<[(generation: Int32, sealed: [UInt8])]> {
    var parameters = Parameters()
    parameters.append(text: purpose)
    return Query(signingKeysStatement, parameters) { rows in rows.map { (rows.int32($0, 0), rows.bytes($0, 1)) } }
  }

  private static let addSigningKeyStatement = Statement(
    "signing-keys-add",
    """
    INSERT INTO signing_keys (purpose, generation, sealed) VALUES ($1, $2, $3)
    -- Two nodes may start together: the first one's key stands.
    ON CONFLICT (purpose, generation) DO NOTHING
    """)

  package static func addSigningKey(purpose: String, generation: Int32, sealed: [UInt8]) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(text: purpose)
    parameters.append(generation)
    parameters.append(bytes: sealed)
    return Query(addSigningKeyStatement, parameters) { _ in }
  }
}
