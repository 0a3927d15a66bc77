internal import Domain
package import Postgres

/// Master keys: which key encrypts, which keys each node has, and which secrets are still encrypted with another key.
/// Used to rotate the master key while servers run. The database contains no master key, only an id of each that
/// reveals nothing about the key.
package enum MasterKeys {
  private static let currentStatement = Statement(
    "master-keys-current", "SELECT key_id FROM master_keys ORDER BY since DESC, entry DESC LIMIT 1")

  /// Returns the id of the key that encrypts; nil in a new database, before `makeCurrent` is first called.
  package static func current() -> Query<[UInt8]?> {
    Query(first: currentStatement) { $0.bytes() }
  }

  private static let allStatement = Statement("master-keys-all", "SELECT DISTINCT key_id FROM master_keys")

  /// Returns the ids of all keys that encrypt now or did before, in no particular order.
  package static func all() -> Query<[[UInt8]]> {
    Query(each: allStatement) { $0.bytes() }
  }

  private static let makeCurrentStatement = Statement(
    "master-keys-make-current",
    """
    INSERT INTO master_keys (key_id) SELECT $1
    WHERE $1 IS DISTINCT FROM (SELECT key_id FROM master_keys ORDER BY since DESC, entry DESC LIMIT 1)
    """)

  /// Makes a key the current one, with which each node encrypts after it next reads `current`. Has no effect if the key
  /// is the current one already.
  package static func makeCurrent(_ id: [UInt8]) -> Query<Void> {
    Query(makeCurrentStatement, id) { _ in }
  }

  // MARK: Nodes

  private static let reportStatement = Statement(
    "master-keys-report",
    """
    UPDATE nodes SET master_keys = $2, seals_with = $3 WHERE node = $1
      AND (master_keys, seals_with) IS DISTINCT FROM ($2, $3)
    """)

  /// Records which keys a node has, and with which of them it encrypts. Has no effect before the node's first lease.
  package static func report(_ node: UUIDValue, keys: [[UInt8]], sealing: [UInt8]) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(node)
    var column = BytesColumn()
    for key in keys { column.append(key) }
    parameters.append(column)
    parameters.append(sealing)
    return Query(reportStatement, parameters) { _ in }
  }

  private static let nodesStatement = Statement(
    "master-keys-nodes",
    """
    SELECT count(*), count(*) FILTER (WHERE $1 = ANY(master_keys)), count(*) FILTER (WHERE seals_with = $1)
    FROM nodes WHERE alive_until > now()
    """)

  /// Returns the number of live nodes, of those that have reported this key, and of those that encrypt with it.
  package static func nodes(knowing id: [UInt8]) -> Query<(all: Int64, know: Int64, seal: Int64)> {
    Query(one: nodesStatement, id) { row in
      (row.int64(), row.int64(), row.int64())
    }
  }

  // MARK: Encrypted secrets

  private static let leftStatement = Statement(
    "master-keys-left",
    """
    SELECT (SELECT count(*) FROM credentials WHERE substring(sealed FROM 1 FOR 8) <> $1)
      + (SELECT count(*) FROM signing_keys WHERE substring(sealed FROM 1 FOR 8) <> $1)
      + (SELECT count(*) FROM apns_tokens WHERE sealed <> '' AND substring(sealed FROM 1 FOR 8) <> $1)
      + (SELECT count(*) FROM webhooks WHERE substring(sealed FROM 1 FOR 8) <> $1
          OR substring(former_sealed FROM 1 FOR 8) <> $1)
      + (SELECT count(*) FROM accounts WHERE substring(factor FROM 1 FOR 8) <> $1
          OR substring(new_factor FROM 1 FOR 8) <> $1)
      + (SELECT count(*) FROM users WHERE phone IS NOT NULL AND substring(phone FROM 1 FOR 8) <> $1)
    """)

  /// Returns the number of rows with a secret that a key other than `id` has encrypted. Reads all users.
  package static func countLeft(sealedWithout id: [UInt8]) -> Query<Int64> {
    Query(one: leftStatement, id) { $0.int64() }
  }

  private static let phonesStatement = Statement(
    "master-keys-phones",
    """
    SELECT app, user_key, phone FROM users
    WHERE (app, user_key) > ($2, $3) AND phone IS NOT NULL AND substring(phone FROM 1 FOR 8) <> $1
    ORDER BY app, user_key LIMIT $4 FOR NO KEY UPDATE
    """)

  /// Locks at most `limit` users whose phone number a key other than `id` has encrypted, in ascending order, as all
  /// writers lock users. Returns them with the encrypted numbers; empty if no such users are left.
  /// - Parameter after: the last user of the previous batch; nil for the first batch.
  package static func lockPhones(
    sealedWithout id: [UInt8], after: Users.Key?, limit: Int
  ) -> Query<[(user: Users.Key, sealed: [UInt8])]> {
    Query(each: phonesStatement, id, after?.app ?? Int32.min, after?.userKey.text ?? "", limit) { row in
      (Users.Key(app: row.int32(), userKey: UserKey(stored: row.text())), row.bytes())
    }
  }

  private static let savePhonesStatement = Statement(
    "master-keys-save-phones",
    """
    UPDATE users u SET phone = t.phone FROM unnest($1, $2, $3) AS t(app, user_key, phone)
    WHERE u.app = t.app AND u.user_key = t.user_key COLLATE "C"
    """)

  /// Saves phone numbers that were encrypted again. The caller must have locked the users' rows with `lockPhones` in
  /// the same transaction.
  package static func savePhones(_ phones: [(user: Users.Key, sealed: [UInt8])]) -> Query<Void> {
    var (apps, keys, column) = (Int32Column(), TextColumn(), BytesColumn())
    for phone in phones {
      apps.append(phone.user.app)
      keys.append(phone.user.userKey.text)
      column.append(phone.sealed)
    }
    return Query(savePhonesStatement, apps, keys, column) { _ in }
  }

  private static let credentialStatement = Statement(
    "master-keys-credential", "UPDATE credentials SET sealed = $4 WHERE app = $1 AND network = $2 AND sealed = $3")

  /// Saves a credential that was encrypted again, unless the stored one is no longer `credential`, because it was
  /// replaced or deleted meanwhile.
  /// - Parameter sealed: the newly encrypted secret.
  package static func save(_ credential: Secrets.Credential, sealed: [UInt8]) -> Query<Void> {
    Query(credentialStatement, credential.app, credential.network.rawValue, credential.sealed, sealed) { _ in }
  }

  private static let signingStatement = Statement(
    "master-keys-signing", "SELECT purpose, generation, sealed FROM signing_keys")

  package static func signingKeys() -> Query<[(purpose: String, generation: Int32, sealed: [UInt8])]> {
    Query(each: signingStatement) { row in
      (row.text(), row.int32(), row.bytes())
    }
  }

  private static let saveSigningStatement = Statement(
    "master-keys-save-signing", "UPDATE signing_keys SET sealed = $3 WHERE purpose = $1 AND generation = $2")

  package static func save(purpose: String, generation: Int32, sealed: [UInt8]) -> Query<Void> {
    Query(saveSigningStatement, purpose, generation, sealed) { _ in }
  }

  private static let webhooksStatement = Statement(
    "master-keys-webhooks", "SELECT webhook, sealed, former_sealed FROM webhooks")

  package static func webhooks() -> Query<[(webhook: Int32, sealed: [UInt8], former: [UInt8]?)]> {
    Query(each: webhooksStatement) { row in
      (row.int32(), row.bytes(), row.optionalBytes())
    }
  }

  private static let saveWebhookStatement = Statement(
    "master-keys-save-webhook",
    """
    UPDATE webhooks SET sealed = $4, former_sealed = $5 WHERE webhook = $1 AND sealed = $2
      AND former_sealed IS NOT DISTINCT FROM $3
    """)

  /// Saves a webhook's current and former secret after they were encrypted again, unless the stored ones are no longer
  /// `before`, because they were replaced or deleted meanwhile.
  package static func save(
    _ webhook: Int32, from before: (sealed: [UInt8], former: [UInt8]?), to after: (sealed: [UInt8], former: [UInt8]?)
  ) -> Query<Void> {
    Query(saveWebhookStatement, webhook, before.sealed, before.former, after.sealed, after.former) { _ in }
  }

  private static let factorsStatement = Statement(
    "master-keys-factors",
    "SELECT account, factor, new_factor FROM accounts WHERE factor IS NOT NULL OR new_factor IS NOT NULL")

  /// Returns the encrypted secrets of authenticator apps: per account, the secret in force, and the one being set up
  /// (`new`). Omits accounts that have neither.
  package static func factors() -> Query<[(account: Int32, factor: [UInt8]?, new: [UInt8]?)]> {
    Query(each: factorsStatement) { row in
      (
        row.int32(), row.optionalBytes(), row.optionalBytes()
      )
    }
  }

  private static let saveFactorStatement = Statement(
    "master-keys-save-factor",
    """
    UPDATE accounts SET factor = $4, new_factor = $5 WHERE account = $1 AND factor IS NOT DISTINCT FROM $2
      AND new_factor IS NOT DISTINCT FROM $3
    """)

  /// Saves an account's authenticator secrets after they were encrypted again, unless the stored ones are no longer
  /// `before`, because they were replaced, activated or removed meanwhile.
  package static func save(
    factorOf account: Int32, from before: (factor: [UInt8]?, new: [UInt8]?), to after: (factor: [UInt8]?, new: [UInt8]?)
  ) -> Query<Void> {
    Query(saveFactorStatement, account, before.factor, before.new, after.factor, after.new) { _ in }
  }

  private static let dropTokensStatement = Statement(
    "master-keys-drop-tokens",
    """
    DELETE FROM apns_tokens WHERE sealed <> '' AND substring(sealed FROM 1 FOR 8) <> $1
      AND issued_at < now() - interval '1 hour'
    """)

  /// Deletes the provider tokens that a key other than `id` has encrypted and that are older than an hour. APNs rejects
  /// tokens of that age.
  package static func dropTokens(sealedWithout id: [UInt8]) -> Query<Void> {
    Query(dropTokensStatement, id) { _ in }
  }

  private static let tokensStatement = Statement(
    "master-keys-tokens",
    """
    SELECT fingerprint, sealed FROM apns_tokens WHERE sealed <> '' AND substring(sealed FROM 1 FOR 8) <> $1 FOR UPDATE
    """)

  /// Locks and returns the provider tokens that a key other than `id` has encrypted.
  package static func lockTokens(sealedWithout id: [UInt8]) -> Query<[(fingerprint: String, sealed: [UInt8])]> {
    Query(each: tokensStatement, id) { ($0.text(), $0.bytes()) }
  }

  private static let saveTokenStatement = Statement(
    "master-keys-save-token", "UPDATE apns_tokens SET sealed = $2 WHERE fingerprint = $1")

  package static func save(token fingerprint: String, sealed: [UInt8]) -> Query<Void> {
    Query(saveTokenStatement, fingerprint, sealed) { _ in }
  }
}
